//! A human-like trunk on its back.

use std::f64::consts::{PI, TAU};

use super::trunk_layers;
use crate::body::{Place, Solid, TissueBody};
use crate::mesh::TriangleMesh;

/// Points around, and sections along.
const AROUND: u32 = 96;
const ALONG: u32 = 80;

/// Length [m].
const LENGTH: f64 = 0.40;

/// Half width and half height [m] from the shoulders (−x) to the hips (+x), evenly along.
const SECTIONS: [[f64; 2]; 7] = [
    [0.132, 0.078],
    [0.150, 0.097],
    [0.147, 0.100],
    [0.128, 0.088],
    [0.122, 0.082],
    [0.135, 0.086],
    [0.148, 0.088],
];

/// Exponents of the superellipse |y/a|ⁿ + |z/b|ⁿ = 1 in front and behind: a flat back.
const EXPONENTS: [f64; 2] = [2.2, 3.4];

/// A trunk of skin, fat and muscle over organs, 0.40 × 0.30 × 0.20 m, along x; its back, at z = 0, is held.
pub fn torso() -> TissueBody {
    TissueBody {
        name: "torso".into(),
        position: [0.0; 3],
        solid: Solid::Torso,
        layers: trunk_layers().into(),
        regions: Vec::new(),
        fixed: vec![Place::HalfSpace {
            point: [0.0, 0.0, 0.01],
            normal: [0.0, 0.0, 1.0],
        }],
        attachments: Vec::new(),
    }
}

pub(in crate::body) fn torso_surface() -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    for along in 1..ALONG {
        // Close together at the ends, which are round.
        let s = -(PI * f64::from(along) / f64::from(ALONG)).cos();
        let [half_width, half_height] = section(f64::midpoint(s, 1.0));
        let end = (1.0 - s.abs().powi(10)).powf(0.25);
        for around in 0..AROUND {
            let (sin, cos) = (TAU * f64::from(around) / f64::from(AROUND)).sin_cos();
            let n = EXPONENTS[usize::from(sin < 0.0)];
            let radius = (cos.abs().powf(n) + sin.abs().powf(n)).powf(-1.0 / n);
            let (y, z) = (half_width * radius * cos, half_height * radius * sin);
            // The front has two breasts and the navel.
            let x = LENGTH / 2.0 * s;
            let bump = |at: [f64; 2], width: f64, height: f64| {
                let square = ((x - at[0]).powi(2) + (y - at[1]).powi(2)) / (width * width);
                height * (-square).exp() * sin.max(0.0)
            };
            let relief = bump([-0.09, 0.07], 0.045, 0.012) + bump([-0.09, -0.07], 0.045, 0.012)
                - bump([0.09, 0.0], 0.010, 0.006)
                - bump([-0.09, 0.0], 0.025, 0.005);
            // The back stays flat: heights are measured from it.
            mesh.positions
                .push([x, end * y, half_height + end * (z + relief)]);
        }
    }
    let ring = |along: u32, around: u32| along * AROUND + around % AROUND;
    let last = ALONG - 2;
    for along in 0..last {
        for around in 0..AROUND {
            let [a, b] = [ring(along, around), ring(along, around + 1)];
            let [c, d] = [ring(along + 1, around), ring(along + 1, around + 1)];
            mesh.triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    let pole = |x: f64, [_, half_height]: [f64; 2]| [x, 0.0, half_height];
    let ends = [
        pole(-LENGTH / 2.0, SECTIONS[0]),
        pole(LENGTH / 2.0, SECTIONS[SECTIONS.len() - 1]),
    ];
    let poles = mesh.positions.len() as u32;
    mesh.positions.extend(ends);
    for around in 0..AROUND {
        mesh.triangles
            .push([poles, ring(0, around + 1), ring(0, around)]);
        mesh.triangles
            .push([poles + 1, ring(last, around), ring(last, around + 1)]);
    }
    let lowest = mesh.bounds()[0][2];
    for position in &mut mesh.positions {
        position[2] -= lowest;
    }
    mesh
}

/// Half width and half height at a part of the length, between the sections by Catmull and Rom's cubics.
fn section(part: f64) -> [f64; 2] {
    let last = SECTIONS.len() - 1;
    let at = part * last as f64;
    let index = (at as usize).min(last - 1);
    let t = at - index as f64;
    let [before, from, to, after] = [
        index.saturating_sub(1),
        index,
        index + 1,
        (index + 2).min(last),
    ]
    .map(|i| SECTIONS[i]);
    [0, 1].map(|i| {
        let slope = [(to[i] - before[i]) / 2.0, (after[i] - from[i]) / 2.0];
        let rest = 2.0 * (from[i] - to[i]) + slope[0] + slope[1];
        let bend = 3.0 * (to[i] - from[i]) - 2.0 * slope[0] - slope[1];
        from[i] + t * (slope[0] + t * (bend + t * rest))
    })
}
