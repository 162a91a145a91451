//! What the SDK calls: which tools there are, and who answers a call.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;

use super::answer::Answer;
use super::link::Link;
use super::memory::Memory;
use super::{control, ipython, search, tools};

/// Hosts that give a model the object of a result in place of its text and figures, by the name they say at the start
/// (their issues anthropics/claude-code#54737 and #79944, anomalyco/opencode#32074). They get no object: a figure would
/// be lost without a word, and text would come as escaped JSON.
const OBJECT_HIDES_CONTENT: [&str; 3] = ["claude-code", "codex-mcp-client", "opencode"];

/// The server: one session, however many calls.
#[derive(Debug)]
pub struct Server {
    /// The launcher.
    pub link: Link,
    memory: Mutex<Memory>,
}

impl Server {
    /// A server for the launcher.
    pub fn new(link: Link) -> Self {
        Self {
            link,
            memory: Mutex::default(),
        }
    }

    /// What is kept between calls. Never held over a wait.
    pub fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for the session, if that was not done yet; whether it was this call.
    pub fn open(&self) -> bool {
        let fresh = !std::mem::replace(&mut self.memory().opened, true);
        if fresh {
            // What goes wrong is told to the cell as well.
            self.link.tell("open", json!({}));
        }
        fresh
    }

    /// There is no session any more.
    pub fn forget_session(&self) {
        self.memory().opened = false;
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let version = env!("CARGO_PKG_VERSION");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("headstart", version).with_title("headstart"))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::tools(
            takes_objects(&context),
        )))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::tools(true)
            .into_iter()
            .find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let structured = takes_objects(&context);
        let arguments = request.arguments.unwrap_or_default();
        let answer: Answer = match &*request.name {
            tools::IPYTHON => ipython::call(self, arguments, context).await,
            tools::STATUS => control::status(self).await,
            tools::INTERRUPT => control::interrupt(self).await,
            tools::RESTART => control::restart(self).await,
            tools::SEARCH => search::call(self, arguments).await,
            other => {
                let expected = "expected ipython, status, interrupt, restart or search";
                let message = format!("{expected}, found the tool \"{other}\"");
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        Ok(answer.finish(structured).into())
    }
}

fn takes_objects(context: &RequestContext<RoleServer>) -> bool {
    let host = context.client_info().map(|info| info.name);
    host.is_none_or(|host| !OBJECT_HIDES_CONTENT.contains(&host.as_str()))
}
