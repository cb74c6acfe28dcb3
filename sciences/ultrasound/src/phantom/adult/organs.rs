//! Organs of the belly: nested solids, looked up in a grid of candidates.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::index;
use super::landmarks::Landmarks;
use super::segmentation::class;
use super::shape::Shape;
use super::soft_organ::{Outlines, SoftOrgan};
use crate::deformation::{Point, Vector};
use crate::phantom::{PointMaterial, SegmentMaterial};

/// Width of the grid's cells [m].
const WIDTH: f32 = 0.012;
/// Distance within which solids are listed in a cell, so that no leap of this length misses one [m].
const NEAR: f32 = 0.009;
/// Depth in a solid below which boundaries of later solids are hidden [m].
const BEHIND: f32 = 1e-4;
/// Variation of an organ's position [m] and relative size between patients.
const SHIFT: f32 = 0.005;
const GROWTH: f32 = 0.08;

/// A solid of one material.
#[derive(Clone, Copy, Debug)]
struct Organ {
    shape: Shape,
    material: u8,
    /// Bounding ball: centre and radius [m].
    ball: (Point, f32),
}

impl Organ {
    /// Whether the bounding ball is within a distance of a point [m].
    #[inline]
    fn may_be_within(&self, point: &Point, distance: f32) -> bool {
        let (center, radius) = self.ball;
        let far = radius + distance;
        (point - center).norm_squared() <= far * far
    }
}

/// Solids in order of precedence.
#[derive(Clone, Debug)]
pub(super) struct Organs {
    solids: Vec<Organ>,
    /// Class of each solid in a segmentation.
    classes: Vec<u8>,
    origin: Point,
    count: [usize; 3],
    starts: Vec<u32>,
    candidates: Vec<u8>,
    landmarks: Landmarks,
    outlines: Outlines,
}

/// Adds solids of one organ to the list, with its own position and size.
struct Builder {
    organs: Vec<Organ>,
    /// Class of each solid, and of those that are added next.
    classes: Vec<u8>,
    class: u8,
    scale: Vector,
    rng: ChaCha8Rng,
    offset: Vector,
    growth: f32,
    landmarks: Landmarks,
    outlines: Outlines,
}

impl Builder {
    /// Starts an organ of a class, whose parts move together.
    fn organ(&mut self, class: u8) {
        self.class = class;
        let mut draw = |by: f32| by * self.rng.random_range(-1.0f32..1.0);
        self.offset = Vector::new(draw(SHIFT), draw(SHIFT), draw(SHIFT));
        self.growth = 1.0 + draw(GROWTH);
    }

    fn at(&self, [x, y, z]: [f32; 3]) -> Point {
        Point::from(Vector::new(x, y, z).component_mul(&self.scale) + self.offset)
    }

    fn ellipsoid(&self, center: [f32; 3], [x, y, z]: [f32; 3], angle: f32) -> Shape {
        let (sin, cos) = angle.sin_cos();
        Shape::Ellipsoid {
            center: self.at(center),
            half: self.growth * Vector::new(x, y, z).component_mul(&self.scale),
            turn: [cos, sin],
        }
    }

    fn tube(&self, start: [f32; 3], end: [f32; 3], radii: [f32; 2]) -> Shape {
        Shape::Tube {
            ends: [self.at(start), self.at(end)],
            radii: radii.map(|radius| self.growth * radius),
        }
    }

    fn add(&mut self, shape: Shape, material: u8) {
        self.classes.push(self.class);
        self.organs.push(Organ {
            shape,
            material,
            ball: shape.ball(),
        });
    }

    fn gallbladder(&mut self) {
        self.organ(class::GALLBLADDER);
        let body = self.ellipsoid([-0.060, -0.034, 0.140], [0.0145, 0.031, 0.0140], -0.25);
        let neck = self.tube(
            [-0.051, -0.012, 0.133],
            [-0.040, 0.004, 0.124],
            [0.0085, 0.0025],
        );
        for part in [body, neck] {
            self.add(part, index::BILE);
        }
        for part in [body, neck] {
            self.add(part.grown(0.0018), index::WALL);
        }
    }

    /// A kidney: sinus, pyramids around it, cortex, fat; `side` is −1 on the right.
    fn kidney(&mut self, side: f32, y: f32) {
        let is_right = side < 0.0;
        self.organ(class::KIDNEY[usize::from(!is_right)]);
        let (x, z, angle) = (0.066 * side, 0.064, 0.2 * side);
        let (sin, cos) = angle.sin_cos();
        let center = [x, y, z];
        self.add(
            self.ellipsoid(center, [0.0095, 0.031, 0.0090], angle),
            index::SINUS,
        );
        for step in 0..9 {
            let turn = std::f32::consts::TAU * (step as f32 + 0.5) / 9.0;
            let [across, along] = [0.0165 * turn.cos(), 0.0385 * turn.sin()];
            let place = [
                x + cos * across - sin * along,
                y + sin * across + cos * along,
                z,
            ];
            self.add(
                self.ellipsoid(place, [0.0058, 0.0072, 0.0085], angle),
                index::PYRAMID,
            );
        }
        let cortex = self.ellipsoid(center, [0.0275, 0.0545, 0.0245], angle);
        if is_right {
            self.landmarks.right_kidney = self.at(center);
            self.landmarks.right_kidney_axis = Vector::new(-sin, cos, 0.0);
            self.outlines.push((SoftOrgan::RightKidney, vec![cortex]));
        }
        self.add(cortex, index::CORTEX);
        self.add(cortex.grown(0.0012), index::FASCIA);
        self.class = class::TORSO_FAT;
        self.add(cortex.grown(0.004), index::DEEP_FAT);
    }

    fn great_vessels(&mut self) {
        self.organ(class::AORTA);
        let aorta = self.tube([0.014, -0.13, 0.090], [0.010, 0.26, 0.086], [0.0085, 0.011]);
        self.add(aorta, index::BLOOD);
        self.add(aorta.grown(0.0015), index::WALL);
        let cava = self.tube(
            [-0.019, -0.13, 0.088],
            [-0.024, 0.10, 0.100],
            [0.0100, 0.0115],
        );
        self.class = class::INFERIOR_VENA_CAVA;
        self.add(cava, index::BLOOD);
        self.add(cava.grown(0.0007), index::WALL);
    }

    fn liver(&mut self) {
        self.organ(class::LIVER);
        let portal = [
            self.tube(
                [-0.022, 0.004, 0.110],
                [-0.068, 0.026, 0.114],
                [0.0062, 0.0056],
            ),
            self.tube(
                [-0.068, 0.026, 0.114],
                [-0.112, 0.052, 0.116],
                [0.0048, 0.0026],
            ),
            self.tube(
                [-0.068, 0.026, 0.114],
                [-0.105, 0.000, 0.132],
                [0.0044, 0.0024],
            ),
            self.tube(
                [-0.050, 0.018, 0.113],
                [0.015, 0.050, 0.146],
                [0.0044, 0.0026],
            ),
        ];
        let hepatic = [
            self.tube(
                [-0.026, 0.082, 0.104],
                [-0.118, 0.060, 0.086],
                [0.0048, 0.0022],
            ),
            self.tube(
                [-0.026, 0.082, 0.106],
                [-0.085, 0.030, 0.152],
                [0.0046, 0.0020],
            ),
            self.tube(
                [-0.024, 0.082, 0.108],
                [0.020, 0.062, 0.150],
                [0.0042, 0.0020],
            ),
        ];
        // Segmentations count vessels within the liver as liver, except for the portal vein's trunk.
        let vessels = portal.into_iter().chain(hepatic);
        let vessels = vessels.map(|vessel| (vessel, index::BLOOD));
        let walls = portal.map(|vessel| (vessel.grown(0.0016), index::WALL));
        for (n, (vessel, material)) in vessels.chain(walls).enumerate() {
            let is_trunk = n == 0 || n == portal.len() + hepatic.len();
            self.class = if is_trunk {
                class::PORTAL_VEIN
            } else {
                class::LIVER
            };
            self.add(vessel, material);
        }
        self.class = class::LIVER;
        let right = self.ellipsoid([-0.076, 0.022, 0.104], [0.086, 0.090, 0.084], 0.0);
        self.landmarks.liver = self.at([-0.076, 0.022, 0.104]);
        let left = self.ellipsoid([0.004, 0.052, 0.146], [0.086, 0.046, 0.038], 0.0);
        self.outlines.push((SoftOrgan::Liver, vec![right, left]));
        for lobe in [right, left] {
            self.add(lobe, index::LIVER);
        }
        for lobe in [right, left] {
            self.add(lobe.grown(0.0010), index::FASCIA);
        }
    }

    fn others(&mut self) {
        self.organ(class::SPLEEN);
        let spleen = self.ellipsoid([0.112, 0.048, 0.070], [0.030, 0.055, 0.036], 0.3);
        self.add(spleen, index::SPLEEN);
        self.add(spleen.grown(0.0010), index::FASCIA);
        self.organ(class::URINARY_BLADDER);
        let bladder = self.ellipsoid([0.0, -0.228, 0.118], [0.046, 0.034, 0.032], 0.0);
        self.add(bladder, index::URINE);
        self.add(bladder.grown(0.0035), index::MUSCLE);
        self.organ(class::SMALL_BOWEL);
        let bowel = self.ellipsoid([0.0, -0.100, 0.110], [0.125, 0.115, 0.078], 0.0);
        self.add(bowel, index::BOWEL);
    }
}

impl Organs {
    /// Organs of a trunk `scale` times as large as the reference man's.
    pub(super) fn new(scale: Vector, seed: u64) -> Self {
        let mut builder = Builder {
            organs: Vec::new(),
            classes: Vec::new(),
            class: class::BODY,
            scale,
            rng: ChaCha8Rng::seed_from_u64(seed),
            offset: Vector::zeros(),
            growth: 1.0,
            landmarks: Landmarks {
                right_kidney: Point::origin(),
                right_kidney_axis: Vector::y(),
                liver: Point::origin(),
            },
            outlines: Outlines::new(),
        };
        builder.gallbladder();
        builder.kidney(-1.0, -0.030);
        builder.kidney(1.0, -0.012);
        builder.great_vessels();
        builder.liver();
        builder.others();
        let low = Vector::new(-0.19, -0.32, -0.01).component_mul(&scale);
        let high = Vector::new(0.19, 0.32, 0.26).component_mul(&scale);
        let count = [0, 1, 2].map(|axis| ((high[axis] - low[axis]) / WIDTH).ceil() as usize);
        let mut organs = Self {
            solids: builder.organs,
            classes: builder.classes,
            origin: Point::from(low),
            count,
            starts: vec![0],
            candidates: Vec::new(),
            landmarks: builder.landmarks,
            outlines: builder.outlines,
        };
        organs.fill();
        organs
    }

    /// Lists the solids near each cell.
    fn fill(&mut self) {
        let reach = 0.5 * 3f32.sqrt() * WIDTH + NEAR;
        let [nx, ny, nz] = self.count;
        for cell in 0..nx * ny * nz {
            let place =
                [cell % nx, cell / nx % ny, cell / (nx * ny)].map(|n| (n as f32 + 0.5) * WIDTH);
            let middle = self.origin + Vector::from(place);
            for (number, organ) in self.solids.iter().enumerate() {
                let [distance, _] = organ.shape.distance(&middle);
                if distance < organ.shape.slack() * reach {
                    self.candidates.push(number as u8);
                }
                if distance < -1.6 * reach {
                    // The solid fills the cell, which hides all later ones.
                    break;
                }
            }
            self.starts.push(self.candidates.len() as u32);
        }
    }

    pub(super) fn landmarks(&self) -> &Landmarks {
        &self.landmarks
    }

    pub(super) fn outlines(&self) -> &Outlines {
        &self.outlines
    }

    /// Solids that may be within [`NEAR`] of a point; `None` outside of the grid.
    fn candidates(&self, point: &Point) -> Option<&[u8]> {
        let place = (point - self.origin) * (1.0 / WIDTH);
        let inside = (0..3).all(|axis| place[axis] >= 0.0 && place[axis] < self.count[axis] as f32);
        if !inside {
            return None;
        }
        let [x, y, z] = [place.x as usize, place.y as usize, place.z as usize];
        let cell = (z * self.count[1] + y) * self.count[0] + x;
        let [start, end] = [self.starts[cell] as usize, self.starts[cell + 1] as usize];
        Some(&self.candidates[start..end])
    }

    /// Material and clearance at a point.
    pub(super) fn place(&self, point: &Point) -> PointMaterial {
        let mut clearance = NEAR;
        let Some(candidates) = self.candidates(point) else {
            return PointMaterial {
                material: index::DEEP_FAT,
                clearance: 0.0,
            };
        };
        for number in candidates {
            let organ = &self.solids[usize::from(*number)];
            if !organ.may_be_within(point, clearance) {
                continue;
            }
            let [distance, free] = organ.shape.distance(point);
            clearance = clearance.min(free);
            if distance < 0.0 {
                return PointMaterial {
                    material: organ.material,
                    clearance,
                };
            }
        }
        PointMaterial {
            material: index::DEEP_FAT,
            clearance,
        }
    }

    /// Class of the organ at a point; `None` between organs.
    pub(super) fn class(&self, point: &Point) -> Option<u8> {
        let mut candidates = self.candidates(point)?.iter().map(|own| usize::from(*own));
        let own = candidates.find(|own| self.solids[*own].shape.distance(point)[0] < 0.0)?;
        Some(self.classes[own])
    }

    /// Material at the start of a straight segment, and the share over which it continues; exact as far as solids are listed.
    pub(super) fn stretch(&self, start: &Point, way: &Vector) -> SegmentMaterial {
        let of = |material, share, is_boundary| SegmentMaterial {
            place: PointMaterial {
                material,
                clearance: 0.0,
            },
            share,
            is_boundary,
        };
        let Some(candidates) = self.candidates(start) else {
            return of(index::DEEP_FAT, 0.0, false);
        };
        let length = way.norm();
        let (mut end, mut is_boundary) = ((NEAR / length).min(1.0), false);
        for number in candidates {
            let organ = &self.solids[usize::from(*number)];
            if !organ.may_be_within(start, end * length) {
                continue;
            }
            let Some([enter, leave]) = organ.shape.chord(start, way) else {
                continue;
            };
            if leave <= 0.0 || enter >= end {
                continue;
            }
            if enter <= 0.0 {
                return of(organ.material, leave.min(end), is_boundary || leave < end);
            }
            (end, is_boundary) = (enter, true);
        }
        of(index::DEEP_FAT, end, is_boundary)
    }

    /// Outward direction of the solid with the surface nearest to a point; `None` if none is near.
    pub(super) fn outward(&self, point: &Point) -> Option<Vector> {
        let (mut clearance, mut nearest) = (NEAR, None);
        for number in self.candidates(point)? {
            let organ = &self.solids[usize::from(*number)];
            if !organ.may_be_within(point, clearance) {
                continue;
            }
            let [distance, free] = organ.shape.distance(point);
            if free < clearance {
                (clearance, nearest) = (free, Some(&organ.shape));
            }
            if distance < -BEHIND {
                break;
            }
        }
        nearest.map(|shape| shape.outward(point))
    }
}
