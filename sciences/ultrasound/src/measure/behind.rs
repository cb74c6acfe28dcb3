//! Gas behind tissue, which in a body would be tissue: parts of a label volume without a label.

use crate::b_mode::Frame;
use crate::material::Material;

/// Gas without a label behind the skin, as a share of the samples there on coupled lines. Samples behind the end of a volume that cuts
/// tissue off are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GasBehind {
    /// All gas behind the skin.
    pub share: f64,
    /// Gas with tissue behind it.
    pub enclosed: f64,
}

impl GasBehind {
    /// Above this share, there is more gas than a body of the picture's size has behind it.
    pub const MOST: f64 = 0.5;
    /// Above this share, gas lies between tissues.
    pub const MOST_ENCLOSED: f64 = 0.02;

    /// Counts gases with the given material indices behind the first tissue; `is_within` tells whether a sample of a line lies within the
    /// volume.
    pub fn new(
        frame: &Frame,
        materials: &[Material],
        gases: &[u8],
        is_within: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let is_tissue = |label: &u8| !materials[usize::from(*label)].is_gas();
        let is_gas = |label: u8| gases.contains(&label);
        let [mut all, mut gas, mut enclosed] = [0usize; 3];
        for (number, line) in frame.labels.chunks_exact(frame.n_samples).enumerate() {
            let skin = line.iter().position(is_tissue);
            let (Some(mut start), true) = (skin, frame.coupled[number]) else {
                continue;
            };
            let last = line.iter().rposition(is_tissue).unwrap_or(start);
            for run in line[start..].chunk_by(|a, b| is_gas(*a) == is_gas(*b)) {
                // One sample behind the boundary, which may lie on the end of the volume.
                let behind = start + (run.len() - 1).min(1);
                if !is_gas(run[0]) {
                    all += run.len();
                } else if is_within(number, behind) {
                    all += run.len();
                    gas += run.len();
                    enclosed += if start < last { run.len() } else { 0 };
                }
                start += run.len();
            }
        }
        let share = |n: usize| n as f64 / all.max(1) as f64;
        Self {
            share: share(gas),
            enclosed: share(enclosed),
        }
    }

    /// Whether some tissue probably has no label.
    pub fn is_uncertain(&self) -> bool {
        self.share > Self::MOST || self.enclosed > Self::MOST_ENCLOSED
    }
}
