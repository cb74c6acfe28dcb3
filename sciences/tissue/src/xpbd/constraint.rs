//! Common parts of all constraints: list, packing into lanes, and solution one after another.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::OnceLock;

use super::color::color;
use super::correction::Points;
use super::lane_layout::LaneLayout;
use super::pack::{self, Packer, Packing};
use crate::lanes::{self, Kernel, Lanes, Row};

/// A constraint: its points and parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<const N: usize, const P: usize> {
    pub(super) points: [u32; N],
    pub(super) parameters: [f64; P],
}

/// A constraint in each lane.
#[derive(Debug)]
pub(super) struct Group<Y: LaneLayout, const N: usize, const P: usize> {
    pub(super) points: [Y::Vertex; N],
    pub(super) inv_masses: [Y::Number; N],
    pub(super) parameters: [Y::Number; P],
}

/// A kind of constraint between N points, with P parameters.
pub(super) trait Constraint<const N: usize, const P: usize>:
    Debug + Send + Sync + 'static
{
    /// Number of Lagrange multipliers λ.
    const N_MULTIPLIERS: usize;

    /// Number of rows of corrections that the GPU kernel writes: one per point, or one for both of two points if the
    /// second takes the negative.
    #[cfg(feature = "gpu")]
    const N_CORRECTIONS: usize;

    /// Corrects the positions of the points once: Δλ, then Δx = M⁻¹ ∇C Δλ.
    ///
    /// Implementations must be `#[inline(always)]`. `alive` is 1 for an intact constraint and 0 for a torn one; `None`
    /// if all are intact. `multipliers` are λ from earlier corrections in this substep; empty if there is only one
    /// correction.
    fn solve<Y: LaneLayout, L: Lanes>(
        l: L,
        group: &Group<Y, N, P>,
        points: &mut Points<'_, Y>,
        alive: Option<&Row>,
        multipliers: &mut [Row],
    );
}

/// All constraints of one kind.
#[derive(Debug, Clone, Default)]
pub(super) struct ConstraintList<C, const N: usize, const P: usize> {
    items: Vec<Item<N, P>>,
    /// Tetrahedra of all constraints, and the end of each constraint's range.
    tets: Vec<u32>,
    ends: Vec<usize>,
    /// Constraints by colour, or in one group without colouring; computed at the first packing.
    colors: OnceLock<Vec<Vec<u32>>>,
    kind: PhantomData<C>,
}

impl<C: Constraint<N, P>, const N: usize, const P: usize> ConstraintList<C, N, P> {
    /// Adds a constraint. It is torn when all of `tets` are torn, or never if `tets` is empty.
    pub(super) fn push(&mut self, item: Item<N, P>, tets: &[u32]) {
        self.items.push(item);
        self.colors = OnceLock::new();
        self.tets.extend(tets);
        self.ends.push(self.tets.len());
    }

    /// Packs the constraints that move at least one point, part by part in the order of the solution.
    pub(super) fn pack<Y: LaneLayout>(
        &self,
        by_color: bool,
        packing: &Packing<'_>,
    ) -> Box<dyn ConstraintSet<Y>> {
        let colors = self.colors.get_or_init(|| {
            let points = self.items.iter().map(|item| item.points.as_slice());
            if by_color {
                color(points, packing.inv_masses.len())
            } else {
                vec![(0..points.len() as u32).collect()]
            }
        });
        let orders = packing.orders::<Y>(colors, |id| &self.items[id as usize].points);
        let mut groups = Vec::new();
        let mut ends = Vec::new();
        for (part, order) in orders.iter().enumerate() {
            let rows = order.chunks(Y::WIDTH);
            groups.extend(rows.map(|ids| Group::pack(&packing.packer(&self.items, ids, part))));
            ends.push(groups.len());
        }
        Box::new(PackedSet::<Y, C, N, P> {
            slots: pack::slots(&orders.concat(), self.items.len()),
            groups,
            ends,
            kind: PhantomData,
        })
    }
}

impl<Y: LaneLayout, const N: usize, const P: usize> Group<Y, N, P> {
    fn pack(packer: &Packer<'_, Item<N, P>>) -> Self {
        Self {
            points: std::array::from_fn(|i| packer.point::<Y>(|item| item.points[i])),
            inv_masses: std::array::from_fn(|i| packer.inv_mass::<Y>(|item| item.points[i])),
            parameters: std::array::from_fn(|i| packer.number::<Y>(|item| item.parameters[i])),
        }
    }
}

/// A list of constraints of any kind.
pub(crate) trait AnyConstraintList {
    /// Number of constraints.
    fn len(&self) -> usize;

    /// Points of a constraint.
    fn points(&self, constraint: usize) -> &[u32];

    /// Tetrahedra of a constraint. It is torn when all of them are torn, or never if there are
    /// none.
    fn tets(&self, constraint: usize) -> &[u32];

    /// See [`Constraint::N_CORRECTIONS`].
    #[cfg(feature = "gpu")]
    fn n_corrections(&self) -> usize;

    /// Number of points of each constraint.
    #[cfg(feature = "gpu")]
    fn points_each(&self) -> usize;

    /// Parameters of a constraint.
    #[cfg(feature = "gpu")]
    fn parameters(&self, constraint: usize) -> &[f64];
}

impl<C: Constraint<N, P>, const N: usize, const P: usize> AnyConstraintList
    for ConstraintList<C, N, P>
{
    fn len(&self) -> usize {
        self.items.len()
    }

    fn points(&self, constraint: usize) -> &[u32] {
        &self.items[constraint].points
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
    fn points_each(&self) -> usize {
        N
    }

    #[cfg(feature = "gpu")]
    fn parameters(&self, constraint: usize) -> &[f64] {
        &self.items[constraint].parameters
    }
}

/// Constraints of one kind, packed for the lanes.
pub(super) trait ConstraintSet<Y: LaneLayout>: Debug + Send + Sync {
    /// Number of rows of lanes.
    fn n_rows(&self) -> usize;

    /// Rows of a part.
    fn rows(&self, part: usize) -> Range<usize>;

    /// Number of Lagrange multipliers of each row.
    fn n_multipliers(&self) -> usize;

    /// Index of a constraint among the lanes of all rows; `None` if it moves no point.
    fn slot(&self, constraint: usize) -> Option<usize>;

    /// Corrects positions once by each constraint of a part; see [`Constraint::solve`]. `alive` covers all rows, or is
    /// empty; `multipliers` covers the part.
    fn solve(&self, part: usize, points: Points<'_, Y>, alive: &[Row], multipliers: &mut [Row]);
}

#[derive(Debug)]
struct PackedSet<Y: LaneLayout, C, const N: usize, const P: usize> {
    groups: Vec<Group<Y, N, P>>,
    /// End of each part's rows.
    ends: Vec<usize>,
    slots: Vec<u32>,
    kind: PhantomData<C>,
}

impl<Y: LaneLayout, C: Constraint<N, P>, const N: usize, const P: usize> ConstraintSet<Y>
    for PackedSet<Y, C, N, P>
{
    fn n_rows(&self) -> usize {
        self.groups.len()
    }

    fn rows(&self, part: usize) -> Range<usize> {
        let start = part.checked_sub(1).map_or(0, |last| self.ends[last]);
        start..self.ends[part]
    }

    fn n_multipliers(&self) -> usize {
        C::N_MULTIPLIERS
    }

    fn slot(&self, constraint: usize) -> Option<usize> {
        let slot = self.slots[constraint];
        (slot != pack::NONE).then_some(slot as usize)
    }

    fn solve(&self, part: usize, points: Points<'_, Y>, alive: &[Row], multipliers: &mut [Row]) {
        let rows = self.rows(part);
        if !rows.is_empty() {
            lanes::run(SolveSet::<'_, Y, C, N, P> {
                groups: &self.groups[rows.clone()],
                kind: PhantomData,
                points,
                alive: alive.get(rows).unwrap_or_default(),
                multipliers,
            });
        }
    }
}

struct SolveSet<'a, Y: LaneLayout, C, const N: usize, const P: usize> {
    groups: &'a [Group<Y, N, P>],
    kind: PhantomData<C>,
    points: Points<'a, Y>,
    alive: &'a [Row],
    multipliers: &'a mut [Row],
}

impl<Y: LaneLayout, C: Constraint<N, P>, const N: usize, const P: usize> Kernel
    for SolveSet<'_, Y, C, N, P>
{
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
