//! Force over depth with its parts, and the displacement of the target.

use insonate_drawing::{
    Area, Axis, BLUE_LINE, DrawResult, Drawing, DrawingError, GREY_LINE, INK, MAX_POINTS,
    ORANGE_LINE, Picture, Points, chart, label_color, legend, line, range_of, thin, titled,
};
use nalgebra::Vector3;
use plotters::prelude::*;

use super::record::{NeedleRecord, NeedleSample};

/// Draws the force over depth with its parts, and the displacement of the target.
///
/// # Errors
/// [`DrawingError`].
pub fn needle_force_plot(title: &str, record: &NeedleRecord) -> Result<Picture, DrawingError> {
    let curve = |of: &dyn Fn(&NeedleSample) -> f64| -> Points {
        let samples = record.samples.iter();
        let points: Points = samples.map(|s| (1e3 * s.depth, of(s))).collect();
        thin(&points, MAX_POINTS)
    };
    let mut forces = vec![
        ("whole".to_owned(), INK, curve(&|s| s.axial_force)),
        (
            "cutting".to_owned(),
            ORANGE_LINE,
            curve(&|s| s.cutting_force),
        ),
        ("pressing".to_owned(), GREY_LINE, curve(&|s| s.press_force)),
    ];
    for (index, name) in record.layers.iter().enumerate() {
        let [r, g, b] = label_color(index + 1);
        let points = curve(&|s| s.friction.get(index).copied().unwrap_or(0.0));
        forces.push((format!("friction in {name}"), RGBColor(r, g, b), points));
    }
    let rest = record
        .samples
        .first()
        .map_or_else(Vector3::zeros, |s| s.target);
    let moved = curve(&|s| 1e3 * (s.target - rest).norm());
    let error = curve(&|s| 1e3 * (s.target - s.tip).norm());
    let drawing = Curves {
        title: title.to_owned(),
        panels: vec![
            ("force [N]", forces),
            (
                "target moved by [mm]",
                vec![("target".to_owned(), BLUE_LINE, moved)],
            ),
            (
                "tip to target [mm]",
                vec![("tip".to_owned(), ORANGE_LINE, error)],
            ),
        ],
    };
    let caption = "Simulated. Force along the needle with its parts; how far the tissue has moved the target; and the distance between \
                   tip and target. Depth is that of the tip of a straight needle, from the skin at rest.";
    Picture::of("force".to_owned(), caption.to_owned(), &drawing)
}

type NamedCurve = (String, RGBColor, Points);

struct Curves {
    title: String,
    panels: Vec<(&'static str, Vec<NamedCurve>)>,
}

impl Drawing for Curves {
    const SIZE: (u32, u32) = (900, 860);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let area = titled(area, &self.title)?;
        let (upper, lower) = area.split_vertically(430);
        let mut areas = vec![upper];
        areas.extend(lower.split_evenly((self.panels.len().saturating_sub(1), 1)));
        for (area, (label, curves)) in areas.iter().zip(&self.panels) {
            let points = || curves.iter().flat_map(|(_, _, points)| points);
            let x = Axis {
                range: range_of(points().map(|p| p.0), 0.02),
                label: "depth [mm]",
            };
            let y = Axis {
                range: range_of(points().map(|p| p.1).chain([0.0, 0.01]), 0.06),
                label,
            };
            let mut chart = chart(area, "", &x, &y)?;
            for (name, color, points) in curves {
                line(&mut chart, points.clone(), color.stroke_width(2), name)?;
            }
            if curves.len() > 1 {
                legend(&mut chart, SeriesLabelPosition::UpperLeft)?;
            }
        }
        Ok(())
    }
}
