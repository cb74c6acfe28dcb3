//! Sizes of needles.

use insonate_settings::SettingError;

/// Size of a needle: nominal diameters of tubes with regular walls, after ISO 9626.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gauge {
    /// 2.108 mm outside, 1.600 mm inside.
    G14,
    /// 1.651 mm outside, 1.194 mm inside.
    G16,
    /// 1.473 mm outside, 1.067 mm inside.
    G17,
    /// 1.270 mm outside, 0.838 mm inside.
    G18,
    /// 0.908 mm outside, 0.603 mm inside.
    G20,
    /// 0.819 mm outside, 0.514 mm inside.
    G21,
    /// 0.718 mm outside, 0.413 mm inside.
    G22,
    /// 0.515 mm outside, 0.260 mm inside.
    G25,
}

impl Gauge {
    /// All sizes, from thick to thin.
    pub const ALL: [Self; 8] = [
        Self::G14,
        Self::G16,
        Self::G17,
        Self::G18,
        Self::G20,
        Self::G21,
        Self::G22,
        Self::G25,
    ];

    /// Number of the gauge.
    pub fn number(self) -> u32 {
        match self {
            Self::G14 => 14,
            Self::G16 => 16,
            Self::G17 => 17,
            Self::G18 => 18,
            Self::G20 => 20,
            Self::G21 => 21,
            Self::G22 => 22,
            Self::G25 => 25,
        }
    }

    /// The size with a number.
    ///
    /// # Errors
    /// [`SettingError`] for a number that is not in [`Gauge::ALL`].
    pub fn from_number(number: u32) -> Result<Self, SettingError> {
        let found = Self::ALL.into_iter().find(|gauge| gauge.number() == number);
        found.ok_or_else(|| SettingError::new("gauge", number, "14, 16, 17, 18, 20, 21, 22 or 25"))
    }

    /// Outer and inner diameter [m].
    pub fn diameters(self) -> [f64; 2] {
        match self {
            Self::G14 => [2.108e-3, 1.600e-3],
            Self::G16 => [1.651e-3, 1.194e-3],
            Self::G17 => [1.473e-3, 1.067e-3],
            Self::G18 => [1.270e-3, 0.838e-3],
            Self::G20 => [0.908e-3, 0.603e-3],
            Self::G21 => [0.819e-3, 0.514e-3],
            Self::G22 => [0.718e-3, 0.413e-3],
            Self::G25 => [0.515e-3, 0.260e-3],
        }
    }
}
