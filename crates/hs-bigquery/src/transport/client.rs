//! The HTTP clients: one for this machine, one for all others, each made when it is first used.

use std::cell::OnceCell;
use std::time::Duration;

use hs_core::{Error, ErrorKind};
use reqwest::{Client, Url, redirect};

/// Servers of Google pack replies only for clients whose name has `gzip` in it.
pub const USER_AGENT: &str = concat!("headstart/", env!("CARGO_PKG_VERSION"), " (gzip)");
/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(20);

/// The clients.
#[derive(Default)]
pub struct Clients {
    outside: OnceCell<Client>,
    inside: OnceCell<Client>,
}

impl Clients {
    /// The client for an address.
    ///
    /// # Errors
    /// [`ErrorKind::Service`] when there can be none, as without certificates that can be read.
    pub fn of(&self, url: &Url) -> Result<&Client, Error> {
        let inside = url.scheme() == "http";
        let held = if inside { &self.inside } else { &self.outside };
        if let Some(client) = held.get() {
            return Ok(client);
        }
        // A token stays with whom it was sent to, so redirects are not followed.
        let builder = Client::builder()
            .user_agent(USER_AGENT)
            .connect_timeout(CONNECT)
            .redirect(redirect::Policy::none());
        // Plain http goes to this machine alone: no proxy leads there, and no certificates are needed.
        let builder = if inside {
            builder.no_proxy().tls_built_in_native_certs(false)
        } else {
            builder.https_only(true)
        };
        let client = builder.build().map_err(|error| {
            let message = "no https: the certificates of this machine cannot be read";
            Error::new(ErrorKind::Service, message)
                .because(error)
                .hint("install ca-certificates, or name a file of them: export SSL_CERT_FILE=/path/to/roots.pem")
        })?;
        Ok(held.get_or_init(|| client))
    }
}
