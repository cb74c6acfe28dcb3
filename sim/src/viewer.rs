//! A window that shows the running scene in real time; needs a screen.
//!
//! A viewer must be created on the main thread, as window systems require.

use std::thread::sleep;
use std::time::{Duration, Instant};

use mujoco_rs::viewer::{MjViewer, MjViewerError};

use crate::render_state::RenderState;
use crate::{CompiledScene, Physics, SimError};

/// Debian packages that a window needs.
pub const PACKAGES: &str =
    "libegl1 libgl1 libgl1-mesa-dri libx11-6 libxcursor1 libxi6 libxrandr2 libxkbcommon-x11-0";

/// Time between two frames [s].
const FRAME: f64 = 1.0 / 60.0;
/// Largest simulated time between two frames [s], so that slow drawing does not slow down the next frame further.
const MAX_ADVANCE: f64 = 0.1;

/// A window on one scene. It only shows the scene: dragging in it does not move the physics.
pub struct Viewer {
    inner: MjViewer,
    state: RenderState,
}

impl Viewer {
    /// Opens a window.
    ///
    /// # Errors
    /// [`SimError::Graphics`] on a machine without a screen or OpenGL, naming the packages.
    pub fn new(scene: &CompiledScene) -> Result<Self, SimError> {
        let state = RenderState::new(scene)?;
        let inner = MjViewer::builder()
            .build_passive(scene.visual_model())
            .map_err(|e| graphics(&e))?;
        Ok(Self { inner, state })
    }

    /// Whether the window is open.
    pub fn is_open(&self) -> bool {
        self.inner.running()
    }

    /// Shows the current state and handles the window's events.
    ///
    /// # Errors
    /// [`SimError::Graphics`].
    pub fn show(&mut self, physics: &Physics) -> Result<(), SimError> {
        self.state.follow(physics);
        self.inner.sync_data(self.state.data_mut());
        self.inner.render().map_err(|error| graphics(&error))
    }

    /// Steps and shows in real time until the window is closed; `control` is called before every step.
    ///
    /// # Errors
    /// [`SimError::Diverged`], [`SimError::Graphics`].
    pub fn run(
        &mut self,
        physics: &mut Physics,
        mut control: impl FnMut(&mut Physics),
    ) -> Result<(), SimError> {
        let mut last = Instant::now();
        while self.is_open() {
            // Simulated time follows the clock; a scene that steps slower than real time is shown as fast as possible.
            let elapsed = last.elapsed().as_secs_f64().clamp(FRAME, MAX_ADVANCE);
            last = Instant::now();
            let end = physics.time() + elapsed;
            while physics.time() < end {
                control(physics);
                physics.step()?;
            }
            self.show(physics)?;
            sleep(Duration::from_secs_f64(FRAME).saturating_sub(last.elapsed()));
        }
        Ok(())
    }
}

fn graphics(error: &MjViewerError) -> SimError {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    let problem = match (error, cause) {
        (MjViewerError::EventLoopError(_), _) => {
            "neither DISPLAY nor WAYLAND_DISPLAY leads to a screen".to_owned()
        }
        (_, Some(cause)) => format!("{error}: {cause}"),
        (_, None) => error.to_string(),
    };
    SimError::Graphics {
        problem,
        packages: PACKAGES,
    }
}
