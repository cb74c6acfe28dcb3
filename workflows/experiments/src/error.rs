//! Errors of experiments.

use insonate_anatomy::AnatomyError;
use insonate_calibration::CalibrationError;
use insonate_drawing::DrawingError;
use insonate_envs::EnvError;
use insonate_models::ModelError;
use insonate_sim::needle::{HeldNeedleError, InsertionError};
use insonate_sim::psm::dvrk::DvrkError;
use insonate_sim::verdict::StartOverlap;
use insonate_sim::{Divergence, SimError};
use insonate_tissue::TissueError;
use insonate_ultrasound::UltrasoundError;

use crate::Interrupted;
use crate::advice::Advice;

/// Reason why an experiment cannot run, or ended without a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// The caller interrupted the experiment before it had a result.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A setting is out of range, or the scene cannot be described.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] insonate_settings::SettingError),
    /// The scene cannot be simulated.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// The simulation diverged.
    #[error(transparent)]
    Diverged(#[from] Divergence),
    /// The scene of a task cannot be built.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// The files of a patient cannot be read.
    #[error(transparent)]
    Anatomy(#[from] AnatomyError),
    /// A probe cannot scan an organ of a made patient.
    #[error("{error}; {}", other_organs(others))]
    NoWindow {
        /// What is in the way.
        #[source]
        error: AnatomyError,
        /// Names of the organs that can be scanned.
        others: Vec<String>,
    },
    /// A simulated log cannot be fitted.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// The tissue cannot be simulated.
    #[error(transparent)]
    Tissue(#[from] TissueError),
    /// An ultrasound image cannot be computed.
    #[error(transparent)]
    Ultrasound(#[from] UltrasoundError),
    /// A needle cannot be inserted, or not further.
    #[error(transparent)]
    Insertion(#[from] InsertionError),
    /// A motion of the da Vinci arm is invalid.
    #[error(transparent)]
    Arm(#[from] DvrkError),
    /// No GPU can be opened.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Device(#[from] insonate_gpu::DeviceError),
    /// The tissue cannot be simulated on the GPU.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] insonate_tissue::gpu::GpuError),
    /// A plot or film cannot be drawn.
    #[error(transparent)]
    Drawing(#[from] DrawingError),
    /// The robot starts inside something.
    #[error(transparent)]
    Start(#[from] StartOverlap),
    /// Another error, and what a search for another base position of the robot found.
    #[error("{error}; {advice}")]
    Advised {
        /// The error.
        #[source]
        error: Box<ExperimentError>,
        /// Result of the search.
        advice: Advice,
    },
    /// The robot carries no probe.
    #[error("robot {robot} holds an instrument and carries no probe")]
    NoProbe {
        /// Name of the robot.
        robot: String,
    },
    /// The scene has no torso.
    #[error("the scene has no torso {purpose}; choose a torso")]
    NoTorso {
        /// Purpose of the torso, such as `to touch`.
        purpose: &'static str,
    },
    /// The torso has no organs.
    #[error("a torso has no organs to look at; ultrasound needs an adult or a made patient")]
    NoOrgans,
    /// A site outside of the torso.
    #[error(
        "({x}, {y}) m is not on the torso; it must be between ({:.3}, {:.3}) and ({:.3}, {:.3}) m",
        low[0], low[1], high[0], high[1]
    )]
    OffTorso {
        /// Position along x in the torso frame [m].
        x: f64,
        /// Position along y in the torso frame [m].
        y: f64,
        /// Lower corner of the torso [m].
        low: [f64; 2],
        /// Upper corner of the torso [m].
        high: [f64; 2],
    },
    /// The probe does not reach the skin in time.
    #[error("the probe found no contact within {seconds} s at {site:?} m")]
    NoContact {
        /// Time that was waited for contact [s].
        seconds: f64,
        /// Site in the torso frame [m].
        site: [f64; 2],
    },
    /// The probe moves past the skin without contact.
    #[error("the probe does not touch the torso; choose another site")]
    Missed,
    /// A press ends above the skin.
    #[error("the probe does not touch the torso at {site}; choose a larger depth")]
    TooShallow {
        /// Name of the site.
        site: &'static str,
    },
    /// The probe presses too hard.
    #[error("the probe pressed with {force:.1} N at {time:.3} s, more than the limit of {limit} N")]
    ProbeForce {
        /// Force on the probe [N].
        force: f64,
        /// Simulated time [s].
        time: f64,
        /// Limit [N].
        limit: f64,
    },
    /// Another part of the robot presses too hard.
    #[error(
        "{body} of the robot touched {other} with {force:.1} N at {time:.3} s, more than the limit of {limit} N"
    )]
    ArmForce {
        /// Part of the robot.
        body: String,
        /// The other part.
        other: String,
        /// Force between them [N].
        force: f64,
        /// Simulated time [s].
        time: f64,
        /// Limit [N].
        limit: f64,
    },
    /// The force of a recorded press reaches its limit.
    #[error(
        "the force reached the limit of {limit} N at {:.1} mm; choose a smaller depth or a larger max_force",
        1e3 * indentation
    )]
    PressForce {
        /// Limit [N].
        limit: f64,
        /// Indentation [m].
        indentation: f64,
    },
    /// The simulation is too slow.
    #[error(
        "the simulation runs at {:.2} % of real time, less than {:.2} % (limit real_time)",
        100.0 * speed, 100.0 * limit
    )]
    TooSlow {
        /// Simulated time over wall-clock time.
        speed: f64,
        /// Minimum of this ratio.
        limit: f64,
    },
    /// A profile of an indentation is too short to be followed.
    #[error("the number of samples of a profile is {n_samples}; it must be at least 2")]
    ShortProfile {
        /// Number of samples.
        n_samples: usize,
    },
    /// A recorded press is too short to be repeated.
    #[error("{log} has too few samples to repeat")]
    ShortRecording {
        /// Name of the log.
        log: String,
    },
    /// A recorded press is too deep for the torso.
    #[error(
        "{log} presses {:.0} mm deep, more than half of the torso's {:.0} mm; it cannot be repeated there",
        1e3 * depth, 1e3 * height
    )]
    DeepRecording {
        /// Name of the log.
        log: String,
        /// Largest indentation [m].
        depth: f64,
        /// Height of the torso [m].
        height: f64,
    },
    /// A recording was fitted with a model that does not give the softness of a torso.
    #[error("the model {model} has no {parameter}; a scene is fitted with the model {known}")]
    NoSoftness {
        /// The model.
        model: String,
        /// Name of the missing parameter.
        parameter: &'static str,
        /// Models that give a softness.
        known: String,
    },
    /// A body of tissue is divided into too few parts.
    #[error("resolution {resolution} leaves {count} particles or tetrahedra: take a finer one")]
    CoarseBody {
        /// The resolution.
        resolution: usize,
        /// Number of particles or tetrahedra.
        count: usize,
    },
    /// An instrument holds no tissue.
    #[error("the instrument holds no tissue; use a finer resolution")]
    EmptyGrasp,
    /// The GPU does not support a part of a motion.
    #[error("{what} not served by the particle solver on the GPU: take the device cpu")]
    NotOnGpu {
        /// Part of the motion, such as `tearing is`.
        what: &'static str,
    },
    /// The program was built without GPU support.
    #[error("this build has no GPU support")]
    NoGpuSupport,
    /// The remote centre of the da Vinci arm is not above the torso.
    #[error("the remote centre is not above the torso; move robot_position")]
    OffCenter,
}

/// Tells which organs have a window.
fn other_organs(names: &[String]) -> String {
    match names {
        [] => "no organ of this patient has one".to_owned(),
        [name] => format!("{name} has one"),
        names => format!("these have one: {}", names.join(", ")),
    }
}

impl From<HeldNeedleError> for ExperimentError {
    fn from(error: HeldNeedleError) -> Self {
        match error {
            HeldNeedleError::Insertion(error) => error.into(),
            HeldNeedleError::Sim(error) => error.into(),
        }
    }
}
