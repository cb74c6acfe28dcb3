//! The stable neo-Hookean law of a patch of tetrahedra, by their mean deformation gradient:
//!
//! $$ \bar F = \frac{1}{V} \sum_e V_e F_e = \sum_i (x_i - x_0) g_i^T, \quad g_i = \frac{1}{V} \sum_e V_e \nabla N_i^e, $$
//!
//! solved as in [`NeoHookean`](super::NeoHookean), with C_H and C_D of this F. Means over patches that do not overlap
//! prevent locking of the tetrahedra (de Souza Neto et al. 2005, doi:10.1002/nme.1187, there for det F alone). A patch
//! does not resist deformations with zero mean, so a share of the energy stays with the tetrahedra.

#![expect(
    clippy::inline_always,
    clippy::needless_range_loop,
    reason = "kernels must be inlined into the function with the target features; calls by iterators are not"
)]

use nalgebra::{Matrix3, Vector3};

use super::elastic_system::{ElasticSystem, frobenius_norm};
use crate::Material;
use crate::lanes::{Lanes, Row};
use crate::xpbd::constraint::{Constraint, Group, Item};
use crate::xpbd::correction::Points;
use crate::xpbd::deformation::times;
use crate::xpbd::lane_layout::LaneLayout;
use crate::xpbd::patch::{self, MAX_POINTS};
use crate::xpbd::tet::{BodyTets, Tet};
use crate::xpbd::vector;

/// Number of entries of the gradients g of all points except the first: three each.
const N_GRADIENTS: usize = 3 * (MAX_POINTS - 1);

/// A patch. Parameters: the gradients g of its points except the first [1/m], the J at which C_H is 0, λ V and μ V [J].
/// A patch with fewer points repeats its first one with zero gradients; the last copy receives the correction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Patch;

impl Patch {
    /// Constraint of some tetrahedra of one material, given by their indices in the body, with a share of their energy.
    /// Also returns the greatest norm of a gradient.
    pub(crate) fn of(body: &BodyTets<'_>, tets: &[usize], share: f64) -> (Item<8, 24>, f64) {
        let volume: f64 = tets.iter().map(|tet| body.tets[*tet].volume).sum();
        let points: Vec<u32> = patch::points(body, tets).into_iter().collect();
        let mut gradients = vec![Vector3::zeros(); points.len()];
        for tet in tets.iter().map(|tet| &body.tets[*tet]) {
            for (vertex, gradient) in tet.vertices.iter().zip(shape_gradients(tet)) {
                if let Ok(i) = points.binary_search(vertex) {
                    gradients[i] += gradient * (tet.volume / volume);
                }
            }
        }
        let steepest = gradients.iter().map(Vector3::norm).fold(0.0, f64::max);
        let material = tets
            .first()
            .map_or(body.material, |tet| body.material(*tet));
        (
            item(material, &points, &gradients, share * volume),
            steepest,
        )
    }
}

/// ∇N of the vertices of a tetrahedron [1/m].
fn shape_gradients(tet: &Tet) -> [Vector3<f64>; 4] {
    let inverse = Matrix3::from_row_slice(&tet.inverse_rest);
    let [a, b, c] = [0, 1, 2].map(|k| inverse.row(k).transpose());
    [-(a + b + c), a, b, c]
}

fn item(
    material: &Material,
    points: &[u32],
    gradients: &[Vector3<f64>],
    volume: f64,
) -> Item<8, 24> {
    let (mu, lambda) = (material.lame_mu(), material.lame_lambda());
    // Stores to a lane follow one another: the correction of the first point is written last, after those of its
    // copies.
    let n_copies = MAX_POINTS - points.len();
    let mut item = Item {
        points: [points[0]; MAX_POINTS],
        parameters: [0.0; N_GRADIENTS + 3],
    };
    item.points[n_copies..].copy_from_slice(points);
    for (k, gradient) in gradients.iter().enumerate() {
        let i = n_copies + k;
        if i > 0 {
            item.parameters[3 * (i - 1)..3 * i].copy_from_slice(gradient.as_slice());
        }
    }
    let rest_j = 1.0 + mu / (lambda + mu);
    item.parameters[N_GRADIENTS..].copy_from_slice(&[rest_j, (lambda + mu) * volume, mu * volume]);
    item
}

impl Constraint<8, 24> for Patch {
    const N_MULTIPLIERS: usize = 2;

    #[cfg(feature = "gpu")]
    const N_CORRECTIONS: usize = 8;

    #[inline(always)]
    fn solve<Y: LaneLayout, L: Lanes>(
        l: L,
        group: &Group<Y, 8, 24>,
        points: &mut Points<'_, Y>,
        alive: Option<&Row>,
        multipliers: &mut [Row],
    ) {
        let parameter = |k: usize| Y::number(l, &group.parameters[k]);
        let dt_squared = l.splat(points.dt * points.dt);
        let zero = l.splat(0.0);
        let none = vector::splat(l, [0.0; 3]);

        // F by columns.
        let mut x = [none; MAX_POINTS];
        for i in 0..MAX_POINTS {
            x[i] = Y::load(l, points.positions, &group.points[i]);
        }
        let mut f = [none; 3];
        for i in 1..MAX_POINTS {
            let p = vector::sub(l, x[i], x[0]);
            for (axis, column) in f.iter_mut().enumerate() {
                *column = vector::mul_add(l, p, parameter(3 * (i - 1) + axis), *column);
            }
        }
        let cofactors = [
            vector::cross(l, f[1], f[2]),
            vector::cross(l, f[2], f[0]),
            vector::cross(l, f[0], f[1]),
        ];
        let constraint_h = l.sub(vector::dot(l, f[0], cofactors[0]), parameter(N_GRADIENTS));
        let constraint_d = frobenius_norm(l, &f);
        let inverse = l.div(l.splat(1.0), constraint_d);
        let direction = [
            vector::scale(l, f[0], inverse),
            vector::scale(l, f[1], inverse),
            vector::scale(l, f[2], inverse),
        ];

        // ∇C_H = cof F g, ∇C_D = F g / C_D, and A = ∇C M⁻¹ ∇Cᵀ. The first point takes the remainder and comes last.
        let gradient = |i: usize| {
            let k = 3 * (i - 1);
            [parameter(k), parameter(k + 1), parameter(k + 2)]
        };
        let mut first = none;
        let (mut a_hh, mut a_dd, mut a_hd) = (zero, zero, zero);
        for i in 1..=MAX_POINTS {
            let mut g = first;
            if i < MAX_POINTS {
                g = gradient(i);
                first = vector::sub(l, first, g);
            }
            let w = Y::number(l, &group.inv_masses[i % MAX_POINTS]);
            let (h, d) = (times(l, &cofactors, g), times(l, &direction, g));
            a_hh = l.mul_add(w, vector::dot(l, h, h), a_hh);
            a_dd = l.mul_add(w, vector::dot(l, d, d), a_dd);
            a_hd = l.mul_add(w, vector::dot(l, h, d), a_hd);
        }

        // The patch has this number of shares of the masses in A.
        let split = l.splat(1.0 / points.patch_weight);
        let system = ElasticSystem::<L> {
            stiffness: [
                l.mul(parameter(N_GRADIENTS + 1), dt_squared),
                l.mul(parameter(N_GRADIENTS + 2), dt_squared),
            ],
            constraint: [constraint_h, constraint_d],
            a_hh: l.mul(a_hh, split),
            a_dd: l.mul(a_dd, split),
            a_hd: l.mul(a_hd, split),
        };
        let [delta_lambda_h, delta_lambda_d] = system.solve(l, alive, multipliers);

        // Δx = M⁻¹ ∇C Δλ.
        let mut along = direction;
        for (along, column) in along.iter_mut().zip(cofactors) {
            let by_d = vector::scale(l, *along, delta_lambda_d);
            *along = vector::mul_add(l, column, delta_lambda_h, by_d);
        }
        for i in 0..MAX_POINTS {
            let g = if i == 0 { first } else { gradient(i) };
            let w = Y::number(l, &group.inv_masses[i]);
            let correction = times(l, &along, g);
            points.correct(l, &group.points[i], x[i], correction, w);
        }
    }
}
