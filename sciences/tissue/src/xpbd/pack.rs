//! Packing of constraints into lanes, one constraint per lane.

use super::lane_layout::LaneLayout;

/// Lane without a constraint, or constraint without a lane.
pub(super) const NONE: u32 = u32::MAX;

/// The constraints of one row of lanes during packing.
#[derive(Debug)]
pub(super) struct Packer<'a, C> {
    all: &'a [C],
    ids: &'a [u32],
    inv_masses: &'a [f64],
    /// Points of the part; `None` for all points.
    points: Option<&'a [u32]>,
}

impl<'a, C> Packer<'a, C> {
    /// Packer of the constraints with these indices. Inverse masses [1/kg] are those that constraints use.
    pub(super) fn new(all: &'a [C], ids: &'a [u32], inv_masses: &'a [f64]) -> Self {
        Self {
            all,
            ids,
            inv_masses,
            points: None,
        }
    }

    /// One point of each constraint. Lanes without a constraint get the point after the last, which is fixed.
    pub(super) fn point<Y: LaneLayout>(&self, of: impl Fn(&C) -> u32) -> Y::Vertex {
        let n = self.points.map_or(self.inv_masses.len(), <[u32]>::len) as u32;
        let place = |point: u32| match self.points {
            None => point,
            Some(points) => points.partition_point(|other| *other < point) as u32,
        };
        let of = |id: &u32| self.all.get(*id as usize).map_or(n, |it| place(of(it)));
        Y::vertex(&self.ids.iter().map(of).collect::<Vec<_>>())
    }

    /// One number of each constraint; 0 in lanes without a constraint.
    pub(super) fn number<Y: LaneLayout>(&self, of: impl Fn(&C) -> f64) -> Y::Number {
        let of = |id: &u32| self.all.get(*id as usize).map_or(0.0, |it| of(it) as f32);
        Y::numbers(&self.ids.iter().map(of).collect::<Vec<_>>())
    }

    /// The inverse mass of a point of each constraint [1/kg].
    pub(super) fn inv_mass<Y: LaneLayout>(&self, of: impl Fn(&C) -> u32) -> Y::Number {
        self.number::<Y>(|constraint| self.inv_masses[of(constraint) as usize])
    }
}

/// Packing of the constraints of a world.
pub(super) struct Packing<'a> {
    /// Inverse masses of all points, as constraints use them [1/kg].
    pub(super) inv_masses: &'a [f64],
    /// Points of each part in ascending order; empty if there is one part.
    pub(super) part_points: &'a [Vec<u32>],
    /// Part of a constraint between some points.
    pub(super) part_of: &'a dyn Fn(&[u32]) -> usize,
}

impl<'a> Packing<'a> {
    /// Constraints that move at least one of their points, by colour and part in the order of the solution, padded to
    /// whole rows with [`NONE`].
    pub(super) fn orders<'p, Y: LaneLayout>(
        &self,
        colors: &[Vec<u32>],
        points: impl Fn(u32) -> &'p [u32],
    ) -> Vec<Vec<u32>> {
        let mut orders = vec![Vec::new(); self.part_points.len().max(1)];
        for same in colors {
            for id in same {
                let points = points(*id);
                let mut all = points.iter();
                if all.any(|point| self.inv_masses[*point as usize] > 0.0) {
                    orders[(self.part_of)(points)].push(*id);
                }
            }
            for order in &mut orders {
                order.resize(order.len().next_multiple_of(Y::WIDTH), NONE);
            }
        }
        orders
    }

    /// Packs a row of a part.
    pub(super) fn packer<C>(&self, all: &'a [C], ids: &'a [u32], part: usize) -> Packer<'a, C> {
        let points = self.part_points.get(part);
        Packer {
            points: points.map(Vec::as_slice),
            ..Packer::new(all, ids, self.inv_masses)
        }
    }
}

/// Index of each of `n` constraints in an order; [`NONE`] if it is not included.
pub(super) fn slots(order: &[u32], n: usize) -> Vec<u32> {
    let mut slots = vec![NONE; n];
    for (id, slot) in order.iter().zip(0..) {
        if *id != NONE {
            slots[*id as usize] = slot;
        }
    }
    slots
}

/// Packs items in order, row by row.
pub(super) fn rows<Y: LaneLayout, C, G>(
    all: &[C],
    inv_masses: &[f64],
    pack: impl Fn(&Packer<'_, C>) -> G,
) -> Vec<G> {
    let mut ids: Vec<u32> = (0..all.len() as u32).collect();
    ids.resize(ids.len().next_multiple_of(Y::WIDTH), NONE);
    let rows = ids.chunks(Y::WIDTH);
    rows.map(|ids| pack(&Packer::new(all, ids, inv_masses)))
        .collect()
}

/// A number for each of `n` points, padded with zeros to `n_rows` rows.
pub(super) fn per_point<Y: LaneLayout>(
    n_rows: usize,
    n: usize,
    of: impl Fn(usize) -> f64,
) -> Vec<Y::Number> {
    let of = |i: usize| if i < n { of(i) as f32 } else { 0.0 };
    let values: Vec<f32> = (0..n_rows * Y::WIDTH).map(of).collect();
    values.chunks(Y::WIDTH).map(Y::numbers).collect()
}
