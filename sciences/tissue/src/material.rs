//! Elastic constants of tissue.

use insonate_settings::check_range;
use serde::{Deserialize, Serialize};

use crate::TissueError;

/// An isotropic material.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Material {
    /// Young's modulus E [Pa].
    pub young_modulus: f64,
    /// Poisson's ratio ν.
    pub poisson_ratio: f64,
    /// Density at rest ρ [kg/m³].
    pub density: f64,
    /// Viscosity η [Pa·s]: $\tau \mathrel{+}= \eta (C + C^T)$ with $C$ the velocity gradient.
    pub viscosity: f64,
    /// Tearing; `None` if the material does not tear.
    pub tearing: Option<Tearing>,
}

/// Irreversible loss of stiffness by stretch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tearing {
    /// Greatest principal stretch without damage.
    pub begins: f64,
    /// Stretch of full damage; torn tissue still resists compression.
    pub ends: f64,
}

impl Default for Material {
    /// Soft tissue of 20 kPa.
    fn default() -> Self {
        Self {
            young_modulus: 2e4,
            poisson_ratio: 0.3,
            density: 1000.0,
            viscosity: 0.0,
            tearing: None,
        }
    }
}

impl Material {
    /// Checks the ranges of all constants.
    ///
    /// # Errors
    /// [`TissueError::Setting`].
    pub fn check(&self) -> Result<(), TissueError> {
        check_range(
            "material.young_modulus",
            self.young_modulus,
            [1.0, 1e9],
            "Pa",
        )?;
        check_range(
            "material.poisson_ratio",
            self.poisson_ratio,
            [0.0, 0.499],
            "",
        )?;
        check_range("material.density", self.density, [1.0, 2e4], "kg/m³")?;
        check_range("material.viscosity", self.viscosity, [0.0, 1e5], "Pa·s")?;
        if let Some(Tearing { begins, ends }) = self.tearing {
            check_range("material.tearing.begins", begins, [1.001, 100.0], "")?;
            check_range("material.tearing.ends", ends, [begins * 1.001, 200.0], "")?;
        }
        Ok(())
    }

    /// Shear modulus μ = E / (2 (1 + ν)) [Pa].
    pub fn lame_mu(&self) -> f64 {
        self.young_modulus / (2.0 * (1.0 + self.poisson_ratio))
    }

    /// First Lamé parameter λ = E ν / ((1 + ν) (1 − 2 ν)) [Pa].
    pub fn lame_lambda(&self) -> f64 {
        let nu = self.poisson_ratio;
        self.young_modulus * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))
    }

    /// Speed of pressure waves √((λ + 2 μ) / ρ) [m/s].
    pub fn wave_speed(&self) -> f64 {
        ((self.lame_lambda() + 2.0 * self.lame_mu()) / self.density).sqrt()
    }
}
