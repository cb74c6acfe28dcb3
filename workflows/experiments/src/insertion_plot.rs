//! Plots of an insertion: forces, contacts and penetration over depth, and the rod's shape and the sensors' paths from two sides.

use insonate_drawing::{
    Area, Axis, BLUE_LINE, DrawResult, Drawing, DrawingError, GREY_LINE, INK, ORANGE_LINE, Picture,
    chart, legend, line, range_of, thin, titled,
};
use plotters::prelude::*;

use crate::continuum::{InsertionRecord, InsertionSample};

/// Maximum number of points of a curve.
const MAX_POINTS: usize = 1500;

/// Number of rod shapes that are drawn.
const N_SHAPES: usize = 8;

/// Draws forces, contacts and penetration over depth.
///
/// # Errors
/// [`DrawingError`].
pub fn insertion_force_plot(
    title: &str,
    record: &InsertionRecord,
) -> Result<Picture, DrawingError> {
    let curve = |of: &dyn Fn(&InsertionSample) -> f64| -> Points {
        let points: Points = record
            .samples
            .iter()
            .map(|s| (1e3 * s.depth, of(s)))
            .collect();
        thin(&points, MAX_POINTS)
    };
    let drawing = Curves {
        title: title.to_owned(),
        panels: vec![
            InsertionPanel {
                labels: ["depth [mm]", "force [N]"],
                equal: false,
                curves: vec![
                    ("greatest contact", ORANGE_LINE, curve(&|s| s.peak_force)),
                    ("all contacts", BLUE_LINE, curve(&|s| s.total_force)),
                    ("push at the introducer", INK, curve(&|s| s.push)),
                ],
            },
            InsertionPanel {
                labels: ["depth [mm]", "contacts"],
                equal: false,
                curves: vec![("contacts", BLUE_LINE, curve(&|s| s.n_contacts as f64))],
            },
            InsertionPanel {
                labels: ["depth [mm]", "penetration [µm]"],
                equal: false,
                curves: vec![("penetration", ORANGE_LINE, curve(&|s| 1e6 * s.penetration))],
            },
        ],
    };
    let caption = "Normal forces of the wall on the rod, the greatest one and their sum, and the force with which the introducer pushes; \
                   contacts that press; and how deep the rod is in a wall.";
    Picture::of("force".to_owned(), caption.to_owned(), &drawing)
}

/// Draws the rod's shape at some moments and the paths of the two sensors, seen from the front and from the side.
///
/// # Errors
/// [`DrawingError`].
pub fn insertion_shape_plot(
    title: &str,
    record: &InsertionRecord,
) -> Result<Picture, DrawingError> {
    let last = record.samples.len().saturating_sub(1);
    let side = |axis: usize, label: &'static str| {
        let mut curves: Vec<(&'static str, RGBColor, Points)> = Vec::new();
        for shape in 0..N_SHAPES.min(last + 1) {
            let Some(sample) = record.samples.get((shape + 1) * last / N_SHAPES) else {
                continue;
            };
            // The part beyond the introducer.
            let n_points = sample.points.len();
            let n_outside = sample.points.iter().take_while(|p| p.z > 0.0).count();
            let inside = sample.points[n_outside.min(n_points)..].iter();
            let points = inside.map(|p| (1e3 * p[axis], 1e3 * p.z)).collect();
            curves.push((if shape == 0 { "rod" } else { "" }, GREY_LINE, points));
        }
        for (sensor, name, color) in [(0, "sensor 1", ORANGE_LINE), (1, "sensor 2", BLUE_LINE)] {
            let places = record.samples.iter().map(|s| s.sensors[sensor]);
            let inside = places.filter(|p| p.z <= 0.0);
            let points: Points = inside.map(|p| (1e3 * p[axis], 1e3 * p.z)).collect();
            curves.push((name, color, points));
        }
        InsertionPanel {
            labels: [label, "z [mm]"],
            equal: true,
            curves,
        }
    };
    let drawing = Shapes(Curves {
        title: title.to_owned(),
        panels: vec![side(0, "x [mm]"), side(1, "y [mm]")],
    });
    let caption = "The rod beyond the introducer at moments of the insertion, and the ways of the two sensors of Table I, from the front \
                   and from the side.";
    Picture::of("shape".to_owned(), caption.to_owned(), &drawing)
}

type Points = Vec<(f64, f64)>;

struct InsertionPanel {
    labels: [&'static str; 2],
    /// Whether both axes have the same length.
    equal: bool,
    curves: Vec<(&'static str, RGBColor, Points)>,
}

impl InsertionPanel {
    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let points = || self.curves.iter().flat_map(|(_, _, points)| points);
        let mut x = range_of(points().map(|p| p.0), 0.04);
        let y = range_of(points().map(|p| p.1).chain([0.0]), 0.06);
        if self.equal {
            let (middle, half) = (f64::midpoint(x.start, x.end), (y.end - y.start) / 2.0);
            let half = half.max((x.end - x.start) / 2.0) * 0.8;
            x = middle - half..middle + half;
        }
        let [x_label, y_label] = self.labels;
        let (x, y) = (
            Axis {
                range: x,
                label: x_label,
            },
            Axis {
                range: y,
                label: y_label,
            },
        );
        let mut chart = chart(area, "", &x, &y)?;
        for (name, color, points) in &self.curves {
            line(&mut chart, points.clone(), color.stroke_width(2), name)?;
        }
        if self.curves.len() > 1 {
            legend(&mut chart, SeriesLabelPosition::UpperLeft)?;
        }
        Ok(())
    }
}

struct Curves {
    title: String,
    panels: Vec<InsertionPanel>,
}

impl Drawing for Curves {
    const SIZE: (u32, u32) = (900, 860);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let area = titled(area, &self.title)?;
        let areas = area.split_evenly((self.panels.len(), 1));
        areas
            .iter()
            .zip(&self.panels)
            .try_for_each(|(area, panel)| panel.draw(area))
    }
}

struct Shapes(Curves);

impl Drawing for Shapes {
    const SIZE: (u32, u32) = (1000, 640);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let area = titled(area, &self.0.title)?;
        let areas = area.split_evenly((1, self.0.panels.len()));
        areas
            .iter()
            .zip(&self.0.panels)
            .try_for_each(|(area, panel)| panel.draw(area))
    }
}
