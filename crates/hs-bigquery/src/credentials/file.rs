//! The credentials file: what kind it is and what stands in it. No error repeats its content.

use std::io::Read;
use std::path::Path;

use hs_core::{Error, ErrorKind, Place};
use serde_json::{Map, Value};

use super::authorized_user::AuthorizedUser;
use super::external_account::ExternalAccount;
use super::service_account::ServiceAccount;

/// No credentials file is nearly as large.
const LARGEST: u64 = 1 << 20;

/// What gets tokens.
#[derive(Debug)]
pub enum Kind {
    /// A key of a service account.
    ServiceAccount(ServiceAccount),
    /// A person who logged in with gcloud.
    AuthorizedUser(AuthorizedUser),
    /// An account of somebody else whom Google trusts, as in the workflows of a forge.
    ExternalAccount(ExternalAccount),
}

impl Kind {
    /// The word for it in the file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::ServiceAccount(_) => "service_account",
            Self::AuthorizedUser(_) => "authorized_user",
            Self::ExternalAccount(_) => "external_account",
        }
    }
}

/// A credentials file.
#[derive(Debug)]
pub struct Credentials {
    /// What gets tokens.
    pub kind: Kind,
    /// The project whose quota is used instead of the account's own.
    pub quota_project: Option<String>,
}

impl Credentials {
    /// Reads the file.
    ///
    /// # Errors
    /// [`ErrorKind::Credentials`], with what the file lacks.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let place = || Place::source(path.display().to_string());
        let text = text(path).map_err(|error| error.at(place()))?;
        Self::parse(&text).map_err(|error| error.at(place()))
    }

    fn parse(text: &str) -> Result<Self, Error> {
        // serde_json's error says where, never what.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value = serde_json::from_str(text).map_err(|error| {
            let message = format!("expected a key in JSON, found something else at line {}", error.line());
            Error::new(ErrorKind::Credentials, message)
                .hint("GOOGLE_APPLICATION_CREDENTIALS names the JSON file that Google gave, not its content")
        })?;
        let Value::Object(object) = value else {
            return Err(Error::new(
                ErrorKind::Credentials,
                "expected a key in JSON, found no object",
            ));
        };
        let fields = Fields(object);
        let kind = match fields.required("type")? {
            "service_account" => Kind::ServiceAccount(ServiceAccount::read(&fields)?),
            "authorized_user" => Kind::AuthorizedUser(AuthorizedUser::read(&fields)?),
            "external_account" => Kind::ExternalAccount(ExternalAccount::read(&fields)?),
            other => {
                let other: String = other
                    .chars()
                    .filter(|letter| !letter.is_control())
                    .take(60)
                    .collect();
                let message = format!(
                    "credentials of type '{other}' are not supported; use service_account, authorized_user or \
                     external_account"
                );
                return Err(Error::new(ErrorKind::Credentials, message)
                    .hint("gcloud auth application-default login makes an authorized_user file"));
            }
        };
        Ok(Self {
            kind,
            quota_project: fields.text("quota_project_id").map(str::to_owned),
        })
    }
}

fn text(path: &Path) -> Result<String, Error> {
    let error = |message: &str, cause| Error::new(ErrorKind::Credentials, message).because(cause);
    let unreadable = |cause: std::io::Error| {
        let message = match cause.kind() {
            std::io::ErrorKind::NotFound => "no such file".to_owned(),
            std::io::ErrorKind::InvalidData => "expected a key in JSON, found no text".to_owned(),
            _ => format!("cannot be read: {cause}"),
        };
        error(&message, cause)
            .hint("GOOGLE_APPLICATION_CREDENTIALS names the file with the credentials")
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut text = String::new();
    file.take(LARGEST)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    Ok(text)
}

/// The fields of a credentials file.
pub struct Fields(Map<String, Value>);

impl Fields {
    /// A text that may be missing.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// A text that must be there.
    ///
    /// # Errors
    /// [`ErrorKind::Credentials`] that names it.
    pub fn required(&self, name: &str) -> Result<&str, Error> {
        self.text(name).ok_or_else(|| {
            let message = format!("expected a credentials file with \"{name}\", found none in it");
            Error::new(ErrorKind::Credentials, message)
                .hint("get the file anew: gcloud auth application-default login, or a key of a service account")
        })
    }

    /// An object that may be missing.
    pub fn object(&self, name: &str) -> Option<Self> {
        Some(Self(self.0.get(name)?.as_object()?.clone()))
    }

    /// All its texts by name.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.0.iter();
        texts.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
    }

    /// A whole number that may be missing.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        let error = Credentials::parse(text).expect_err("broken credentials");
        assert_eq!(error.kind(), ErrorKind::Credentials);
        format!("{error}{error:?}")
    }

    #[test]
    fn what_is_wrong_is_named_and_no_secret_repeated() {
        assert!(message("s3cret").contains("found something else at line 1"));
        assert!(message("[\"s3cret\"]").contains("no object"));
        assert!(message("{\"type\": 7}").contains("with \"type\""));
        assert!(
            message(r#"{"type": "impersonated_service_account"}"#)
                .contains("'impersonated_service_account' are not")
        );
        let text = message(
            r#"{"type": "service_account", "private_key": "s3cret", "client_email": "a@b"}"#,
        );
        assert!(
            text.contains("private key") && !text.contains("s3cret"),
            "{text}"
        );
        let text =
            message(r#"{"type": "authorized_user", "client_secret": "s3cret", "client_id": "a"}"#);
        assert!(
            text.contains("\"refresh_token\"") && !text.contains("s3cret"),
            "{text}"
        );
    }

    #[test]
    fn what_is_read_shows_no_secret() {
        let text = r#"{"type": "authorized_user", "client_id": "a", "client_secret": "s3cret", "refresh_token": "s3cret",
            "quota_project_id": "q"}"#;
        let credentials = Credentials::parse(text).expect("whole credentials");
        assert_eq!(credentials.quota_project.as_deref(), Some("q"));
        assert_eq!(credentials.kind.word(), "authorized_user");
        assert!(!format!("{credentials:?}").contains("s3cret"));
    }
}
