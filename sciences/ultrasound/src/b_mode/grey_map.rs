//! Grey maps: curves from levels to grey, as scanners offer them after the logarithm. Makers do not publish theirs; these are simple ones of
//! the same kinds.

use insonate_settings::UnknownName;

/// A curve from the level in the dynamic range (0 black, 1 white) to grey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GreyMap {
    /// Grey grows with the level in dB.
    #[default]
    Linear,
    /// $x^{0.7}$: weak echoes are brighter.
    Gamma,
    /// $3 x^2 - 2 x^3$: more contrast in the middle, less at both ends.
    SCurve,
}

impl GreyMap {
    /// Names and curves.
    pub const ALL: [(&'static str, Self); 3] = [
        ("linear", Self::Linear),
        ("gamma", Self::Gamma),
        ("s-curve", Self::SCurve),
    ];

    /// The curve called `name`.
    ///
    /// # Errors
    /// [`UnknownName`] lists the names.
    pub fn by_name(name: &str) -> Result<Self, UnknownName> {
        insonate_settings::find("grey map", name, &Self::ALL, |(name, _)| name).map(|(_, map)| *map)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, map)| *map == self);
        found.map_or("", |(name, _)| name)
    }

    /// Grey, 0 to 1, of a level between black and white, 0 to 1.
    pub fn grey(self, level: f32) -> f32 {
        match self {
            Self::Linear => level,
            Self::Gamma => level.powf(0.7),
            Self::SCurve => level * level * (3.0 - 2.0 * level),
        }
    }
}

/// A grey map for greys of 8 bits.
#[derive(Clone, Debug)]
pub(super) struct GreyTable {
    /// `None` if the map changes nothing.
    greys: Option<[u8; 256]>,
}

impl GreyTable {
    pub(super) fn new(map: GreyMap) -> Self {
        let grey = |level: usize| (255.0 * map.grey(level as f32 / 255.0)).round() as u8;
        Self {
            greys: (map != GreyMap::Linear).then(|| std::array::from_fn(grey)),
        }
    }

    /// Maps linear greys.
    pub(super) fn apply(&self, picture: &mut [u8]) {
        if let Some(greys) = &self.greys {
            for pixel in picture {
                *pixel = greys[usize::from(*pixel)];
            }
        }
    }
}
