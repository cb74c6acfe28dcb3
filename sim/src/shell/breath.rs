//! The breathing of a compiled shell: the node that drives it, and the displacement of each point.
//!
//! The rest position of point $i$ follows the driver's coordinate $\theta$ by its reach $c = A\,(1 + \rho L)\,w$, with the amplitude
//! $A$, the shape $w$ of the breath, the graph Laplacian $L$ of the neighbours, and the ratio $\rho$ of a neighbour constraint's stiffness
//! to the rest constraint's stiffness (`models`, `torsos/composite/breathing.rs`).
//! $A\,w$ is found by solving this equation once; another amplitude or another $\rho$ then gives another reach.

use insonate_sparse::Skyline;

use super::network::Network;

/// The breath of a compiled shell.
#[derive(Debug)]
pub(super) struct Breath {
    /// The node whose coordinate goes from 0 (breathed out) to 1 (breathed in).
    pub(super) driver: usize,
    /// Its index among the network's springs.
    pub(super) spring: usize,
    /// Mass on the spring [kg].
    pub(super) mass: f64,
    /// Rise of the surface as compiled [m].
    pub(super) amplitude: f64,
    /// Displacement when breathed in, as compiled [m], shape `[n_capsules]`.
    pub(super) displacement: Vec<f64>,
}

impl Breath {
    /// The breath of a network; `None` if it does not breathe.
    pub(super) fn of(network: &Network, mass: &[f64], n_capsules: usize) -> Option<Self> {
        let driver = network.ties.driver?;
        let spring = network
            .springs
            .iter()
            .position(|spring| spring.node == driver)?;
        let neighbors = network.has_neighbors.then(|| &network.couplings[0]);
        let ratio = neighbors.map_or(0.0, |some| ratio(network, some.solref, network.ties.solref));
        let pairs = neighbors.map_or(&[][..], |some| &some.pairs);
        let mut entries: Vec<(usize, usize, f64)> = (0..n_capsules).map(|i| (i, i, 1.0)).collect();
        for &[i, j] in pairs {
            entries.extend([(i, i, ratio), (j, j, ratio), (i.max(j), i.min(j), -ratio)]);
        }
        let mut displacement = network.ties.reach[..n_capsules].to_vec();
        let factor = Skyline::factor(n_capsules, &entries)?;
        factor.solve(&mut displacement, &mut vec![0.0; factor.work_len()]);
        let amplitude = displacement.iter().fold(0.0, |most: f64, &x| most.max(x));
        (amplitude > 0.0).then_some(Self {
            driver,
            spring,
            mass: mass[driver],
            amplitude,
            displacement,
        })
    }

    /// The reach of the driver for an amplitude [m] and a ratio of stiffnesses, shape `[n_capsules]`.
    pub(super) fn reach(
        &self,
        network: &Network,
        amplitude: f64,
        ratio: f64,
        reach: &mut Vec<f64>,
    ) {
        let scale = amplitude / self.amplitude;
        reach.clear();
        reach.extend(self.displacement.iter().map(|x| scale * x));
        if !network.has_neighbors {
            return;
        }
        for &[i, j] in &network.couplings[0].pairs {
            let pull = ratio * scale * (self.displacement[i] - self.displacement[j]);
            reach[i] += pull;
            reach[j] -= pull;
        }
    }
}

/// Ratio of a neighbour constraint's stiffness to the rest constraint's stiffness, from their `solref` and the network's impedances. A rest
/// constraint acts on one body, a neighbour constraint on half of two bodies.
pub(super) fn ratio(network: &Network, neighbors: [f64; 2], rest: [f64; 2]) -> f64 {
    let stiffness = |[a, _]: [f64; 2]| if a > 0.0 { a.powi(-2) } else { -a };
    let softness = |impedance: f64| 1.0 - impedance;
    let weight = network.couplings.first().map_or(1.0, |neighbors| {
        softness(network.ties.impedance) / softness(neighbors.impedance)
    });
    0.5 * weight * stiffness(neighbors) / stiffness(rest)
}
