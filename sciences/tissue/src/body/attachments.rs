//! Attachments between the points of two bodies.

use std::collections::HashMap;

use insonate_settings::check_range;
use nalgebra::Vector3;

use crate::TissueError;

/// Pairs each point of `a` with the nearest point of `b`, if their distance is at most `distance` [m]. Ties go to the
/// first point of `b`.
///
/// # Errors
/// [`TissueError::Setting`] for the distance.
pub fn attach(a: &[[f64; 3]], b: &[[f64; 3]], distance: f64) -> Result<Vec<[u32; 2]>, TissueError> {
    check_range("attachment.distance", distance, [0.0, 10.0], "m")?;
    let width = distance.max(1e-6);
    let cell_of = |at: &[f64; 3]| at.map(|x| (x / width).floor() as i64);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for (index, at) in b.iter().enumerate() {
        cells.entry(cell_of(at)).or_default().push(index as u32);
    }
    let nearest = |at: &[f64; 3]| {
        let cell = cell_of(at);
        let around = (0..27).map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1]);
        let cells =
            around.filter_map(|side| cells.get(&[0, 1, 2].map(|axis| cell[axis] + side[axis])));
        let apart = |other: u32| (Vector3::from(*at) - Vector3::from(b[other as usize])).norm();
        let found = cells
            .flatten()
            .map(|&other| (apart(other), other))
            .filter(|(d, _)| *d <= distance);
        found.min_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)))
    };
    let ties = a
        .iter()
        .enumerate()
        .filter_map(|(index, at)| Some([index as u32, nearest(at)?.1]));
    Ok(ties.collect())
}
