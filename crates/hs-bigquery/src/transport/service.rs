//! BigQuery itself: requests in the name of the user, to the project that is billed.

use std::time::Duration;

use hs_core::{Control, Error, ErrorKind};
use reqwest::{Method, Url};
use serde_json::Value;

use super::message::{Content, Message};
use super::sender::{Sender, Stop};
use crate::credentials::{Credentials, Secret, Tokens};
use crate::refusal::Refusal;
use crate::settings::Settings;

/// How long requests for a job that may run are sent again: giving up leaves it alone with its bill.
pub const PATIENCE: Duration = Duration::from_mins(10);

/// Why a request was not answered well.
#[derive(Debug)]
pub enum Refused {
    /// The service says no.
    Refusal(Refusal),
    /// There is no answer.
    Failed(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// A request to the service.
#[derive(Debug)]
pub struct Call<'a> {
    /// GET or POST.
    pub method: Method,
    /// What follows the project in the path.
    pub path: &'a [&'a str],
    /// What follows the path; pairs without a value are left out.
    pub query: Vec<(&'static str, Option<String>)>,
    /// What it holds.
    pub content: Option<Value>,
    /// How long the service may wait before it answers.
    pub wait: Duration,
    /// How long it is sent again when it fails for the moment.
    pub patience: Duration,
    /// Which refusals are of the moment.
    pub passing: fn(&Refusal) -> bool,
}

impl<'a> Call<'a> {
    /// A request without content.
    pub fn get(path: &'a [&'a str]) -> Self {
        Self {
            method: Method::GET,
            path,
            query: Vec::new(),
            content: None,
            wait: Duration::ZERO,
            patience: PATIENCE,
            passing: Refusal::is_passing,
        }
    }
}

/// BigQuery, for one user and project.
pub struct Service<'a> {
    sender: Sender<'a>,
    tokens: Tokens,
    endpoint: Url,
    /// The project that is billed.
    pub project: String,
}

impl<'a> Service<'a> {
    /// As the settings say.
    ///
    /// # Errors
    /// [`ErrorKind::Credentials`] when the credentials cannot be read.
    pub fn new(settings: &Settings, control: &'a Control) -> Result<Self, Error> {
        Ok(Self {
            sender: Sender::new(control, settings.deadline),
            tokens: Tokens::new(Credentials::read(&settings.credentials)?),
            endpoint: settings.endpoint.clone(),
            project: settings.project.clone(),
        })
    }

    /// What says when to stop.
    pub fn control(&self) -> &'a Control {
        self.sender.control()
    }

    /// How long to try what concerns a job that runs.
    pub fn patience(&self) -> Duration {
        self.sender.patience(PATIENCE)
    }

    /// From now on nothing stops a request but its deadline.
    pub fn go_on_after_stop(&self) {
        self.sender.go_on_after_stop();
    }

    /// The host, for errors.
    pub fn host(&self) -> String {
        Message::new(Method::GET, self.endpoint.clone()).host()
    }

    /// The body of a good answer.
    ///
    /// # Errors
    /// What the service or the way to it has against it.
    pub async fn call(&self, call: &Call<'_>) -> Result<Vec<u8>, Refused> {
        let mut message = Message::new(call.method.clone(), self.url(call)?);
        message.answer += call.wait;
        message.patience = call.patience;
        message.passing = call.passing;
        if let Some(content) = &call.content {
            message.content = Content::Json(content.clone());
        }
        let quota = self.tokens.quota_project();
        let quota = quota.map(|project| ("X-Goog-User-Project".to_owned(), Secret::new(project)));
        message.headers.extend(quota);
        let mut renewed = false;
        loop {
            let token = self.tokens.token(&self.sender).await?;
            message.token = Some(token.clone());
            match self.sender.persistently(&message).await {
                Ok(body) => return Ok(body),
                // It ended, or was taken back, before its time: one more chance with a new one.
                Err(Stop::Refused(401, ..)) if !renewed => {
                    renewed = true;
                    self.tokens.refused(&token);
                }
                Err(Stop::Refused(status, body, resent)) => {
                    let refusal = Refusal::of_reply(status, &body);
                    return Err(Refused::Refusal(Refusal { resent, ..refusal }));
                }
                Err(Stop::Failed(error)) => return Err(Refused::Failed(error)),
            }
        }
    }

    /// The same, read as JSON.
    ///
    /// # Errors
    /// As [`Service::call`]; [`ErrorKind::Service`] when the answer is no JSON.
    pub async fn ask(&self, call: &Call<'_>) -> Result<Value, Refused> {
        let body = self.call(call).await?;
        serde_json::from_slice(&body).map_err(|error| {
            let said = Refusal::of_reply(200, &body).message;
            let message = format!("{} answers with what is no JSON: {said}", self.host());
            let error = Error::new(ErrorKind::Service, message).because(error);
            Refused::Failed(
                error.hint("is there a proxy in between that answers with a page of its own?"),
            )
        })
    }

    fn url(&self, call: &Call<'_>) -> Result<Url, Error> {
        let mut url = self.endpoint.clone();
        {
            let mut path = url.path_segments_mut().map_err(|()| {
                let message = format!("expected an address of a service, found {}", self.endpoint);
                Error::new(ErrorKind::Argument, message)
            })?;
            path.pop_if_empty()
                .extend(["bigquery", "v2", "projects", &self.project])
                .extend(call.path);
        }
        let mut pairs = url.query_pairs_mut();
        // Without it every cell comes on lines of its own.
        pairs.append_pair("prettyPrint", "false");
        for (name, value) in &call.query {
            if let Some(value) = value {
                pairs.append_pair(name, value);
            }
        }
        drop(pairs);
        Ok(url)
    }
}
