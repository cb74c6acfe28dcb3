//! A thread that draws for all environments: OpenGL ties a picture to the thread that draws it, and environments change threads.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::{self, JoinHandle};

use insonate_sim::SimError;
use insonate_sim::picture::PictureState;
use insonate_sim::render::{Frame, RenderConfig, Renderer};

use super::Setup;
use crate::EnvError;

/// Scenes that are kept ready to be drawn; a torso that is compiled for each episode would else fill the memory.
const MAX_RENDERERS: usize = 8;

/// A picture that is asked for.
struct Order {
    setup: Arc<Setup>,
    state: PictureState,
    camera: String,
    config: RenderConfig,
    reply: SyncSender<(PictureState, Result<Frame, SimError>)>,
}

/// Draws for many environments on a thread of its own.
#[derive(Debug)]
pub struct Studio {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Studio {
    /// A studio; its thread ends with it.
    ///
    /// # Errors
    /// [`EnvError::Failed`] where the machine gives no thread.
    pub fn new() -> Result<Self, EnvError> {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("studio".to_owned())
            .spawn(move || serve(&receiver))
            .map_err(|error| EnvError::Failed(format!("no thread for pictures: {error}")))?;
        Ok(Self {
            orders: Some(sender),
            thread: Some(thread),
        })
    }

    /// Draws what a camera sees of a state of the setup's scene, and gives the state back.
    ///
    /// # Errors
    /// [`EnvError::Sim`]: no such camera, no OpenGL on this machine; [`EnvError::Failed`] where the driver ended the thread.
    pub fn draw(
        &self,
        setup: &Arc<Setup>,
        state: PictureState,
        camera: &str,
        config: RenderConfig,
    ) -> Result<(PictureState, Frame), EnvError> {
        let gone = || EnvError::Failed("the thread that draws pictures has ended".to_owned());
        let (reply, answer) = mpsc::sync_channel(1);
        let order = Order {
            setup: setup.clone(),
            state,
            camera: camera.to_owned(),
            config,
            reply,
        };
        let orders = self.orders.as_ref().ok_or_else(gone)?;
        orders.send(order).map_err(|_| gone())?;
        let (state, frame) = answer.recv().map_err(|_| gone())?;
        Ok((state, frame?))
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        // No more orders: the thread ends.
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The renderer of a scene at a size.
struct Easel {
    setup: Arc<Setup>,
    config: RenderConfig,
    renderer: Renderer,
}

fn serve(orders: &Receiver<Order>) {
    let mut easels: Vec<Easel> = Vec::new();
    while let Ok(mut order) = orders.recv() {
        let frame = easel(&mut easels, &order)
            .and_then(|easel| easel.renderer.render_state(&mut order.state, &order.camera));
        // Who asked may be gone.
        let _ = order.reply.send((order.state, frame));
    }
}

/// The easel for an order, the last used at the end.
fn easel<'a>(easels: &'a mut Vec<Easel>, order: &Order) -> Result<&'a mut Easel, SimError> {
    let fits =
        |easel: &Easel| Arc::ptr_eq(&easel.setup, &order.setup) && easel.config == order.config;
    let easel = if let Some(index) = easels.iter().position(fits) {
        easels.remove(index)
    } else {
        if easels.len() == MAX_RENDERERS {
            easels.remove(0);
        }
        Easel {
            setup: order.setup.clone(),
            config: order.config,
            renderer: Renderer::new(&order.setup.compiled, order.config)?,
        }
    };
    easels.push(easel);
    let last = easels.len() - 1;
    Ok(&mut easels[last])
}
