//! Polygons in a plane, by the distance along them.

/// Length [m].
pub(super) fn length(points: &[[f64; 2]]) -> f64 {
    sides(points).map(|(from, to)| apart(from, to)).sum()
}

/// The point at a distance from the start [m]; beyond an end it is that end.
pub(super) fn at(points: &[[f64; 2]], distance: f64) -> [f64; 2] {
    let mut left = distance.max(0.0);
    for (from, to) in sides(points) {
        let side = apart(from, to);
        if left <= side && side > 0.0 {
            let share = left / side;
            return [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * share);
        }
        left -= side;
    }
    points.last().copied().unwrap_or_default()
}

/// Distance along the polygon of its point nearest to a place [m]. The first and the last side continue beyond their ends.
pub(super) fn along(points: &[[f64; 2]], place: [f64; 2]) -> f64 {
    let n = points.len().saturating_sub(1);
    let (mut passed, mut best) = (0.0, (f64::INFINITY, 0.0));
    for (k, (from, to)) in sides(points).enumerate() {
        let side = apart(from, to);
        let way = [to[0] - from[0], to[1] - from[1]];
        let own = [place[0] - from[0], place[1] - from[1]];
        let foot = (own[0] * way[0] + own[1] * way[1]) / side;
        let low = if k == 0 { f64::NEG_INFINITY } else { 0.0 };
        let high = if k + 1 == n { f64::INFINITY } else { side };
        let foot = foot.clamp(low, high);
        let far = (own[0] - way[0] / side * foot).hypot(own[1] - way[1] / side * foot);
        if far < best.0 {
            best = (far, passed + foot);
        }
        passed += side;
    }
    best.1
}

fn sides(points: &[[f64; 2]]) -> impl Iterator<Item = ([f64; 2], [f64; 2])> + '_ {
    points.windows(2).map(|pair| (pair[0], pair[1]))
}

fn apart(from: [f64; 2], to: [f64; 2]) -> f64 {
    (to[0] - from[0]).hypot(to[1] - from[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_follow_the_corner() {
        let corner = [[0.0, 0.0], [0.3, 0.0], [0.3, 0.4]];
        assert!((length(&corner) - 0.7).abs() < 1e-12);
        for (distance, place) in [
            (-1.0, [0.0, 0.0]),
            (0.1, [0.1, 0.0]),
            (0.3, [0.3, 0.0]),
            (0.5, [0.3, 0.2]),
            (2.0, [0.3, 0.4]),
        ] {
            let found = at(&corner, distance);
            assert!(apart(found, place) < 1e-12, "{distance}: {found:?}");
        }
        for (place, distance) in [
            ([0.1, -0.02], 0.1),
            ([0.33, 0.2], 0.5),
            ([-0.05, 0.01], -0.05),
            ([0.31, 0.45], 0.75),
        ] {
            let found = along(&corner, place);
            assert!((found - distance).abs() < 1e-12, "{place:?}: {found}");
        }
    }
}
