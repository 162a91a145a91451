//! Decides what a request gets: a fault that waits for it, a token, a job. It looks at paths and tokens only.

use std::time::Duration;

use crate::admin;
use crate::credentials::PROJECT;
use crate::errors::{Refused, no_such_path, no_token};
use crate::http::{Reply, Request};
use crate::options::Fault;
use crate::server::Shared;
use crate::tokens::Standing;
use crate::{jobs, results};

/// What goes back over the connection.
pub enum Answer {
    /// The reply, or only so many bytes of its body.
    Reply(Reply, Option<usize>),
    /// Nothing: the connection is closed.
    Close,
}

pub fn answer(shared: &Shared, request: &Request) -> Answer {
    if request.path.starts_with("/_/") {
        return Answer::Reply(admin::reply(shared, request), None);
    }
    let (number, fault, delay, gzip) = {
        let mut state = shared.state();
        let number = state.note(request);
        let fault = take_fault(&mut state.faults, request);
        (number, fault, state.options.delay, state.options.gzip)
    };
    pause(delay + fault.as_ref().map_or(Duration::ZERO, |fault| fault.delay));
    let reply = match &fault {
        Some(fault) if !fault.after && (fault.status > 0 || fault.drop) => None,
        _ => Some(usual(shared, request)),
    };
    let (drop, cut) = fault
        .as_ref()
        .map_or((false, None), |fault| (fault.drop, fault.cut));
    if drop {
        return Answer::Close;
    }
    let reply = match (fault, reply) {
        (Some(fault), _) if fault.status > 0 => Reply {
            headers: fault.headers,
            ..Reply::text(fault.status, &fault.content_type, fault.body)
        },
        (_, Some(reply)) => reply,
        (_, None) => return Answer::Close,
    };
    shared.state().answered(number, reply.status);
    let takes_gzip = request
        .header("accept-encoding")
        .is_some_and(|kinds| kinds.contains("gzip"));
    let reply = if gzip && takes_gzip {
        reply
            .compressed()
            .expect("a vector takes all that is written")
    } else {
        reply
    };
    Answer::Reply(reply, cut)
}

/// The oldest fault that this request meets, counted down.
fn take_fault(faults: &mut Vec<Fault>, request: &Request) -> Option<Fault> {
    for at in 0..faults.len() {
        let fault = &mut faults[at];
        if !fault.meets(&request.method, &request.path, &request.body) || fault.times == Some(0) {
            continue;
        }
        if fault.skip > 0 {
            fault.skip -= 1;
            continue;
        }
        let taken = fault.clone();
        fault.times = fault.times.map(|times| times - 1);
        if fault.times == Some(0) {
            faults.remove(at);
        }
        return Some(taken);
    }
    None
}

fn pause(duration: Duration) {
    if !duration.is_zero() {
        std::thread::sleep(duration);
    }
}

/// What the service itself would say.
fn usual(shared: &Shared, request: &Request) -> Reply {
    let parts: Vec<&str> = request.path.trim_start_matches('/').split('/').collect();
    let post = request.method == "POST";
    let get = request.method == "GET";
    if post
        && request
            .header("content-length")
            .or(request.header("transfer-encoding"))
            .is_none()
    {
        let page = "<!DOCTYPE html>\n<html lang=en>\n<title>Error 411 (Length Required)!!1</title>\n<p><b>411.</b>\n";
        return Reply::text(411, "text/html; charset=UTF-8", page);
    }
    let reply = match parts[..] {
        ["token"] | ["v1", "token"] | ["o", "oauth2", "token"] if post => {
            return shared.state().tokens.grant(request, &shared.url);
        }
        ["v1", "projects", "-", "serviceAccounts", _] if post => {
            let state = &mut *shared.state();
            return state.tokens.impersonate(request, &state.options);
        }
        ["bigquery", "v2", "projects", project, "jobs"] if post => {
            guarded(shared, request, project, || jobs::insert(shared, request))
        }
        ["bigquery", "v2", "projects", project, "jobs", id] if get => {
            guarded(shared, request, project, || jobs::get(shared, request, id))
        }
        ["bigquery", "v2", "projects", project, "jobs", id, "cancel"] if post => {
            guarded(shared, request, project, || {
                jobs::cancel(shared, request, id)
            })
        }
        ["bigquery", "v2", "projects", project, "queries", id] if get => {
            guarded(shared, request, project, || {
                results::get(shared, request, id)
            })
        }
        _ => return no_such_path(&request.path),
    };
    if request.parameter("prettyPrint") == Some("false") {
        reply
    } else {
        reply.indented()
    }
}

/// Lets a request through that has a live token and asks for the project that there is.
fn guarded(
    shared: &Shared,
    request: &Request,
    project: &str,
    then: impl FnOnce() -> Result<Reply, Refused>,
) -> Reply {
    let standing = {
        let state = &mut *shared.state();
        state.tokens.judge(request, &state.options)
    };
    match standing {
        Standing::Dead => return no_token(),
        Standing::Unscoped => {
            let message = "Request had insufficient authentication scopes.";
            return Refused::new(403, "insufficientPermissions", message).reply();
        }
        Standing::Good => {}
    }
    if project == "absent" {
        return Refused::new(404, "notFound", format!("Not found: Project {project}")).reply();
    }
    if project != PROJECT {
        let message = format!(
            "Access Denied: Project {project}: User does not have bigquery.jobs.create permission in project {project}."
        );
        return Refused::new(403, "accessDenied", message).reply();
    }
    then().unwrap_or_else(|refused| refused.reply())
}
