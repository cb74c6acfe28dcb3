//! Pressure on the probe's face.
//!
//! The face is divided into square elements in its plane. The force of each contact point along the probe's axis is distributed to the four
//! nearest centres of elements with bilinear weights, and to the nearest ones beyond the outermost centres, so that the sum of pressure times
//! area is the axial contact force. A map is not finer than the contact points of the torso: with points further apart than elements are
//! wide, the force of each is on its own square centimetre.

use mujoco_rs::wrappers::mj_model::{MjModel, MjtGeomBase};
use nalgebra::Vector3;

use super::{ProbeContact, ProbeFrame};
use crate::coupling::Coupling;
use crate::{Physics, Pose, SimError};

/// Edge of an element [m].
pub const PRESSURE_ELEMENT: f64 = 0.005;
/// Area of an element [m²].
const ELEMENT_AREA: f64 = PRESSURE_ELEMENT * PRESSURE_ELEMENT;
/// Distance behind the face's centre within which a geom ends that is part of the face [m].
const FACE_DEPTH: f64 = 0.002;
/// Elements in contact have more than this part of the greatest pressure.
const IN_CONTACT: f64 = 0.01;

/// The elements of the probe's face, centred on the extent of the geoms that reach the face.
#[derive(Debug, Clone, PartialEq)]
pub struct FacePressure {
    probe: ProbeFrame,
    contact: ProbeContact,
    /// Centre of the first element in the frame of the face [m].
    first: [f64; 2],
    shape: [usize; 2],
}

/// Pressures on the elements of the probe's face.
#[derive(Debug, Clone, PartialEq)]
pub struct PressureMap {
    /// Pressure of each element [Pa], row-major, shape `[n_x, n_y]`: x along the array, y across it. Friction may make it negative.
    pub pressures: Vec<f64>,
    /// Numbers of elements `[n_x, n_y]`.
    pub shape: [usize; 2],
}

impl FacePressure {
    /// Divides the face of the scene's probe.
    ///
    /// # Errors
    /// [`SimError::UnknownName`] if the scene has no probe.
    pub fn new(physics: &Physics) -> Result<Self, SimError> {
        let model = physics.model();
        let (probe, contact) = (ProbeFrame::new(model)?, ProbeContact::new(model)?);
        let [low, high] = extent(physics, &probe, &contact);
        let shape = [0, 1].map(|axis| {
            // A part of a thousandth does not need one more element.
            let n = ((high[axis] - low[axis]) / PRESSURE_ELEMENT - 1e-3).ceil();
            n.max(1.0) as usize
        });
        let first = std::array::from_fn(|axis| {
            0.5 * (low[axis] + high[axis] - (shape[axis] - 1) as f64 * PRESSURE_ELEMENT)
        });
        Ok(Self {
            probe,
            contact,
            first,
            shape,
        })
    }

    /// Numbers of elements along the array and across it, `[n_x, n_y]`.
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }

    /// Centre of an element in the plane of the face, in the frame of the face [m].
    pub fn center(&self, index: [usize; 2]) -> [f64; 2] {
        std::array::from_fn(|axis| self.first[axis] + index[axis] as f64 * PRESSURE_ELEMENT)
    }

    /// Pressure during the last step; `None` if a torso touched the probe without recording where
    /// ([`Physics::record_contact_points`]).
    pub fn read(&self, physics: &Physics) -> Option<PressureMap> {
        let world_from_probe = self.probe.world_from_probe(physics);
        let mut map = PressureMap {
            pressures: vec![0.0; self.shape[0] * self.shape[1]],
            shape: self.shape,
        };
        let points = physics.coupling().map(Coupling::contact_points);
        for contact in physics.contacts() {
            let sign = match contact.geom.map(|geom| self.contact.owns(geom)) {
                [false, true] => 1.0,
                [true, false] => -1.0,
                [true, true] | [false, false] => continue,
            };
            // Tissue is neither geom nor flex, and its contact stands for many points.
            let is_tissue = contact.geom[1] == -1 && contact.flex[1] == -1;
            match points {
                Some(points) if is_tissue => _ = points?,
                _ => {
                    let force = Vector3::from(contact.force_in_world()) * sign;
                    self.add(&mut map, &world_from_probe, contact.position.into(), force);
                }
            }
        }
        for (geom, point) in points.flatten().unwrap_or_default() {
            if self.contact.owns(*geom as i32) {
                self.add(&mut map, &world_from_probe, point.position, point.force);
            }
        }
        Some(map)
    }

    /// Distributes a force on the probe [N] at a point [m], both in world.
    fn add(&self, map: &mut PressureMap, face: &Pose, point: Vector3<f64>, force: Vector3<f64>) {
        // The face's axis points into the torso, whose force points out of it.
        let pressure = -force.dot(&face.z_axis()) / ELEMENT_AREA;
        let place = face
            .rotation
            .inverse_transform_vector(&(point - face.position));
        let [x, y] = [0, 1].map(|axis| {
            let last = self.shape[axis] - 1;
            let steps = (place[axis] - self.first[axis]) / PRESSURE_ELEMENT;
            let steps = steps.clamp(0.0, last as f64);
            let low = (steps as usize).min(last.saturating_sub(1));
            let part = steps - low as f64;
            [(low, 1.0 - part), ((low + 1).min(last), part)]
        });
        for (i, of_x) in x {
            for (j, of_y) in y {
                map.pressures[i * self.shape[1] + j] += pressure * of_x * of_y;
            }
        }
    }
}

impl PressureMap {
    /// Force on the face against the probe's axis [N].
    pub fn force(&self) -> f64 {
        self.pressures.iter().sum::<f64>() * ELEMENT_AREA
    }

    /// Greatest mean over 1 cm², which is 2 × 2 elements [Pa]; the limits of ISO/TS 15066:2016, Table A.2, are in N/cm².
    pub fn peak(&self) -> f64 {
        let [n_x, n_y] = self.shape;
        let at = |i: usize, j: usize| {
            if i < n_x && j < n_y {
                self.pressures[i * n_y + j]
            } else {
                0.0
            }
        };
        let starts = |n: usize| 0..(n - 1).max(1);
        let mut most: f64 = 0.0;
        for i in starts(n_x) {
            for j in starts(n_y) {
                let sum = at(i, j) + at(i + 1, j) + at(i, j + 1) + at(i + 1, j + 1);
                most = most.max(0.25 * sum);
            }
        }
        most
    }

    /// Area of the elements with more than 1 % of the greatest pressure [m²].
    pub fn contact_area(&self) -> f64 {
        let most = self.pressures.iter().copied().fold(0.0, f64::max);
        let touched = self.pressures.iter().filter(|p| **p > IN_CONTACT * most);
        touched.count() as f64 * ELEMENT_AREA
    }

    /// Force per contact area [Pa]; 0 without contact.
    pub fn mean(&self) -> f64 {
        match self.contact_area() {
            0.0 => 0.0,
            area => self.force() / area,
        }
    }
}

/// Lower and upper ends, in the frame of the face, of the probe's geoms that collide and reach the face [m]; zeros if no geom does.
fn extent(physics: &Physics, probe: &ProbeFrame, contact: &ProbeContact) -> [[f64; 2]; 2] {
    let model = physics.model();
    let face = probe.world_from_probe(physics);
    let mut ends: Option<[Vector3<f64>; 2]> = None;
    for geom in 0..model.ffi().ngeom as usize {
        let collides = (model.geom_contype()[geom] | model.geom_conaffinity()[geom]) != 0;
        if !collides || !contact.owns(geom as i32) {
            continue;
        }
        let pose = Pose::from_matrix(
            physics.data().geom_xpos()[geom],
            physics.data().geom_xmat()[geom],
        );
        let places = corners(model, geom).into_iter().map(|corner| {
            let offset = pose.transform(&corner) - face.position;
            face.rotation.inverse_transform_vector(&offset)
        });
        let own = places.fold(None, |ends: Option<[Vector3<f64>; 2]>, place| {
            Some(ends.map_or([place; 2], |[low, high]| {
                [low.inf(&place), high.sup(&place)]
            }))
        });
        let Some([low, high]) = own.filter(|[_, high]| high.z >= -FACE_DEPTH) else {
            continue;
        };
        ends = Some(ends.map_or([low, high], |ends| [ends[0].inf(&low), ends[1].sup(&high)]));
    }
    ends.map_or([[0.0; 2]; 2], |ends| ends.map(|end| [end.x, end.y]))
}

/// Points in a geom's frame that enclose it [m]: vertices of a mesh, corners of the bounding box of a simple solid.
fn corners(model: &MjModel, geom: usize) -> Vec<Vector3<f64>> {
    if model.geom_type()[geom] as u32 == MjtGeomBase::mjGEOM_MESH as u32 {
        let mesh = model.geom_dataid()[geom] as usize;
        let first = model.mesh_vertadr()[mesh] as usize;
        let vertices = &model.mesh_vert()[first..first + model.mesh_vertnum()[mesh] as usize];
        return vertices
            .iter()
            .map(|vertex| Vector3::from(vertex.map(f64::from)))
            .collect();
    }
    let [x, y, z, a, b, c] = model.geom_aabb()[geom];
    let sign = |corner: u8, axis: u8| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
    (0..8)
        .map(|corner| {
            let half = Vector3::new(
                sign(corner, 0) * a,
                sign(corner, 1) * b,
                sign(corner, 2) * c,
            );
            Vector3::new(x, y, z) + half
        })
        .collect()
}
