//! Reports, plots, pictures and logs of all commands.
//!
//! Reports of calibrations, identifications, studies and benchmarks are in their own crate; plots of an experiment or a policy belong to the crate
//! that runs it.

pub use insonate_drawing::{
    Picture, Ruler, color_picture, grey_picture, label_color, label_picture, legend_picture,
};
pub use insonate_experiments::{
    insertion_force_plot, insertion_shape_plot, motion_plot, needle::needle_force_plot,
    overview_picture, psm_force_plot, psm_track_plot, scene_entry as settings, softness_field,
};
pub use insonate_learning::evaluation::{film_with_strip, rollout_plot};
pub use insonate_learning::mcap::{record_log, rollout_log};
pub use insonate_learning::training::learning_curve;
pub use insonate_report::{
    BodySurfaces, CalibrationReport, DemoPage, IdentificationReport, ImagePlane, PatientReport,
    ReportError, View3d, benchmark_files, benchmark_text, study_files, study_text,
};
