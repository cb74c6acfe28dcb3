//! Experiments with a probe on a torso: [`press`] at a site, [`scan`] along a path, [`fit_scene`] to a recorded press;
//! [`tissue`]: surgical motions on soft tissue alone; [`continuum`]: rods that are bent, pushed into lumens and steered through
//! airways; [`needle`]: a needle in layered tissue.
//!
//! [`OwnPatient`]: a patient that was made of a segmentation, in a scene and in images.
//!
//! Each experiment runs a scene, records every step in a [`Record`], and returns a [`Summary`]; its caller writes the output.
//! Plots of a record: [`time_plot`], [`force_indentation_plot`], [`pressure_plot`], [`stress_plot`], [`motion_plot`], [`insertion_force_plot`], [`psm_track_plot`].

mod advice;
mod b_mode_film;
mod base_search;
mod block_measure;
pub mod continuum;
mod depth_limit;
mod device;
mod episode_camera;
mod error;
mod file_softness;
pub mod fit_scene;
mod fit_softness;
pub mod follow;
mod follow_poses;
mod frame_figures;
mod guard;
mod hold;
mod image_figures;
mod insertion_plot;
mod live_scan;
mod motion_plot;
pub mod needle;
mod organ_plan;
mod overview;
pub mod palpate;
mod pictures;
mod playback;
mod plot;
mod polyline;
pub mod press;
mod pressure_plot;
mod probe_scene;
mod probe_surfaces;
mod progress;
pub mod psm;
mod psm_plot;
mod random_site;
mod ranges;
mod record;
mod recorder;
mod recording;
mod repeat_press;
pub mod scan;
mod scan_path;
pub mod scene_entry;
pub mod softness_field;
mod strain;
mod stress_plot;
mod stress_record;
mod summary;
pub mod tissue;
mod torso_parameters;
mod tuning;
mod window_plot;

pub use advice::Advice;
pub use b_mode_film::{BModeFilm, FilmFrame, FilmSettings};
pub use block_measure::{BlockFigures, BlockMeasure, PointFigures, ShadowFigures};
pub use device::{Backend, Device};
pub use episode_camera::EpisodeCamera;
pub use error::ExperimentError;
pub use file_softness::{FileSoftness, SoftnessError};
pub use fit_scene::{SceneFit, fit_scene};
pub use fit_softness::{SoftnessFit, fit_softness};
pub use follow_poses::{ProbeState, check_poses, follow_poses};
pub use frame_figures::{Layer, LegendEntry, legend, mean_intensity, middle_line};
pub use hold::{Held, Hold, hold};
pub use image_figures::{ArrayFigures, PixelFigures, SettingsFigures, TgcFigures};
pub use insertion_plot::{insertion_force_plot, insertion_shape_plot};
pub use insonate_drawing::Film;
pub use insonate_envs::OwnPatient;
pub use live_scan::LiveScan;
pub use motion_plot::motion_plot;
pub use organ_plan::{OrganFigures, OrganPlan};
pub use overview::overview_picture;
pub use palpate::{Palpation, Site, SiteRecording, SiteTruth, five_sites, palpate};
pub use pictures::Pictures;
pub use playback::Playback;
pub use plot::{Plot, force_indentation_plot, time_plot};
pub use press::{Press, press};
pub use pressure_plot::pressure_plot;
pub use probe_surfaces::probe_surfaces;
pub use progress::{Interrupted, Progress};
pub use psm_plot::{psm_force_plot, psm_track_plot};
pub use random_site::random_site;
pub use record::{JointRecord, Pressure, Record, Sample};
pub use recorder::{ProbeTrajectory, Recorder};
pub use recording::{Recording, RecordingTruth};
pub use repeat_press::{RepeatedPress, repeat_press};
pub use scan::{Scan, scan};
pub use strain::{
    Inclusion, InclusionFigures, LoadedBody, PressedBlock, StrainFigures, strain_map,
    strain_picture,
};
pub use stress_plot::stress_plot;
pub use stress_record::{StressFigures, StressRecord};
pub use summary::Summary;
pub use window_plot::window_plot;
