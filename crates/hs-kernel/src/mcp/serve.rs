//! A run of the server: from its start until its host closes standard input, goes away, or ends it by a signal.
//!
//! Nothing but the protocol goes to standard output. The launcher is told to end by the close of its input, and waited
//! for: a host that waits for this process has waited for the kernel and its children.

use std::io::{self, IsTerminal};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::handler::Server;
use super::link::Link;
use crate::Launcher;

/// How long answers may take that were asked for before the input ended; the whole end must be over within a second.
const LAST_ANSWERS: Duration = Duration::from_millis(200);
/// How long the launcher may take to end.
const LAUNCHER: Duration = Duration::from_millis(700);

/// Serves a host on standard input and output, with the kernel of this launcher, until it goes.
///
/// # Errors
/// When the streams or the launcher cannot be used, or the host speaks something else.
pub fn serve(launcher: Launcher) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let done = runtime.block_on(until_the_host_goes(launcher));
    // A read of standard input that cannot be taken back may be left in its thread.
    runtime.shutdown_background();
    done
}

async fn until_the_host_goes(launcher: Launcher) -> io::Result<()> {
    let mut ends = [
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
        signal(SignalKind::hangup())?,
    ];
    let link = Link::over(launcher.input, launcher.output)?;
    let (reader, writer) = stdio_pipes();
    let (gone, input_ended) = oneshot::channel();
    let reader = Watched {
        reader,
        gone: Some(gone),
    };
    let server = Server::new(link.clone());
    let serving = async {
        match server.serve((reader, writer)).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // A host that went before it said anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    };
    let input = async {
        // Held by the reader, which lives as long as the server.
        let _ = input_ended.await;
        sleep(LAST_ANSWERS).await;
    };
    let [terminate, interrupt, hangup] = &mut ends;
    // Who tries this by hand ends it by Ctrl-C. A host in a terminal has its own use for that, and the terminal sends it
    // to all that the host started.
    let by_hand = io::stdin().is_terminal();
    let done = tokio::select! {
        done = serving => done,
        () = input => Ok(()),
        _ = terminate.recv() => Ok(()),
        _ = interrupt.recv(), if by_hand => Ok(()),
        _ = hangup.recv() => Ok(()),
    };
    link.close();
    // What does not end by then is ended by the launcher's own deadlines.
    let _ = timeout(LAUNCHER, link.gone()).await;
    done
}

/// A reader that tells when its input ended. The SDK goes on for seconds for the sake of answers that nobody reads.
struct Watched<R> {
    reader: R,
    gone: Option<oneshot::Sender<()>>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.reader).poll_read(context, buffer);
        if let Poll::Ready(done) = &read
            && (done.is_err() || (buffer.filled().len() == before && buffer.remaining() > 0))
            && let Some(gone) = self.gone.take()
        {
            let _ = gone.send(());
        }
        read
    }
}
