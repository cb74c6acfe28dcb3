//! Rib cage, breastbone, spine, diaphragm and lungs.
//!
//! Ribs are bands that slope down towards the front at a depth below the fascia; at the front they are cartilage.
//! Lengths are those of the reference man; points are scaled to his size.

use super::index;
use super::segmentation::class;
use crate::deformation::{Point, Vector};
use crate::phantom::PointMaterial;

/// Distance of neighbouring ribs along the body [m], and their drop per metre towards the side.
const SPACING: f32 = 0.027;
const SLOPE: f32 = 0.25;
/// Half height and half thickness of a rib [m].
const HALF: [f32; 2] = [0.0058, 0.0034];
/// Depth of the centre of the ribs below the fascia [m].
const DEPTH: f32 = 0.0085;
/// Depth of the inner end of the chest wall, at which the lung begins [m].
const PLEURA: f32 = 0.0145;
/// Ribs are cartilage up to this distance from the median plane [m].
const CARTILAGE: f32 = 0.055;
/// Ratio of the distance to the diaphragm and the distance along the body: its sides are steep.
const STEEP: f32 = 0.6;
/// Angle of the spine's waves, one for each vertebra, per metre along the body [rad/m].
const WAVES: f32 = 190.0;
/// Thickness of the diaphragm [m].
const DIAPHRAGM: f32 = 0.0018;

/// Bones and lungs of the trunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thorax {
    inv_scale: Vector,
    least_scale: f32,
}

impl Thorax {
    pub(super) fn new(scale: Vector) -> Self {
        Self {
            inv_scale: scale.map(f32::recip),
            least_scale: scale.min(),
        }
    }

    fn unit(&self, point: &Point) -> Vector {
        point.coords.component_mul(&self.inv_scale)
    }

    /// Part of the chest at a point `below` the fascia [m]: bone, cartilage, lung, diaphragm; otherwise the distance to the chest [m].
    pub(super) fn place(&self, point: &Point, below: f32) -> Result<PointMaterial, f32> {
        let p = self.unit(point);
        let [rib, lung, spine] = distances(&p, below);
        let at = |material, clearance: f32| {
            Ok(PointMaterial {
                material,
                clearance,
            })
        };
        if rib < 0.0 {
            let is_soft = p.x.abs() < CARTILAGE && p.z > 0.1 && p.x.abs() > 0.019;
            // Bone begins where cartilage ends.
            let seam = (p.x.abs() - CARTILAGE).abs().min((p.x.abs() - 0.019).abs());
            let material = if is_soft {
                index::CARTILAGE
            } else {
                index::BONE
            };
            return at(material, (-rib).min(seam));
        }
        if spine < 0.0 {
            return at(index::BONE, -spine);
        }
        if below > PLEURA && lung < 0.0 {
            let clearance = (-lung).min(below - PLEURA).min(rib).min(spine);
            return at(index::LUNG, self.least_scale * 0.7 * clearance);
        }
        if below > PLEURA && lung < DIAPHRAGM {
            let clearance = lung.min(DIAPHRAGM - lung).min(below - PLEURA);
            return at(index::MUSCLE, self.least_scale * 0.7 * clearance);
        }
        // Above the pleura, the lung begins at the inner end of the wall.
        let lung = if lung < DIAPHRAGM {
            (PLEURA - below).max(0.0)
        } else {
            lung - DIAPHRAGM
        };
        Err(self.least_scale * 0.7 * rib.min(lung).min(spine))
    }

    /// Class of a part of the chest in a segmentation, at a point `below` the fascia [m]; `None` elsewhere.
    ///
    /// Vertebrae are as long as the spine's waves; the twelfth ribs are the lowest ones. Planes divide the lungs into lobes.
    pub(super) fn class(&self, point: &Point, below: f32) -> Option<u8> {
        let material = self.place(point, below).ok()?.material;
        let p = self.unit(point);
        let is_left = p.x > 0.0;
        let number = |n: f32, range: [f32; 2]| n.round().clamp(range[0], range[1]) as u8;
        Some(match material {
            index::CARTILAGE => class::COSTAL_CARTILAGES,
            index::BONE if distances(&p, below)[0] >= 0.0 => {
                // The second lumbar vertebra is at the origin.
                let above_l5 = 3.0 + p.y * WAVES / std::f32::consts::TAU;
                match above_l5.round() {
                    n if n < 0.0 => class::SACRUM,
                    n => class::VERTEBRA_L5 + number(n, [0.0, 16.0]),
                }
            }
            index::BONE if p.x.abs() <= 0.019 && p.z > 0.1 => class::STERNUM,
            index::BONE => {
                let from_top = 11.0 - along(&p) / SPACING;
                class::RIB_1[usize::from(!is_left)] + number(from_top, [1.0, 12.0]) - 1
            }
            index::LUNG => {
                let is_low = p.y < 0.16 - 0.8 * (p.z - 0.11);
                let is_middle = p.y < 0.15;
                match (is_left, is_low) {
                    (true, low) => class::LEFT_LOBES[usize::from(low)],
                    (false, true) => class::RIGHT_LOBES[2],
                    (false, false) => class::RIGHT_LOBES[usize::from(is_middle)],
                }
            }
            _ => class::SKELETAL_MUSCLE,
        })
    }

    /// Thickness of the wall's muscle at a point [m].
    pub(super) fn wall(&self, point: &Point, belly: f32) -> f32 {
        let p = self.unit(point);
        let within = ((p.y - margin(p.x) + 0.02) / 0.04).clamp(0.0, 1.0);
        // The two straight muscles lie on either side of the linea alba.
        let line = (p.x.abs() / 0.012).min(1.0);
        let front = belly * (0.25 + 0.75 * line);
        front + within * (PLEURA - front)
    }
}

/// Distances to ribs and breastbone, lung, and spine; the lung's distance is measured to the diaphragm.
fn distances(p: &Vector, below: f32) -> [f32; 3] {
    let ribs = along(p) * (1.0 / SPACING);
    let nearest = (ribs + 1000.5) as i32 as f32 - 1000.0;
    let off = (ribs - nearest) * SPACING;
    let within = (below - DEPTH).abs();
    let outside = (off.abs() - (HALF[0] - HALF[1])).max(0.0);
    let band = (outside * outside + within * within).sqrt() - HALF[1];
    let rib = band.max(0.8 * (margin(p.x) - p.y));
    let sternum = (p.x.abs() - 0.019).max(within - 0.005).max(0.062 - p.y);
    let deep = p.z - 0.052;
    let spine = (p.x * p.x + deep * deep).sqrt() - 0.021;
    // Far from the vertebrae the waist is not needed.
    let waist = if spine < 0.01 {
        (p.y * WAVES).cos()
    } else {
        1.0
    };
    let spine = spine - 0.0025 * waist;
    [rib.min(sternum), STEEP * (diaphragm(p) - p.y), spine]
}

/// Height along the body, without the drop of the ribs.
fn along(p: &Vector) -> f32 {
    p.y - SLOPE * (0.16 - p.x.abs()) * if p.z > 0.1 { -1.0 } else { 0.3 }
}

/// Height of the lower end of the ribs.
fn margin(x: f32) -> f32 {
    0.062 - 0.10 * ((x.abs() - 0.02).max(0.0) / 0.12).min(1.2)
}

/// Height of the diaphragm: one dome on either side.
fn diaphragm(p: &Vector) -> f32 {
    let dome = |center: f32, top: f32| {
        let across = (p.x - center) / 0.115;
        let deep = (p.z - 0.11) / 0.105;
        top - 0.085 * (across * across + deep * deep)
    };
    dome(-0.075, 0.105).max(dome(0.075, 0.09))
}
