//! The bronchial tree of an adult, from the trachea to subsegmental bronchi.
//!
//! **Lengths and diameters** down to the segmental bronchi are those of the named airways of an adult in PMC9929973,
//! Table 1. Left basal segments that are missing there have the size of the right ones. Subsegmental bronchi and their
//! daughters are those of generation 4 and 5 in Horsfield (1994), as printed by Tu, Inthavong and Ahmadi (2013,
//! Computational Fluid and Particle Dynamics in the Human Respiratory System, Table 3.3): 4.4 mm wide and 9.0 mm long,
//! then 3.6 mm and 8.1 mm.
//!
//! **Branching angles** from the parent's direction: the main bronchi 25° and 45° (right, left; common textbooks of
//! anatomy), lobar bronchi 35°, segmental ones 28°, the next 35° and 39° (the means of generations 2 to 5 in the same
//! Table 3.3). Airways that continue a trunk (bronchus intermedius, lower lobes, basal trunks) turn by less, and the
//! bronchi of the upper lobes branch off at 60°. These angles, and the side to which an airway turns, follow anatomical
//! drawings and are not measured.
//!
//! Frame: the trachea begins at the origin and runs along -z; +x is the patient's left, +y the back.

use nalgebra::{Rotation3, Unit, Vector3};

use super::{Branch, TubeNetwork};
use crate::ContinuumError;

/// Radius of the rounded ridges between airways [m].
const BLEND: f64 = 1.2e-3;

/// Depth of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AirwayDepth {
    /// Down to the segmental bronchi, with 18 ends.
    Segmental,
    /// One more branching: 36 ends.
    Subsegmental,
}

/// A row of the table of named airways.
struct Airway {
    name: &'static str,
    parent: &'static str,
    /// Length [m].
    length: f64,
    /// Diameter [m].
    diameter: f64,
    /// Angle from the parent's direction [deg].
    angle_deg: f64,
    /// Side to which it turns: patient's left, back, up.
    towards: [f64; 3],
}

const fn airway(
    name: &'static str,
    parent: &'static str,
    [length_mm, diameter_mm, angle_deg]: [f64; 3],
    towards: [f64; 3],
) -> Airway {
    Airway {
        name,
        parent,
        length: length_mm * 1e-3,
        diameter: diameter_mm * 1e-3,
        angle_deg,
        towards,
    }
}

const LEFT: [f64; 3] = [1.0, 0.0, 0.0];
const RIGHT: [f64; 3] = [-1.0, 0.0, 0.0];
const BACK: [f64; 3] = [0.0, 1.0, 0.0];
const FRONT: [f64; 3] = [0.0, -1.0, 0.0];
const UP: [f64; 3] = [0.0, 0.0, 1.0];
const DOWN: [f64; 3] = [0.0, 0.0, -1.0];

/// Named airways: length [mm], diameter [mm], angle [deg].
const AIRWAYS: [Airway; 30] = [
    airway("right main", "trachea", [24.8, 17.3, 25.0], RIGHT),
    airway(
        "right upper lobe",
        "right main",
        [14.7, 12.0, 60.0],
        [-1.0, 0.0, 0.4],
    ),
    airway("RB1", "right upper lobe", [13.0, 6.9, 50.0], UP),
    airway("RB2", "right upper lobe", [9.2, 8.4, 35.0], BACK),
    airway("RB3", "right upper lobe", [11.6, 7.9, 35.0], FRONT),
    airway(
        "bronchus intermedius",
        "right main",
        [19.3, 13.7, 12.0],
        DOWN,
    ),
    airway(
        "right middle lobe",
        "bronchus intermedius",
        [17.5, 9.6, 35.0],
        [-0.3, -1.0, 0.0],
    ),
    airway("RB4", "right middle lobe", [11.2, 6.9, 28.0], RIGHT),
    airway("RB5", "right middle lobe", [11.3, 7.0, 28.0], LEFT),
    airway(
        "right lower lobe",
        "bronchus intermedius",
        [7.6, 12.6, 8.0],
        BACK,
    ),
    airway("RB6", "right lower lobe", [10.0, 8.0, 60.0], BACK),
    airway("right basal", "right lower lobe", [10.7, 10.8, 8.0], FRONT),
    airway("RB7", "right basal", [11.9, 6.4, 28.0], LEFT),
    airway("RB8", "right basal", [13.7, 6.8, 28.0], FRONT),
    airway("RB9", "right basal", [10.1, 5.8, 28.0], RIGHT),
    airway("RB10", "right basal", [12.3, 6.7, 28.0], BACK),
    airway("left main", "trachea", [50.8, 14.0, 45.0], LEFT),
    airway(
        "left upper lobe",
        "left main",
        [14.0, 12.0, 35.0],
        [1.0, -0.6, 0.6],
    ),
    airway(
        "left upper division",
        "left upper lobe",
        [11.7, 10.2, 35.0],
        UP,
    ),
    airway(
        "LB1+2",
        "left upper division",
        [8.9, 7.6, 28.0],
        [0.0, 0.6, 1.0],
    ),
    airway("LB3", "left upper division", [9.6, 7.1, 35.0], FRONT),
    airway(
        "lingula",
        "left upper lobe",
        [13.5, 8.0, 35.0],
        [0.0, -1.0, -1.0],
    ),
    airway("LB4", "lingula", [9.3, 6.3, 28.0], LEFT),
    airway("LB5", "lingula", [14.8, 6.3, 28.0], RIGHT),
    airway(
        "left lower lobe",
        "left main",
        [11.0, 11.7, 25.0],
        [0.0, 0.3, -1.0],
    ),
    airway("LB6", "left lower lobe", [10.7, 8.3, 60.0], BACK),
    airway("left basal", "left lower lobe", [15.7, 10.6, 8.0], DOWN),
    airway("LB7+8", "left basal", [11.9, 6.6, 28.0], FRONT),
    airway("LB9", "left basal", [10.1, 5.8, 28.0], LEFT),
    airway("LB10", "left basal", [12.3, 6.7, 28.0], BACK),
];

/// Length and diameter [m] and angle [rad] of subsegmental bronchi.
const SUBSEGMENTAL: [f64; 3] = [9.0e-3, 4.4e-3, 35.0];

/// The bronchial tree. Branches have the names that bronchoscopists use: `RB1` to `RB10`, `LB1+2` to `LB10`, and `a`
/// and `b` for their daughters.
///
/// # Errors
/// [`ContinuumError::Setting`] only if the table itself is wrong.
pub fn bronchial_tree(depth: AirwayDepth) -> Result<TubeNetwork, ContinuumError> {
    let mut branches = vec![Branch {
        name: "trachea".to_owned(),
        start: Vector3::zeros(),
        end: -Vector3::z() * 0.1045,
        radius: 0.5 * 0.0193,
        parent: None,
    }];
    for row in &AIRWAYS {
        let parent = branches.iter().position(|branch| branch.name == row.parent);
        let parent = parent.ok_or_else(|| {
            ContinuumError::setting("parent", row.parent, "an airway of an earlier row")
        })?;
        let towards = Vector3::from(row.towards);
        let angle = row.angle_deg.to_radians();
        let daughter = daughter(
            &branches,
            parent,
            row.name,
            [row.length, row.diameter],
            angle,
            towards,
        );
        branches.push(daughter);
    }
    if depth == AirwayDepth::Subsegmental {
        divide_ends(&mut branches);
    }
    TubeNetwork::new(branches, BLEND)
}

/// Adds two daughters to each end, in the plane in which the end itself turned. Daughters of neighbouring ends
/// therefore stay apart.
fn divide_ends(branches: &mut Vec<Branch>) {
    let [length, diameter, angle_deg] = SUBSEGMENTAL;
    for parent in 0..branches.len() {
        if branches.iter().any(|branch| branch.parent == Some(parent)) {
            continue;
        }
        let own = branches[parent].direction();
        let before = branches[parent]
            .parent
            .map_or_else(Vector3::x, |of| branches[of].direction());
        let across = own.cross(&before).cross(&own);
        for (letter, towards) in [("a", across), ("b", -across)] {
            let name = format!("{}{letter}", branches[parent].name);
            let size = [length, diameter];
            let daughter = daughter(
                branches,
                parent,
                &name,
                size,
                angle_deg.to_radians(),
                towards,
            );
            branches.push(daughter);
        }
    }
}

/// A branch at the end of its parent, turned from the parent's direction by an angle [rad] to one
/// side.
fn daughter(
    branches: &[Branch],
    parent: usize,
    name: &str,
    [length, diameter]: [f64; 2],
    angle: f64,
    towards: Vector3<f64>,
) -> Branch {
    let along = branches[parent].direction();
    let axis = Unit::try_new(along.cross(&towards), 1e-9);
    let direction = axis.map_or(along, |axis| {
        Rotation3::from_axis_angle(&axis, angle) * along
    });
    let start = branches[parent].end;
    Branch {
        name: name.to_owned(),
        start,
        end: start + direction * length,
        radius: 0.5 * diameter,
        parent: Some(parent),
    }
}
