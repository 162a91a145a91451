//! Writes credential files as Google's tools write them, for accounts that only this server knows. All of them are made
//! up for tests; they open nothing.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::server::Server;

pub const PROJECT: &str = "p1";
pub const EMAIL: &str = "t@p1.iam.gserviceaccount.com";
pub const CLIENT_ID: &str = "1-made-for-tests.apps.googleusercontent.com";
pub const CLIENT_SECRET: &str = "client-secret-made-for-tests";
pub const REFRESH_TOKEN: &str = "1//refresh-token-made-for-tests";
pub const AUDIENCE: &str =
    "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/github";
pub const SUBJECT_TOKEN: &str = "subject-token-made-for-tests";
pub const SUBJECT_TOKEN_TYPE: &str = "urn:ietf:params:oauth:token-type:jwt";
pub const ACCOUNT_PUBLIC: &str = include_str!("../keys/account.public.pem");
const ACCOUNT_KEY: &str = include_str!("../keys/account.pem");
const OTHER_KEY: &str = include_str!("../keys/other.pem");

/// Each writes one file into the folder, with the endpoints of this server in it, and returns its path.
///
/// # Errors
/// The folder cannot be written.
impl Server {
    /// A key of the account that the server knows.
    #[allow(clippy::missing_errors_doc, reason = "said once, above")]
    pub fn service_account(&self, folder: &Path) -> io::Result<PathBuf> {
        write(folder, "service_account.json", &self.key_file(ACCOUNT_KEY))
    }

    /// The same account with another key: `Invalid JWT Signature.`
    #[allow(clippy::missing_errors_doc, reason = "said once, above")]
    pub fn wrong_key(&self, folder: &Path) -> io::Result<PathBuf> {
        write(folder, "wrong_key.json", &self.key_file(OTHER_KEY))
    }

    /// What `gcloud auth application-default login` leaves; with a `token_uri`, which Google's has not.
    #[allow(clippy::missing_errors_doc, reason = "said once, above")]
    pub fn authorized_user(&self, folder: &Path) -> io::Result<PathBuf> {
        write(folder, "authorized_user.json", &self.user())
    }

    /// What google-github-actions/auth leaves; the token is in a file, as text or in a field of JSON, and is used as it
    /// is or to act as a service account.
    #[allow(clippy::missing_errors_doc, reason = "said once, above")]
    pub fn external_account(
        &self,
        folder: &Path,
        json_source: bool,
        impersonate: bool,
    ) -> io::Result<PathBuf> {
        let source = if json_source {
            let token = write(
                folder,
                "subject_token.json",
                &json!({"value": SUBJECT_TOKEN}),
            )?;
            json!({"file": token, "format": {"type": "json", "subject_token_field_name": "value"}})
        } else {
            let token = folder.join("subject_token.txt");
            std::fs::write(&token, format!("{SUBJECT_TOKEN}\n"))?;
            json!({"file": token})
        };
        let mut file = json!({
            "type": "external_account",
            "audience": AUDIENCE,
            "subject_token_type": SUBJECT_TOKEN_TYPE,
            "token_url": format!("{}/token", self.url()),
            "credential_source": source,
        });
        if impersonate {
            file["service_account_impersonation_url"] = json!(self.impersonation_url());
        }
        let form = if json_source { "json" } else { "text" };
        let acts = if impersonate { "_impersonating" } else { "" };
        write(
            folder,
            &format!("external_account_{form}{acts}.json"),
            &file,
        )
    }

    /// What `gcloud auth application-default login --impersonate-service-account` leaves.
    #[allow(clippy::missing_errors_doc, reason = "said once, above")]
    pub fn impersonated(&self, folder: &Path) -> io::Result<PathBuf> {
        let file = json!({
            "type": "impersonated_service_account",
            "delegates": [],
            "service_account_impersonation_url": self.impersonation_url(),
            "source_credentials": self.user(),
        });
        write(folder, "impersonated.json", &file)
    }

    fn impersonation_url(&self) -> String {
        format!(
            "{}/v1/projects/-/serviceAccounts/{EMAIL}:generateAccessToken",
            self.url()
        )
    }

    fn key_file(&self, key: &str) -> Value {
        json!({
            "type": "service_account",
            "project_id": PROJECT,
            "private_key_id": "made-for-tests",
            "private_key": key,
            "client_email": EMAIL,
            "client_id": "1",
            "auth_uri": format!("{}/auth", self.url()),
            "token_uri": format!("{}/token", self.url()),
            "auth_provider_x509_cert_url": format!("{}/certs", self.url()),
            "client_x509_cert_url": format!("{}/certs/t", self.url()),
            "universe_domain": "googleapis.com",
        })
    }

    fn user(&self) -> Value {
        json!({
            "type": "authorized_user",
            "account": "",
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "refresh_token": REFRESH_TOKEN,
            "token_uri": format!("{}/token", self.url()),
            "universe_domain": "googleapis.com",
        })
    }
}

fn write(folder: &Path, name: &str, file: &Value) -> io::Result<PathBuf> {
    let path = folder.join(name);
    let text = serde_json::to_string_pretty(file)?;
    std::fs::write(&path, text + "\n")?;
    Ok(path)
}
