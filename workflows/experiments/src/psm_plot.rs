//! Plots of the PSM over time: torques with the model's torques, and forces with their estimates.

use insonate_drawing::{
    BLUE_LINE, DrawingError, GREY_LINE, MAX_POINTS, ORANGE_LINE, Panel, Picture, Points,
    StackedPlot, thin,
};

use crate::psm::{PsmRecord, PsmSample};

fn curve(record: &PsmRecord, of: impl Fn(&PsmSample) -> f64) -> Points {
    let points: Vec<(f64, f64)> = record
        .samples
        .iter()
        .map(|sample| (sample.time, of(sample)))
        .collect();
    thin(&points, MAX_POINTS)
}

fn end(record: &PsmRecord) -> f64 {
    record.samples.last().map_or(1.0, |sample| sample.time)
}

/// Draws simulated, identified and motor torques of yaw, pitch and insertion.
///
/// # Errors
/// [`DrawingError`].
pub fn psm_track_plot(
    name: &str,
    title: &str,
    record: &PsmRecord,
) -> Result<Picture, DrawingError> {
    let caption = "Torques of yaw, pitch and insertion: of the motors, of these what moves the simulated bodies (friction taken off), and \
                   by the identified model at the simulated motion."
        .to_owned();
    let panel = |joint: usize, label: &'static str| Panel {
        label,
        curves: vec![
            ("motor", GREY_LINE, curve(record, |s| s.motor_torque[joint])),
            (
                "simulated",
                BLUE_LINE,
                curve(record, |s| s.simulated_torque[joint]),
            ),
            (
                "identified",
                ORANGE_LINE,
                curve(record, |s| s.model_torque[joint]),
            ),
        ],
    };
    let drawing = StackedPlot {
        title: title.to_owned(),
        end: end(record),
        panels: vec![
            panel(0, "yaw [N m]"),
            panel(1, "pitch [N m]"),
            panel(2, "insertion [N]"),
        ],
    };
    Picture::of(name.to_owned(), caption, &drawing)
}

/// Draws the force on the tip and its estimate from motor torques.
///
/// # Errors
/// [`DrawingError`].
pub fn psm_force_plot(
    name: &str,
    title: &str,
    record: &PsmRecord,
) -> Result<Picture, DrawingError> {
    let caption = "Force of the torso on the instrument in the world, by the contacts and as estimated from the motors' torques.".to_owned();
    let panel = |axis: usize, label: &'static str| Panel {
        label,
        curves: vec![
            ("contact", BLUE_LINE, curve(record, |s| s.tip_force[axis])),
            (
                "estimated",
                ORANGE_LINE,
                curve(record, |s| s.estimated_force[axis]),
            ),
        ],
    };
    let drawing = StackedPlot {
        title: title.to_owned(),
        end: end(record),
        panels: vec![panel(0, "x [N]"), panel(1, "y [N]"), panel(2, "z [N]")],
    };
    Picture::of(name.to_owned(), caption, &drawing)
}
