//! What `hs doctor` says of BigQuery: whether everything is set that a question needs. Sends nothing.

use hs_core::Error;

use crate::credentials::Credentials;
use crate::settings::{CREDENTIALS, HOST, PROJECT, Settings};

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
        Some(path) => {
            let path = std::path::PathBuf::from(path);
            let read = Credentials::read(&path);
            checked(
                CREDENTIALS,
                read.map(|read| format!("{} ({})", path.display(), read.kind.word())),
            )
        }
    };
    let project = match set(PROJECT) {
        None => unset(PROJECT, "my-project"),
        Some(project) => checked(PROJECT, Ok(project.to_string_lossy().into_owned())),
    };
    let settings = Settings::from_environment();
    let mut all = vec![credentials, project];
    if let Ok(settings) = &settings {
        let host = settings.endpoint.as_str().trim_end_matches('/');
        all.push(checked("BigQuery at", Ok(host.to_owned())));
    } else if set(HOST).is_some() {
        all.push(checked(HOST, settings.map(|_| String::new())));
    }
    all
}
