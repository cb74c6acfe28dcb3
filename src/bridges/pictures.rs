//! Draws and sends pictures on a separate thread: drawing takes longer than simulating, and OpenGL binds its context to a thread.
//!
//! The simulation puts its newest state into a slot and never waits. A newer state replaces one that was not drawn in time.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::serve::DEVICES;
use crate::openigtlink::{CoordinateSystem, Image, Message, Server, encode};
use crate::sim::render::{RenderConfig, Renderer};
use crate::sim::render_state::RenderState;
use crate::sim::{CompiledScene, MjModel, Physics, SimError};

/// Pictures lie flat in a separate plane with 1 mm per pixel; they have no position in the patient.
const FLAT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A state that waits to be drawn, with its time since 1970 [s].
#[derive(Debug)]
struct Snapshot {
    state: RenderState,
    time: f64,
}

/// State that the simulation thread and the drawing thread share.
#[derive(Debug, Default)]
struct DrawingState {
    newest: Option<Snapshot>,
    /// A state that has been drawn; its memory is reused.
    drawn: Option<RenderState>,
    is_over: bool,
    counts: PictureCounts,
    /// Error that prevents pictures.
    problem: Option<SimError>,
}

/// Counts of drawn and skipped states.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PictureCounts {
    /// Drawn and sent.
    pub(super) sent: u64,
    /// States that were replaced by a newer one before they were drawn.
    pub(super) replaced: u64,
    /// Times at which the first and the last picture were sent.
    span: Option<(Instant, Instant)>,
}

impl PictureCounts {
    /// Pictures per second since the first one [Hz]; 0 for fewer than two pictures.
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

/// Slot between the simulation thread and the drawing thread.
#[derive(Debug, Default)]
pub(super) struct PictureSlot {
    shared: Mutex<DrawingState>,
    changed: Condvar,
}

impl PictureSlot {
    /// Puts a state into the slot. It replaces a state that still waits.
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
        // Each episode of a policy may have a different scene.
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

    /// Draws and sends pictures until [`PictureSlot::end`] is called.
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

    /// Waits for the newest state; `None` at the end.
    fn next(&self) -> Option<Snapshot> {
        let waits = |shared: &mut DrawingState| shared.newest.is_none() && !shared.is_over;
        let waited = self.changed.wait_while(self.lock(), waits);
        let mut shared = waited.unwrap_or_else(PoisonError::into_inner);
        shared.newest.take().filter(|_| !shared.is_over)
    }

    /// Ends the drawing thread after its current picture.
    pub(super) fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_one();
    }

    pub(super) fn counts(&self) -> PictureCounts {
        self.lock().counts
    }

    /// Error that prevents pictures, if any.
    pub(super) fn problem(&self) -> Option<String> {
        self.lock().problem.as_ref().map(ToString::to_string)
    }

    /// The shared state is valid even after a panic, because every change is a single assignment.
    fn lock(&self) -> MutexGuard<'_, DrawingState> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
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
