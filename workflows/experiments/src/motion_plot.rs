//! A motion on soft tissue over time: forces on tool and supports, and the travel of the tool.

use insonate_drawing::{
    BLUE_LINE, DrawingError, INK, MAX_POINTS, ORANGE_LINE, Panel, Picture, Points, StackedPlot,
    thin,
};
use plotters::prelude::*;

use crate::tissue::{MotionRecord, MotionSample};

const GREEN_LINE: RGBColor = RGBColor(45, 150, 85);

/// Draws a motion.
///
/// # Errors
/// [`DrawingError`].
pub fn motion_plot(
    name: &str,
    title: &str,
    record: &MotionRecord,
) -> Result<Picture, DrawingError> {
    let caption = "Force of the tissue on the tool, by components and by size; its size and that of all other forces on the tissue's \
                   surroundings; way of the tool since it touched or held the body."
        .to_owned();
    let curve = |of: &dyn Fn(&MotionSample) -> f64| -> Points {
        let points: Vec<(f64, f64)> = record
            .samples
            .iter()
            .map(|sample| (sample.time, of(sample)))
            .collect();
        thin(&points, MAX_POINTS)
    };
    let drawing = StackedPlot {
        title: title.to_owned(),
        end: record.samples.last().map_or(1.0, |sample| sample.time),
        panels: vec![
            Panel {
                label: "force on the tool [N]",
                curves: vec![
                    ("size", INK, curve(&|s| s.force.norm())),
                    ("x", BLUE_LINE, curve(&|s| s.force.x)),
                    ("y", GREEN_LINE, curve(&|s| s.force.y)),
                    ("z", ORANGE_LINE, curve(&|s| s.force.z)),
                ],
            },
            Panel {
                label: "force on supports [N]",
                curves: vec![
                    ("size", INK, curve(&|s| s.support_force.norm())),
                    ("x", BLUE_LINE, curve(&|s| s.support_force.x)),
                    ("y", GREEN_LINE, curve(&|s| s.support_force.y)),
                    ("z", ORANGE_LINE, curve(&|s| s.support_force.z)),
                ],
            },
            Panel {
                label: "way of the tool [mm]",
                curves: vec![("way", BLUE_LINE, curve(&|s| 1e3 * s.travel))],
            },
        ],
    };
    Picture::of(name.to_owned(), caption, &drawing)
}
