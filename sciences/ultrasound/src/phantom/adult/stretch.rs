//! Materials on a short straight segment near boundaries.
//!
//! The depth below the skin and the thickness of the chest wall are taken as monotonic along the segment, so that the boundary of a layer lies
//! on it only if the ends are on either side of the boundary. Organs are known in closed form, the chest by its clearance.

use super::{Adult, MUSCLE_THICKNESS, index};
use crate::deformation::{Point, Vector};
use crate::phantom::{PointMaterial, SegmentMaterial};

/// Precision of boundaries [m], and largest number of steps.
const PRECISION: f32 = 1e-6;
const STEPS: usize = 5;

impl Adult {
    pub(super) fn close_stretch(&self, start: &Point, way: &Vector) -> SegmentMaterial {
        let depth = self.skin.depth(start);
        if depth < 0.0 {
            return SegmentMaterial::by_clearance(self.place_at_depth(start, depth).0, way.norm());
        }
        let depths = [depth, self.skin.depth(&(start + way))];
        let ends = self.layer_ends();
        let [_, _, fascia_end] = ends;
        let Some(layer) = ends.iter().position(|end| depth < *end) else {
            let below = depths.map(|depth| depth - fascia_end);
            return self.stretch_below(below, start, way);
        };
        let top = if layer == 0 { 0.0 } else { ends[layer - 1] };
        let level = [top, ends[layer]]
            .into_iter()
            .find(|level| (depths[1] < *level) != (depth < *level));
        let stretch = whole(index::SKIN + layer as u8);
        match level {
            Some(level) => {
                let above = |point: &Point| level - self.skin.depth(point);
                let ends = depths.map(|depth| level - depth);
                stretch.up_to_boundary(root(ends, start, way, above))
            }
            None => stretch,
        }
    }

    /// Below the fascia: muscle, chest, organs; `below` is the depth below the fascia at the start and the end of the segment [m].
    fn stretch_below(&self, below: [f32; 2], start: &Point, way: &Vector) -> SegmentMaterial {
        let length = way.norm();
        let end = start + way;
        let chest = match self.thorax.place(start, below[0]) {
            Ok(place) => return SegmentMaterial::by_clearance(place, length),
            Err(free) => match self.thorax.place(&end, below[1]) {
                // The segment is shorter than the sum of the clearances at its ends.
                Err(other) if free + other > length => 1.0,
                _ => free / length,
            },
        };
        let in_wall = |point: &Point, below: f32| self.thorax.wall(point, MUSCLE_THICKNESS) - below;
        let left = [in_wall(start, below[0]), in_wall(&end, below[1])];
        let is_muscle = left[0] > 0.0;
        let mut stretch = if is_muscle {
            whole(index::MUSCLE)
        } else {
            self.organs.stretch(start, way)
        };
        if is_muscle != (left[1] > 0.0) {
            let left_at = |point: &Point| in_wall(point, self.below_fascia(point));
            stretch = stretch.up_to_boundary(root(left, start, way, left_at));
        }
        if below[1] < 0.0 {
            let share = root(below, start, way, |point| self.below_fascia(point));
            stretch = stretch.up_to_boundary(share);
        }
        stretch.up_to(chest)
    }

    fn below_fascia(&self, point: &Point) -> f32 {
        let [_, _, fascia_end] = self.layer_ends();
        self.skin.depth(point) - fascia_end
    }
}

/// A stretch of one material over the whole segment.
fn whole(material: u8) -> SegmentMaterial {
    SegmentMaterial {
        place: PointMaterial {
            material,
            clearance: 0.0,
        },
        share: 1.0,
        is_boundary: false,
    }
}

/// Share of a segment at which a length crosses 0, by false position; the length has opposite signs at the ends.
fn root(ends: [f32; 2], start: &Point, way: &Vector, length: impl Fn(&Point) -> f32) -> f32 {
    let ([mut low, mut high], [mut before, mut behind]) = ([0.0, 1.0], ends);
    for _ in 0..STEPS {
        let share = low + before / (before - behind) * (high - low);
        let off = length(&(start + share * way));
        if off.abs() < PRECISION {
            return share;
        }
        if (off < 0.0) == (before < 0.0) {
            (low, before) = (share, off);
        } else {
            (high, behind) = (share, off);
        }
    }
    low + before / (before - behind) * (high - low)
}
