//! Path of a ray: the materials and boundaries along it.

use super::front::Front;

/// Boundaries of neighbouring rays within this distance are taken as the same [m].
const SAME: f32 = 2e-3;

/// A boundary where a ray passes from one material into another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub(crate) range: f32,
    /// Material behind the boundary.
    pub(crate) material: u8,
    /// Cosine of the angle of incidence; `None` if the echo is too faint to be visible.
    pub(crate) cosine: Option<f32>,
    /// The front behind the boundary.
    pub(crate) passed: TransmittedFront,
}

/// A front behind a boundary. The default is a front without amplitude.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TransmittedFront {
    pub(crate) front: Front,
    /// Range at which the front is dropped [m].
    pub(crate) bottom: f32,
    /// Reflected share of the pressure.
    pub(crate) strength: f32,
}

/// Materials along a ray.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    /// Material at the face.
    pub(crate) first: u8,
    /// Range at which a front is dropped if it meets no boundary [m].
    pub(crate) bottom: f32,
    pub(crate) crossings: Vec<Crossing>,
}

impl Path {
    /// Cosine of incidence at a boundary between two materials near a range, if it exists and is known.
    pub(crate) fn cosine(&self, [from, to]: [u8; 2], range: f32) -> Option<f32> {
        let mut before = self.first;
        self.crossings.iter().find_map(|crossing| {
            let is_it =
                before == from && crossing.material == to && (crossing.range - range).abs() < SAME;
            before = crossing.material;
            crossing.cosine.filter(|_| is_it)
        })
    }
}

/// Prediction of a ray from the rays on its two sides, followed along the range.
pub(crate) struct RayPrediction<'a> {
    sides: [Side<'a>; 2],
    /// Share of the distance from one side to the other.
    share: f32,
}

struct Side<'a> {
    material: u8,
    ahead: &'a [Crossing],
}

/// What two rays predict for a ray between them.
pub(crate) enum NextBoundary {
    /// One material up to a range.
    NoneUntil(f32),
    /// A boundary that both meet.
    Crossing(Crossing),
    /// Unknown, as the sides differ.
    Unknown,
}

impl<'a> RayPrediction<'a> {
    pub(crate) fn new(sides: [&'a Path; 2], share: f32) -> Self {
        let side = |path: &'a Path| Side {
            material: path.first,
            ahead: &path.crossings,
        };
        Self {
            sides: sides.map(side),
            share,
        }
    }

    /// Prediction beyond a range in a material.
    pub(crate) fn ahead(&mut self, range: f32, material: u8) -> NextBoundary {
        for side in &mut self.sides {
            while let Some((next, others)) = side.ahead.split_first()
                && next.range <= range
            {
                (side.material, side.ahead) = (next.material, others);
            }
            if side.material != material {
                return NextBoundary::Unknown;
            }
        }
        let [before, after] = [0, 1].map(|side| self.sides[side].ahead.first());
        if let (Some(before), Some(after)) = (before, after) {
            let mix = |before: f32, after: f32| before + self.share * (after - before);
            if before.material == after.material && (before.range - after.range).abs() < SAME {
                let crossing = Crossing {
                    range: mix(before.range, after.range),
                    material: before.material,
                    cosine: before.cosine.zip(after.cosine).map(|(b, a)| mix(b, a)),
                    passed: TransmittedFront::default(),
                };
                for side in &mut self.sides {
                    side.material = crossing.material;
                    side.ahead = &side.ahead[1..];
                }
                return NextBoundary::Crossing(crossing);
            }
        }
        let end = |next: Option<&Crossing>| next.map_or(f32::INFINITY, |next| next.range);
        NextBoundary::NoneUntil(end(before).min(end(after)))
    }
}
