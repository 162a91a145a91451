//! The token that stands in every request: had when needed, kept while it holds, had anew when the service says no.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hs_core::{Error, ErrorKind};
use reqwest::{Method, Url};
use serde_json::{Value, json};

use super::external_account::{ExternalAccount, SourcePlace};
use super::file::{Credentials, Kind};
use super::secret::Secret;
use crate::refusal::plain;
use crate::settings;
use crate::transport::{Content, Message, Sender, Stop};

/// What may be done with a token.
pub const SCOPE: &str = "https://www.googleapis.com/auth/bigquery";
/// Where Google gives tokens.
pub const GOOGLE: &str = "https://oauth2.googleapis.com/token";
/// A token is had anew so long before its end, since a request takes time.
const MARGIN: Duration = Duration::from_mins(1);

/// Gives tokens.
pub struct Tokens {
    credentials: Credentials,
    held: Mutex<Option<Held>>,
}

struct Held {
    token: Secret,
    until: Instant,
}

impl Tokens {
    /// Of these credentials.
    pub fn new(credentials: Credentials) -> Self {
        let held = Mutex::new(None);
        Self { credentials, held }
    }

    /// The project whose quota is used.
    pub fn quota_project(&self) -> Option<&str> {
        self.credentials.quota_project.as_deref()
    }

    /// A token that holds.
    ///
    /// # Errors
    /// [`ErrorKind::Credentials`] when none is given, [`ErrorKind::Service`] when nobody answers.
    pub async fn token(&self, sender: &Sender<'_>) -> Result<Secret, Error> {
        let now = Instant::now();
        if let Some(held) = &*self.held.lock().unwrap_or_else(PoisonError::into_inner)
            && held.until > now
        {
            return Ok(held.token.clone());
        }
        let (token, lifetime) = match &self.credentials.kind {
            Kind::ServiceAccount(account) => {
                exchange(sender, &account.token_uri, account.form()?).await?
            }
            Kind::AuthorizedUser(user) => exchange(sender, &user.token_uri, user.form()).await?,
            Kind::ExternalAccount(account) => external(sender, account).await?,
        };
        // Where tokens end within the margin, half of their time must do.
        let until = now + lifetime.saturating_sub(MARGIN).max(lifetime / 2);
        let held = Held {
            token: token.clone(),
            until,
        };
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
        Ok(token)
    }

    /// Drops a token that the service did not take, unless there is a newer one.
    pub fn refused(&self, token: &Secret) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.as_ref().is_some_and(|held| held.token == *token) {
            *held = None;
        }
    }
}

/// An address of a credentials file.
///
/// # Errors
/// [`ErrorKind::Credentials`] for one that is none, or to which no secret may go.
pub fn address(url: &str, field: &str) -> Result<Url, Error> {
    let parsed = Url::parse(url).map_err(|error| {
        // It may hold a secret.
        let message = format!("expected an address in \"{field}\", found something else: {error}");
        Error::new(ErrorKind::Credentials, message).because(error)
    })?;
    settings::safe(&parsed).map_err(|error| {
        let message = format!("\"{field}\": {}", error.message());
        Error::new(ErrorKind::Credentials, message)
    })?;
    Ok(parsed)
}

/// A token for a form.
async fn exchange(
    sender: &Sender<'_>,
    url: &Url,
    form: Vec<(&'static str, Secret)>,
) -> Result<(Secret, Duration), Error> {
    let message = Message {
        content: Content::Form(form),
        ..Message::new(Method::POST, url.clone())
    };
    let reply = answer(sender, &message).await?;
    let seconds = reply
        .get("expires_in")
        .and_then(Value::as_u64)
        .unwrap_or(3600);
    token_in(&reply, "access_token", url)
        .map(|token| (token, Duration::from_secs(seconds.min(86_400))))
}

async fn external(
    sender: &Sender<'_>,
    account: &ExternalAccount,
) -> Result<(Secret, Duration), Error> {
    let foreign = match &account.source.place {
        SourcePlace::File(path) => account.source.of_file(path)?,
        SourcePlace::Url(url, headers) => {
            let message = Message {
                headers: headers.clone(),
                ..Message::new(Method::GET, url.clone())
            };
            let body = sender
                .persistently(&message)
                .await
                .map_err(|stop| refused(stop, url))?;
            account.source.token(&String::from_utf8_lossy(&body))?
        }
    };
    let (token, lifetime) = exchange(sender, &account.token_url, account.form(&foreign)).await?;
    let Some(impersonation) = &account.impersonation else {
        return Ok((token, lifetime));
    };
    let lifetime = format!("{}s", impersonation.lifetime);
    let message = Message {
        content: Content::Json(json!({"scope": [SCOPE], "lifetime": lifetime})),
        token: Some(token),
        ..Message::new(Method::POST, impersonation.url.clone())
    };
    let reply = answer(sender, &message).await?;
    let token = token_in(&reply, "accessToken", &impersonation.url)?;
    Ok((
        token,
        Duration::from_secs(impersonation.lifetime.min(86_400)),
    ))
}

async fn answer(sender: &Sender<'_>, message: &Message) -> Result<Value, Error> {
    let reply = sender.persistently(message).await;
    let reply = reply.map_err(|stop| refused(stop, &message.url))?;
    // What is no JSON has no token, either.
    Ok(serde_json::from_slice(&reply).unwrap_or_default())
}

fn token_in(reply: &Value, field: &str, url: &Url) -> Result<Secret, Error> {
    let token = reply.get(field).and_then(Value::as_str);
    token.map(Secret::new).ok_or_else(|| {
        let host = url.host_str().unwrap_or_default();
        let message = format!("expected a token from {host}, found a reply without \"{field}\"");
        Error::new(ErrorKind::Service, message)
            .hint("is there a proxy in between that answers with a page of its own?")
    })
}

/// Why there is no token. Servers of tokens write their errors in another shape than the service does.
fn refused(stop: Stop, url: &Url) -> Error {
    let (status, body) = match stop {
        Stop::Failed(error) => return error,
        Stop::Refused(status, body, _) => (status, body),
    };
    let host = url.host_str().unwrap_or_default();
    let value: Value = serde_json::from_slice(&body).unwrap_or_default();
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let Some(word) = text("error") else {
        // What else it says may repeat what it was sent.
        let message = format!("{host} gives no token, and answers {status}");
        return Error::new(ErrorKind::Credentials, message)
            .hint("is GOOGLE_APPLICATION_CREDENTIALS the right file, or a proxy in between?");
    };
    let message = match text("error_description") {
        Some(description) => plain(&format!("{word}: {description}")),
        None => plain(word),
    };
    let hint = match word {
        "invalid_grant" => {
            "the key is not, or no longer, one of this account, or the clock of this machine is wrong; make a new key, \
             or log in again: gcloud auth application-default login"
        }
        "invalid_client" | "unauthorized_client" => {
            "log in again: gcloud auth application-default login"
        }
        _ => "is GOOGLE_APPLICATION_CREDENTIALS the right file?",
    };
    Error::new(
        ErrorKind::Credentials,
        format!("{host} gives no token: {message}"),
    )
    .hint(hint)
}
