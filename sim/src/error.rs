//! What can go wrong in the simulation crate.

use crate::divergence::Divergence;

/// What helps where libmujoco is missing or of another version.
const MEND: &str =
    "run `cargo xtask setup`, or set MUJOCO_DYNAMIC_LINK_DIR to the folder of libmujoco.so";

/// Errors of this crate; each carries what is needed to mend it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// There is no libmujoco.
    #[error("cannot load libmujoco ({problem}); {MEND}")]
    MissingLibrary {
        /// The loader's message.
        problem: String,
    },
    /// The loaded libmujoco is not the version of the bindings.
    #[error("libmujoco is {found}, but {expected} is needed; {MEND}")]
    Version {
        /// Version that the crate needs.
        expected: &'static str,
        /// Version that the loader found.
        found: String,
    },
    /// MuJoCo refused the MJCF text.
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
    /// A name that the model does not have.
    #[error("the scene has no {kind} named '{name}'{}", suggestion(near))]
    UnknownName {
        /// Kind of object, as in MJCF: `joint`, `site`, ...
        kind: &'static str,
        /// The name asked for.
        name: String,
        /// Names of the same kind that look alike, best first.
        near: Vec<String>,
    },
    /// A torso that asks for the fast solver but is no linear shell.
    #[error("the fast torso {problem}; use the composite torso instead")]
    Shell {
        /// What is wrong with it.
        problem: String,
    },
    /// A torso that asks for a tissue solver but is no solid that it can step.
    #[error("the torso {problem}; use the flex torso instead")]
    Solid {
        /// What is wrong with it.
        problem: String,
    },
    /// A tissue solver refuses the torso.
    #[error("the torso's tissue: {0}")]
    Tissue(#[from] insonate_tissue::TissueError),
    /// The scene's description is invalid.
    #[error(transparent)]
    Mjcf(#[from] insonate_models::mjcf::MjcfError),
    /// A controller needs torque motors.
    #[error("actuator '{actuator}' is not a torque motor (fixed gain, no bias)")]
    NotTorque {
        /// Name of the actuator.
        actuator: String,
    },
    /// A controller needs at least one driven joint.
    #[error("the scene has no joint that a torque motor drives")]
    NoArm,
    /// Something was to be put on the flange of a robot that has none.
    #[error("robot {robot} holds an instrument of its own and has no flange")]
    NoFlange {
        /// Its name.
        robot: String,
    },
    /// Force control needs the sensor at the tip.
    #[error(
        "the scene has no force-torque sensor: site 'probe/ft' with sensors 'probe/force' and 'probe/torque'"
    )]
    NoForceSensor,
    /// OpenGL is missing or failed.
    #[error(
        "no pictures on this machine ({problem}); everything else works. On Debian: apt-get install {packages}"
    )]
    Graphics {
        /// What the graphics library said.
        problem: String,
        /// Debian packages that provide it.
        packages: &'static str,
    },
    /// A picture of that size cannot be drawn.
    #[error(
        "a picture of {width} x {height} pixels cannot be drawn; each side must be 1 to {largest}"
    )]
    PictureSize {
        /// Width asked for [pixels].
        width: u32,
        /// Height asked for [pixels].
        height: u32,
        /// Largest width and height [pixels].
        largest: u32,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] insonate_files::FileError),
    /// No joint positions put the probe there.
    #[error("the robot cannot reach [{:.3}, {:.3}, {:.3}] m in that orientation; it stays {position_error:.1e} m and {angle_error:.1e} rad away", target[0], target[1], target[2])]
    Unreachable {
        /// Position asked for in world [m].
        target: [f64; 3],
        /// Distance that is left [m].
        position_error: f64,
        /// Angle that is left [rad].
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
