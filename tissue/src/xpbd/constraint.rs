//! What all constraints share: how they are listed, packed side by side, and solved one after another.

#![expect(
    clippy::inline_always,
    reason = "kernels must be part of the function that has the processor's features"
)]

use std::fmt::Debug;

use super::correction::Points;
use super::lane_layout::LaneLayout;
use super::pack::{self, Packer};
use crate::lanes::{self, Kernel, Lanes, Row};

/// A constraint of one kind, as a body or an attachment makes it.
pub(super) trait Constraint: Copy + Debug + Send + Sync + 'static {
    /// A constraint for each lane, as [`solve`](Self::solve) reads it.
    type Group<Y: LaneLayout>: Debug + Send + Sync;

    /// Number of Lagrange multipliers λ.
    const N_MULTIPLIERS: usize;

    /// Points that it moves.
    fn points(&self) -> &[u32];

    /// Rows of corrections that its kernel on the GPU writes: one for each point, or one for both of two points, of which the second
    /// takes the negative.
    #[cfg(feature = "gpu")]
    const N_CORRECTIONS: usize;

    /// Its parameters in the order of the structure that its kernel on the GPU reads.
    #[cfg(feature = "gpu")]
    fn parameters(&self) -> Vec<f64>;

    /// Packs one constraint for each lane.
    fn pack<Y: LaneLayout>(packer: &Packer<'_, Self>) -> Self::Group<Y>;

    /// Corrects the positions of the points once: Δλ, then Δx = M⁻¹ ∇C Δλ.
    ///
    /// To be marked `#[inline(always)]`. `alive` is 1 where the constraint is there and 0 where it is torn, none: all are there.
    /// `multipliers` are those of earlier corrections in this substep, empty: this is the only one.
    fn solve<Y: LaneLayout, L: Lanes>(
        l: L,
        group: &Self::Group<Y>,
        points: &mut Points<'_>,
        alive: Option<&Row>,
        multipliers: &mut [Row],
    );
}

/// All constraints of one kind.
#[derive(Debug, Clone)]
pub(super) struct ConstraintList<C> {
    all: Vec<C>,
    /// Tetrahedra of all constraints, and where those of each end.
    tets: Vec<u32>,
    ends: Vec<usize>,
}

impl<C> Default for ConstraintList<C> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            tets: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<C: Constraint> ConstraintList<C> {
    /// Adds a constraint that is torn with the last of some tetrahedra; without any it is never torn.
    pub(super) fn push(&mut self, constraint: C, tets: &[u32]) {
        self.all.push(constraint);
        self.tets.extend(tets);
        self.ends.push(self.tets.len());
    }

    /// Packs the constraints in the order in which they are solved.
    pub(super) fn pack<Y: LaneLayout>(
        &self,
        by_color: bool,
        inv_masses: &[f64],
    ) -> Box<dyn ConstraintSet<Y>> {
        let points = self.all.iter().map(C::points);
        let order = pack::order::<Y>(points, by_color, inv_masses.len());
        Box::new(PackedSet::<Y, C> {
            slots: pack::slots(&order, self.all.len()),
            groups: order
                .chunks(Y::WIDTH)
                .map(|ids| C::pack(&Packer::new(&self.all, ids, inv_masses)))
                .collect(),
        })
    }
}

/// A list of constraints, whatever their kind.
pub(crate) trait AnyConstraintList {
    /// Number of constraints.
    fn len(&self) -> usize;

    /// Points of a constraint.
    fn points(&self, constraint: usize) -> &[u32];

    /// Tetrahedra with the last of which a constraint is torn; empty: it is never torn.
    fn tets(&self, constraint: usize) -> &[u32];

    /// See [`Constraint::N_CORRECTIONS`].
    #[cfg(feature = "gpu")]
    fn n_corrections(&self) -> usize;

    /// See [`Constraint::parameters`].
    #[cfg(feature = "gpu")]
    fn parameters(&self, constraint: usize) -> Vec<f64>;
}

impl<C: Constraint> AnyConstraintList for ConstraintList<C> {
    fn len(&self) -> usize {
        self.all.len()
    }

    fn points(&self, constraint: usize) -> &[u32] {
        self.all[constraint].points()
    }

    fn tets(&self, constraint: usize) -> &[u32] {
        let start = constraint.checked_sub(1).map_or(0, |last| self.ends[last]);
        &self.tets[start..self.ends[constraint]]
    }

    #[cfg(feature = "gpu")]
    fn n_corrections(&self) -> usize {
        C::N_CORRECTIONS
    }

    #[cfg(feature = "gpu")]
    fn parameters(&self, constraint: usize) -> Vec<f64> {
        self.all[constraint].parameters()
    }
}

/// Constraints of one kind, packed for the lanes.
pub(super) trait ConstraintSet<Y>: Debug + Send + Sync {
    /// Number of rows of lanes.
    fn n_rows(&self) -> usize;

    /// Number of Lagrange multipliers of each row.
    fn n_multipliers(&self) -> usize;

    /// Where a constraint stands among the lanes of all rows.
    fn slot(&self, constraint: usize) -> usize;

    /// Corrects positions once by each constraint; see [`Constraint::solve`].
    fn solve(&self, points: Points<'_>, alive: &[Row], multipliers: &mut [Row]);
}

#[derive(Debug)]
struct PackedSet<Y: LaneLayout, C: Constraint> {
    groups: Vec<C::Group<Y>>,
    slots: Vec<u32>,
}

impl<Y: LaneLayout, C: Constraint> ConstraintSet<Y> for PackedSet<Y, C> {
    fn n_rows(&self) -> usize {
        self.groups.len()
    }

    fn n_multipliers(&self) -> usize {
        C::N_MULTIPLIERS
    }

    fn slot(&self, constraint: usize) -> usize {
        self.slots[constraint] as usize
    }

    fn solve(&self, points: Points<'_>, alive: &[Row], multipliers: &mut [Row]) {
        if !self.groups.is_empty() {
            lanes::run(SolveSet::<Y, C> {
                groups: &self.groups,
                points,
                alive,
                multipliers,
            });
        }
    }
}

struct SolveSet<'a, Y: LaneLayout, C: Constraint> {
    groups: &'a [C::Group<Y>],
    points: Points<'a>,
    alive: &'a [Row],
    multipliers: &'a mut [Row],
}

impl<Y: LaneLayout, C: Constraint> Kernel for SolveSet<'_, Y, C> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self, l: L) {
        for (index, group) in self.groups.iter().enumerate() {
            let first = index * C::N_MULTIPLIERS;
            let multipliers = match self.multipliers.get_mut(first..first + C::N_MULTIPLIERS) {
                Some(rows) => rows,
                None => &mut [],
            };
            let alive = self.alive.get(index);
            C::solve::<Y, L>(l, group, &mut self.points, alive, multipliers);
        }
    }
}
