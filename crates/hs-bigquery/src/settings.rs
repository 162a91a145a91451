//! Where questions go and who asks, as the environment says. Opens nothing.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use hs_core::error::quoted;
use hs_core::{Error, ErrorKind};
use reqwest::Url;

/// Where the key is, as all clients of Google read it.
pub const CREDENTIALS: &str = "GOOGLE_APPLICATION_CREDENTIALS";
/// The project that is billed, as gcloud reads it.
pub const PROJECT: &str = "CLOUDSDK_CORE_PROJECT";
/// Another place than Google's own, as Google's client for Python reads it.
pub const HOST: &str = "BIGQUERY_EMULATOR_HOST";
/// For how many seconds requests that fail are sent again.
pub const DEADLINE: &str = "HEADSTART_BIGQUERY_DEADLINE";

/// The longest path of the systems that we know.
const LONGEST_PATH: usize = 4096;
const GOOGLE: &str = "https://bigquery.googleapis.com";

/// Who asks, and where.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The file with the credentials.
    pub credentials: PathBuf,
    /// The project that is billed.
    pub project: String,
    /// Where the service is.
    pub endpoint: Url,
    /// How long a request that fails is sent again; `None` for what suits the request.
    pub deadline: Option<Duration>,
}

impl Settings {
    /// As the environment says.
    ///
    /// # Errors
    /// [`ErrorKind::Credentials`] that names every variable that is not set; [`ErrorKind::Argument`] for one that makes
    /// no sense.
    pub fn from_environment() -> Result<Self, Error> {
        let given = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let (credentials, project) = (given(CREDENTIALS), given(PROJECT));
        let (Some(credentials), Some(project)) = (&credentials, &project) else {
            let missing = [
                (credentials.is_none(), CREDENTIALS, "/path/to/key.json"),
                (project.is_none(), PROJECT, "my-project"),
            ];
            let missing = || missing.iter().filter(|(missing, ..)| *missing);
            let message: Vec<String> = missing()
                .map(|(_, name, _)| format!("{name} is not set"))
                .collect();
            let hint: Vec<String> = missing()
                .map(|(_, name, value)| format!("export {name}={value}"))
                .collect();
            let message = message.join(", ");
            return Err(Error::new(ErrorKind::Credentials, message).hint(hint.join("; ")));
        };
        let credentials = path(credentials)?;
        let text = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let host = text(HOST);
        let deadline = text(DEADLINE).map(|text| seconds(&text)).transpose()?;
        let project = project.to_string_lossy();
        Self::new(credentials, &project, host.as_deref(), deadline)
    }

    /// With the credentials in this file, for a project; `host` is another place than Google's own.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for a project or a place that makes no sense.
    pub fn new(
        credentials: PathBuf,
        project: &str,
        host: Option<&str>,
        deadline: Option<Duration>,
    ) -> Result<Self, Error> {
        Ok(Self {
            credentials,
            project: named(project)?,
            endpoint: host.map_or_else(|| parsed(GOOGLE), endpoint)?,
            deadline,
        })
    }
}

/// The path of the credentials file. The key itself, which is what some put there, is never repeated.
///
/// # Errors
/// [`ErrorKind::Credentials`] for what is no path.
pub fn path(value: &OsStr) -> Result<PathBuf, Error> {
    let text = value.to_string_lossy();
    let is_key = text.len() > LONGEST_PATH
        || text.trim_start().starts_with('{')
        || text.contains(['\n', '\r']);
    if is_key || text.contains("PRIVATE KEY") {
        let message = format!(
            "{CREDENTIALS} holds the credentials themselves, expected the path of their file"
        );
        return Err(Error::new(ErrorKind::Credentials, message).hint(format!(
            "write them into a file that only you can read: export {CREDENTIALS}=/path/to/key.json"
        )));
    }
    // Shells do not expand `~` in quotes.
    if let (Some(rest), Some(home)) = (text.strip_prefix("~/"), env::var_os("HOME")) {
        return Ok(PathBuf::from(home).join(rest));
    }
    Ok(PathBuf::from(value))
}

/// A project's name; it becomes a part of a path.
pub fn named(project: &str) -> Result<String, Error> {
    let project = project.trim();
    let fits =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | ':' | '_');
    let begins = project.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if begins && project.len() <= 128 && project.chars().all(fits) {
        return Ok(project.to_owned());
    }
    let message = format!(
        "{PROJECT}: expected the id of a project, found {}",
        quoted(project)
    );
    Err(Error::new(ErrorKind::Argument, message).hint(format!("export {PROJECT}=my-project")))
}

fn parsed(url: &str) -> Result<Url, Error> {
    // What is no address may hold a password all the same.
    Url::parse(url).map_err(|error| {
        let message = format!(
            "expected an address such as http://127.0.0.1:9050, found something else: {error}"
        );
        Error::new(ErrorKind::Argument, message)
    })
}

/// Another place for the service; without a scheme it is this machine, by plain http.
pub fn endpoint(host: &str) -> Result<Url, Error> {
    let whole = if host.contains("://") {
        host.to_owned()
    } else {
        format!("http://{host}")
    };
    let url = parsed(&whole).map_err(|error| error.prefixed(&format!("{HOST}: ")))?;
    safe(&url).map_err(|error| error.prefixed(&format!("{HOST}: ")))?;
    if !url.username().is_empty() || url.password().is_some() {
        let message = format!("{HOST}: expected an address without a user, found one with");
        return Err(Error::new(ErrorKind::Argument, message));
    }
    Ok(url)
}

/// Refuses addresses to which no token may go: all but https, and http that stays on this machine.
///
/// # Errors
/// [`ErrorKind::Argument`].
pub fn safe(url: &Url) -> Result<(), Error> {
    let here = match url.host_str() {
        Some("localhost" | "[::1]") => true,
        Some(host) => host
            .parse::<std::net::Ipv4Addr>()
            .is_ok_and(|address| address.is_loopback()),
        None => false,
    };
    match url.scheme() {
        "https" if url.has_host() => Ok(()),
        "http" if here => Ok(()),
        _ => {
            // The rest of an address may hold a password.
            let found = format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default());
            let message = format!(
                "expected https, or http on this machine, found {}",
                quoted(&found)
            );
            let hint = "tokens do not go over the network unencrypted: use https://";
            Err(Error::new(ErrorKind::Argument, message).hint(hint))
        }
    }
}

fn seconds(text: &str) -> Result<Duration, Error> {
    let seconds: Option<f64> = text.trim().parse().ok();
    let seconds = seconds.filter(|seconds| (0.0..=86_400.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| {
        let message = format!(
            "{DEADLINE}: expected seconds from 0 to 86400, found {}",
            quoted(text)
        );
        Error::new(ErrorKind::Argument, message).hint(format!("export {DEADLINE}=60"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_stays_on_this_machine() {
        for host in [
            "127.0.0.1:9050",
            "http://127.8.0.1",
            "http://localhost:1",
            "http://[::1]:1",
            "https://bq.example.com",
        ] {
            assert!(endpoint(host).is_ok(), "{host}");
        }
        for host in [
            "http://10.0.0.1:9050",
            "bq.example.com:80",
            "http://127.0.0.1.example.com",
            "ftp://127.0.0.1",
            "http://",
        ] {
            assert!(endpoint(host).is_err(), "{host}");
        }
    }

    #[test]
    fn credentials_are_a_path_and_never_repeated() {
        for key in [
            "{\"private_key\": \"s3cret\"}",
            "s3cret\nx",
            "-----BEGIN PRIVATE KEY-----s3cret",
            &"s3cret".repeat(800),
        ] {
            let error = path(OsStr::new(key)).expect_err("no path");
            let told = format!("{error} {error:?}");
            assert!(
                !told.contains("s3cret") && told.contains("themselves"),
                "{told}"
            );
        }
        assert_eq!(
            path(OsStr::new("/a/k.json")).ok(),
            Some(PathBuf::from("/a/k.json"))
        );
        for host in [
            "http://user:s3cret@127.0.0.1:1",
            "https://user:s3cret@:99999",
            "http://a b:s3cret",
        ] {
            let told = format!("{:?}", endpoint(host).expect_err(host));
            assert!(!told.contains("s3cret"), "{told}");
        }
    }

    #[test]
    fn a_project_is_no_path() {
        assert!(named("..").is_err() && named(".").is_err());
        assert_eq!(named(" my-project ").ok().as_deref(), Some("my-project"));
        assert!(named("example.com:my-project").is_ok());
        assert!(named("a/b").is_err() && named("a?b").is_err() && named(" ").is_err());
    }

    #[test]
    fn deadlines_are_seconds() {
        assert_eq!(seconds("2").ok(), Some(Duration::from_secs(2)));
        assert_eq!(seconds("0.5").ok(), Some(Duration::from_millis(500)));
        assert!(seconds("-1").is_err() && seconds("nan").is_err() && seconds("2 s").is_err());
    }
}
