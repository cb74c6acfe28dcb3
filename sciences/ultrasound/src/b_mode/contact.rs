//! Contact of each line: a line whose face meets gas is not coupled.

use super::grid::Grid;
use super::scene::View;

/// Largest gap that gel fills [m].
pub(crate) const GAP: f32 = 0.5e-3;

/// Whether tissue or gel lies in front of each line's face.
pub(crate) fn contact(view: &View, grid: &Grid, coupled: &mut [bool]) {
    for (line, coupled) in coupled.iter_mut().enumerate() {
        let place = view.place(&grid.point(line as f32, GAP, 0.0));
        *coupled = !view.materials()[usize::from(place.material)].is_gas();
    }
}
