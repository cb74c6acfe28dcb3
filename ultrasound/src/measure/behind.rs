//! Gas behind tissue, where a body would have tissue: what has no label in a label volume.

use crate::b_mode::Frame;
use crate::material::Material;

/// Gas behind the skin, as shares of the samples there of lines that couple.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GasBehind {
    /// All of it.
    pub share: f64,
    /// What has tissue again behind it.
    pub enclosed: f64,
}

impl GasBehind {
    /// Above this share there is more gas than a body of the picture's size has behind it.
    pub const MOST: f64 = 0.5;
    /// Above this share gas lies between tissues.
    pub const MOST_ENCLOSED: f64 = 0.02;

    /// Of the gases with given numbers, deeper than the first that is no gas.
    pub fn new(frame: &Frame, materials: &[Material], gases: &[u8]) -> Self {
        let is_tissue = |label: &u8| !materials[usize::from(*label)].is_gas();
        let is_gas = |label: &&u8| gases.contains(label);
        let [mut all, mut gas, mut enclosed] = [0usize; 3];
        let lines = frame.labels.chunks_exact(frame.n_samples);
        for (line, _) in lines.zip(&frame.coupled).filter(|(_, coupled)| **coupled) {
            let Some(skin) = line.iter().position(is_tissue) else {
                continue;
            };
            let last = line.iter().rposition(is_tissue).unwrap_or(skin);
            all += line.len() - skin;
            gas += line[skin..].iter().filter(is_gas).count();
            enclosed += line[skin..last].iter().filter(is_gas).count();
        }
        let share = |n: usize| n as f64 / all.max(1) as f64;
        Self {
            share: share(gas),
            enclosed: share(enclosed),
        }
    }

    /// Whether tissue is likely to have no label.
    pub fn is_doubtful(&self) -> bool {
        self.share > Self::MOST || self.enclosed > Self::MOST_ENCLOSED
    }
}
