//! One thread renders for all environments, because an OpenGL context belongs to a thread and environments change threads.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::{self, JoinHandle};

use insonate_sim::SimError;
use insonate_sim::render::{Image, RenderConfig, Renderer};
use insonate_sim::render_state::RenderState;

use super::SceneModel;
use crate::EnvError;

/// Maximum number of cached renderers. Without a limit, torsos that are compiled for each episode would fill the memory.
const MAX_RENDERERS: usize = 8;

/// A request for an image.
struct RenderRequest {
    model: Arc<SceneModel>,
    state: RenderState,
    camera: String,
    config: RenderConfig,
    reply: SyncSender<(RenderState, Result<Image, SimError>)>,
}

/// Renders for many environments on its own thread.
#[derive(Debug)]
pub struct RenderThread {
    requests: Option<Sender<RenderRequest>>,
    thread: Option<JoinHandle<()>>,
}

impl RenderThread {
    /// Starts the thread. It ends when this is dropped.
    ///
    /// # Errors
    /// [`EnvError::Failed`] if the thread cannot be started.
    pub fn new() -> Result<Self, EnvError> {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("render".to_owned())
            .spawn(move || serve(&receiver))
            .map_err(|error| {
                EnvError::Failed(format!("cannot start the render thread: {error}"))
            })?;
        Ok(Self {
            requests: Some(sender),
            thread: Some(thread),
        })
    }

    /// Renders the view of a camera on a state of the model's scene, and returns the state.
    ///
    /// # Errors
    /// [`EnvError::Sim`] if the camera does not exist or OpenGL is not available; [`EnvError::Failed`] if the driver ended the thread.
    pub fn draw(
        &self,
        model: &Arc<SceneModel>,
        state: RenderState,
        camera: &str,
        config: RenderConfig,
    ) -> Result<(RenderState, Image), EnvError> {
        let gone = || EnvError::Failed("the render thread has ended".to_owned());
        let (reply, answer) = mpsc::sync_channel(1);
        let request = RenderRequest {
            model: model.clone(),
            state,
            camera: camera.to_owned(),
            config,
            reply,
        };
        let requests = self.requests.as_ref().ok_or_else(gone)?;
        requests.send(request).map_err(|_| gone())?;
        let (state, frame) = answer.recv().map_err(|_| gone())?;
        Ok((state, frame?))
    }
}

impl Drop for RenderThread {
    fn drop(&mut self) {
        // The thread ends when the sender is dropped.
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Renderer of a scene at one image size.
struct CachedRenderer {
    model: Arc<SceneModel>,
    config: RenderConfig,
    renderer: Renderer,
}

fn serve(requests: &Receiver<RenderRequest>) {
    let mut renderers: Vec<CachedRenderer> = Vec::new();
    while let Ok(mut request) = requests.recv() {
        let frame = cached(&mut renderers, &request).and_then(|cached| {
            cached
                .renderer
                .render_state(&mut request.state, &request.camera)
        });
        // The receiver may have been dropped.
        let _ = request.reply.send((request.state, frame));
    }
}

/// Returns the cached renderer for a request and moves it to the end of the cache.
fn cached<'a>(
    renderers: &'a mut Vec<CachedRenderer>,
    request: &RenderRequest,
) -> Result<&'a mut CachedRenderer, SimError> {
    let fits = |cached: &CachedRenderer| {
        Arc::ptr_eq(&cached.model, &request.model) && cached.config == request.config
    };
    let cached = if let Some(index) = renderers.iter().position(fits) {
        renderers.remove(index)
    } else {
        if renderers.len() == MAX_RENDERERS {
            renderers.remove(0);
        }
        CachedRenderer {
            model: request.model.clone(),
            config: request.config,
            renderer: Renderer::new(&request.model.compiled, request.config)?,
        }
    };
    renderers.push(cached);
    let last = renderers.len() - 1;
    Ok(&mut renderers[last])
}
