//! The hs command as a library.
