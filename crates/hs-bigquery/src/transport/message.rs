//! One request, before it is sent.

use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, Url};
use serde_json::Value;

use crate::credentials::Secret;
use crate::refusal::Refusal;

/// How long an answer may take that has nothing to wait for.
const ANSWER: Duration = Duration::from_mins(1);
/// How long a request is sent again as long as nothing runs: somebody waits for an error, too.
pub const NOTHING_RUNS: Duration = Duration::from_mins(1);

/// What a request holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// Nothing.
    Nothing,
    /// JSON.
    Json(Value),
    /// A form.
    Form(Vec<(&'static str, Secret)>),
}

/// One request.
#[derive(Clone, Debug)]
pub struct Message {
    /// GET or POST.
    pub method: Method,
    /// Where it goes.
    pub url: Url,
    /// Headers besides those that all have.
    pub headers: Vec<(String, Secret)>,
    /// Who asks.
    pub token: Option<Secret>,
    /// What it holds.
    pub content: Content,
    /// How long an answer may take.
    pub answer: Duration,
    /// How long it is sent again.
    pub patience: Duration,
    /// Which refusals pass, so that it is sent again.
    pub passing: fn(&Refusal) -> bool,
}

impl Message {
    /// A request without content.
    pub fn new(method: Method, url: Url) -> Self {
        Self {
            method,
            url,
            headers: Vec::new(),
            token: None,
            content: Content::Nothing,
            answer: ANSWER,
            patience: NOTHING_RUNS,
            passing: Refusal::is_passing,
        }
    }

    /// The host, for errors.
    pub fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// As the client sends it.
    pub fn request(&self, client: &Client) -> RequestBuilder {
        let mut request = client.request(self.method.clone(), self.url.clone());
        for (name, value) in &self.headers {
            request = request.header(name, value.reveal());
        }
        if let Some(token) = &self.token {
            request = request.bearer_auth(token.reveal());
        }
        match &self.content {
            // Google's front end refuses a POST that does not say its length.
            Content::Nothing if self.method == Method::POST => {
                request.header("Content-Length", "0")
            }
            Content::Nothing => request,
            Content::Json(value) => request
                .header("Content-Type", "application/json")
                .body(value.to_string()),
            Content::Form(fields) => {
                let fields: Vec<(&str, &str)> = fields
                    .iter()
                    .map(|(name, value)| (*name, value.reveal()))
                    .collect();
                request.form(&fields)
            }
        }
    }
}
