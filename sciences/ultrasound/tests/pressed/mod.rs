//! A compressed block, for several tests.

use insonate_ultrasound::deformation::{Point, Tetrahedra};

/// A block of tetrahedra, compressed along z by `strain` and expanded laterally by half of it.
pub(crate) fn pressed(strain: f32) -> Tetrahedra {
    let corner = |i: usize| {
        let sign = |bit: usize, half: f32| if i >> bit & 1 == 1 { half } else { -half };
        Point::new(
            sign(0, 0.03),
            sign(1, 0.02),
            if i >> 2 & 1 == 1 { 0.06 } else { -0.002 },
        )
    };
    let rest: Vec<Point> = (0..8).map(corner).collect();
    let bulge = 1.0 + 0.5 * strain;
    let world: Vec<Point> = rest
        .iter()
        .map(|p| Point::new(p.x * bulge, p.y * bulge, p.z * (1.0 - strain)))
        .collect();
    // Kuhn's six tetrahedra of a cube.
    let paths = [[1, 3], [1, 5], [2, 3], [2, 6], [4, 5], [4, 6]];
    let tets: Vec<[u32; 4]> = paths.iter().map(|[a, b]| [0, *a, *b, 7]).collect();
    Tetrahedra::new(&rest, &world, &tets).expect("the test is valid")
}
