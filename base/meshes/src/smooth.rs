//! Smoothing of surfaces for drawing.
//!
//! Taubin 1995, "A signal processing approach to fair surface design": a step towards the mean of the neighbours, x ← x + λ Δx, then a
//! slightly larger step away from it, x ← x + μ Δx with μ < −λ. Waves shorter than a few edges vanish, and the surface does not shrink.

use std::collections::BTreeSet;

use nalgebra::Vector3;

use crate::TriangleMesh;

/// Factors λ and μ of the two steps of a round.
const STEPS: [f64; 2] = [0.5, -0.53];

impl TriangleMesh {
    /// The mesh with smoothed positions, after a number of rounds. Vertices without neighbours stay.
    #[must_use]
    pub fn smoothed(&self, n_rounds: usize) -> Self {
        let mut neighbours = vec![BTreeSet::new(); self.positions.len()];
        for &[a, b, c] in &self.triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                neighbours[from as usize].insert(to as usize);
                neighbours[to as usize].insert(from as usize);
            }
        }
        let mut positions: Vec<Vector3<f64>> = self.positions.iter().map(|&at| at.into()).collect();
        for _ in 0..n_rounds {
            for factor in STEPS {
                let moved = positions.iter().zip(&neighbours).map(|(at, near)| {
                    if near.is_empty() {
                        return *at;
                    }
                    let sum: Vector3<f64> = near.iter().map(|&other| positions[other]).sum();
                    at + (sum / near.len() as f64 - at) * factor
                });
                positions = moved.collect();
            }
        }
        Self {
            positions: positions.into_iter().map(Into::into).collect(),
            triangles: self.triangles.clone(),
        }
    }
}
