//! A synthetic CT of the trunk: values by tissue with noise, on a table with a pad, with a cable next to it and gas in the bowel.
//!
//! Values are usual ones without a contrast agent (Hounsfield units); nothing is measured, and neither the beam's hardening nor partial
//! volumes are simulated.

use insonate_volumes::{CtImage, Segmentation, VoxelFrame};
use nalgebra::Vector3;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::Adult;
use super::segmentation::class;
use crate::UltrasoundError;

/// Field of view beyond the trunk [m]: at each side, at the front, at the back.
const MARGINS: [f64; 3] = [0.045, 0.02, 0.06];
/// Values [HU].
const AIR: f32 = -1000.0;
const GAS: f32 = -950.0;
const LUNG: f32 = -850.0;
const FAT: f32 = -100.0;
const CANCELLOUS_BONE: f32 = 250.0;
const CORTICAL_BONE: f32 = 1200.0;
const PAD: f32 = -900.0;
const FOAM: f32 = -850.0;
const SHELL: f32 = 150.0;
const COPPER: f32 = 2500.0;
/// Standard deviation of the noise [HU]: that of an abdominal CT with thin slices.
const NOISE: f32 = 15.0;
/// Lowest and highest value of 12 bits [HU].
const RANGE: [f32; 2] = [-1024.0, 3071.0];
/// Half of the table's width, its thickness and that of its shells and of the pad on it [m].
const TABLE: [f64; 4] = [0.2, 0.03, 0.003, 0.01];
/// Radius of the cable, and its distance from the trunk's side [m].
const CABLE: [f64; 2] = [0.004, 0.02];
/// Number of gas bubbles, and range of their radii [m].
const N_BUBBLES: usize = 14;
const BUBBLES: [f64; 2] = [0.007, 0.014];

/// Value of a class without noise [HU]; bones are separate.
fn value(label: u8) -> f32 {
    match label {
        0 => AIR,
        class::SPLEEN => 50.0,
        class::GALLBLADDER | class::URINARY_BLADDER => 8.0,
        class::LIVER => 60.0,
        class::AORTA | class::INFERIOR_VENA_CAVA | class::PORTAL_VEIN => 42.0,
        class::SMALL_BOWEL => 30.0,
        class::COSTAL_CARTILAGES => 110.0,
        class::SUBCUTANEOUS_FAT | class::TORSO_FAT => FAT,
        class::SKELETAL_MUSCLE => 55.0,
        own if class::KIDNEY.contains(&own) => 33.0,
        own if class::LEFT_LOBES.contains(&own) || class::RIGHT_LOBES.contains(&own) => LUNG,
        // Skin.
        _ => 40.0,
    }
}

fn is_bone(label: u8) -> bool {
    let spine = class::SACRUM..class::AORTA;
    spine.contains(&label) || (class::RIB_1[0]..=class::STERNUM).contains(&label)
}

/// What is at a place: everything but the noise.
struct Scene<'a> {
    labels: &'a Segmentation,
    /// Number of each value of the labels among the adult's classes.
    numbers: Vec<u8>,
    /// Voxels of the CT before the first of the labels along each axis.
    below: [usize; 3],
    /// Lowest and highest coordinates of the trunk [m].
    trunk: [Vector3<f64>; 2],
    /// Centres and radii of gas bubbles [m].
    bubbles: Vec<(Vector3<f64>, f64)>,
}

impl Adult {
    /// A synthetic CT of [`segmentation`](Self::segmentation): the same voxels, and more to the sides, front and back. The trunk lies on
    /// the pad of a table; at its right is a cable. Noise and gas bubbles depend on the seed.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: the edge of the voxels is so small that there are too many.
    pub fn ct(&self, labels: &Segmentation, seed: u64) -> Result<CtImage, UltrasoundError> {
        let frame = labels.frame();
        let edge = frame.steps.column(0).norm();
        // The first index runs to the right, the second to the front, the third to the head.
        let [sides, front, back] = MARGINS.map(|margin| (margin / edge).ceil() as usize);
        let below = [sides, back, 0];
        let [nx, ny, nz] = labels.count();
        let count = [nx + 2 * sides, ny + front + back, nz];
        let first = Vector3::from(below.map(|n| n as f64));
        let frame = VoxelFrame {
            origin: frame.origin - frame.steps * first,
            steps: frame.steps,
        };
        let scene = Scene::new(labels, below, seed);
        let rows = (0..count[1] * count[2]).into_par_iter();
        let values = rows.flat_map_iter(|row| {
            let [y, z] = [row % count[1], row / count[1]];
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(row as u64 + 1);
            let scene = &scene;
            (0..count[0]).map(move |x| {
                let index = Vector3::new(x as f64, y as f64, z as f64);
                let place = frame.origin + frame.steps * index;
                let own = scene.value([x, y, z], &place) + NOISE * normal(&mut rng);
                own.round().clamp(RANGE[0], RANGE[1]) as i16
            })
        });
        Ok(CtImage::new(count, frame, values.collect())?)
    }
}

impl<'a> Scene<'a> {
    fn new(labels: &'a Segmentation, below: [usize; 3], seed: u64) -> Self {
        let classes = labels.classes().iter().map(|own| own.label.unwrap_or(0));
        let numbers = std::iter::once(0).chain(classes).map(|own| own as u8);
        let mut scene = Self {
            labels,
            numbers: numbers.collect(),
            below,
            trunk: labels.frame().bounds(labels.count()),
            bubbles: Vec::new(),
        };
        scene.bubbles = scene.draw_bubbles(seed);
        scene
    }

    /// Bubbles around voxels of the bowel.
    fn draw_bubbles(&self, seed: u64) -> Vec<(Vector3<f64>, f64)> {
        let [nx, ny, _] = self.labels.count();
        let bowel: Vec<usize> = (0..self.labels.voxels().len())
            .filter(|at| self.number(self.labels.voxels()[*at]) == class::SMALL_BOWEL)
            .collect();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let frame = self.labels.frame();
        let bubbles = (0..N_BUBBLES).filter_map(|_| {
            let at = *bowel.get(rng.random_range(0..bowel.len().max(1)))?;
            let index = [at % nx, at / nx % ny, at / (nx * ny)].map(|n| n as f64);
            let centre = frame.origin + frame.steps * Vector3::from(index);
            Some((centre, rng.random_range(BUBBLES[0]..BUBBLES[1])))
        });
        bubbles.collect()
    }

    fn number(&self, value: u8) -> u8 {
        self.numbers[usize::from(value)]
    }

    /// Class of a voxel of the CT; 0 outside of the trunk.
    fn class(&self, index: [usize; 3]) -> u8 {
        let count = self.labels.count();
        let [x, y, z] = [0, 1, 2].map(|axis| index[axis].wrapping_sub(self.below[axis]));
        let is_inside = x < count[0] && y < count[1] && z < count[2];
        let value = is_inside.then(|| self.labels.voxels()[(z * count[1] + y) * count[0] + x]);
        self.number(value.unwrap_or(0))
    }

    /// Value of a voxel without noise [HU].
    fn value(&self, index: [usize; 3], place: &Vector3<f64>) -> f32 {
        let own = self.class(index);
        if own == 0 {
            return self.outside(place);
        }
        if own == class::SMALL_BOWEL {
            let is_in = |(centre, radius): &(Vector3<f64>, f64)| (place - centre).norm() < *radius;
            if self.bubbles.iter().any(is_in) {
                return GAS;
            }
        }
        if !is_bone(own) {
            return value(own);
        }
        // A bone's outermost voxels are cortical.
        let is_rim = (0..3).any(|axis| {
            [-1, 1].into_iter().any(|step| {
                let mut next = index;
                next[axis] = index[axis].wrapping_add_signed(step);
                !is_bone(self.class(next))
            })
        });
        if is_rim {
            CORTICAL_BONE
        } else {
            CANCELLOUS_BONE
        }
    }

    /// Value of air, table and cable [HU].
    fn outside(&self, place: &Vector3<f64>) -> f32 {
        let [low, high] = self.trunk;
        let [half_width, thickness, shell, pad] = TABLE;
        let below = low.z - pad - place.z;
        let is_beside = (place.x - 0.5 * (low.x + high.x)).abs() < half_width;
        if is_beside && (-pad..0.0).contains(&below) {
            return PAD;
        }
        if is_beside && (0.0..thickness).contains(&below) {
            let is_shell = below < shell || below > thickness - shell;
            return if is_shell { SHELL } else { FOAM };
        }
        let [radius, apart] = CABLE;
        let cable = [low.x - apart, 0.5 * (low.z + high.z)];
        let is_cable = (place.x - cable[0]).hypot(place.z - cable[1]) < radius;
        if is_cable { COPPER } else { AIR }
    }
}

/// A number of a distribution that is close to the normal one: the sum of four uniform numbers.
fn normal(rng: &mut ChaCha8Rng) -> f32 {
    let sum: f32 = (0..4).map(|_| rng.random::<f32>() - 0.5).sum();
    sum * 3f32.sqrt()
}
