//! Explicit scatterers: wires, grains.

use super::echoes::{Carrier, Echoes, GROUP};
use super::grid::Grid;
use super::legs::Media;
use super::scene::View;
use super::walk::ScanlinePath;

/// Number of standard deviations across the array beyond which a scatterer is not visible.
const REACH: f32 = 3.0;

/// An explicit scatterer in beam space: line, range, and amplitude after weighting by the beam across the array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    pub(crate) across: f32,
    pub(crate) range: f32,
    pub(crate) amplitude: f32,
}

/// Locates the explicit scatterers.
pub(crate) fn locate(view: &View, grid: &Grid, located: &mut Vec<Located>) {
    located.clear();
    for scatterer in view.phantom.scatterers() {
        let Some(point) = view.probe(&scatterer.rest) else {
            continue;
        };
        let [across, range] = grid.locate(&point);
        let sigma = grid.sigma_elevation[((range / grid.step) as usize).min(grid.n_samples - 1)];
        let is_seen = range > 0.0 && range < grid.depth() && point.y.abs() < REACH * sigma;
        if is_seen && across > -1.0 && across < grid.n_lines as f32 {
            located.push(Located {
                across,
                range,
                amplitude: scatterer.amplitude * (-0.5 * (point.y / sigma).powi(2)).exp(),
            });
        }
    }
}

impl Located {
    /// The two neighbouring lines and the scatterer's share in each; a line may be outside of the frame.
    pub(crate) fn neighbours(&self) -> [(isize, f32); 2] {
        let left = self.across.floor();
        let share = self.across - left;
        [(left as isize, 1.0 - share), (left as isize + 1, share)]
    }
}

/// Adds the echoes of the scatterers to a group of lines from `first` on.
pub(crate) fn add(
    located: &[Located],
    grid: &Grid,
    carrier: Carrier,
    (media, tracks): (&Media, &[ScanlinePath]),
    first: usize,
    echoes: &mut Echoes,
) {
    for point in located {
        for (line, weight) in point.neighbours() {
            let own = line - first as isize;
            if (0..GROUP as isize).contains(&own) && (line as usize) < tracks.len() {
                let [loss, offset] = through(media, &tracks[line as usize], point.range, grid);
                let amplitude = weight * point.amplitude * loss;
                let range = grid.received(point.across, point.range + offset);
                echoes.add(own as usize, carrier, range, amplitude);
            }
        }
    }
}

/// Remaining two-way amplitude, and the excess of the shown depth.
pub(crate) fn through(media: &Media, track: &ScanlinePath, range: f32, grid: &Grid) -> [f32; 2] {
    let place = range / grid.step;
    let sample = (place as usize).min(grid.n_samples - 1);
    let share = place - sample as f32;
    let [[left, before], [_, after]] =
        [sample, sample + 1].map(|sample| media.front(&track.rays[1], sample));
    [left, before + share * (after - before)]
}
