//! Ultrasound of a scene with a probe, and the interface of tasks that evaluate its frames.

use insonate_sim::controllers::{Controller as _, HybridConfig, HybridForce, HybridTarget};
use nalgebra::Isometry3;

use super::{Goal, SceneSet, SceneState};
use crate::EnvError;
use crate::randomization::EpisodeParameters;
use crate::ultrasound::{FrameAssessment, Scanner, UltrasoundSettings};

/// Interval between frames of a held reference [s], which settles within half of it, and the number of frames.
const HOLD: f64 = 0.8;
const N_HELD: usize = 5;

/// A task that evaluates ultrasound frames; see [`ProbeTask::imaging`](super::ProbeTask::imaging). It is called only if ultrasound is
/// observed.
pub trait ImagingTask {
    /// Poses of the probe's face for reference frames, in the frame of the torso at rest. The task compares the episode's frames with them.
    /// Called after each reset.
    fn reference_poses(&self, _state: &SceneState) -> Vec<Isometry3<f64>> {
        Vec::new()
    }

    /// Goal at which the probe is held for reference frames over about one breath. Called after each reset. The physics is stepped for these
    /// frames and then restored.
    fn reference_hold(&self, _state: &SceneState) -> Option<Goal> {
        None
    }

    /// Evaluates a reference frame: first those of the poses, in their order, then those of the hold.
    fn on_reference_frame(&mut self, frame: &FrameAssessment);

    /// Evaluates the frame after a reset and after each control step.
    fn on_frame(&mut self, state: &SceneState, frame: &FrameAssessment);
}

/// Ultrasound of the scene of one environment.
#[derive(Debug)]
pub(super) struct Imaging {
    scanner: Scanner,
    /// Seed of the patient's organs and of the speckle.
    seed: u64,
}

impl Imaging {
    /// Creates a scanner on the scene's probe. `None` if no ultrasound is observed.
    ///
    /// # Errors
    /// Those of [`SceneSet::patient`] and [`Scanner::new`].
    pub(super) fn new(
        settings: &UltrasoundSettings,
        scenes: &SceneSet,
        state: &mut SceneState,
    ) -> Result<Option<Self>, EnvError> {
        if !settings.is_on() {
            return Ok(None);
        }
        // Builds any patient as a check of the settings.
        let organs = scenes.randomization().organs[0] as u64;
        state.patient = Some(scenes.patient(settings.seed, organs)?);
        Ok(Some(Self {
            scanner: Scanner::new(settings, state)?,
            seed: settings.seed,
        }))
    }

    /// Starts an episode with its patient; the torso is at rest.
    ///
    /// # Errors
    /// Those of [`SceneSet::patient`].
    pub(super) fn reset(
        &mut self,
        scenes: &SceneSet,
        state: &mut SceneState,
        episode: &EpisodeParameters,
    ) -> Result<(), EnvError> {
        state.patient = Some(scenes.patient(self.seed, episode.organs)?);
        self.scanner.reset(state);
        Ok(())
    }

    /// The last readings, each of shape `[n_lines, n_samples]`.
    pub(super) fn values(&self) -> &[f32] {
        self.scanner.values()
    }

    /// Computes a frame, which the task evaluates.
    ///
    /// # Errors
    /// Those of [`Scanner::scan`].
    pub(super) fn take_frame(
        &mut self,
        task: Option<&mut dyn ImagingTask>,
        state: &SceneState,
    ) -> Result<(), EnvError> {
        self.scanner.scan(state, |frame| {
            if let Some(task) = task {
                task.on_frame(state, frame);
            }
        })
    }

    /// Computes the reference frames with which the task compares the episode's frames.
    ///
    /// # Errors
    /// Those of [`Scanner::scan`]; [`EnvError::Sim`] if the held pose is out of reach; [`EnvError::Failed`] if the simulation diverges there.
    pub(super) fn take_references(
        &mut self,
        task: &mut dyn ImagingTask,
        scenes: &SceneSet,
        state: &mut SceneState,
        episode: &EpisodeParameters,
    ) -> Result<(), EnvError> {
        let Some(patient) = &state.patient else {
            return Ok(());
        };
        for pose in task.reference_poses(state) {
            let assess = |frame: &FrameAssessment| task.on_reference_frame(frame);
            self.scanner.scan_at_rest(patient, &pose, assess)?;
        }
        let Some(held) = task.reference_hold(state) else {
            return Ok(());
        };
        let begun = (state.goal, state.probe.world_from_probe);
        state.goal = held;
        state.place_above(episode)?;
        let mut controller = HybridForce::new(&state.physics, HybridConfig::default())?;
        controller.reset(&state.physics);
        for _ in 0..N_HELD {
            hold(state, &mut controller, episode)?;
            let assess = |frame: &FrameAssessment| task.on_reference_frame(frame);
            self.scanner.scan(state, assess)?;
        }
        // Restores the initial state of the episode.
        scenes.prepare(state, episode)?;
        self.scanner.reset(state);
        state.goal = begun.0;
        state.place(&begun.1)
    }
}

/// Holds the probe at its goal with the desired force for a while.
fn hold(
    state: &mut SceneState,
    controller: &mut HybridForce,
    episode: &EpisodeParameters,
) -> Result<(), EnvError> {
    let target = HybridTarget {
        world_from_probe: state.goal.world_from_probe,
        twist: state.goal.twist,
        force: state.goal.force,
    };
    for _ in 0..(HOLD / state.physics.timestep()).round() as usize {
        state.move_patient(episode);
        controller.set_target(&state.physics, target);
        controller.control(&mut state.physics);
        let stepped = state.physics.step();
        stepped
            .map_err(|divergence| EnvError::Failed(format!("in the reference: {divergence}")))?;
        state.read_probe();
    }
    Ok(())
}
