//! Pictures, drawn and sent on a thread of their own: drawing takes longer than simulating, and OpenGL ties a picture to its thread.
//!
//! The simulation leaves its newest state in a slot and never waits; what was not drawn in time is replaced.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::serve::DEVICES;
use crate::openigtlink::{CoordinateSystem, Image, Message, Server, encode};
use crate::sim::render::{RenderConfig, Renderer};
use crate::sim::render_state::RenderState;
use crate::sim::{CompiledScene, MjModel, Physics, SimError};

/// Pictures lie flat in a plane of their own, a pixel a millimetre; they have no place in the patient.
const FLAT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A state that waits to be drawn, and its time since 1970 [s].
#[derive(Debug)]
struct Snapshot {
    state: RenderState,
    time: f64,
}

/// What the simulating and the drawing thread share.
#[derive(Debug, Default)]
struct Shared {
    newest: Option<Snapshot>,
    /// A state that has been drawn, to be filled again.
    drawn: Option<RenderState>,
    is_over: bool,
    counts: PictureCounts,
    /// Why there are no pictures.
    problem: Option<SimError>,
}

/// What became of the states.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PictureCounts {
    /// Drawn and sent.
    pub(super) sent: u64,
    /// Replaced by a newer one before they were drawn.
    pub(super) replaced: u64,
    /// When the first and the last one were sent.
    span: Option<(Instant, Instant)>,
}

impl PictureCounts {
    /// Pictures a second from the first one on [Hz]; 0 for fewer than two.
    pub(super) fn rate(&self) -> f64 {
        self.span.map_or(0.0, |(first, last)| {
            let seconds = last.duration_since(first).as_secs_f64();
            self.sent.saturating_sub(1) as f64 / seconds.max(f64::MIN_POSITIVE)
        })
    }

    fn add(&mut self) {
        let now = Instant::now();
        self.span = Some((self.span.map_or(now, |(first, _)| first), now));
        self.sent += 1;
    }
}

/// The slot between both threads.
#[derive(Debug, Default)]
pub(super) struct PictureSlot {
    shared: Mutex<Shared>,
    changed: Condvar,
}

impl PictureSlot {
    /// Leaves a state to be drawn, instead of one that still waits.
    pub(super) fn offer(&self, scene: &CompiledScene, physics: &Physics, time: f64) {
        let mut shared = self.lock();
        if shared.problem.is_some() {
            return;
        }
        let waiting = shared.newest.take();
        shared.counts.replaced += u64::from(waiting.is_some());
        let used = waiting
            .map(|snapshot| snapshot.state)
            .or_else(|| shared.drawn.take());
        drop(shared);
        // The episodes of a policy may have scenes of their own.
        let is_of_scene = |state: &RenderState| {
            std::ptr::eq(state.data().model(), &raw const **scene.visual_model())
        };
        let state = match used.filter(is_of_scene) {
            Some(state) => Ok(state),
            None => RenderState::new(scene),
        };
        match state {
            Ok(mut state) => {
                state.follow(physics);
                self.lock().newest = Some(Snapshot { state, time });
            }
            Err(problem) => self.lock().problem = Some(problem),
        }
        self.changed.notify_one();
    }

    /// Draws and sends until [`PictureSlot::end`].
    pub(super) fn serve(&self, server: &Server, camera: &str, config: RenderConfig) {
        let mut renderer: Option<(Arc<MjModel>, Renderer)> = None;
        while let Some(mut snapshot) = self.next() {
            match draw(&mut renderer, &mut snapshot.state, camera, config) {
                Ok(rgb) => server.send(message(&rgb, config, snapshot.time)),
                Err(problem) => {
                    self.lock().problem = Some(problem);
                    return;
                }
            }
            let mut shared = self.lock();
            shared.drawn = Some(snapshot.state);
            shared.counts.add();
        }
    }

    /// The newest state, as soon as there is one; none at the end.
    fn next(&self) -> Option<Snapshot> {
        let waits = |shared: &mut Shared| shared.newest.is_none() && !shared.is_over;
        let waited = self.changed.wait_while(self.lock(), waits);
        let mut shared = waited.unwrap_or_else(PoisonError::into_inner);
        shared.newest.take().filter(|_| !shared.is_over)
    }

    /// Ends the drawing thread after the picture that it is at.
    pub(super) fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_one();
    }

    pub(super) fn counts(&self) -> PictureCounts {
        self.lock().counts
    }

    /// Why there are no pictures, if so.
    pub(super) fn problem(&self) -> Option<String> {
        self.lock().problem.as_ref().map(ToString::to_string)
    }

    /// What a panicking thread left behind is still whole: every change is one assignment.
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a camera sees of a state, as red, green and blue.
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
