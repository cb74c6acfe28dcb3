//! Bodies with known answers.

use std::f64::consts::PI;

use insonate_needle::{
    Compliance, Gauge, Layer, Needle, NeedleConfig, NeedleError, Report, Settings, Tissue,
};
use nalgebra::{Isometry3, Matrix3, Vector3};

/// Compliance of a foundation at the tip [m/N].
const TIP: f64 = 1e-6;

/// Rigid tissue below z = 0, on which the shaft rests by springs: Winkler's foundation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Foundation {
    pub(crate) springs: Compliance,
    /// Depths at which the layers begin [m]; the first is 0.
    pub(crate) layers: Vec<f64>,
    /// Sums of forces and of their torques about the origin [N, N·m].
    pub(crate) force: Vector3<f64>,
    pub(crate) torque: Vector3<f64>,
}

impl Foundation {
    pub(crate) fn new(lateral: f64, axial: f64) -> Self {
        let springs = Compliance {
            lateral: 1.0 / lateral,
            axial: 1.0 / axial,
            tip: TIP,
        };
        Self {
            springs,
            layers: vec![0.0],
            force: Vector3::zeros(),
            torque: Vector3::zeros(),
        }
    }
}

impl Tissue for Foundation {
    type Point = Vector3<f64>;
    const KEEPS_FORCES: bool = true;

    fn embed(&self, at: Vector3<f64>) -> Option<Vector3<f64>> {
        (at.z >= 0.0).then_some(at)
    }

    fn position(&self, point: &Vector3<f64>) -> Vector3<f64> {
        *point
    }

    fn layer(&self, point: &Vector3<f64>) -> usize {
        self.layers
            .iter()
            .filter(|depth| point.z >= **depth)
            .count()
            - 1
    }

    fn response(&self, _: &Vector3<f64>, _: &Vector3<f64>) -> Matrix3<f64> {
        Matrix3::zeros()
    }

    fn near_field(&self, _: &Vector3<f64>, _: f64) -> Compliance {
        self.springs
    }

    fn push(&mut self, point: &Vector3<f64>, force: Vector3<f64>) {
        self.force += force;
        self.torque += point.cross(&force);
    }
}

/// A foundation on which forces act during one step only, as in a solver with inertia. Its tissue is rigid, so all answers are the same.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Momentary(pub(crate) Foundation);

impl Tissue for Momentary {
    type Point = Vector3<f64>;
    const KEEPS_FORCES: bool = false;

    fn embed(&self, at: Vector3<f64>) -> Option<Vector3<f64>> {
        self.0.embed(at)
    }

    fn position(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.0.position(point)
    }

    fn layer(&self, point: &Vector3<f64>) -> usize {
        self.0.layer(point)
    }

    fn response(&self, moved: &Vector3<f64>, pushed: &Vector3<f64>) -> Matrix3<f64> {
        self.0.response(moved, pushed)
    }

    fn near_field(&self, point: &Vector3<f64>, radius: f64) -> Compliance {
        self.0.near_field(point, radius)
    }

    fn push(&mut self, point: &Vector3<f64>, force: Vector3<f64>) {
        self.0.push(point, force);
    }
}

/// An infinite, incompressible solid. A needle may enter its half with z > 0. Forces are spread over a radius ε as in Kelvin's
/// solution for smooth loads (de Goes and James 2017, doi:10.1145/3072959.3073595, Eq. 6), with ν = ½:
/// $u = \frac{1}{8 \pi G} (\frac{1}{r_ε} + \frac{ε^2}{r_ε^3} + \frac{r r^T}{r_ε^3}) F$.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Solid {
    pub(crate) shear_modulus: f64,
    pub(crate) spread: f64,
    /// Places at rest and the forces there.
    pub(crate) forces: Vec<(Vector3<f64>, Vector3<f64>)>,
}

impl Solid {
    pub(crate) fn new(shear_modulus: f64, spread: f64) -> Self {
        Self {
            shear_modulus,
            spread,
            forces: Vec::new(),
        }
    }

    fn kelvin(&self, arm: Vector3<f64>) -> Matrix3<f64> {
        let far = (arm.norm_squared() + self.spread.powi(2)).sqrt();
        let own = 1.0 / far + self.spread.powi(2) / far.powi(3);
        (Matrix3::identity() * own + arm * arm.transpose() / far.powi(3))
            / (8.0 * PI * self.shear_modulus)
    }

    /// Displacement of a place at rest [m].
    pub(crate) fn displacement(&self, rest: Vector3<f64>) -> Vector3<f64> {
        let parts = self
            .forces
            .iter()
            .map(|(at, force)| self.kelvin(rest - at) * force);
        parts.fold(Vector3::zeros(), |sum, part| sum + part)
    }
}

impl Tissue for Solid {
    type Point = Vector3<f64>;
    const KEEPS_FORCES: bool = true;

    fn embed(&self, at: Vector3<f64>) -> Option<Vector3<f64>> {
        let mut rest = at;
        for _ in 0..100 {
            let next = at - self.displacement(rest);
            if (next - rest).norm() < 1e-12 {
                break;
            }
            rest = next;
        }
        (rest.z > 0.0).then_some(rest)
    }

    fn position(&self, point: &Vector3<f64>) -> Vector3<f64> {
        point + self.displacement(*point)
    }

    fn layer(&self, _: &Vector3<f64>) -> usize {
        0
    }

    fn response(&self, moved: &Vector3<f64>, pushed: &Vector3<f64>) -> Matrix3<f64> {
        self.kelvin(moved - pushed)
    }

    /// A line of smooth loads moves as a rod of radius ε/√e: on its axis $\frac{f}{4 \pi G} (\ln(2 l / ε) + 1)$ laterally and
    /// $\frac{f}{2 \pi G} \ln(2 l / ε)$ axially, where a slender rod moves by $\frac{f}{4 \pi G} (\ln(2 l / a) + \frac12)$ and
    /// $\frac{f}{2 \pi G} (\ln(2 l / a) - \frac12)$.
    fn near_field(&self, _: &Vector3<f64>, radius: f64) -> Compliance {
        Compliance::of_rod(self.shear_modulus, self.spread * (-0.5_f64).exp(), radius)
    }

    fn push(&mut self, point: &Vector3<f64>, force: Vector3<f64>) {
        match self.forces.iter_mut().find(|(at, _)| at == point) {
            Some((_, sum)) => *sum += force,
            None => self.forces.push((*point, force)),
        }
    }
}

/// A needle above z = 0 that points along +z, with its tip `tip` below the skin [m].
pub(crate) struct Insertion<T: Tissue> {
    pub(crate) needle: Needle<T::Point>,
    pub(crate) body: T,
}

/// Pose of the hub with the tip of the straight needle at a place.
pub(crate) fn pose(config: &NeedleConfig, x: f64, tip: f64) -> Isometry3<f64> {
    Isometry3::translation(x, 0.0, tip - config.length)
}

impl<T: Tissue> Insertion<T> {
    pub(crate) fn new(config: NeedleConfig, layers: Vec<Layer>, spacing: f64, body: T) -> Self {
        let settings = Settings {
            spacing,
            ..Settings::default()
        };
        let needle = Needle::new(config, layers, settings, pose(&config, 0.0, -1e-3))
            .expect("the settings are valid");
        Self { needle, body }
    }

    pub(crate) fn try_to(&mut self, x: f64, tip: f64) -> Result<Report, NeedleError> {
        let pose = pose(self.needle.config(), x, tip);
        self.needle.advance(&mut self.body, pose)
    }

    /// Moves the tip of the straight needle to a depth [m].
    pub(crate) fn to(&mut self, tip: f64) -> Report {
        self.try_to(0.0, tip).expect("the insertion is possible")
    }
}

/// A steel needle of 18G.
pub(crate) fn needle_18g(length: f64) -> NeedleConfig {
    NeedleConfig::steel(Gauge::G18, length)
}

/// Whether two numbers differ by at most a share of the second.
#[track_caller]
pub(crate) fn assert_near(value: f64, expected: f64, share: f64) {
    let error = (value - expected).abs();
    assert!(
        error <= share * expected.abs(),
        "{value} instead of {expected}"
    );
}
