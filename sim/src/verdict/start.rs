//! Check that the robot does not start inside something.
//!
//! MuJoCo answers an overlap with a force that grows with its depth, and throws overlapping bodies apart. Pairs that MuJoCo does not
//! test are tested here: pairs that stand still in world, and a torso that is stepped outside MuJoCo, whose skin is a closed surface.

use std::sync::OnceLock;

use insonate_meshes::{SurfaceTree, TriangleMesh};
use mujoco_rs::wrappers::mj_model::{MjModel, MjtGeomBase};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::watch::{SOFT, side_name};
use crate::readings::{ArmContact, ProbeContact, ProbeFrame};
use crate::{Physics, SimError, ffi, names};

/// Deepest overlap that a start may have [m]. The shipped robots start clear of everything. Shapes of robots from files that only
/// graze each other, such as the hulls of neighbouring links, overlap by less.
pub const START_TOLERANCE: f64 = 0.002;

/// Two parts that overlap.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlap {
    /// Part of the robot: geom and body.
    pub robot: String,
    /// The other part: geom and body, or the torso.
    pub other: String,
    /// Depth of the overlap [m].
    pub depth: f64,
    /// Whether both parts belong to the robot.
    pub is_self: bool,
    /// Whether the overlap is between the probe and the torso.
    pub is_press: bool,
}

/// The robot starts inside something.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the robot starts inside something, more than {:.0} mm deep: {}", 1e3 * START_TOLERANCE, text(.0))]
pub struct StartOverlap(pub Vec<Overlap>);

impl StartOverlap {
    /// Whether the robot only overlaps itself, which another position of its base cannot fix.
    pub fn is_self(&self) -> bool {
        self.0.iter().all(|overlap| overlap.is_self)
    }
}

fn text(overlaps: &[Overlap]) -> String {
    let pairs = overlaps.iter().map(|overlap| {
        let depth = 1e3 * overlap.depth;
        format!("{} in {} by {depth:.1} mm", overlap.robot, overlap.other)
    });
    pairs.collect::<Vec<_>>().join(", ")
}

/// Fails if the robot or its probe overlaps itself, the surroundings or the skin at rest by more than [`START_TOLERANCE`].
///
/// `skin` is the torso's closed surface in its own frame, with the pose of that frame in world [m].
///
/// # Errors
/// [`StartOverlap`] with every pair, the deepest first. A scene without a probe gives no error.
pub fn check_start(
    physics: &mut Physics,
    skin: Option<(&TriangleMesh, [f64; 3])>,
) -> Result<(), StartOverlap> {
    let Ok(check) = StartCheck::new(physics.model()) else {
        return Ok(());
    };
    let tree = OnceLock::new();
    let skin = skin.map(|(mesh, [x, y, z])| SkinAtRest {
        mesh,
        tree: &tree,
        world_from_skin: Isometry3::translation(x, y, z),
    });
    check.check(physics, skin.as_ref())
}

/// The torso's skin at rest.
#[derive(Debug, Clone, Copy)]
pub struct SkinAtRest<'a> {
    /// The closed surface in the torso's frame [m].
    pub mesh: &'a TriangleMesh,
    /// The surface's search tree, built when it is first needed; `None` if it cannot be built.
    pub tree: &'a OnceLock<Option<SurfaceTree>>,
    /// Pose of the torso's frame.
    pub world_from_skin: Isometry3<f64>,
}

/// The check of [`check_start`], for one model and many starts.
#[derive(Debug, Clone)]
pub struct StartCheck {
    robot: RobotGeoms,
    /// The robot's geoms that can collide.
    colliding: Vec<usize>,
    /// Pairs of a geom of the robot and a geom of the surroundings that both stand still.
    standing: Vec<[usize; 2]>,
    /// Deepest allowed overlap of the probe and the torso [m].
    press_tolerance: f64,
}

impl StartCheck {
    /// The check for a model's robot.
    ///
    /// # Errors
    /// As [`ProbeFrame::new`] if the scene has no probe.
    pub fn new(model: &MjModel) -> Result<Self, SimError> {
        let robot = RobotGeoms::new(model)?;
        let colliding = robot.colliding(model);
        Ok(Self {
            standing: standing_pairs(model, &robot, &colliding),
            robot,
            colliding,
            press_tolerance: START_TOLERANCE,
        })
    }

    /// The check with a larger allowed depth of the probe in the torso [m], such as for the rim of a tilted face close above the skin.
    #[must_use]
    pub fn with_press(self, press_tolerance: f64) -> Self {
        Self {
            press_tolerance,
            ..self
        }
    }

    /// Checks a start; MuJoCo must have computed its positions and contacts.
    ///
    /// # Errors
    /// As [`check_start`].
    pub fn check(
        &self,
        physics: &mut Physics,
        skin: Option<&SkinAtRest<'_>>,
    ) -> Result<(), StartOverlap> {
        let mut overlaps = contacts(physics, &self.robot);
        overlaps.extend(standing(physics, &self.standing));
        if let Some(skin) = skin {
            overlaps.extend(in_skin(physics, &self.robot, &self.colliding, skin));
        }
        overlaps.retain(|overlap| {
            let most = if overlap.is_press {
                self.press_tolerance
            } else {
                START_TOLERANCE
            };
            overlap.depth > most
        });
        overlaps.sort_by(|a, b| b.depth.total_cmp(&a.depth));
        // Several points of one pair, or several shapes of one body, count as one overlap: the deepest.
        let mut found: Vec<Overlap> = Vec::new();
        for overlap in overlaps {
            if !found
                .iter()
                .any(|known| known.robot == overlap.robot && known.other == overlap.other)
            {
                found.push(overlap);
            }
        }
        if found.is_empty() {
            Ok(())
        } else {
            Err(StartOverlap(found))
        }
    }
}

/// The geoms of the robot with its probe.
#[derive(Debug, Clone)]
struct RobotGeoms {
    arm: ArmContact,
    probe: ProbeContact,
}

impl RobotGeoms {
    fn new(model: &MjModel) -> Result<Self, SimError> {
        Ok(Self {
            arm: ArmContact::new(model, &ProbeFrame::new(model)?),
            probe: ProbeContact::new(model)?,
        })
    }

    fn owns(&self, geom: i32) -> bool {
        self.arm.owns(geom) || self.probe.owns(geom)
    }

    /// The geoms of the robot that can collide.
    fn colliding(&self, model: &MjModel) -> Vec<usize> {
        let collides =
            |geom: &usize| model.geom_contype()[*geom] | model.geom_conaffinity()[*geom] != 0;
        (0..model.ffi().ngeom as usize)
            .filter(|&geom| self.owns(geom as i32))
            .filter(collides)
            .collect()
    }
}

/// Overlaps that MuJoCo's own collision detection finds.
fn contacts(physics: &Physics, robot: &RobotGeoms) -> Vec<Overlap> {
    let touching = physics.contacts().iter().filter_map(|contact| {
        let sides = contact.geom.map(|geom| robot.owns(geom));
        let mut names = [0, 1].map(|side| side_name(physics.model(), contact, side));
        if !sides[0] {
            names.reverse();
        }
        let [part, other] = names;
        let is_probe = contact.geom.iter().any(|&geom| robot.probe.owns(geom));
        sides.contains(&true).then_some(Overlap {
            is_press: is_probe && other == SOFT,
            robot: part,
            other,
            depth: -contact.distance,
            is_self: sides == [true; 2],
        })
    });
    touching.collect()
}

/// Pairs of a still geom of the robot and a still geom of the surroundings, which MuJoCo does not test.
fn standing_pairs(model: &MjModel, robot: &RobotGeoms, colliding: &[usize]) -> Vec<[usize; 2]> {
    let is_still = |geom: usize| model.body_weldid()[model.geom_bodyid()[geom] as usize] == 0;
    let (kinds, affinities) = (model.geom_contype(), model.geom_conaffinity());
    let meets = |a: usize, b: usize| kinds[a] & affinities[b] | kinds[b] & affinities[a] != 0;
    let others = (0..model.ffi().ngeom as usize)
        .filter(|&geom| is_still(geom) && !robot.owns(geom as i32))
        .collect::<Vec<_>>();
    let still = colliding.iter().filter(|&&geom| is_still(geom));
    let pairs = still.flat_map(|&geom| others.iter().map(move |&other| [geom, other]));
    pairs.filter(|&[geom, other]| meets(geom, other)).collect()
}

fn standing(physics: &mut Physics, pairs: &[[usize; 2]]) -> Vec<Overlap> {
    let mut found = Vec::new();
    for &pair in pairs {
        let (distance, _) = ffi::geom_distance(physics.data_mut(), pair, 0.0);
        let [robot, other] = pair.map(|geom| part_name(physics.model(), geom));
        found.push(Overlap {
            robot,
            other,
            depth: -distance,
            is_self: false,
            is_press: false,
        });
    }
    found
}

/// Overlaps of the robot's shapes with the skin at rest: the deepest point of each shape.
fn in_skin(
    physics: &Physics,
    robot: &RobotGeoms,
    colliding: &[usize],
    skin: &SkinAtRest<'_>,
) -> Vec<Overlap> {
    let (model, data) = (physics.model(), physics.data());
    let [low, high] = skin.mesh.bounds().map(Vector3::from);
    let skin_from_world = skin.world_from_skin.inverse();
    let mut found = Vec::new();
    for &geom in colliding {
        let center = skin_from_world * Point3::from(data.geom_xpos()[geom]);
        let center = center.coords;
        // Most parts of a robot are far away and do not need the surface's search tree.
        if (center - center.sup(&low).inf(&high)).norm() > model.geom_rbound()[geom] {
            continue;
        }
        let rotation = Matrix3::from_row_slice(&data.geom_xmat()[geom]);
        let rotation = skin_from_world.rotation.to_rotation_matrix() * rotation;
        let points = shape_points(model, geom).map(|point| center + rotation * point);
        let mut points = points
            .filter(|point| *point == point.sup(&low).inf(&high))
            .peekable();
        if points.peek().is_none() {
            continue;
        }
        let tree = skin.tree.get_or_init(|| SurfaceTree::new(skin.mesh).ok());
        let Some(tree) = tree else {
            return found;
        };
        let depth = points.map(|point| -tree.signed_distance(&point));
        found.push(Overlap {
            robot: part_name(model, geom),
            other: SOFT.to_owned(),
            depth: depth.fold(f64::NEG_INFINITY, f64::max),
            is_self: false,
            is_press: robot.probe.owns(geom as i32),
        });
    }
    found
}

/// Points on the surface of a geom, in its own frame [m].
fn shape_points(model: &MjModel, geom: usize) -> Box<dyn Iterator<Item = Vector3<f64>> + '_> {
    let [a, b, c] = model.geom_size()[geom];
    let directions =
        (-2..=2).flat_map(|i| (-2..=2).flat_map(move |j| (-2..=2).map(move |k| [i, j, k])));
    let directions = directions
        .filter(|sides| sides.iter().any(|side: &i32| side.abs() == 2))
        .map(|sides| Vector3::from(sides.map(|side| 0.5 * f64::from(side))));
    match model.geom_type()[geom] {
        MjtGeomBase::mjGEOM_SPHERE => Box::new(directions.map(move |way| a * way.normalize())),
        MjtGeomBase::mjGEOM_CAPSULE => Box::new(
            directions
                .map(move |way| a * way.normalize() + Vector3::new(0.0, 0.0, b * way.z.signum())),
        ),
        MjtGeomBase::mjGEOM_ELLIPSOID => Box::new(
            directions.map(move |way| way.normalize().component_mul(&Vector3::new(a, b, c))),
        ),
        MjtGeomBase::mjGEOM_CYLINDER => Box::new(directions.map(move |way| {
            let flat = Vector3::new(way.x, way.y, 0.0)
                .try_normalize(0.1)
                .unwrap_or_default();
            a * flat + Vector3::new(0.0, 0.0, b * way.z)
        })),
        MjtGeomBase::mjGEOM_BOX => {
            Box::new(directions.map(move |way| way.component_mul(&Vector3::new(a, b, c))))
        }
        MjtGeomBase::mjGEOM_MESH => {
            let mesh = model.geom_dataid()[geom] as usize;
            let first = model.mesh_vertadr()[mesh] as usize;
            let n = model.mesh_vertnum()[mesh] as usize;
            let vertices = &model.mesh_vert()[first..first + n];
            // About a thousand vertices are enough to locate the mesh.
            Box::new(
                vertices
                    .iter()
                    .step_by(n / 2000 + 1)
                    .map(|v| Vector3::from(v.map(f64::from))),
            )
        }
        _ => Box::new(std::iter::empty()),
    }
}

/// Names of the geom and its body.
fn part_name(model: &MjModel, geom: usize) -> String {
    use names::ObjectType::{Body, Geom};
    let body = names::name_of(model, Body, model.geom_bodyid()[geom] as usize);
    match names::name_of(model, Geom, geom) {
        "" => body.to_owned(),
        name if body == "world" => name.to_owned(),
        name => format!("{name} of {body}"),
    }
}
