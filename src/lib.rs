//! Robotic ultrasound on MuJoCo: scenes built in Rust, deformable torsos, controllers, scans.
//!
//! * [`meshes`]: triangle meshes and their files.
//! * [`openigtlink`]: exchange of poses, pictures and texts with 3D Slicer.
//! * [`foxglove`]: messages for Foxglove and Lichtblick over websockets.
//! * [`rosbridge`]: topics for ROS clients over websockets.
//! * [`models`]: robots, probes and torsos as MJCF.
//! * [`sim`]: stepping, contact forces, controllers, pictures.
//! * [`calibration`]: stiffness and damping of tissue from recorded presses; [`report`] shows the results.
//! * [`dvrk`]: kinematics, identified dynamics and identification of the da Vinci PSM.
//! * [`experiments`]: pressing at a site and scanning along a path, with logs and plots.
//! * [`envs`]: reinforcement learning tasks; [`rl`]: PPO and SAC; [`training`] and [`evaluation`] of policies, with files and figures;
//!   [`study`]: from recorded presses to a policy; [`mod@benchmark`]: tasks × algorithms × seeds; [`demonstrations`]: recordings of experts and imitation learning.
//! * [`cli`]: the command line.
//! * [`bridges`]: live view of a scan or policy in 3D Slicer and Foxglove.
//! * [`datasets`]: demonstrations as robomimic and LeRobot files.
//! * [`files`]: atomic output files with one writer per folder; `gpu`: GPUs of any vendor (feature `gpu`).
//! * [`volumes`]: segmentations and label volumes; [`anatomy`]: patients that are made of segmentations.
//! * [`continuum`]: slender rods and cable-driven robots in narrow lumens; [`needle`]: needles in soft tissue.
//! * [`ultrasound`]: B-mode pictures of deformed tissue.
//! * [`tissue`]: soft tissue as particles or tetrahedra, and the wrench on each tool.
//!
//! ```
//! use insonate::models::SceneConfig;
//! use insonate::sim::{CompiledScene, Physics};
//!
//! let scene = SceneConfig::default().build()?;
//! let mjcf = scene.to_mjcf()?;
//! assert!(mjcf.to_xml()?.contains("<mujoco model=\"panda_c5-2_fast\">"));
//!
//! let mut physics = Physics::from_scene(&CompiledScene::compile(&mjcf)?)?;
//! physics.step_n(10)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// The command line names the crate as its users do.
extern crate self as insonate;

pub mod bridges;
pub mod cli;
pub mod report;

pub use insonate_anatomy as anatomy;
pub use insonate_calibration as calibration;
pub use insonate_continuum as continuum;
pub use insonate_datasets as datasets;
pub use insonate_dvrk as dvrk;
pub use insonate_envs as envs;
pub use insonate_experiments as experiments;
pub use insonate_files as files;
pub use insonate_foxglove as foxglove;
#[cfg(feature = "gpu")]
pub use insonate_gpu as gpu;
pub use insonate_learning as learning;
pub use insonate_learning::{benchmark, demonstrations, evaluation, study, training};
pub use insonate_meshes as meshes;
pub use insonate_models as models;
pub use insonate_needle as needle;
pub use insonate_openigtlink as openigtlink;
pub use insonate_rl as rl;
pub use insonate_rosbridge as rosbridge;
pub use insonate_sim as sim;
pub use insonate_tissue as tissue;
pub use insonate_ultrasound as ultrasound;
pub use insonate_volumes as volumes;

/// Runs the examples of `docs/do/tissue.md` as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/do/tissue.md")]
struct TissueGuide;
