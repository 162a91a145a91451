//! Gives out tokens for the credentials of `credentials.rs`, and knows which still live. It checks what the real
//! endpoints check: signature, audience, times, fields of the form.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::base64;
use crate::credentials as file;
use crate::http::{Reply, Request};
use crate::options::Options;

/// The audience that Google's own library always signs for, whatever the key file says.
const GOOGLE_TOKEN: &str = "https://oauth2.googleapis.com/token";
/// Either is enough for queries.
const SCOPES: [&str; 2] = [
    "https://www.googleapis.com/auth/bigquery",
    "https://www.googleapis.com/auth/cloud-platform",
];

/// The tokens that were given out.
#[derive(Default)]
pub struct Tokens {
    given: Vec<Token>,
}

struct Token {
    text: String,
    since: Instant,
    calls: u32,
    /// Without a scope of BigQuery the service knows the account, and refuses the request.
    scoped: bool,
}

/// What a token is worth.
#[derive(PartialEq, Eq, Debug)]
pub enum Standing {
    Good,
    Dead,
    Unscoped,
}

impl Tokens {
    pub fn revoke(&mut self) {
        self.given.iter_mut().for_each(|token| token.text.clear());
    }

    fn give(&mut self, scoped: bool) -> String {
        let text = format!("ya29.test{}", self.given.len());
        self.given.push(Token {
            text: text.clone(),
            since: Instant::now(),
            calls: 0,
            scoped,
        });
        text
    }

    /// Looks at the token of a request, and counts the call.
    pub fn judge(&mut self, request: &Request, options: &Options) -> Standing {
        let header = request.header("authorization").unwrap_or("");
        let text = header
            .split_once(' ')
            .filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"));
        let Some((_, text)) = text.filter(|(_, text)| !text.is_empty()) else {
            return Standing::Dead;
        };
        let Some(token) = self.given.iter_mut().find(|token| token.text == text) else {
            return Standing::Dead;
        };
        let used_up = options.token_calls.is_some_and(|most| token.calls >= most);
        if used_up || token.since.elapsed() >= options.token_lifetime {
            return Standing::Dead;
        }
        token.calls += 1;
        if token.scoped {
            Standing::Good
        } else {
            Standing::Unscoped
        }
    }

    /// `POST /token`: a form with one of three grants.
    pub fn grant(&mut self, request: &Request, url: &str) -> Reply {
        let form = request.form();
        let field = |name: &str| {
            let found = form.iter().find(|(key, _)| key == name);
            found.map_or("", |(_, value)| value.as_str())
        };
        match field("grant_type") {
            "urn:ietf:params:oauth:grant-type:jwt-bearer" => {
                match assertion(field("assertion"), url) {
                    Ok(scoped) => ok(&self.give(scoped), false),
                    Err(why) => refused("invalid_grant", why),
                }
            }
            "refresh_token" => {
                if field("client_id") != file::CLIENT_ID
                    || field("client_secret") != file::CLIENT_SECRET
                {
                    return refused("invalid_client", "The OAuth client was not found.");
                }
                if field("refresh_token") != file::REFRESH_TOKEN {
                    return refused("invalid_grant", "Token has been expired or revoked.");
                }
                ok(&self.give(true), false)
            }
            "urn:ietf:params:oauth:grant-type:token-exchange" => {
                if field("audience") != file::AUDIENCE {
                    return refused(
                        "invalid_target",
                        "The target service indicated by the \"audience\" parameters is invalid.",
                    );
                }
                if field("subject_token").trim() != file::SUBJECT_TOKEN {
                    return refused(
                        "invalid_grant",
                        "The given credential is rejected by the attribute condition.",
                    );
                }
                if field("subject_token_type") != file::SUBJECT_TOKEN_TYPE {
                    return refused(
                        "invalid_request",
                        "Invalid value for \"subject_token_type\".",
                    );
                }
                let scope = field("scope");
                ok(
                    &self.give(SCOPES.iter().any(|known| scope.contains(known))),
                    true,
                )
            }
            _ => refused("unsupported_grant_type", "Invalid grant_type: "),
        }
    }

    /// `POST /v1/projects/-/serviceAccounts/NAME:generateAccessToken`, with a token of the exchange.
    pub fn impersonate(&mut self, request: &Request, options: &Options) -> Reply {
        let account = format!(
            "/v1/projects/-/serviceAccounts/{}:generateAccessToken",
            file::EMAIL
        );
        let body: Value = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        let scopes = body["scope"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        if self.judge(request, options) == Standing::Dead {
            return crate::errors::no_token();
        }
        if request.path != account || scopes.is_empty() {
            let message = "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).";
            let error =
                json!({"error": {"code": 403, "message": message, "status": "PERMISSION_DENIED"}});
            return Reply::json(403, &error);
        }
        let scoped = scopes
            .iter()
            .any(|scope| SCOPES.iter().any(|known| scope == known));
        // A time of its own would need a calendar; no client of a test lives that long.
        Reply::json(
            200,
            &json!({"accessToken": self.give(scoped), "expireTime": "2099-01-01T00:00:00Z"}),
        )
    }
}

fn ok(token: &str, exchanged: bool) -> Reply {
    let mut body = json!({"access_token": token, "expires_in": 3599, "token_type": "Bearer"});
    if exchanged {
        body["issued_token_type"] = json!("urn:ietf:params:oauth:token-type:access_token");
    }
    Reply::json(200, &body)
}

fn refused(error: &str, description: &str) -> Reply {
    Reply::json(
        400,
        &json!({"error": error, "error_description": description}),
    )
}

/// Checks a signed token request (RFC 7523); whether it asks for a scope that is enough.
fn assertion(text: &str, url: &str) -> Result<bool, &'static str> {
    const MALFORMED: &str = "Invalid JWT: Failed parsing.";
    const TIMES: &str = "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. \
                         Check your iat and exp values in the JWT claim.";
    let (signed, signature) = text.rsplit_once('.').ok_or(MALFORMED)?;
    let (header, claims) = signed.split_once('.').ok_or(MALFORMED)?;
    let part = |text: &str| {
        base64::decode(text).and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
    };
    let (header, claims) = part(header).zip(part(claims)).ok_or(MALFORMED)?;
    if header["alg"] != "RS256" {
        return Err(MALFORMED);
    }
    if claims["iss"] != file::EMAIL {
        return Err("Invalid grant: account not found");
    }
    let key = base64::decode_pem(file::ACCOUNT_PUBLIC);
    let key =
        ring::signature::UnparsedPublicKey::new(&ring::signature::RSA_PKCS1_2048_8192_SHA256, key);
    let signature = base64::decode(signature).ok_or(MALFORMED)?;
    if key.verify(signed.as_bytes(), &signature).is_err() {
        return Err("Invalid JWT Signature.");
    }
    let audience = claims["aud"].as_str().unwrap_or("");
    if audience != GOOGLE_TOKEN && audience != format!("{url}/token") {
        return Err(
            "Invalid JWT: Failed audience check. The right audience is https://oauth2.googleapis.com/token",
        );
    }
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
        .as_secs() as i64;
    let (issued, expires) = claims["iat"]
        .as_i64()
        .zip(claims["exp"].as_i64())
        .ok_or(TIMES)?;
    if expires <= now || expires - issued > 3600 || issued > now + 600 {
        return Err(TIMES);
    }
    let scope = claims["scope"].as_str().unwrap_or("");
    if scope.is_empty() {
        return Err("Invalid OAuth scope or ID token audience provided.");
    }
    Ok(scope.split(' ').any(|one| SCOPES.contains(&one)))
}
