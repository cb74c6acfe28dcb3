//! The elastic layer between skin and tools.

use nalgebra::{Matrix3, Vector3};

use crate::tool::{Shape, SignedDistance};

/// Stiffness of the layer between skin and tools.
///
/// Its pressure is $p = c\,\delta / (1 - \delta / t)$ at a compression $\delta$, with the stiffness $c$ per area and the thickness $t$: a layer
/// cannot be compressed by more than its thickness. Above 80 % of the thickness the pressure continues with the slope there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layer {
    /// Thickness [m].
    pub thickness: f64,
    /// Pressure per compression, for a small compression [Pa/m].
    pub compression: f64,
    /// Shear stress per displacement along the skin [Pa/m].
    pub shear: f64,
}

/// Part of its thickness up to which the layer stiffens.
const STIFFENS_TO: f64 = 0.8;

impl Layer {
    /// A layer of a thickness [m] with a modulus [Pa] and a Poisson's ratio. For small displacements it is as stiff as a layer of the `part` of
    /// its thickness would be.
    pub fn new(thickness: f64, part: f64, young_modulus: f64, poisson_ratio: f64) -> Self {
        let stiffness = young_modulus / (part * thickness);
        Self {
            thickness,
            compression: stiffness,
            shear: stiffness / (2.0 * (1.0 + poisson_ratio)),
        }
    }
}

/// A sample point of the skin in contact with a tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Index of the tool.
    pub tool: usize,
    /// Position of the point in world [m].
    pub position: Vector3<f64>,
    /// Outward normal of the tool there, in world.
    pub normal: Vector3<f64>,
    /// Area of the skin at rest that the point stands for [m²].
    pub area: f64,
    /// Force per area of the tool on the skin, in world [Pa].
    pub traction: Vector3<f64>,
}

impl Contact {
    /// Pressure on the skin [Pa].
    pub fn pressure(&self) -> f64 {
        self.traction.dot(&self.normal)
    }
}

/// What the layer does at a point, in the tool's frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Response {
    /// Outward normal of the tool.
    pub(super) normal: Vector3<f64>,
    /// Force per area on the skin [Pa].
    pub(super) traction: Vector3<f64>,
    /// Displacement of the point along the tool's surface that the shear stress is proportional to [m].
    pub(super) sheared: Vector3<f64>,
    /// Derivative of the pressure by the compression [Pa/m].
    slope: f64,
    /// Largest shear stress, if the skin slides [Pa], and displacement along the surface from the anchor [m].
    sliding: Option<(f64, Vector3<f64>)>,
}

impl Layer {
    /// Pressure [Pa] at a compression [m], and its derivative [Pa/m].
    fn pressure(&self, compression: f64) -> (f64, f64) {
        let part = compression / self.thickness;
        let stiffened = part.min(STIFFENS_TO);
        let rest = 1.0 / (1.0 - stiffened);
        let slope = self.compression * rest * rest;
        let pressure = self.compression * self.thickness * stiffened * rest;
        (
            pressure + slope * self.thickness * (part - stiffened),
            slope,
        )
    }

    /// The response at a point in the frame of a shape; `None` if it is outside. `anchor` is the position at which the layer is not sheared.
    ///
    /// The shear stress is limited to the friction coefficient times the pressure (Coulomb).
    #[inline]
    pub(super) fn response(
        &self,
        shape: &Shape,
        friction: f64,
        point: &Vector3<f64>,
        anchor: &Vector3<f64>,
    ) -> Option<Response> {
        let SignedDistance { distance, normal } = shape.surface(point);
        if distance >= 0.0 {
            return None;
        }
        let (pressure, slope) = self.pressure(-distance);
        let moved = point - anchor;
        let offset = moved - normal * normal.dot(&moved);
        let length = offset.norm();
        let limit = friction * pressure;
        if self.shear * length <= limit {
            return Some(Response {
                normal,
                traction: normal * pressure - offset * self.shear,
                sheared: offset,
                slope,
                sliding: None,
            });
        }
        let direction = offset / length;
        Some(Response {
            normal,
            traction: normal * pressure - direction * limit,
            sheared: direction * (limit / self.shear),
            slope,
            sliding: Some((limit, offset)),
        })
    }

    /// Derivative of the traction of a response by the position, times −1 [Pa/m].
    pub(super) fn stiffness(&self, response: &Response, friction: f64) -> Matrix3<f64> {
        let Response { normal, slope, .. } = *response;
        let across = normal * normal.transpose();
        let along = Matrix3::identity() - across;
        let Some((limit, offset)) = response.sliding else {
            return across * slope + along * self.shear;
        };
        let length = offset.norm();
        let direction = offset / length;
        // The stress turns with the direction, and grows with the pressure.
        let turning = (along - direction * direction.transpose()) * (limit / length);
        let growing = direction * normal.transpose() * (friction * slope);
        across * slope + turning - growing
    }
}
