//! Draws and sends a camera's pictures on a separate thread: drawing takes longer than simulating, and OpenGL binds its context to a
//! thread.

use std::sync::Arc;

use super::devices::DEVICES;
use super::newest::NewestSlot;
use super::outlets::Outlets;
use crate::openigtlink::{CoordinateSystem, Image, Message, encode};
use crate::sim::render::{RenderConfig, Renderer};
use crate::sim::render_state::RenderState;
use crate::sim::{CompiledScene, MjModel, Physics, SimError};

/// Pictures lie flat in a separate plane with 1 mm per pixel; they have no position in the patient.
const FLAT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A state that waits to be drawn, with its time since 1970 [s].
#[derive(Debug)]
pub(super) struct Snapshot {
    state: RenderState,
    time: f64,
}

impl NewestSlot<Snapshot> {
    /// Puts the state of a scene into the slot.
    pub(super) fn offer_scene(&self, scene: &CompiledScene, physics: &Physics, time: f64) {
        self.offer(|used| {
            // Each episode of a policy may have a different scene.
            let is_of_scene = |state: &RenderState| {
                std::ptr::eq(state.data().model(), &raw const **scene.visual_model())
            };
            let used = used.map(|snapshot| snapshot.state).filter(is_of_scene);
            let mut state = match used {
                Some(state) => state,
                None => RenderState::new(scene).map_err(|problem| problem.to_string())?,
            };
            state.follow(physics);
            Ok(Snapshot { state, time })
        });
    }

    /// Draws and sends pictures until [`NewestSlot::end`] is called.
    pub(super) fn serve(&self, outlets: Outlets<'_>, camera: &str, config: RenderConfig) {
        let mut renderer: Option<(Arc<MjModel>, Renderer)> = None;
        while let Some(mut snapshot) = self.next() {
            match draw(&mut renderer, &mut snapshot.state, camera, config) {
                Ok(rgb) => {
                    outlets.send(message(&rgb, config, snapshot.time));
                    let watched = outlets.foxglove().map_or(Ok(()), |watchers| {
                        watchers.show_camera(config, snapshot.time, &rgb)
                    });
                    if let Err(problem) = watched {
                        return self.fail(problem.to_string());
                    }
                }
                Err(problem) => return self.fail(problem.to_string()),
            }
            self.give_back(snapshot);
        }
    }
}

/// Draws a state from a camera, as red, green and blue.
fn draw(
    renderer: &mut Option<(Arc<MjModel>, Renderer)>,
    state: &mut RenderState,
    camera: &str,
    config: RenderConfig,
) -> Result<Vec<u8>, SimError> {
    let model = state.data().model_clone();
    if !renderer
        .as_ref()
        .is_some_and(|(of, _)| Arc::ptr_eq(of, &model))
    {
        let new = Renderer::of_model(&model, config)?;
        *renderer = Some((model, new));
    }
    let (_, renderer) = renderer.as_mut().expect("it was just made");
    Ok(renderer.render_state(state, camera)?.rgb)
}

fn message(rgb: &[u8], config: RenderConfig, time: f64) -> Vec<u8> {
    let image = Image {
        n_components: 3,
        size: [config.width as u16, config.height as u16],
        spacing: [1.0, 1.0],
        axes: CoordinateSystem::Ras,
        rotation: FLAT,
        center: [0.0; 3],
        pixels: rgb,
    };
    encode(DEVICES.image, time, &Message::Image(image))
}
