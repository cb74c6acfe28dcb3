//! A map of `softness.toml` as the field of a torso.

use insonate_calibration::softness::MapEntry;
use insonate_models::Scene;
use insonate_models::torsos::SoftnessField;

/// Largest median distance between the map's skin and the torso's skin [m].
const MAX_GAP: f64 = 0.02;
/// Least share of the map that must lie on the torso.
const LEAST_SHARE: f64 = 0.6;

/// The field of a scene's torso from a map of stiffness: the factor is the map over `reference`, the stiffness of the torso's softness [N/m].
///
/// `origin` is the origin of the logs' frame in the world [m]; their axes are parallel.
///
/// # Errors
/// If the map does not lie on the torso's skin, or the torso does not take a factor.
pub fn of_map(
    map: &MapEntry,
    reference: f64,
    scene: &Scene,
    origin: [f64; 3],
) -> Result<SoftnessField, String> {
    let mut gaps = Vec::new();
    for (y, heights) in map.y.iter().zip(&map.z) {
        for (x, height) in map.x.iter().zip(heights) {
            let above = scene.surface_above(x + origin[0], y + origin[1]);
            gaps.extend(above.map(|skin| (height + origin[2] - skin.position[2]).abs()));
        }
    }
    let share = gaps.len() as f64 / (map.x.len() * map.y.len()) as f64;
    if share < LEAST_SHARE {
        return Err(format!(
            "only {:.0} % of the map lies above the torso, but must be at least {:.0} %",
            100.0 * share,
            100.0 * LEAST_SHARE
        ));
    }
    gaps.sort_by(f64::total_cmp);
    let gap = gaps[gaps.len() / 2];
    if gap > MAX_GAP {
        return Err(format!(
            "the skin of the map is {gap:.3} m from the skin of the torso, but must be within {MAX_GAP} m"
        ));
    }
    let moved = |axis: &[f64], index: usize| -> Vec<f64> {
        let shift = origin[index] - scene.torso_position[index];
        axis.iter().map(|x| x + shift).collect()
    };
    let field = SoftnessField {
        x: moved(&map.x, 0),
        y: moved(&map.y, 1),
        factor: map
            .value
            .iter()
            .map(|row| row.iter().map(|value| value / reference).collect())
            .collect(),
    };
    field.check().map_err(|error| error.to_string())?;
    Ok(field)
}
