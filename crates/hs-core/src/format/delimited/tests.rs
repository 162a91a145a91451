//! Whole reads.
