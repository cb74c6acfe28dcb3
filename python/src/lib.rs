//! The compiled module `insonate._insonate`: the Rust part of the Python package `insonate`.
//!
//! One class or concept per file. `python/insonate/` holds the Python part, and the type stubs with units and shapes.
//! The interpreter's lock is released during simulation. Invalid input raises an exception: see [`error`].

#![expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 passes arguments by value"
)]

mod arrays;
mod calibration;
mod cameras;
mod continuum;
mod environments;
mod error;
mod experiments;
mod geometry;
mod info;
mod learning;
mod made_patient;
mod own_task;
mod physics;
mod policy;
mod process;
mod psm;
mod registry;
mod scene;
mod scene_recorder;
mod settings;
mod state;
mod study;
mod tissue;
mod ultrasound;
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

/// Content of the module.
#[pymodule]
mod _insonate {
    #[pymodule_export]
    use super::calibration::{calibrate, laws};
    #[pymodule_export]
    use super::continuum::{
        Actuation, Lumen, RodConfig, RodState, Section, Simulation, StepReport,
    };
    #[pymodule_export]
    use super::environments::Environments;
    #[pymodule_export]
    use super::error::{ClosedError, Error, OrderError, SimulationError};
    #[pymodule_export]
    use super::experiments::{palpate, press, scan};
    #[pymodule_export]
    use super::learning::{
        demonstrate::demonstrate,
        evaluate::evaluate,
        imitate::imitate,
        rollout::rollout,
        train::{TrainedRun, finish_seeds, train},
    };
    #[pymodule_export]
    use super::own_task::register_task;
    #[pymodule_export]
    use super::physics::{Physics, PhysicsBatch};
    #[pymodule_export]
    use super::policy::{Policy, export_policy, load_policy, write_policy};
    #[pymodule_export]
    use super::psm::{Psm, psm_identify, psm_palpate, psm_track};
    #[pymodule_export]
    use super::registry::{default_settings, tasks};
    #[pymodule_export]
    use super::scene::{Scene, parts};
    #[pymodule_export]
    use super::scene_recorder::SceneRecorder;
    #[pymodule_export]
    use super::study::study;
    #[pymodule_export]
    use super::tissue::{
        MlsMpm, MpmBody, Shape, SoftTissue, TissueBody, Tool, Xpbd, XpbdBody, xpbd_scene,
    };
    #[pymodule_export]
    use super::ultrasound::{Phantom, PressedTorso, Scanner, hold_probe};
    #[pymodule_export]
    use super::{run_command, set_library};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

/// Sets the path of libmujoco, which is loaded when the first scene is compiled.
#[pyfunction]
fn set_library(file: PathBuf) {
    insonate_sim::set_library(file);
}

/// Runs the command line with the arguments after the program's name; returns its exit status.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| insonate::cli::run(std::iter::once("insonate".into()).chain(arguments)))
}
