//! What a ray meets on its way.

use super::front::Front;

/// Boundaries of rays beside each other that lie so near to each other are the same [m].
const SAME: f32 = 2e-3;

/// Where a ray passes from one material into another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub(crate) range: f32,
    /// Material behind.
    pub(crate) material: u8,
    /// Cosine of the angle at which the boundary is met; `None` where its echo is too faint to be seen.
    pub(crate) cosine: Option<f32>,
    /// What comes of a front there.
    pub(crate) passed: Passed,
}

/// A front behind a boundary; before anything has passed there is nothing left.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    pub(crate) front: Front,
    /// Range at which nothing is left of it [m].
    pub(crate) bottom: f32,
    /// Share of the pressure that comes back.
    pub(crate) strength: f32,
}

/// Materials along a ray.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    /// At the face.
    pub(crate) first: u8,
    /// Range at which nothing would be left of a front that met no boundary [m].
    pub(crate) bottom: f32,
    pub(crate) crossings: Vec<Crossing>,
}

impl Path {
    /// Cosine at a boundary between two materials near a range, if there is one and it is known.
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

/// What the rays on either side say about one between them, as it goes on.
pub(crate) struct Between<'a> {
    sides: [Side<'a>; 2],
    /// Of the way from one side to the other.
    share: f32,
}

struct Side<'a> {
    material: u8,
    ahead: &'a [Crossing],
}

/// What lies ahead between two rays.
pub(crate) enum Ahead {
    /// One material up to a range.
    Same(f32),
    /// A boundary that both meet.
    Crossing(Crossing),
    /// The sides differ.
    Unknown,
}

impl<'a> Between<'a> {
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

    /// What lies ahead of a range in a material.
    pub(crate) fn ahead(&mut self, range: f32, material: u8) -> Ahead {
        for side in &mut self.sides {
            while let Some((next, others)) = side.ahead.split_first()
                && next.range <= range
            {
                (side.material, side.ahead) = (next.material, others);
            }
            if side.material != material {
                return Ahead::Unknown;
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
                    passed: Passed::default(),
                };
                for side in &mut self.sides {
                    side.material = crossing.material;
                    side.ahead = &side.ahead[1..];
                }
                return Ahead::Crossing(crossing);
            }
        }
        let end = |next: Option<&Crossing>| next.map_or(f32::INFINITY, |next| next.range);
        Ahead::Same(end(before).min(end(after)))
    }
}
