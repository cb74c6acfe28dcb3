//! Converts [`Softness`] to a continuum that is stable in MuJoCo: Young's modulus, masses, dampers.
//!
//! **Stiffness.** A rigid flat punch of radius $a$ on an elastic half-space feels
//! $F = 2 a E / (1 - \nu^2) \cdot d$ at depth $d$ (Johnson 1985, *Contact Mechanics*, Eq. 3.36), so $E = k (1 - \nu^2) / (2 a)$.
//! The torso is not a half-space, its lattice spacing is about the width of the probe, and it has a skin. So the
//! radius is an effective one, [`effective_radius`], fitted to presses: 49 mm, while the face alone has 19.9 mm.
//!
//! **Mass.** The step is explicit for elasticity and must keep $h^2 \lambda_{max} < 4$ with
//! $\lambda_{max}$ the greatest eigenvalue of $M^{-1} K$. The mass of a point is that of its tissue, or, if this is less,
//! $m_i = 2.1\, h^2 K_{ii}$ (selective mass scaling as in explicit finite elements). In all tested shapes and lattices
//! $\lambda_{max} \le 1.42 \max_i K_{ii} / m_i$, so $h^2 \lambda_{max} \le 0.7$ at rest, with a margin for the stiffening in compression.
//!
//! **Damping.** A damper connects every point to the table, $c_i = c\, V_i / V_c$. Pressing at speed $v$ moves the points by
//! $\varphi_i v$ and costs $v \sum_i c_i \varphi_i^2$, so $V_c = \sum_i V_i \varphi_i^2$; it is fitted to presses at 0.02, 0.1 and 0.2 m/s.
//! The force then grows by about $c$ per speed, and by another 10 to 20 N·s/m from the tissue's inertia, independent of $c$.
//! Joint damping is implicit in MuJoCo's Euler step, so this is stable for any value.
//! Rayleigh damping of the flex would be explicit and unstable.

use super::lattice::Lattice;
use super::levels::Levels;
use crate::torsos::{Shape, Softness, TorsoConfig};

/// Poisson's ratio; closer to the 0.5 of soft tissue, linear tetrahedra lock.
pub(in crate::torsos) const POISSON: f64 = 0.4;
/// Poisson's ratio of the skin.
pub(super) const SKIN_POISSON: f64 = 0.3;
/// Thickness of the skin [m].
pub(super) const SKIN_THICKNESS: f64 = 0.002;
/// Ratio of Young's modulus of the skin to that of the tissue below.
///
/// It gives 1.8 MPa for the default softness: skin is far stiffer than the tissue that it covers. It distributes the load sideways and
/// keeps the force rising where the Saint Venant–Kirchhoff solid below softens in strong compression: without it the force decreased
/// beyond 2 cm, with it only beyond 3 cm, or 2.5 cm on the flanks.
const SKIN_RATIO: f64 = 160.0;
/// Density of tissue [kg/m³].
pub(in crate::torsos) const DENSITY: f64 = 1000.0;
/// Longest time step for which the masses are chosen [s].
const TIMESTEP: f64 = 0.002;
/// Lower limit of the mass over $h^2 K_{ii}$.
const LEAST_MASS: f64 = 2.1;
/// Radius of a disc with the area of a C5-2 probe's face, 60.5 × 20.5 mm [m].
pub(in crate::torsos) const FACE_RADIUS: f64 = 0.0199;
/// Volume $V_c$ that moves with a probe, at a spacing of 35 mm [m³].
const DAMPED_VOLUME: f64 = 2.0e-4;
/// Spacing for which the constants of this file were fitted [m].
const FITTED_SPACING: f64 = 0.035;

/// Material of the points and elements of a torso.
#[derive(Clone, Debug)]
pub(in crate::torsos) struct Tissue {
    /// Young's modulus of the solid where the factor of the softness is 1 [Pa].
    pub(super) young_modulus: f64,
    /// Young's modulus of the skin there [Pa].
    pub(super) skin_young_modulus: f64,
    /// Factors of the moduli.
    pub(super) levels: Levels,
    /// Mass of each point [kg], shape `[n_points]`.
    pub(super) mass: Vec<f64>,
    /// Damping of each point along each axis [N·s/m], shape `[n_points]`.
    pub(super) damping: Vec<f64>,
}

impl Tissue {
    /// Tissue of softness `config.softness` that fills `lattice`.
    pub(in crate::torsos) fn fill(lattice: &Lattice, config: &TorsoConfig) -> Self {
        let young_modulus = young_modulus(config.softness, config.spacing, fitted_height(config));
        let levels = Levels::of(config.field.as_ref());
        let moduli = [young_modulus, SKIN_RATIO * young_modulus];
        Self::of_levels(lattice, config, moduli, levels)
    }

    /// Tissue with these moduli [Pa], which a tissue solver scales by itself where the softness varies. If the skin's modulus is zero, there is no skin.
    pub(in crate::torsos) fn of_moduli(
        lattice: &Lattice,
        config: &TorsoConfig,
        young_modulus: f64,
        skin_young_modulus: f64,
    ) -> Self {
        let moduli = [young_modulus, skin_young_modulus];
        Self::of_levels(lattice, config, moduli, Levels::of(None))
    }

    fn of_levels(
        lattice: &Lattice,
        config: &TorsoConfig,
        [young_modulus, skin_young_modulus]: [f64; 2],
        levels: Levels,
    ) -> Self {
        let volume = volumes(lattice);
        let mut stiffness = solid_stiffness(lattice, young_modulus, &levels);
        add_skin_stiffness(&mut stiffness, lattice, skin_young_modulus, &levels);
        let least = LEAST_MASS * TIMESTEP * TIMESTEP;
        let mass = volume
            .iter()
            .zip(&stiffness)
            .map(|(volume, stiffness)| (DENSITY * volume).max(least * stiffness))
            .collect();
        let damped_volume = DAMPED_VOLUME * config.spacing / FITTED_SPACING;
        let damping = volume
            .iter()
            .zip(&lattice.points)
            .map(|(volume, point)| {
                config.softness.damping * levels.factor_at(*point) * volume / damped_volume
            })
            .collect();
        Self {
            young_modulus,
            skin_young_modulus,
            levels,
            mass,
            damping,
        }
    }
}

/// Height [m] for the fitted stiffness: the height of the torso, but 105 mm for an adult. An adult's trunk is thicker than the range of
/// the fits, and responds to a press of 15 mm as a torso of 105 mm (27.3 N by the trunk's own height, 19.3 N on the default torso).
pub(in crate::torsos) fn fitted_height(config: &TorsoConfig) -> f64 {
    match config.shape {
        Shape::Adult => 0.105,
        _ => 2.0 * config.half_size()[1],
    }
}

/// Young's modulus [Pa] for which a torso of lattice `spacing` and `height` [m] has the stiffness of `softness`.
fn young_modulus(softness: Softness, spacing: f64, height: f64) -> f64 {
    softness.stiffness * (1.0 - POISSON * POISSON) / (2.0 * effective_radius(spacing, height))
}

/// Radius [m] of the punch on a half-space that has the same stiffness as the face of a C5-2 probe on this torso.
///
/// A lattice wider than the face spreads the load over its cells, and a table close below makes the torso stiffer.
/// Fitted in MuJoCo 3.17.0 to presses at 2 cm/s at four places (on, between and next to points) to 1, 1.5 and 2 cm.
/// Mean ratio of the secant stiffness to the configured stiffness:
///
/// | torso | ratio | least to most |
/// |---|---|---|
/// | default: cylinder 9 × 4 × 11 at 35 mm, 1324 N/m | 1.00 | 0.95–1.04 |
/// | box | 1.08 | 1.04–1.13 |
/// | ellipsoid | 0.93 | 0.90–0.97 |
/// | human | 0.98 | 0.92–1.04 |
/// | 11 × 5 × 14 at 27 mm | 1.10 | 1.07–1.15 |
/// | 7 × 3 × 8 at 47 mm | 1.03 | 0.93–1.12 |
/// | 7 × 3 × 8 at 52 mm | 1.06 | 0.96–1.22 |
/// | 7 cm high (9 × 3 × 11) | 1.05 | 0.99–1.12 |
/// | 14 cm high (9 × 5 × 11) | 0.98 | 0.93–1.03 |
/// | 200 N/m | 1.11 | 1.08–1.17 |
/// | 5000 N/m | 0.99 | 0.93–1.02 |
fn effective_radius(spacing: f64, height: f64) -> f64 {
    let spread = FACE_RADIUS.max(0.0487 + 1.8 * (spacing - FITTED_SPACING));
    spread * (0.445 + 0.058 / height)
}

/// A quarter of the volume of every tetrahedron at each of its corners [m³].
fn volumes(lattice: &Lattice) -> Vec<f64> {
    let mut volumes = vec![0.0; lattice.points.len()];
    for &corners in &lattice.tetrahedra {
        let quarter = lattice.volume(corners) / 4.0;
        for corner in corners {
            volumes[corner] += quarter;
        }
    }
    volumes
}

/// $K_{ii}$ of the solid: $\sum V\, |\nabla N_i|^2 (\lambda + 2 \mu)$ over the tetrahedra at each point [N/m].
fn solid_stiffness(lattice: &Lattice, young_modulus: f64, levels: &Levels) -> Vec<f64> {
    let p_wave_modulus =
        young_modulus * (1.0 - POISSON) / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    let mut stiffness = vec![0.0; lattice.points.len()];
    for &corners in &lattice.tetrahedra {
        let edges = lattice.edges(corners);
        let inverse = edges
            .try_inverse()
            .expect("the blocks have no flat tetrahedra");
        let gradients = [0, 1, 2].map(|row| inverse.row(row).transpose());
        let first = -(gradients[0] + gradients[1] + gradients[2]);
        let factor = levels.factor_at(lattice.middle(corners));
        let scale = factor * p_wave_modulus * edges.determinant() / 6.0;
        let [second, third, fourth] = gradients;
        for (corner, gradient) in corners.into_iter().zip([first, second, third, fourth]) {
            stiffness[corner] += scale * gradient.norm_squared();
        }
    }
    stiffness
}

/// Adds $K_{ii}$ of the skin: $E t / (1 - \nu^2) \cdot l^2 / (4 A)$, where $l$ is the side opposite the point.
fn add_skin_stiffness(
    stiffness: &mut [f64],
    lattice: &Lattice,
    young_modulus: f64,
    levels: &Levels,
) {
    let uniform = young_modulus * SKIN_THICKNESS / (1.0 - SKIN_POISSON * SKIN_POISSON);
    for triangle in lattice.top() {
        let membrane = levels.factor_at(lattice.middle(triangle)) * uniform;
        let [a, b, c] = triangle.map(|point| nalgebra::Vector3::from(lattice.points[point]));
        let twice_area = (b - a).cross(&(c - a)).norm();
        let opposite = [c - b, a - c, b - a];
        for (point, side) in triangle.into_iter().zip(opposite) {
            stiffness[point] += membrane * side.norm_squared() / (2.0 * twice_area);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torsos::Shape;
    use crate::torsos::flex::lattice::Block;

    fn lattice() -> Lattice {
        let block = Block {
            shape: Shape::Box,
            size: [0.1, 0.1, 0.1],
            trunk: None,
        };
        Lattice::fill(&block, [5, 3, 5])
    }

    #[test]
    fn the_modulus_follows_the_flat_punch() {
        let softness = Softness {
            stiffness: 1000.0,
            damping: 1.0,
        };
        let modulus = young_modulus(softness, 0.035, 0.105);
        let radius = effective_radius(0.035, 0.105);
        assert!((2.0 * radius * modulus / (1.0 - POISSON * POISSON) - 1000.0).abs() < 1e-9);
        assert!((0.047..0.050).contains(&radius));
    }

    #[test]
    fn a_soft_torso_weighs_as_its_volume_and_a_stiff_one_more() {
        let weight = |stiffness: f64| -> f64 {
            let config = TorsoConfig {
                softness: Softness {
                    stiffness,
                    damping: 1.0,
                },
                ..TorsoConfig::default()
            };
            Tissue::fill(&lattice(), &config).mass.iter().sum()
        };
        assert!((weight(10.0) - DENSITY * 0.004).abs() < 1e-9);
        let (stiff, stiffer) = (weight(20_000.0), weight(40_000.0));
        assert!(stiff > 10.0 * weight(10.0) && (stiffer / stiff - 2.0).abs() < 0.01);
    }

    /// Translating a point of a cube of six tetrahedra: K_ii against the strain energy of a displaced point, by hand.
    #[test]
    fn the_diagonal_stiffness_of_a_corner_tetrahedron_is_exact() {
        // One tetrahedron of edge h along the axes: |∇N|² = 1/h² at the three tips and 3/h² at the right-angled corner.
        let lattice = Lattice {
            count: [1, 1, 4],
            points: vec![[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]],
            tetrahedra: vec![[0, 1, 2, 3]],
        };
        let stiffness = solid_stiffness(&lattice, 1.0, &Levels::of(None));
        let modulus = (1.0 - POISSON) / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
        let tip = modulus * 0.1 / 6.0;
        for (found, expected) in stiffness.iter().zip([3.0 * tip, tip, tip, tip]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn the_dampers_share_the_damping_by_volume() {
        let config = TorsoConfig::default();
        let tissue = Tissue::fill(&lattice(), &config);
        let total: f64 = tissue.damping.iter().sum();
        let expected = config.softness.damping * 0.004 / DAMPED_VOLUME;
        assert!((total - expected).abs() < 1e-9 * expected);
    }
}
