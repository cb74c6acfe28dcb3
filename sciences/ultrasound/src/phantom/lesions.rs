//! Lesions of an organ: balls at random places, well inside the organ.

use std::str::FromStr;

use insonate_settings::check_range;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{Insert, Phantom, Solid};
use crate::UltrasoundError;
use crate::deformation::{Point, Vector};
use crate::material::{Material, URINE};

/// Allowed radii of a lesion [m].
const RADII: [f64; 2] = [0.001, 0.04];
/// Default radius of a lesion [m].
const USUAL_RADIUS: f64 = 0.008;
/// Least distance between a lesion and the boundary of its organ or another lesion [m].
const MARGIN: f32 = 0.002;
/// Number of places that are tried.
const N_TRIES: usize = 20_000;
/// Level of solid lesions relative to the organ [dB].
const LEVEL: f32 = 6.0;

/// Kind of a lesion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LesionKind {
    /// Fluid without echoes.
    Cyst,
    /// 6 dB below the organ.
    Hypoechoic,
    /// 6 dB above it.
    Hyperechoic,
}

/// A lesion to be placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lesion {
    /// Kind.
    pub kind: LesionKind,
    /// Radius [m].
    pub radius: f64,
}

impl LesionKind {
    /// Name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cyst => "cyst",
            Self::Hypoechoic => "hypoechoic lesion",
            Self::Hyperechoic => "hyperechoic lesion",
        }
    }

    /// Material of the lesion in an organ: the organ's material with other echoes; fluid for a cyst.
    pub fn material(self, organ: &Material) -> Material {
        let (like, backscatter) = match self {
            Self::Cyst => (&URINE, f32::NEG_INFINITY),
            Self::Hypoechoic => (organ, organ.backscatter - LEVEL),
            Self::Hyperechoic => (organ, organ.backscatter + LEVEL),
        };
        Material {
            name: self.name(),
            backscatter,
            ..*like
        }
    }
}

/// Parses `cyst`, `hypo` or `hyper`, optionally followed by `:RADIUS` [m].
impl FromStr for Lesion {
    type Err = UltrasoundError;

    fn from_str(text: &str) -> Result<Self, UltrasoundError> {
        let (kind, radius) = text
            .split_once(':')
            .map_or((text, None), |(kind, radius)| (kind, Some(radius)));
        let wrong = || {
            let allowed = "cyst, hypo or hyper, and then perhaps :RADIUS in metres";
            UltrasoundError::setting("lesion", text, allowed)
        };
        let kind = match kind {
            "cyst" => LesionKind::Cyst,
            "hypo" => LesionKind::Hypoechoic,
            "hyper" => LesionKind::Hyperechoic,
            _ => return Err(wrong()),
        };
        let radius = radius.map(str::parse).transpose().map_err(|_| wrong())?;
        let radius = radius.unwrap_or(USUAL_RADIUS);
        check_range("radius of a lesion", radius, RADII, "m")?;
        Ok(Self { kind, radius })
    }
}

/// Finds places for lesions in an organ, given by a material's name, between two corners [m].
///
/// The same phantom and seed give the same places.
///
/// # Errors
/// [`UltrasoundError::Setting`]: the phantom has no such organ, a radius is out of range, or there is no room.
pub fn place_lesions(
    lesions: &[Lesion],
    phantom: &dyn Phantom,
    organ: &str,
    [low, high]: [Point; 2],
    seed: u64,
) -> Result<Vec<Insert>, UltrasoundError> {
    let materials = phantom.materials();
    let Some(material) = materials.iter().position(|material| material.name == organ) else {
        let names: Vec<&str> = materials.iter().map(|material| material.name).collect();
        let allowed = format!("one of {}", names.join(", "));
        return Err(UltrasoundError::setting("organ of lesions", organ, allowed));
    };
    let host = LesionHost {
        phantom,
        material: material as u8,
        low,
        high,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut placed: Vec<(Point, f32)> = Vec::new();
    for Lesion { kind, radius } in lesions {
        check_range("radius of a lesion", *radius, RADII, "m")?;
        let center = host
            .room(*radius as f32, &placed, &mut rng)
            .ok_or_else(|| {
                let allowed = format!(
                    "smaller: no room for a {} was found in {organ}",
                    kind.name()
                );
                UltrasoundError::setting("radius of a lesion", radius, allowed)
            })?;
        placed.push((center, *radius as f32));
    }
    let inserts = lesions
        .iter()
        .zip(placed)
        .map(|(lesion, (center, radius))| Insert {
            solid: Solid::Ball { center, radius },
            material: lesion.kind.material(&materials[material]),
        });
    Ok(inserts.collect())
}

/// Phantom and organ in which lesions are placed.
struct LesionHost<'a> {
    phantom: &'a dyn Phantom,
    material: u8,
    low: Point,
    high: Point,
}

impl LesionHost<'_> {
    /// A place with room for a ball.
    fn room(&self, radius: f32, placed: &[(Point, f32)], rng: &mut ChaCha8Rng) -> Option<Point> {
        let size = self.high - self.low;
        (0..N_TRIES).find_map(|_| {
            let share = Vector::from_fn(|_, _| rng.random_range(0.0..1.0f32));
            let center = self.low + size.component_mul(&share);
            let apart = |(other, other_radius): &(Point, f32)| {
                (other - center).norm() > radius + other_radius + MARGIN
            };
            (self.holds(&center, radius + MARGIN) && placed.iter().all(apart)).then_some(center)
        })
    }

    /// Whether sampled points of a ball all lie in the organ.
    fn holds(&self, center: &Point, radius: f32) -> bool {
        const N: i32 = 5;
        let is_own = |point: &Point| self.phantom.place(point).material == self.material;
        let side = || (-N..=N).map(|n| radius * n as f32 / N as f32);
        let offsets = side()
            .flat_map(|x| side().flat_map(move |y| side().map(move |z| Vector::new(x, y, z))));
        is_own(center)
            && offsets
                .filter(|offset| offset.norm() <= radius)
                .all(|offset| is_own(&(center + offset)))
    }
}
