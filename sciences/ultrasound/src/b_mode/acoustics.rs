//! Materials at the carrier frequency, as the walk along lines needs them.

use crate::material::Material;

/// Acoustic properties of a material per length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acoustics {
    /// Amplitude of diffuse echoes relative to liver.
    pub(crate) echo: f32,
    /// Two-way loss of amplitude [Np/m].
    pub(crate) loss: f32,
    /// Slope of this loss over the frequency's relative change [Np/m].
    pub(crate) slope: f32,
    /// Excess of the shown depth over the true depth, per length.
    pub(crate) stretch: f32,
    pub(crate) speed: f32,
    pub(crate) impedance: f32,
    pub(crate) is_gas: bool,
    /// Whether it is bone or gas, behind which points are seen past it only.
    pub(crate) blocks: bool,
}

impl Acoustics {
    pub(crate) fn of(material: &Material, frequency: f64, assumed_speed: f64) -> Self {
        Self {
            echo: 10f32.powf(0.05 * material.backscatter),
            loss: 2.0 * material.attenuation_at(frequency),
            slope: 2.0 * material.attenuation_at(frequency) * material.attenuation_power,
            stretch: assumed_speed as f32 / material.speed_of_sound - 1.0,
            speed: material.speed_of_sound,
            impedance: material.impedance(),
            is_gas: material.is_gas(),
            blocks: material.is_gas() || material.is_bone(),
        }
    }
}

/// Pressure reflection coefficient at a plane boundary, and the factor of the amplitude after passing it twice.
///
/// $R = \frac{Z_2 \cos\theta_i - Z_1 \cos\theta_t}{Z_2 \cos\theta_i + Z_1 \cos\theta_t}$, $\sin\theta_t = \frac{c_2}{c_1}
/// \sin\theta_i$; the two passages leave $1 - R^2$. Beyond the critical angle, reflection is total.
pub(crate) fn reflection(from: &Acoustics, to: &Acoustics, cos_incident: f32) -> [f32; 2] {
    let sin_incident = (1.0 - cos_incident * cos_incident).max(0.0).sqrt();
    let sin_transmitted = sin_incident * to.speed / from.speed;
    if sin_transmitted >= 1.0 {
        return [1.0, 0.0];
    }
    let cos_transmitted = (1.0 - sin_transmitted * sin_transmitted).sqrt();
    let (into, back) = (
        to.impedance * cos_incident,
        from.impedance * cos_transmitted,
    );
    let sum = into + back;
    if sum <= 0.0 {
        return [1.0, 0.0];
    }
    let reflected = (into - back) / sum;
    [reflected, 1.0 - reflected * reflected]
}
