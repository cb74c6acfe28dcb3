//! Stress in the image plane of a press as a picture.

use insonate_drawing::{Area, DrawResult, Drawing, DrawingError, INK, svg_of};
use nalgebra::Vector3;
use plotters::prelude::*;

use super::pressure_plot::shade;
use super::{Plot, StressRecord};

/// Greatest distance from the middle of the face that is drawn, along the array [mm].
const HALF_WIDTH: f64 = 120.0;
/// Share of the elements in the picture whose stress is above the end of the colour scale: peaks of single elements would hide the rest.
const ABOVE_SCALE: f64 = 0.002;
/// Number of steps of the colour scale.
const STEPS: usize = 48;

/// Von Mises stress in kPa in the plane of the probe's image: x along the array, depth from the middle of the face.
///
/// # Errors
/// [`DrawingError::Plot`].
pub fn stress_plot(record: &StressRecord) -> Result<Plot, DrawingError> {
    let svg = svg_of("the stress", &StressPlot::of(record))?;
    Ok(Plot { svg })
}

/// Polygons in the plane [mm] with the stress of their elements [kPa].
struct StressPlot {
    polygons: Vec<(Vec<(f64, f64)>, f64)>,
    /// Least and greatest depth [mm].
    depths: [f64; 2],
    /// Stress at the end of the colour scale, and the greatest [kPa].
    scale: f64,
    most: f64,
}

impl StressPlot {
    fn of(record: &StressRecord) -> Self {
        let stress = &record.stress;
        let von_mises = stress.von_mises();
        // x along the array, y out of the plane, z into the torso [mm].
        let inverse = record.world_from_probe.rotation.inverse();
        let origin = record.world_from_probe.position;
        let points: Vec<Vector3<f64>> = stress
            .points
            .iter()
            .map(|point| inverse * (Vector3::from(*point) - origin) * 1e3)
            .collect();
        let mut polygons = Vec::new();
        let mut add = |polygon: Vec<(f64, f64)>, stress: f64| {
            let is_near = polygon.iter().any(|(x, _)| x.abs() < HALF_WIDTH);
            if polygon.len() > 2 && is_near {
                polygons.push((polygon, 1e-3 * stress));
            }
        };
        for (tet, stress) in stress.tets.iter().zip(&von_mises) {
            add(section(&tet.map(|point| points[point as usize])), *stress);
        }
        if stress.tets.is_empty() {
            let edge = |particle: usize| 1e3 * stress.volumes[particle].cbrt();
            let is_near = |&particle: &usize| points[particle].y.abs() <= edge(particle);
            let mut near: Vec<usize> = (0..points.len()).filter(is_near).collect();
            // The nearest are drawn last, over those behind them.
            near.sort_by(|&a, &b| points[b].y.abs().total_cmp(&points[a].y.abs()));
            for particle in near {
                let (at, half) = (points[particle], 0.5 * edge(particle));
                let corner = |(x, z): (f64, f64)| (at.x + x * half, at.z + z * half);
                let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
                add(square.map(corner).to_vec(), von_mises[particle]);
            }
        }
        let mut sorted: Vec<f64> = polygons.iter().map(|it| it.1).collect();
        sorted.sort_by(f64::total_cmp);
        let place = ((1.0 - ABOVE_SCALE) * sorted.len() as f64) as usize;
        let scale = sorted.get(place).or(sorted.last()).copied();
        let depths = polygons.iter().flat_map(|it| &it.0).map(|it| it.1);
        Self {
            depths: depths.fold([0.0, 1.0], |[low, high], z| [low.min(z), high.max(z)]),
            scale: scale.unwrap_or(0.0).max(1e-6),
            most: von_mises.iter().copied().fold(0.0, f64::max) * 1e-3,
            polygons,
        }
    }
}

/// Where a tetrahedron crosses the plane y = 0: the corners of a triangle or a quadrilateral, or nothing.
fn section(corners: &[Vector3<f64>; 4]) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for (i, a) in corners.iter().enumerate() {
        for b in &corners[i + 1..] {
            if (a.y < 0.0) != (b.y < 0.0) {
                let at = a + (b - a) * (a.y / (a.y - b.y));
                points.push((at.x, at.z));
            }
        }
    }
    let n = points.len().max(1) as f64;
    let middle = points
        .iter()
        .fold((0.0, 0.0), |sum, it| (sum.0 + it.0 / n, sum.1 + it.1 / n));
    let angle = |it: &(f64, f64)| (it.1 - middle.1).atan2(it.0 - middle.0);
    points.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    points
}

impl Drawing for StressPlot {
    const SIZE: (u32, u32) = (960, 520);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let title = format!(
            "von Mises stress in the image plane [kPa]; greatest of all tissue {:.1} kPa",
            self.most
        );
        let root = area.titled(&title, ("sans-serif", 20).into_font().color(&INK))?;
        let (left, right) = root.split_horizontally(860);
        let [high, low] = self.depths;
        let mut chart = ChartBuilder::on(&left)
            .margin(14)
            .x_label_area_size(40)
            .y_label_area_size(64)
            .build_cartesian_2d(-HALF_WIDTH..HALF_WIDTH, low..high)?;
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(INK)
            .x_desc("along the array [mm]")
            .y_desc("depth below the face [mm]")
            .label_style(("sans-serif", 13).into_font().color(&INK))
            .draw()?;
        chart.draw_series(self.polygons.iter().map(|(polygon, stress)| {
            let color = shade((stress / self.scale).clamp(0.0, 1.0));
            Polygon::new(polygon.clone(), color.filled())
        }))?;
        let mut bar = ChartBuilder::on(&right)
            .margin(14)
            .x_label_area_size(40)
            .y_label_area_size(44)
            .build_cartesian_2d(0.0..1.0, 0.0..self.scale)?;
        bar.configure_mesh()
            .disable_mesh()
            .disable_x_axis()
            .axis_style(INK)
            .label_style(("sans-serif", 13).into_font().color(&INK))
            .draw()?;
        bar.draw_series((0..STEPS).map(|step| {
            let at = |step: usize| self.scale * step as f64 / STEPS as f64;
            let color = shade((step as f64 + 0.5) / STEPS as f64);
            Rectangle::new([(0.0, at(step)), (1.0, at(step + 1))], color.filled())
        }))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_a_triangle_a_quadrilateral_or_nothing() {
        let tet = |ys: [f64; 4]| {
            let places = [(0.0, 0.0), (2.0, 0.0), (0.0, 2.0), (2.0, 2.0)];
            std::array::from_fn(|i| Vector3::new(places[i].0, ys[i], places[i].1))
        };
        assert!(section(&tet([1.0, 2.0, 3.0, 4.0])).is_empty());
        let triangle = section(&tet([-1.0, 1.0, 1.0, 1.0]));
        assert_eq!(triangle.len(), 3);
        assert!(triangle.contains(&(1.0, 0.0)) && triangle.contains(&(0.0, 1.0)));
        let quadrilateral = section(&tet([-1.0, -1.0, 1.0, 1.0]));
        assert_eq!(quadrilateral.len(), 4);
        // Neighbours along the outline: its area is that of the parallelogram (0, 1), (1, 1), (2, 1) ..., which is flat.
        let area: f64 = (0..4)
            .map(|i| {
                let (a, b) = (quadrilateral[i], quadrilateral[(i + 1) % 4]);
                a.0 * b.1 - b.0 * a.1
            })
            .sum();
        assert!(area.abs() < 1e-12, "{area}");
    }
}
