//! The windows to an organ and the path over them as a picture.

use insonate_drawing::{
    Area, Axis, DrawResult, Drawing, DrawingError, INK, ORANGE_LINE, Picture, chart, legend, line,
};
use plotters::prelude::*;

use super::OrganPlan;

/// Skin that the organ is not below; bone or gas in front of the organ; the organ is seen.
const SKIN: RGBColor = RGBColor(238, 233, 228);
const BLOCKED: RGBColor = RGBColor(178, 172, 168);
const SEEN: RGBColor = RGBColor(160, 196, 232);
/// Places for the face with the least and the largest loss.
const NEAR: [f64; 3] = [15.0, 110.0, 70.0];
const FAR: [f64; 3] = [176.0, 222.0, 190.0];
/// Names of the legend and their colours.
const KINDS: [(&str, RGBColor); 4] = [
    ("skin", SKIN),
    ("bone or gas in front of it", BLOCKED),
    ("seen", SEEN),
    ("place for the probe", RGBColor(60, 150, 105)),
];
/// Height over width of the part of the picture within the axes.
const ASPECT: f64 = 1.32;

/// The windows of a plan seen from the front: the patient's left is on the right.
///
/// # Errors
/// [`DrawingError::Plot`].
pub fn window_plot(plan: &OrganPlan) -> Result<Picture, DrawingError> {
    let losses: Vec<f64> = plan.free().map(|(_, loss)| loss).collect();
    let [low, high] = losses.iter().fold([f64::INFINITY, 0.0], |[low, high], x| {
        [low.min(*x), f64::max(high, *x)]
    });
    let title = format!(
        "windows to {}, loss {low:.0} to {high:.0} dB",
        plan.map.organ
    );
    let drawing = WindowPlot {
        plan,
        title,
        losses: [low, high],
    };
    Picture::of(
        "windows".to_owned(),
        "Places of the skin from which the probe sees the organ, and the path of the scan."
            .to_owned(),
        &drawing,
    )
}

impl OrganPlan {
    /// Places for the probe's face, as indices, with their losses [dB].
    fn free(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let places = self.map.places.iter().enumerate();
        places.filter_map(|(index, place)| {
            let sight = place.as_ref()?.sight?;
            self.is_free[index].then_some((index, sight.loss))
        })
    }
}

struct WindowPlot<'a> {
    plan: &'a OrganPlan,
    title: String,
    losses: [f64; 2],
}

impl WindowPlot<'_> {
    /// Ranges along the axes that show all of the skin with equal scales [m].
    fn ranges(&self) -> [std::ops::Range<f64>; 2] {
        let map = &self.plan.map;
        let ends = |axis: &[f64]| [axis[0], axis[axis.len() - 1]];
        let [[left, right], [feet, head]] = [ends(&map.left), ends(&map.head)];
        let half = (0.52 * (right - left)).max(0.52 * (head - feet) / ASPECT);
        let [x, y] = [0.5 * (left + right), 0.5 * (feet + head)];
        [x - half..x + half, y - ASPECT * half..y + ASPECT * half]
    }

    /// The kind of a place, as an index of the legend's kinds, and its colour.
    fn look(&self, index: usize) -> Option<(usize, RGBColor)> {
        let place = self.plan.map.places[index].as_ref()?;
        if !self.plan.is_free[index] {
            return Some(match place.sight {
                Some(_) => (2, SEEN),
                None if place.n_rays[0] > 0 => (1, BLOCKED),
                None => (0, SKIN),
            });
        }
        let [low, high] = self.losses;
        let loss = place.sight.map_or(high, |sight| sight.loss);
        let share = ((loss - low) / (high - low).max(1e-9)).clamp(0.0, 1.0);
        let [r, g, b] = std::array::from_fn(|i| (NEAR[i] + share * (FAR[i] - NEAR[i])) as u8);
        Some((3, RGBColor(r, g, b)))
    }
}

impl Drawing for WindowPlot<'_> {
    const SIZE: (u32, u32) = (760, 970);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let [x, y] = self.ranges();
        let axis = |range, label| Axis { range, label };
        let (x, y) = (axis(x, "to the left [m]"), axis(y, "to the head [m]"));
        let mut chart = chart(area, &self.title, &x, &y)?;
        let map = &self.plan.map;
        let n = map.left.len();
        let half = 0.5 * (map.left[1] - map.left[0]);
        for (kind, (label, color)) in KINDS.into_iter().enumerate() {
            let cells = (0..map.places.len()).filter_map(|index| {
                let (own, color) = self.look(index)?;
                let (x, y) = (map.left[index % n], map.head[index / n]);
                let corners = [(x - half, y - half), (x + half, y + half)];
                (own == kind).then(|| Rectangle::new(corners, color.filled()))
            });
            let series = chart.draw_series(cells)?.label(label);
            series.legend(move |(x, y)| {
                Rectangle::new([(x, y - 5), (x + 18, y + 5)], color.filled())
            });
        }
        let path: Vec<_> = self
            .plan
            .path
            .points
            .iter()
            .map(|own| (own[0], own[1]))
            .collect();
        let start = path[0];
        line(&mut chart, path, ORANGE_LINE.stroke_width(3), "path")?;
        chart.draw_series([Circle::new(start, 6, ORANGE_LINE.filled())])?;
        chart.draw_series([Circle::new(start, 6, INK)])?;
        legend(&mut chart, SeriesLabelPosition::LowerRight)
    }
}
