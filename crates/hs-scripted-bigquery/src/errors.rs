//! The bodies of errors, as the service writes them. Each says what the service says: code, reason, status.

use serde_json::{Value, json};

use crate::http::Reply;

/// What is wrong with a request or a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    pub code: u16,
    pub reason: String,
    pub message: String,
    /// The parameter that the error is about; errors of missing tables name none.
    pub place: Option<&'static str>,
    /// Without the list `errors`: not every error of the service has one.
    pub bare: bool,
}

impl Refused {
    pub fn new(code: u16, reason: &str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.to_owned(),
            message: message.into(),
            place: None,
            bare: false,
        }
    }

    pub fn at(self, place: &'static str) -> Self {
        Self {
            place: Some(place),
            ..self
        }
    }

    /// The error as a job carries it in `status.errorResult`.
    pub fn in_job(&self) -> Value {
        let mut error = json!({"reason": self.reason, "message": self.message});
        if let Some(place) = self.place {
            error["location"] = json!(place);
        }
        error
    }

    /// The error as the whole reply.
    pub fn reply(&self) -> Reply {
        Reply::json(self.code, &self.body())
    }

    pub fn body(&self) -> Value {
        let mut error = json!({
            "code": self.code,
            "message": self.message,
            "status": status_name(self.code, &self.reason),
        });
        if !self.bare {
            let mut item =
                json!({"message": self.message, "domain": "global", "reason": self.reason});
            if let Some(place) = self.place {
                item["location"] = json!(place);
                item["locationType"] = json!("parameter");
            }
            error["errors"] = json!([item]);
        }
        json!({"error": error})
    }
}

fn status_name(code: u16, reason: &str) -> &'static str {
    match (code, reason) {
        (_, "rateLimitExceeded" | "quotaExceeded") | (429, _) => "RESOURCE_EXHAUSTED",
        (401, _) => "UNAUTHENTICATED",
        (403, _) => "PERMISSION_DENIED",
        (404, _) => "NOT_FOUND",
        (409, _) => "ALREADY_EXISTS",
        (499, _) => "CANCELLED",
        (503, _) => "UNAVAILABLE",
        (500..600, _) => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}

/// The status of HTTP under which the results of a failed job are refused. For errors of the service inside of a job it
/// is 400 too, as reports show (googleapis/python-bigquery#1991).
pub fn code_of(reason: &str) -> u16 {
    match reason {
        "accessDenied" | "quotaExceeded" | "rateLimitExceeded" => 403,
        "notFound" => 404,
        "duplicate" => 409,
        "stopped" => 499,
        _ => 400,
    }
}

/// The reply to a request without a live token.
pub fn no_token() -> Reply {
    let message = "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or \
                   other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.";
    Reply::json(
        401,
        &json!({"error": {
            "code": 401,
            "message": message,
            "errors": [{
                "message": "Invalid Credentials", "domain": "global", "reason": "authError",
                "location": "Authorization", "locationType": "header",
            }],
            "status": "UNAUTHENTICATED",
        }}),
    )
}

/// What the front end says to a path that it does not know.
pub fn no_such_path(path: &str) -> Reply {
    let path = path.replace('&', "&amp;").replace('<', "&lt;");
    let page = format!(
        "<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n<title>Error 404 (Not Found)!!1</title>\n\
         <p><b>404.</b> <ins>That's an error.</ins>\n\
         <p>The requested URL <code>{path}</code> was not found on this server. <ins>That's all we know.</ins>\n"
    );
    Reply::text(404, "text/html; charset=UTF-8", page)
}
