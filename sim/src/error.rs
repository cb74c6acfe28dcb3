//! Errors of the simulation crate.

use crate::divergence::Divergence;

/// What to do if libmujoco is missing or has another version.
const MEND: &str =
    "run `cargo xtask setup`, or set MUJOCO_DYNAMIC_LINK_DIR to the folder of libmujoco.so";

/// Errors of this crate; each holds what is needed to fix it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// libmujoco cannot be loaded.
    #[error("cannot load libmujoco ({problem}); {MEND}")]
    MissingLibrary {
        /// The loader's message.
        problem: String,
    },
    /// The loaded libmujoco does not have the version of the bindings.
    #[error("libmujoco is {found}, but {expected} is needed; {MEND}")]
    Version {
        /// Version that the crate needs.
        expected: &'static str,
        /// Version that the loader found.
        found: String,
    },
    /// MuJoCo rejected the MJCF text.
    #[error("mujoco refused the scene: {message}{}", location(element.as_deref(), *line, source_line.as_deref()))]
    Compile {
        /// MuJoCo's message, on one line.
        message: String,
        /// The element that MuJoCo names, if it names one.
        element: Option<String>,
        /// 1-based line in the MJCF text, if MuJoCo names one.
        line: Option<usize>,
        /// The text of that line, shortened.
        source_line: Option<String>,
    },
    /// MuJoCo could not allocate the state of a model.
    #[error("mujoco could not allocate the state of the model")]
    Allocation,
    /// The model has no object of this name.
    #[error("the scene has no {kind} named '{name}'{}", suggestion(near))]
    UnknownName {
        /// Kind of object, as in MJCF: `joint`, `site`, ...
        kind: &'static str,
        /// The requested name.
        name: String,
        /// Similar names of the same kind, best first.
        near: Vec<String>,
    },
    /// A torso requests the fast solver but is not a linear shell.
    #[error("the fast torso {problem}; use the composite torso instead")]
    Shell {
        /// What is wrong with it.
        problem: String,
    },
    /// The softness of a torso that MuJoCo steps, which is compiled.
    #[error(
        "the softness of a {kind} torso is compiled: make a new scene, or use the torso fast, elastic, mpm or xpbd"
    )]
    Softness {
        /// Name of its kind.
        kind: &'static str,
    },
    /// The breath of a torso that MuJoCo steps, which is compiled.
    #[error(
        "the breathing of a torso that MuJoCo steps is compiled: make a new scene, or use the torso fast, elastic, mpm or xpbd"
    )]
    Breathing,
    /// A torso requests a tissue solver but is not a solid that the solver can step.
    #[error("the torso {problem}; use the flex torso instead")]
    Solid {
        /// What is wrong with it.
        problem: String,
    },
    /// A tissue solver rejects the torso.
    #[error("the torso's tissue: {0}")]
    Tissue(#[from] insonate_tissue::TissueError),
    /// The scene's description is invalid.
    #[error(transparent)]
    Mjcf(#[from] insonate_models::mjcf::MjcfError),
    /// A setting of the scene is out of range.
    #[error(transparent)]
    Model(#[from] insonate_models::ModelError),
    /// A controller needs torque motors.
    #[error("actuator '{actuator}' is not a torque motor (fixed gain, no bias)")]
    NotTorque {
        /// Name of the actuator.
        actuator: String,
    },
    /// A controller needs at least one driven joint.
    #[error("the scene has no joint that a torque motor drives")]
    NoArm,
    /// Something was to be mounted on the flange of a robot that has no flange.
    #[error("robot {robot} holds an instrument of its own and has no flange")]
    NoFlange {
        /// Name of the robot.
        robot: String,
    },
    /// Force control needs the force sensor at the tip.
    #[error(
        "the scene has no force-torque sensor: site 'probe/ft' with sensors 'probe/force' and 'probe/torque'"
    )]
    NoForceSensor,
    /// OpenGL is missing or failed.
    #[error(
        "no pictures on this machine ({problem}); everything else works. On Debian: apt-get install {packages}"
    )]
    Graphics {
        /// Message of the graphics library.
        problem: String,
        /// Debian packages that provide it.
        packages: &'static str,
    },
    /// The thread that renders cannot be started, or has ended.
    #[error("{0}")]
    RenderThread(String),
    /// A picture of this size cannot be drawn.
    #[error(
        "the size of the picture is {width} x {height} pixels; each side must be between 1 and {largest} pixels"
    )]
    PictureSize {
        /// Requested width [pixels].
        width: u32,
        /// Requested height [pixels].
        height: u32,
        /// Largest width and height [pixels].
        largest: u32,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] insonate_files::FileError),
    /// No joint positions bring the probe to the pose.
    #[error("the robot cannot reach [{:.3}, {:.3}, {:.3}] m in that orientation; it stays {position_error:.1e} m and {angle_error:.1e} rad away", target[0], target[1], target[2])]
    Unreachable {
        /// Requested position in world [m].
        target: [f64; 3],
        /// Remaining distance [m].
        position_error: f64,
        /// Remaining angle [rad].
        angle_error: f64,
    },
    /// The simulation diverged.
    #[error(transparent)]
    Diverged(#[from] Divergence),
}

fn location(element: Option<&str>, line: Option<usize>, source_line: Option<&str>) -> String {
    let parts = [
        element.map(|element| format!(", element '{element}'")),
        line.map(|line| format!(", line {line}")),
        source_line.map(|source_line| format!(": {source_line}")),
    ];
    parts.into_iter().flatten().collect()
}

fn suggestion(near: &[String]) -> String {
    if near.is_empty() {
        String::new()
    } else {
        format!("; near matches: {}", near.join(", "))
    }
}
