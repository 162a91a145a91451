//! A key of a service account: a statement signed with it is exchanged for a token.
//! <https://developers.google.com/identity/protocols/oauth2/service-account>

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hs_core::{Error, ErrorKind};
use reqwest::Url;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject;
use serde_json::json;

use super::file::Fields;
use super::secret::Secret;
use super::tokens::{GOOGLE, SCOPE, address};

/// The longest that such a statement may hold, in seconds.
const LIFETIME: u64 = 3600;

/// A key of a service account.
pub struct ServiceAccount {
    email: String,
    key: RsaKeyPair,
    key_id: Option<String>,
    /// Where tokens are had.
    pub token_uri: Url,
}

impl fmt::Debug for ServiceAccount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ServiceAccount({:?})", self.email)
    }
}

impl ServiceAccount {
    /// From the fields of its file.
    ///
    /// # Errors
    /// [`ErrorKind::Credentials`] for a field that is missing and a private key that is none.
    pub fn read(fields: &Fields) -> Result<Self, Error> {
        Ok(Self {
            email: fields.required("client_email")?.to_owned(),
            key: key(fields.required("private_key")?)?,
            key_id: fields.text("private_key_id").map(str::to_owned),
            token_uri: address(fields.text("token_uri").unwrap_or(GOOGLE), "token_uri")?,
        })
    }

    /// The form that asks for a token.
    ///
    /// # Errors
    /// [`ErrorKind::Credentials`] when the key cannot sign.
    pub fn form(&self) -> Result<Vec<(&'static str, Secret)>, Error> {
        let kind = "urn:ietf:params:oauth:grant-type:jwt-bearer";
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |since| since.as_secs());
        Ok(vec![
            ("grant_type", Secret::new(kind)),
            ("assertion", self.statement(now)?),
        ])
    }

    /// The signed statement (RFC 7519, RS256) that this account asks at `now`, in seconds since 1970.
    fn statement(&self, now: u64) -> Result<Secret, Error> {
        let mut head = json!({"alg": "RS256", "typ": "JWT"});
        if let Some(id) = &self.key_id {
            head["kid"] = json!(id);
        }
        let claims = json!({
            "iss": self.email,
            "scope": SCOPE,
            "aud": self.token_uri.as_str(),
            "iat": now,
            "exp": now + LIFETIME,
        });
        let part = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&head), part(&claims));
        let mut signature = vec![0; self.key.public().modulus_len()];
        let random = SystemRandom::new();
        let done = self.key.sign(
            &RSA_PKCS1_SHA256,
            &random,
            signed.as_bytes(),
            &mut signature,
        );
        done.map_err(|_| Error::new(ErrorKind::Credentials, "the private key cannot sign"))?;
        let signature = URL_SAFE_NO_PAD.encode(signature);
        Ok(Secret::new(format!("{signed}.{signature}")))
    }
}

/// The private key in a PEM text.
fn key(pem: &str) -> Result<RsaKeyPair, Error> {
    let der = PrivateKeyDer::from_pem_slice(pem.as_bytes());
    let key = match &der {
        Ok(PrivateKeyDer::Pkcs8(der)) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).ok(),
        Ok(PrivateKeyDer::Pkcs1(der)) => RsaKeyPair::from_der(der.secret_pkcs1_der()).ok(),
        _ => None,
    };
    key.ok_or_else(|| {
        Error::new(ErrorKind::Credentials, "expected a private key in \"private_key\", found none")
            .hint("make a new key: gcloud iam service-accounts keys create key.json --iam-account=ACCOUNT")
    })
}
