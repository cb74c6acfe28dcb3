//! The outline of a human trunk: half-width and thickness along the body, and the arch of its cross-section.
//!
//! The trunk runs from the armpits (`along = 1`) to the hip joints (`along = -1`).
//! Breadths and depths were measured on a man of 19 years and 73 kg, slice by slice, with the protocol of
//! Hatze 1980 (*J. Biomech.* 13, 833–843, doi:10.1016/0021-9290(80)90171-2). They are published with an open implementation
//! of that model (W. Robertson, hatze-biomech, subject "Lechner"): ten slices of 46 mm in the thorax and ten of 20.8 mm in the pelvis.
//! Where the protocol has no breadth (near the armpits) or no depth (between waist and buttocks), the neighbours are interpolated.
//! Callers scale the outline to their own size, so only the ratios matter: the waist has 0.84 of the breadth of the hips and
//! 0.89 of the depth of the chest.

/// Distance below the armpits, breadth and depth of the trunk [mm].
const SLICES: [[f64; 3]; 13] = [
    [0.0, 312.0, 202.0],
    [46.0, 312.0, 213.0],
    [92.0, 315.0, 214.0],
    [138.0, 307.0, 218.0],
    [184.0, 291.0, 209.0],
    [230.0, 279.0, 206.0],
    [276.0, 295.0, 195.0],
    [309.0, 295.0, 199.0],
    [330.0, 297.0, 202.0],
    [351.0, 316.0, 204.0],
    [372.0, 320.0, 206.0],
    [392.0, 328.0, 206.0],
    [413.0, 329.0, 206.0],
];

/// Superellipse exponent of the cross-section |x/a|ⁿ + |z/b|ⁿ = 1. Chests are blunter than an ellipse (2).
const SECTION_EXPONENT: f64 = 2.5;

/// Half-width of the trunk at `along`, -1 (hips) to 1 (armpits), as a fraction of the greatest half-width; 0.84 to 1.
pub fn half_width(along: f64) -> f64 {
    column(along, 1)
}

/// Thickness of the trunk at `along`, -1 (hips) to 1 (armpits), as a fraction of the greatest thickness; 0.89 to 1.
pub fn thickness(along: f64) -> f64 {
    column(along, 2)
}

/// Height of the cross-section at `across`, -1 to 1 of its half-width, as a fraction of its height on the midline.
pub fn arch(across: f64) -> f64 {
    (1.0 - across.abs().min(1.0).powf(SECTION_EXPONENT)).powf(SECTION_EXPONENT.recip())
}

/// A column of [`SLICES`] at `along`, divided by its greatest value; interpolated by a cubic Hermite spline with central slopes.
fn column(along: f64, column: usize) -> f64 {
    let greatest = SLICES.iter().map(|slice| slice[column]).fold(0.0, f64::max);
    let last = SLICES.len() - 1;
    let at = 0.5 * (1.0 - along.clamp(-1.0, 1.0)) * SLICES[last][0];
    let left = SLICES[1..last]
        .iter()
        .take_while(|slice| slice[0] <= at)
        .count();
    let slope = |index: usize| {
        let (before, after) = (
            SLICES[index.saturating_sub(1)],
            SLICES[(index + 1).min(last)],
        );
        (after[column] - before[column]) / (after[0] - before[0])
    };
    let (from, to) = (SLICES[left], SLICES[left + 1]);
    let width = to[0] - from[0];
    let t = (at - from[0]) / width;
    let (t2, t3) = (t * t, t * t * t);
    let value = (2.0 * t3 - 3.0 * t2 + 1.0) * from[column]
        + (t3 - 2.0 * t2 + t) * width * slope(left)
        + (3.0 * t2 - 2.0 * t3) * to[column]
        + (t3 - t2) * width * slope(left + 1);
    value / greatest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_passes_through_the_measured_slices() {
        assert!((half_width(1.0) - 312.0 / 329.0).abs() < 1e-12);
        assert!((half_width(-1.0) - 1.0).abs() < 1e-12);
        let waist = 1.0 - 2.0 * 230.0 / 413.0;
        assert!((half_width(waist) - 279.0 / 329.0).abs() < 1e-12);
        let chest = 1.0 - 2.0 * 138.0 / 413.0;
        assert!((thickness(chest) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_outline_stays_close_to_its_greatest_size_and_is_smooth() {
        let mut before = [half_width(-1.0), thickness(-1.0)];
        for index in 0..=1000 {
            let along = -1.0 + 0.002 * f64::from(index);
            let now = [half_width(along), thickness(along)];
            for (old, new) in before.iter().zip(now) {
                assert!((0.82..=1.02).contains(&new), "{along}: {new}");
                assert!((old - new).abs() < 0.004, "{along}: {old} to {new}");
            }
            before = now;
        }
    }

    #[test]
    fn the_arch_falls_from_the_midline_to_the_sides_and_is_symmetric() {
        assert!((arch(0.0) - 1.0).abs() < 1e-15);
        assert!(arch(1.0).abs() < 1e-15 && arch(-1.0).abs() < 1e-15);
        assert!((arch(0.5) - arch(-0.5)).abs() < 1e-15);
        assert!(arch(0.5) > (1.0_f64 - 0.25).sqrt());
    }
}
