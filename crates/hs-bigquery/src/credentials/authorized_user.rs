//! A person who logged in with gcloud: a lasting token is exchanged for a short one.
//! <https://developers.google.com/identity/protocols/oauth2/web-server#offline>

use hs_core::Error;
use reqwest::Url;

use super::file::Fields;
use super::secret::Secret;
use super::tokens::{GOOGLE, address};

/// What `gcloud auth application-default login` leaves.
#[derive(Debug)]
pub struct AuthorizedUser {
    client_id: String,
    client_secret: Secret,
    refresh_token: Secret,
    /// Where tokens are had.
    pub token_uri: Url,
}

impl AuthorizedUser {
    /// From the fields of its file.
    ///
    /// # Errors
    /// For a field that is missing.
    pub fn read(fields: &Fields) -> Result<Self, Error> {
        Ok(Self {
            client_id: fields.required("client_id")?.to_owned(),
            client_secret: Secret::new(fields.required("client_secret")?),
            refresh_token: Secret::new(fields.required("refresh_token")?),
            token_uri: address(fields.text("token_uri").unwrap_or(GOOGLE), "token_uri")?,
        })
    }

    /// The form that asks for a token.
    pub fn form(&self) -> Vec<(&'static str, Secret)> {
        vec![
            ("grant_type", Secret::new("refresh_token")),
            ("client_id", Secret::new(&*self.client_id)),
            ("client_secret", self.client_secret.clone()),
            ("refresh_token", self.refresh_token.clone()),
        ]
    }
}
