//! Anatomy around the liver: shapes and positions after anatomy textbooks, adjusted by eye; lengths in m in the frame of its rest shape.
//!
//! The gall bladder lies in its bed below the right lobe with the fundus at the front edge (70 to 100 mm long, some 30 mm wide). Portal
//! vein, hepatic artery and bile duct run downwards from the porta hepatis. The round ligament runs from its notch to the
//! front, in the free edge of the falciform ligament.

use insonate_meshes::TriangleMesh;
use nalgebra::{UnitQuaternion, Vector3};

/// Vertices around a tube.
const AROUND: usize = 14;

/// A rendered part.
pub(super) struct RenderedPart {
    pub(super) name: &'static str,
    pub(super) material: &'static str,
    pub(super) mesh: TriangleMesh,
    /// Fraction of the liver's motion that each vertex follows, 0 to 1.
    pub(super) carried: Vec<f64>,
}

/// All rendered parts.
pub(super) fn parts() -> Vec<RenderedPart> {
    let mut parts = vec![gall_bladder(), round_ligament(), fat()];
    parts.extend(gate());
    parts
}

/// A tube along a smooth line of points with radii. The whole line follows the liver, or fades to fixed from the fraction `still_from` on.
fn tube(
    name: &'static str,
    material: &'static str,
    line: &[([f64; 3], f64)],
    still_from: Option<f64>,
) -> RenderedPart {
    let mut mesh = TriangleMesh::default();
    let mut carried = Vec::new();
    let n = line.len();
    let at = |i: usize| Vector3::from(line[i].0);
    let mut turn = UnitQuaternion::identity();
    let mut last = Vector3::z();
    for (i, (_, radius)) in line.iter().enumerate() {
        let along = at((i + 1).min(n - 1)) - at(i.saturating_sub(1));
        // Parallel transport: the least rotation from ring to ring.
        turn = UnitQuaternion::rotation_between(&last, &along).unwrap_or_default() * turn;
        last = along;
        let share = i as f64 / (n - 1) as f64;
        for side in 0..AROUND {
            let (sin, cos) = (std::f64::consts::TAU * side as f64 / AROUND as f64).sin_cos();
            let out = turn * Vector3::new(cos, sin, 0.0) * *radius;
            mesh.positions.push((at(i) + out).into());
            carried.push(still_from.map_or(1.0, |from| fade(share, from)));
        }
    }
    for ring in 0..n - 1 {
        for side in 0..AROUND {
            let [a, b] = [side, (side + 1) % AROUND].map(|side| (ring * AROUND + side) as u32);
            let [c, d] = [a, b].map(|corner| corner + AROUND as u32);
            mesh.triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    RenderedPart {
        name,
        material,
        mesh,
        carried,
    }
}

/// 1 up to the fraction `from`, then smoothly decreasing to 0 at 1.
fn fade(share: f64, from: f64) -> f64 {
    let left = ((1.0 - share) / (1.0 - from)).clamp(0.0, 1.0);
    left * left * (3.0 - 2.0 * left)
}

/// Points of a Catmull–Rom spline through points with radii.
fn spline(knots: &[([f64; 3], f64)]) -> Vec<([f64; 3], f64)> {
    const PER_SPAN: usize = 10;
    let knot = |i: isize| {
        let ([x, y, z], radius) = knots[i.clamp(0, knots.len() as isize - 1) as usize];
        [x, y, z, radius]
    };
    let n = (knots.len() - 1) * PER_SPAN;
    (0..=n)
        .map(|step| {
            let span = (step / PER_SPAN).min(knots.len() - 2) as isize;
            let t = step as f64 / PER_SPAN as f64 - span as f64;
            let [p, q, r, s] = [-1, 0, 1, 2].map(|offset| knot(span + offset));
            let point: [f64; 4] = std::array::from_fn(|i| {
                let linear = r[i] - p[i];
                let square = 2.0 * p[i] - 5.0 * q[i] + 4.0 * r[i] - s[i];
                let cubic = 3.0 * (q[i] - r[i]) + s[i] - p[i];
                q[i] + 0.5 * t * (linear + t * (square + t * cubic))
            });
            ([point[0], point[1], point[2]], point[3].max(1e-5))
        })
        .collect()
}

fn gall_bladder() -> RenderedPart {
    let knots = [
        ([-0.004, 0.006, -0.012], 0.0025),
        ([-0.007, -0.002, -0.018], 0.0045),
        ([-0.010, -0.014, -0.031], 0.0095),
        ([-0.014, -0.030, -0.050], 0.0135),
        ([-0.017, -0.043, -0.066], 0.0135),
        ([-0.019, -0.050, -0.075], 0.0095),
        ([-0.020, -0.053, -0.079], 0.0),
    ];
    tube("gall_bladder", "gall_bladder", &spline(&knots), None)
}

fn round_ligament() -> RenderedPart {
    let knots = [
        ([0.018, -0.010, -0.012], 0.002),
        ([0.018, -0.034, -0.018], 0.0026),
        ([0.018, -0.052, -0.030], 0.0028),
        ([0.019, -0.070, -0.060], 0.0026),
        ([0.022, -0.085, -0.100], 0.0024),
        ([0.026, -0.090, -0.132], 0.0024),
    ];
    tube("round_ligament", "ligament", &spline(&knots), Some(0.45))
}

/// Portal vein, proper hepatic artery and common bile duct.
fn gate() -> [RenderedPart; 3] {
    let down = |offset: [f64; 2], radius: f64| {
        let [x, y] = offset;
        [
            ([0.004 + x, 0.010 + y, -0.004], radius),
            ([0.005 + x, 0.008 + y, -0.028], radius),
            ([0.010 + x, 0.012 + y, -0.065], radius),
            ([0.012 + x, 0.032 + y, -0.100], radius),
            ([0.012 + x, 0.060 + y, -0.132], radius),
        ]
    };
    let vessel = |name, material, offset, radius| {
        tube(name, material, &spline(&down(offset, radius)), Some(0.25))
    };
    [
        vessel("portal_vein", "vein", [0.0, 0.003], 0.0055),
        vessel("hepatic_artery", "artery", [0.006, -0.003], 0.0022),
        vessel("bile_duct", "bile_duct", [-0.006, -0.003], 0.0028),
    ]
}

/// Fat lobules around the porta hepatis and the neck of the gall bladder.
fn fat() -> RenderedPart {
    let mut fat = RenderedPart {
        name: "fat",
        material: "fat",
        mesh: TriangleMesh::default(),
        carried: Vec::new(),
    };
    for (lobule, (centre, radius)) in [
        ([0.000, 0.002, -0.020], 0.007),
        ([0.009, 0.000, -0.017], 0.008),
        ([0.016, 0.002, -0.014], 0.006),
        ([-0.004, 0.004, -0.030], 0.006),
        ([0.012, 0.004, -0.031], 0.007),
        ([0.018, -0.020, -0.016], 0.005),
        ([0.020, -0.040, -0.026], 0.005),
        ([0.017, -0.050, -0.034], 0.004),
    ]
    .into_iter()
    .enumerate()
    {
        // A flattened ball with a varying rotation.
        let ball: Vec<_> = (0..=8_u8)
            .map(|ring| {
                let (sin, cos) = (std::f64::consts::PI * f64::from(ring) / 8.0).sin_cos();
                ([0.0, 0.0, -0.8 * radius * cos], (radius * sin).max(1e-5))
            })
            .collect();
        let turn = UnitQuaternion::from_euler_angles(lobule as f64, 0.7 * lobule as f64, 0.0);
        let ball = tube("fat", "fat", &ball, None).mesh;
        let first = fat.mesh.positions.len() as u32;
        let places = ball.positions.iter().map(|at| {
            let at = turn * Vector3::from(*at) + Vector3::from(centre);
            <[f64; 3]>::from(at)
        });
        fat.mesh.positions.extend(places);
        let triangles = ball.triangles.iter();
        fat.mesh
            .triangles
            .extend(triangles.map(|corners| corners.map(|corner| corner + first)));
    }
    fat.carried = vec![1.0; fat.mesh.positions.len()];
    fat
}
