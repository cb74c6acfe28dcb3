//! A rendering thread. An OpenGL context belongs to the thread that created it, and Python may call from any
//! thread.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use insonate_sim::names::{self, ObjectType};
use insonate_sim::render::{Image, RenderConfig, Renderer};
use insonate_sim::render_state::RenderState;
use insonate_sim::{CompiledScene, Physics, SimError};

use pyo3::PyErr;

use crate::error::{Error, Result};

/// Cameras in order of preference if no camera is named.
const PREFERRED: [&str; 3] = ["close", "side", "front"];

/// A request for an image.
struct Request {
    scene: CompiledScene,
    state: RenderState,
    camera: String,
}

/// An image or an error, with the scene and state that were rendered.
struct Drawn {
    scene: CompiledScene,
    state: RenderState,
    image: std::result::Result<Image, SimError>,
}

/// Renders images of one size.
pub(crate) struct Painter {
    requests: Option<Sender<Request>>,
    drawn: Receiver<Drawn>,
    thread: Option<JoinHandle<()>>,
    /// The last rendered state, and its scene.
    last: Option<(CompiledScene, RenderState)>,
}

impl Painter {
    /// Starts the thread.
    pub(crate) fn new(config: RenderConfig) -> Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let (reply, drawn) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("painter".to_owned())
            .spawn(move || serve(&receiver, &reply, config))
            .map_err(|error| Error::new_err(format!("no thread for pictures: {error}")))?;
        Ok(Self {
            requests: Some(sender),
            drawn,
            thread: Some(thread),
            last: None,
        })
    }

    /// Requests an image of a state of a scene from a camera; without a name, from the first preferred camera of the
    /// scene.
    pub(crate) fn ask(
        &mut self,
        scene: &CompiledScene,
        physics: &Physics,
        camera: Option<&str>,
    ) -> Result<()> {
        let mut state = match self.last.take() {
            Some((last, state)) if is_same(&last, scene) => state,
            _ => RenderState::new(scene)?,
        };
        state.follow(physics);
        let request = Request {
            scene: scene.clone(),
            state,
            camera: camera.unwrap_or_else(|| preferred(scene)).to_owned(),
        };
        let requests = self.requests.as_ref().ok_or_else(gone)?;
        Ok(requests.send(request).map_err(|_| gone())?)
    }

    /// The requested image.
    pub(crate) fn picture(&mut self) -> Result<Image> {
        let drawn = self.drawn.recv().map_err(|_| gone())?;
        self.last = Some((drawn.scene, drawn.state));
        Ok(drawn.image?)
    }
}

fn gone() -> PyErr {
    Error::new_err("the thread that draws pictures has ended")
}

impl Drop for Painter {
    fn drop(&mut self) {
        // The thread ends without a sender.
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Whether a scene has any camera.
pub(crate) fn has_camera(scene: &CompiledScene) -> bool {
    let cameras = names::all(scene.visual_model(), ObjectType::Camera);
    cameras.into_iter().next().is_some()
}

/// The preferred camera of a scene.
fn preferred(scene: &CompiledScene) -> &str {
    let model = scene.visual_model();
    let has = |name: &&&str| names::try_find(model, ObjectType::Camera, name).is_some();
    let first = names::all(model, ObjectType::Camera).map(|(_, name)| name);
    // Looking up a missing camera returns the error that lists the available ones.
    let fallback = first.into_iter().next().unwrap_or(PREFERRED[0]);
    PREFERRED.iter().find(has).copied().unwrap_or(fallback)
}

fn is_same(a: &CompiledScene, b: &CompiledScene) -> bool {
    Arc::ptr_eq(a.visual_model(), b.visual_model())
}

fn serve(requests: &Receiver<Request>, reply: &Sender<Drawn>, config: RenderConfig) {
    let mut last: Option<(CompiledScene, Renderer)> = None;
    while let Ok(mut request) = requests.recv() {
        if !last
            .as_ref()
            .is_some_and(|(scene, _)| is_same(scene, &request.scene))
        {
            last = None;
        }
        let image = match &mut last {
            Some((_, renderer)) => renderer.render_state(&mut request.state, &request.camera),
            None => Renderer::new(&request.scene, config).and_then(|mut renderer| {
                let image = renderer.render_state(&mut request.state, &request.camera);
                last = Some((request.scene.clone(), renderer));
                image
            }),
        };
        let Request { scene, state, .. } = request;
        let drawn = Drawn {
            scene,
            state,
            image,
        };
        if reply.send(drawn).is_err() {
            return;
        }
    }
}
