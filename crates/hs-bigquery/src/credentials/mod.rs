//! Who asks: the file that GOOGLE_APPLICATION_CREDENTIALS names, and the tokens that it gets.
//!
//! One file for each kind of credentials. The flows go through our own [`Sender`](crate::transport::Sender), so that
//! proxies, roots, deadlines and errors are the same as for every other request.

mod authorized_user;
mod external_account;
mod file;
mod secret;
mod service_account;
mod tokens;

pub use file::Credentials;
pub use secret::Secret;
pub use tokens::Tokens;
