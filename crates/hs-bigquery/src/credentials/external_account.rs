//! An account of somebody else whom Google trusts: their token is exchanged for one of Google's, and that, where the
//! file says so, for one of a service account. <https://google.aip.dev/auth/4117>

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use hs_core::{Error, ErrorKind, Place};
use reqwest::Url;
use serde_json::Value;

use super::file::Fields;
use super::secret::Secret;
use super::tokens::{SCOPE, address};

/// The scope in which an account may stand in for a service account.
const PLATFORM: &str = "https://www.googleapis.com/auth/cloud-platform";
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";
/// Larger than any token.
const LARGEST: u64 = 1 << 20;
/// How long a service account is stood in for, in seconds, where the file does not say.
const LIFETIME: u64 = 3600;

/// An account of somebody else.
#[derive(Debug)]
pub struct ExternalAccount {
    audience: String,
    subject_token_type: String,
    /// Where tokens are had.
    pub token_url: Url,
    /// Where their token is.
    pub source: Source,
    /// Where it is exchanged for one of a service account.
    pub impersonation: Option<Impersonation>,
}

/// Where the foreign token is, and how it stands there.
#[derive(Debug)]
pub struct Source {
    /// A file, or an address with headers to send.
    pub place: SourcePlace,
    /// The field of a JSON text that holds it; else all of the text.
    field: Option<String>,
}

/// Where the foreign token is.
#[derive(Debug)]
pub enum SourcePlace {
    /// In a file, which is written anew before the token ends.
    File(PathBuf),
    /// At an address.
    Url(Url, Vec<(String, Secret)>),
}

/// A service account that is stood in for.
#[derive(Debug)]
pub struct Impersonation {
    /// Where its tokens are had.
    pub url: Url,
    /// For how many seconds.
    pub lifetime: u64,
}

impl ExternalAccount {
    /// From the fields of its file.
    ///
    /// # Errors
    /// [`ErrorKind::Credentials`] for a field that is missing and a source that is not supported.
    pub fn read(fields: &Fields) -> Result<Self, Error> {
        let impersonation = fields.text("service_account_impersonation_url");
        let options = fields.object("service_account_impersonation");
        let lifetime = options.and_then(|options| options.number("token_lifetime_seconds"));
        let impersonation = impersonation.map(|url| {
            Ok::<_, Error>(Impersonation {
                url: address(url, "service_account_impersonation_url")?,
                lifetime: lifetime.unwrap_or(LIFETIME),
            })
        });
        Ok(Self {
            audience: fields.required("audience")?.to_owned(),
            subject_token_type: fields.required("subject_token_type")?.to_owned(),
            token_url: address(fields.required("token_url")?, "token_url")?,
            source: Source::read(fields)?,
            impersonation: impersonation.transpose()?,
        })
    }

    /// The form that exchanges a foreign token.
    pub fn form(&self, token: &Secret) -> Vec<(&'static str, Secret)> {
        let scope = if self.impersonation.is_some() {
            PLATFORM
        } else {
            SCOPE
        };
        vec![
            ("grant_type", Secret::new(EXCHANGE)),
            ("audience", Secret::new(&*self.audience)),
            ("scope", Secret::new(scope)),
            ("requested_token_type", Secret::new(ACCESS_TOKEN)),
            ("subject_token_type", Secret::new(&*self.subject_token_type)),
            ("subject_token", token.clone()),
        ]
    }
}

/// The address of a foreign token: as all others, or that of the machine's own metadata, which has no https.
fn source_address(url: &str) -> Result<Url, Error> {
    let metadata = Url::parse(url).ok().filter(|url| {
        let address = url
            .host_str()
            .and_then(|host| host.parse::<Ipv4Addr>().ok());
        url.scheme() == "http" && address.is_some_and(|address| address.is_link_local())
    });
    metadata.map_or_else(|| address(url, "credential_source.url"), Ok)
}

impl Source {
    fn read(fields: &Fields) -> Result<Self, Error> {
        let unsupported = |found: &str| {
            let message =
                format!("expected a credential_source with \"file\" or \"url\", found {found}");
            Error::new(ErrorKind::Credentials, message)
                .hint("let the other side write its token into a file, and name that as \"file\"")
        };
        let source = fields
            .object("credential_source")
            .ok_or_else(|| unsupported("none"))?;
        let place = match (source.text("file"), source.text("url")) {
            // Metadata of Amazon's machines wants signed requests.
            _ if source.text("environment_id").is_some() => {
                return Err(unsupported("\"environment_id\""));
            }
            (Some(file), _) => SourcePlace::File(PathBuf::from(file)),
            (None, Some(url)) => {
                let headers = source.object("headers");
                let headers = headers.iter().flat_map(Fields::texts);
                let headers = headers.map(|(name, value)| (name.to_owned(), Secret::new(value)));
                SourcePlace::Url(source_address(url)?, headers.collect())
            }
            (None, None) if source.object("executable").is_some() => {
                return Err(unsupported("\"executable\""));
            }
            (None, None) => return Err(unsupported("neither")),
        };
        let format = source.object("format");
        let json = format.filter(|format| format.text("type") == Some("json"));
        let field = json.map(|format| {
            format
                .required("subject_token_field_name")
                .map(str::to_owned)
        });
        Ok(Self {
            place,
            field: field.transpose()?,
        })
    }

    /// The token in the file.
    ///
    /// # Errors
    /// [`ErrorKind::Credentials`] when it cannot be read.
    pub fn of_file(&self, path: &Path) -> Result<Secret, Error> {
        use std::io::Read;
        let place = || Place::source(path.display().to_string());
        let mut text = String::new();
        let read =
            std::fs::File::open(path).and_then(|file| file.take(LARGEST).read_to_string(&mut text));
        read.map_err(|error| {
            let message = format!("the token that the credentials name cannot be read: {error}");
            Error::new(ErrorKind::Credentials, message).at(place())
        })?;
        self.token(&text).map_err(|error| error.at(place()))
    }

    /// The token in what the file or the address holds.
    ///
    /// # Errors
    /// [`ErrorKind::Credentials`] when there is none.
    pub fn token(&self, text: &str) -> Result<Secret, Error> {
        let token = match &self.field {
            None => Some(text.trim().to_owned()),
            Some(field) => {
                let value: Option<Value> = serde_json::from_str(text).ok();
                value.and_then(|value| Some(value.get(field)?.as_str()?.to_owned()))
            }
        };
        let token = token.filter(|token| !token.is_empty());
        token.map(Secret::new).ok_or_else(|| {
            let message = match &self.field {
                None => "expected a token, found nothing".to_owned(),
                Some(field) => format!("expected a token in the field {field:?}, found none"),
            };
            Error::new(ErrorKind::Credentials, message)
        })
    }
}
