//! What `hs doctor` says of BigQuery: whether everything is set that a question needs. Sends nothing.

use hs_core::Error;

use crate::credentials::Credentials;
use crate::settings::{self, CREDENTIALS, HOST, PROJECT};

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// What it is.
    pub name: &'static str,
    /// Whether it is as it must be.
    pub ok: bool,
    /// What was found, or what to do.
    pub found: String,
}

/// Looks at the environment and the credentials file, and shows no secret of it.
pub fn doctor() -> Vec<Checked> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let checked = |name, found: Result<String, Error>| match found {
        Ok(found) => Checked {
            name,
            ok: true,
            found,
        },
        Err(error) => Checked {
            name,
            ok: false,
            found: error.to_string().replace("\nhint:", ";"),
        },
    };
    let unset = |name: &'static str, value: &str| Checked {
        name,
        ok: false,
        found: format!("not set; export {name}={value}"),
    };
    let credentials = match set(CREDENTIALS) {
        None => unset(CREDENTIALS, "/path/to/key.json"),
        Some(value) => {
            let read = settings::path(&value).and_then(|path| {
                let kind = Credentials::read(&path)?.kind.word();
                Ok(format!("{} ({kind})", path.display()))
            });
            checked(CREDENTIALS, read)
        }
    };
    let project = match set(PROJECT) {
        None => unset(PROJECT, "my-project"),
        Some(project) => checked(PROJECT, settings::named(&project.to_string_lossy())),
    };
    let mut all = vec![credentials, project];
    if let Some(host) = set(HOST) {
        let endpoint = settings::endpoint(&host.to_string_lossy());
        let told = endpoint.map(|url| url.as_str().trim_end_matches('/').to_owned());
        all.push(checked(HOST, told));
    }
    all
}
