//! Maps lattice coordinates to the shell at rest: position and slide axis of each point.
//!
//! With lattice coordinates $p_i \in [-1, 1]$ and half sizes $h$, MuJoCo 2.x–3.2.4 (XML reference, `composite`) uses
//!
//! * box: $x = h p$;
//! * cylinder (along z): $x = h\,(p_{xy} \max(|p_x|, |p_y|) / |p_{xy}|,\ p_z)$;
//! * ellipsoid: $x = h\, p / |p|$.
//!
//! Each point slides along $x / |x|$, away from the centre of the shell. Below a probe the points therefore converge, and the shell
//! stiffens with depth.
//! The human shape is specific to this project: a cylinder whose sections follow the outline of a trunk.
//! Its points, and the points of shells that are soft on the front only, slide along the normal of the skin.

use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};

use super::lattice::Lattice;
use crate::patients::Trunk;
use crate::torsos::{Shape, TorsoConfig, profile};

/// Superellipse exponent of the front of a human section: a vaulted chest.
const FRONT_EXPONENT: f64 = 2.5;
/// Superellipse exponent of the back of a human section: flat on the table.
const BACK_EXPONENT: f64 = 3.5;
/// Where the shoulders begin to slope and the hips begin to round, in lattice coordinates from the middle.
const SHOULDER: f64 = 0.5;
const HIP: f64 = 0.6;
/// Bulge of the two end faces beyond their rims, as a fraction of the half length.
const BULGE: f64 = 0.10;

/// The shell at rest, in its own frame: x across the patient, y from back to front, z from head to feet, origin at the centre.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rest {
    /// Position of each point [m], shape `[n_points, 3]`.
    pub(super) positions: Vec<[f64; 3]>,
    /// Unit vector along which each point slides, outward, shape `[n_points, 3]`.
    pub(super) axes: Vec<[f64; 3]>,
}

impl Rest {
    /// The shell of `config` at rest.
    pub(super) fn new(config: &TorsoConfig, lattice: &Lattice) -> Self {
        if let Some(trunk) = config.trunk() {
            return Self::of_trunk(&trunk, lattice);
        }
        let half = config.half_size();
        let map: fn([f64; 3]) -> [f64; 3] = match config.shape {
            Shape::Box => |point| point,
            Shape::Cylinder => cylinder,
            Shape::Ellipsoid => ellipsoid,
            Shape::Human | Shape::Adult => human,
        };
        let positions: Vec<[f64; 3]> = lattice
            .points
            .iter()
            .map(|&point| {
                let unit = map(lattice.coordinates(point));
                std::array::from_fn(|axis| unit[axis] * half[axis])
            })
            .collect();
        let is_mujoco = config.shape != Shape::Human && config.soft_layers.is_none();
        let axes = if is_mujoco {
            positions
                .iter()
                .map(|position| normalized(&Vector3::from(*position)))
                .collect()
        } else {
            normals(&positions, &lattice.quads())
        };
        Self { positions, axes }
    }

    /// The surface of a trunk. The lattice's y is the block's upward axis, its z runs from head to feet.
    fn of_trunk(trunk: &Trunk, lattice: &Lattice) -> Self {
        let [_, depth, _] = trunk.half_size();
        let positions: Vec<[f64; 3]> = lattice
            .points
            .iter()
            .map(|&point| {
                let [x, y, z] = lattice.coordinates(point);
                shell_from_torso(trunk.point([x, 0.5 * (y + 1.0), -z]), depth)
            })
            .collect();
        Self {
            axes: normals(&positions, &lattice.quads()),
            positions,
        }
    }

    /// Distance of the lowest point below the centre [m].
    pub(super) fn depth(&self) -> f64 {
        -self
            .positions
            .iter()
            .map(|position| position[1])
            .fold(f64::INFINITY, f64::min)
    }
}

/// The smallest rotation from z to the unit vector `axis`, as a quaternion `[w, x, y, z]`.
pub(super) fn rotation_from_z(axis: [f64; 3]) -> [f64; 4] {
    let axis = Vector3::from(axis);
    let turn = Vector3::z().cross(&axis);
    let sine = turn.norm();
    let about = if sine < 1e-10 {
        Vector3::x()
    } else {
        turn / sine
    };
    let rotation = UnitQuaternion::from_axis_angle(&Unit::new_unchecked(about), sine.atan2(axis.z));
    let q: &Quaternion<f64> = rotation.quaternion();
    [q.w, q.i, q.j, q.k]
}

fn normalized(vector: &Vector3<f64>) -> [f64; 3] {
    (vector / vector.norm()).into()
}

fn cylinder([x, y, z]: [f64; 3]) -> [f64; 3] {
    let norm = x.hypot(y);
    if norm == 0.0 {
        return [0.0, 0.0, z];
    }
    let scale = x.abs().max(y.abs()) / norm;
    [x * scale, y * scale, z]
}

fn ellipsoid(point: [f64; 3]) -> [f64; 3] {
    normalized(&Vector3::from(point))
}

/// A trunk that lies on its back, in units of the half sizes: rings of superellipses, closed by bulging ends.
fn human([x, y, z]: [f64; 3]) -> [f64; 3] {
    // The lattice has z = -1 at the head; outlines have 1 there.
    let along = -z;
    let ring = x.abs().max(y.abs());
    // Moves the point along its direction onto the superellipse of the section.
    let exponent = if y > 0.0 {
        FRONT_EXPONENT
    } else {
        BACK_EXPONENT
    };
    let norm = (x.abs().powf(exponent) + y.abs().powf(exponent)).powf(exponent.recip());
    let scale = if norm == 0.0 { 0.0 } else { ring / norm };
    let [width, thickness] = section(along);
    let relief = 1.0 + if y > 0.0 { relief(x, along) } else { 0.0 };
    let bulge = BULGE * (1.0 - ring * ring) * along.abs().powi(3).copysign(z);
    [
        x * scale * width,
        // The back is flat: only the front varies along the trunk.
        thickness - 1.0 + y * scale * thickness * relief,
        z * (1.0 - BULGE) + bulge,
    ]
}

/// Half width and half thickness of the trunk at `along`, -1 (hips) to 1 (neck), as fractions of the greatest values.
///
/// The measured outline ends at the armpits. Sloping shoulders and rounded hips close it.
fn section(along: f64) -> [f64; 2] {
    let measured = |outline: fn(f64) -> f64| {
        // Mean over a cell, because the lattice is too coarse for single slices.
        let mean: f64 = [-0.2, -0.1, 0.0, 0.1, 0.2]
            .iter()
            .map(|off| outline(along + off))
            .sum();
        mean / 5.0
    };
    let shoulder = ((along - SHOULDER) / (1.0 - SHOULDER)).max(0.0).powi(2);
    // Shoulder blades and upper arms make the chest broader than the outline, which was measured below the armpits.
    let breadth = 1.0 + 0.1 * (-((along - 0.5) / 0.35).powi(2)).exp();
    let hip = ((-along - HIP) / (1.0 - HIP)).max(0.0).powi(2);
    [
        0.96 * measured(profile::half_width)
            * breadth
            * (1.0 - 0.45 * shoulder)
            * (1.0 - 0.12 * hip),
        measured(profile::thickness) * (1.0 - 0.28 * shoulder) * (1.0 - 0.18 * hip),
    ]
}

/// Relief of the front as a fraction of the thickness: the two halves of the chest and the furrow between them down to the navel.
fn relief(x: f64, along: f64) -> f64 {
    let hill = |center: [f64; 2], radius: [f64; 2]| {
        let [dx, dy] = [(x - center[0]) / radius[0], (along - center[1]) / radius[1]];
        (-dx * dx - dy * dy).exp()
    };
    let chest = hill([0.5, 0.45], [0.3, 0.25]) + hill([-0.5, 0.45], [0.3, 0.25]);
    0.06 * chest - 0.03 * hill([0.0, 0.25], [0.15, 0.5])
}

/// Unit normals of a closed surface at its points: area-weighted mean of the adjacent faces.
fn normals(positions: &[[f64; 3]], quads: &[[usize; 4]]) -> Vec<[f64; 3]> {
    let mut sums = vec![Vector3::zeros(); positions.len()];
    for quad in quads {
        let [a, b, c, d] = quad.map(|index| Vector3::from(positions[index]));
        let area = (c - a).cross(&(d - b));
        for &index in quad {
            sums[index] += area;
        }
    }
    sums.iter().map(normalized).collect()
}

/// Transforms a point from the shell's frame to the torso's.
pub(super) fn torso_from_shell([x, y, z]: [f64; 3], depth: f64) -> [f64; 3] {
    [x, -z, y + depth]
}

/// Transforms a point from the torso's frame to the shell's.
pub(super) fn shell_from_torso([x, y, z]: [f64; 3], depth: f64) -> [f64; 3] {
    [x, z - depth, -y]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rotation_turns_z_into_the_axis_without_twist() {
        for axis in [
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
            [1.0, 0.0, 0.0],
            [0.48, -0.6, 0.64],
        ] {
            let [w, x, y, z] = rotation_from_z(axis);
            let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
            assert!(
                (rotation * Vector3::z() - Vector3::from(axis)).norm() < 1e-15,
                "{axis:?}"
            );
            assert!(z.abs() < 1e-15);
        }
    }

    #[test]
    fn cylinders_and_ellipsoids_have_their_radius() {
        for point in [[1.0, 1.0, 0.3], [-1.0, 0.25, -1.0], [0.5, -1.0, 0.0]] {
            let [x, y, z] = cylinder(point);
            assert!((x.hypot(y) - 1.0).abs() < 1e-15 && z == point[2]);
            assert!((Vector3::from(ellipsoid(point)).norm() - 1.0).abs() < 1e-15);
        }
        assert_eq!(cylinder([0.0, 0.0, 1.0]), [0.0, 0.0, 1.0]);
        assert!((cylinder([0.5, 0.0, 1.0])[0] - 0.5).abs() < 1e-15);
    }

    #[test]
    fn a_human_trunk_fills_its_size_lies_flat_and_has_outward_normals() {
        let config = TorsoConfig {
            shape: Shape::Human,
            ..TorsoConfig::default()
        };
        let lattice = Lattice::new(config.count);
        let rest = Rest::new(&config, &lattice);
        let half = config.half_size();
        for axis in 0..3 {
            let greatest = rest
                .positions
                .iter()
                .map(|position| position[axis].abs())
                .fold(0.0, f64::max);
            assert!(
                (0.9..=1.001).contains(&(greatest / half[axis])),
                "{axis}: {greatest}"
            );
        }
        for (position, axis) in rest.positions.iter().zip(&rest.axes) {
            let outward = Vector3::from(*axis).dot(&Vector3::from(*position));
            assert!(outward > 0.0, "{position:?} slides along {axis:?}");
        }
        assert!((rest.depth() - half[1]).abs() < 0.05 * half[1]);
    }
}
