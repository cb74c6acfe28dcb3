//! Self-intersection of a surface.

use nalgebra::Vector3;

use crate::closest_point::Facet;
use crate::{MeshFault, SurfaceTree};

impl SurfaceTree {
    /// Fails if an edge of a triangle passes through another triangle; contact without crossing is allowed.
    ///
    /// # Errors
    /// [`MeshFault::Crossing`] with the pair of triangles whose indices are smallest.
    pub fn check_crossing(&self) -> Result<(), MeshFault> {
        let mut worst: Option<[u32; 2]> = None;
        for facet in &self.facets {
            self.for_each_box_near(facet, |other| {
                let pair = [facet.index.min(other.index), facet.index.max(other.index)];
                if facet.index != other.index
                    && worst.is_none_or(|worst| pair < worst)
                    && passes_through(facet, other)
                {
                    worst = Some(pair);
                }
            });
        }
        match worst {
            None => Ok(()),
            Some(pair) => Err(MeshFault::Crossing {
                triangles: pair.map(|index| index as usize),
            }),
        }
    }

    /// Whether an edge of either surface passes through the other. The surfaces must have no vertices in common.
    pub(crate) fn cuts(&self, other: &Self) -> bool {
        self.passes_through(other) || other.passes_through(self)
    }

    /// Whether an edge of this surface passes through another surface.
    fn passes_through(&self, other: &Self) -> bool {
        self.facets.iter().any(|facet| {
            let mut cuts = false;
            other.for_each_box_near(facet, |near| {
                cuts = cuts
                    || (0..3).any(|edge| {
                        let [from, to] = [edge, (edge + 1) % 3].map(|end| facet.corners[end]);
                        segment_cuts(from, to, &near.corners)
                    });
            });
            cuts
        })
    }

    /// Calls a function for each facet in the leaves whose box overlaps the box of `facet`.
    fn for_each_box_near<'a>(&'a self, facet: &Facet, mut call: impl FnMut(&'a Facet)) {
        let [a, b, c] = facet.corners;
        let (low, high) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
        let mut stack = [0_u32; 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let own = stack[depth];
            let node = &self.nodes[own as usize];
            let apart = (0..3).any(|i| node.high[i] < low[i] || high[i] < node.low[i]);
            if apart {
                continue;
            }
            if node.n_facets == 0 {
                stack[depth] = own + 1;
                stack[depth + 1] = node.next;
                depth += 2;
                continue;
            }
            for other in &self.facets[node.next as usize..(node.next + node.n_facets) as usize] {
                call(other);
            }
        }
    }
}

/// Whether an edge of the first facet passes through the second; edges that share a vertex with the second are skipped.
fn passes_through(first: &Facet, second: &Facet) -> bool {
    (0..3).any(|edge| {
        let ends = [edge, (edge + 1) % 3];
        let is_shared = |end: usize| second.indices.contains(&first.indices[end]);
        let [from, to] = ends.map(|end| first.corners[end]);
        !ends.into_iter().any(is_shared) && segment_cuts(from, to, &second.corners)
    })
}

/// Whether a segment passes through a triangle or its edges (Ericson 2005, 5.3.4, by signed volumes).
fn segment_cuts(from: Vector3<f64>, to: Vector3<f64>, [a, b, c]: &[Vector3<f64>; 3]) -> bool {
    let normal = (b - a).cross(&(c - a));
    let (before, after) = (normal.dot(&(from - a)), normal.dot(&(to - a)));
    let along = to - from;
    // A segment with an end in the plane, up to rounding, does not pass through it.
    let least = 1e-9 * normal.norm() * along.norm();
    if before * after >= 0.0 || before.abs().min(after.abs()) < least {
        return false;
    }
    let volume = |p: &Vector3<f64>, q: &Vector3<f64>| along.dot(&(p - from).cross(&(q - from)));
    let volumes = [volume(a, b), volume(b, c), volume(c, a)];
    volumes.iter().all(|&v| v >= 0.0) || volumes.iter().all(|&v| v <= 0.0)
}
