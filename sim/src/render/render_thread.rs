//! A thread that renders, because an OpenGL context belongs to the thread that created it, and callers change threads.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::{self, JoinHandle};

use super::{Image, RenderConfig, Renderer};
use crate::render_state::RenderState;
use crate::{CompiledScene, Physics, SimError};

/// Maximum number of cached renderers. Without a limit, torsos that are compiled for each episode would fill the memory.
const MAX_RENDERERS: usize = 8;

/// A request for an image.
struct RenderRequest {
    scene: CompiledScene,
    state: RenderState,
    camera: String,
    config: RenderConfig,
    reply: SyncSender<(RenderState, Result<Image, SimError>)>,
}

/// Renders for many callers on its own thread.
#[derive(Debug)]
pub struct RenderThread {
    requests: Option<Sender<RenderRequest>>,
    thread: Option<JoinHandle<()>>,
}

/// A caller of a [`RenderThread`], with the memory of the last rendered state.
#[derive(Debug)]
pub struct ThreadRenderer {
    thread: Arc<RenderThread>,
    /// The last state, and the scene that it belongs to. `None` before the first image.
    last: Option<(CompiledScene, RenderState)>,
}

impl RenderThread {
    /// Starts the thread. It ends when this is dropped.
    ///
    /// # Errors
    /// [`SimError::RenderThread`] if the thread cannot be started.
    pub fn new() -> Result<Self, SimError> {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("render".to_owned())
            .spawn(move || serve(&receiver))
            .map_err(|error| {
                SimError::RenderThread(format!("cannot start the render thread: {error}"))
            })?;
        Ok(Self {
            requests: Some(sender),
            thread: Some(thread),
        })
    }

    /// Renders the view of a camera on a state of the scene, and returns the state.
    fn draw(
        &self,
        scene: &CompiledScene,
        state: RenderState,
        camera: &str,
        config: RenderConfig,
    ) -> Result<(RenderState, Image), SimError> {
        let gone = || SimError::RenderThread("the render thread has ended".to_owned());
        let (reply, answer) = mpsc::sync_channel(1);
        let request = RenderRequest {
            scene: scene.clone(),
            state,
            camera: camera.to_owned(),
            config,
            reply,
        };
        let requests = self.requests.as_ref().ok_or_else(gone)?;
        requests.send(request).map_err(|_| gone())?;
        let (state, image) = answer.recv().map_err(|_| gone())?;
        Ok((state, image?))
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

impl ThreadRenderer {
    /// A caller of a thread.
    pub fn new(thread: Arc<RenderThread>) -> Self {
        Self { thread, last: None }
    }

    /// The only caller of a thread of its own.
    ///
    /// # Errors
    /// Those of [`RenderThread::new`].
    pub fn start() -> Result<Self, SimError> {
        Ok(Self::new(Arc::new(RenderThread::new()?)))
    }

    /// Renders the view of a camera on the physics of a scene, and waits for the image.
    ///
    /// # Errors
    /// Those of [`Renderer::new`] and [`Renderer::render`]; [`SimError::RenderThread`] if the driver ended the thread.
    pub fn render(
        &mut self,
        scene: &CompiledScene,
        physics: &Physics,
        camera: &str,
        config: RenderConfig,
    ) -> Result<Image, SimError> {
        let mut state = match self.last.take() {
            Some((last, state)) if is_same(&last, scene) => state,
            _ => RenderState::new(scene)?,
        };
        state.follow(physics);
        let (state, image) = self.thread.draw(scene, state, camera, config)?;
        self.last = Some((scene.clone(), state));
        Ok(image)
    }
}

fn is_same(a: &CompiledScene, b: &CompiledScene) -> bool {
    Arc::ptr_eq(a.visual_model(), b.visual_model())
}

/// Renderer of a scene at one image size.
struct CachedRenderer {
    scene: CompiledScene,
    config: RenderConfig,
    renderer: Renderer,
}

fn serve(requests: &Receiver<RenderRequest>) {
    let mut renderers: Vec<CachedRenderer> = Vec::new();
    while let Ok(mut request) = requests.recv() {
        let image = cached(&mut renderers, &request).and_then(|cached| {
            cached
                .renderer
                .render_state(&mut request.state, &request.camera)
        });
        // The receiver may have been dropped.
        let _ = request.reply.send((request.state, image));
    }
}

/// Returns the cached renderer for a request and moves it to the end of the cache.
fn cached<'a>(
    renderers: &'a mut Vec<CachedRenderer>,
    request: &RenderRequest,
) -> Result<&'a mut CachedRenderer, SimError> {
    let fits = |cached: &CachedRenderer| {
        is_same(&cached.scene, &request.scene) && cached.config == request.config
    };
    let cached = if let Some(index) = renderers.iter().position(fits) {
        renderers.remove(index)
    } else {
        if renderers.len() == MAX_RENDERERS {
            renderers.remove(0);
        }
        CachedRenderer {
            scene: request.scene.clone(),
            config: request.config,
            renderer: Renderer::new(&request.scene, request.config)?,
        }
    };
    renderers.push(cached);
    let last = renderers.len() - 1;
    Ok(&mut renderers[last])
}
