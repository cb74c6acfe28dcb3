//! A map on a grid over the sites, for people and files, with sites that disagree and proposed next sites.

use super::{MapPoint, SiteDeviation, SiteMap, process::distance};
use crate::CalibrationError;

/// Number of grid points along each axis.
const POINTS: usize = 25;
/// Every n-th point of the grid, with this n, is a candidate for the next press.
const STRIDE: usize = 3;
/// Margin of the grid around the sites, as a share of their extent, and as a minimum [m].
const MARGIN: f64 = 0.05;
const LEAST_MARGIN: f64 = 5e-3;
/// Number of proposed next sites.
const N_NEXT: usize = 3;

/// A map of one parameter on a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct MapGrid {
    /// Name of the parameter, such as `stiffness`.
    pub parameter: String,
    /// Its unit.
    pub unit: String,
    /// Columns [m], in the frame of the logs.
    pub x: Vec<f64>,
    /// Rows [m].
    pub y: Vec<f64>,
    /// Row by row, shape `[y.len() * x.len()]`; z is interpolated between the sites.
    pub points: Vec<MapPoint>,
    /// Positions [m] and values of the sites.
    pub sites: Vec<MapPoint>,
    /// Each site compared with the map of the others.
    pub left_out: Vec<SiteDeviation>,
    /// Proposed next sites, the most useful first, with the current prediction of the map.
    pub next: Vec<MapPoint>,
    /// Typical distance over which the parameter changes [m].
    pub length: f64,
    /// Median over the grid of the relative half width of the interval.
    pub half_width: f64,
}

impl SiteMap {
    /// Evaluates the map on a grid over the sites.
    ///
    /// # Errors
    /// The errors of [`SiteMap::of_sites`].
    pub fn grid(&self, parameter: &str, unit: &str) -> Result<MapGrid, CalibrationError> {
        let along = |axis: usize| -> Vec<f64> {
            let ends = self.sites.iter().map(|site| site.place[axis]);
            let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (low.min(x), high.max(x))
            });
            let margin = (MARGIN * (high - low)).max(LEAST_MARGIN);
            let step = (high - low + 2.0 * margin) / (POINTS - 1) as f64;
            (0..POINTS)
                .map(|i| low - margin + step * i as f64)
                .collect()
        };
        let (x, y) = (along(0), along(1));
        let places = y
            .iter()
            .flat_map(|&y| x.iter().map(move |&x| self.on_skin(x, y)));
        let points: Vec<MapPoint> = places.map(|place| self.at(place)).collect();
        let mut widths: Vec<f64> = points
            .iter()
            .map(|point| 0.5 * (point.ci95[1] - point.ci95[0]) / point.value)
            .collect();
        widths.sort_by(f64::total_cmp);
        let candidates: Vec<[f64; 3]> = (STRIDE / 2..POINTS)
            .step_by(STRIDE)
            .flat_map(|row| (STRIDE / 2..POINTS).step_by(STRIDE).map(move |i| (row, i)))
            .map(|(row, i)| points[row * POINTS + i].place)
            .collect();
        let next = self.next_sites(&candidates, N_NEXT).into_iter();
        Ok(MapGrid {
            parameter: parameter.to_owned(),
            unit: unit.to_owned(),
            sites: self.sites.iter().map(site_point).collect(),
            left_out: self.leave_one_out()?,
            next: next.map(|place| self.at(place)).collect(),
            length: self.hyperparameters()[0],
            half_width: widths[widths.len() / 2],
            x,
            y,
            points,
        })
    }

    /// The point on the skin above (x, y) [m]: its height is the mean of the heights of the sites, weighted by
    /// inverse distance (Shepard 1968).
    fn on_skin(&self, x: f64, y: f64) -> [f64; 3] {
        let (mut heights, mut weights) = (0.0, 0.0);
        for site in &self.sites {
            let [own_x, own_y, height] = site.place;
            let apart = distance(&[x, y, 0.0], &[own_x, own_y, 0.0]);
            let weight = 1.0 / (apart * apart).max(1e-12);
            heights += weight * height;
            weights += weight;
        }
        [x, y, heights / weights]
    }
}

fn site_point(site: &super::MapSite) -> MapPoint {
    let half = crate::fit::GAUSSIAN_95 * site.own_error;
    MapPoint {
        place: site.place,
        value: site.value,
        ci95: [site.value - half, site.value + half],
    }
}
