//! Shadow of a rod of bone across the plane of the picture.

use insonate_settings::check_range;

use super::{frame_of, line_distance};
use crate::b_mode::Frame;
use crate::phantom::Block;
use crate::transducer::Transducer;
use crate::{BMode, Settings, UltrasoundError};

/// Places to either side of the middle scanline, half a radius apart.
const N_PLACES: i32 = 12;
/// Seeds of speckle over which the power is averaged.
const N_SEEDS: u64 = 6;
/// Fewest lines and samples.
const N_LINES: usize = 193;
const N_SAMPLES: usize = 1000;

/// A rod of bone on the axis of the probe, across the plane of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneRod {
    /// Radius [m].
    pub radius: f64,
    /// Depth of its top below the face [m].
    pub top: f64,
}

/// What a rod leaves of the echoes behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowLevel {
    /// Distance from the middle scanline, along the array at that depth [m].
    pub x: f64,
    /// Depth [m].
    pub depth: f64,
    /// Power of speckle relative to the same tissue without the rod [dB].
    pub level: f64,
}

impl BoneRod {
    /// Depth of its bottom below the face [m].
    pub fn bottom(&self) -> f64 {
        self.top + 2.0 * self.radius
    }

    /// Depths behind the rod in a picture of a depth [m]: at 0.3, 0.6 and 0.9 of what is left.
    pub fn depths_behind(&self, shown: f64) -> [f64; 3] {
        [0.3, 0.6, 0.9].map(|share| self.bottom() + share * (shown - self.bottom()))
    }

    /// Tissue with the rod in it, without loss.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: the radius is outside of 0.2 to 50 mm, or the top of 1 mm to 0.3 m.
    pub fn block(&self) -> Result<Block, UltrasoundError> {
        check_range("radius of the rod", self.radius, [2e-4, 0.05], "m")?;
        check_range("depth of the rod", self.top, [1e-3, 0.3], "m")?;
        Ok(Block::bone_rod(self.top as f32, self.radius as f32))
    }
}

/// Images a rod of bone in tissue without loss, and the tissue alone, with six seeds of speckle; noise and compensation of `settings` are
/// replaced. For each depth [m] there are up to 25 levels, at multiples of half the radius along the array as far as the picture reaches.
/// Each is a mean over the lines within a sixth of the radius, and over 4 % of the picture's depth to either side.
///
/// # Errors
/// [`UltrasoundError::Setting`]: settings or the rod are invalid, or a depth is not between the rod's bottom and that of the picture.
pub fn rod_shadow(
    transducer: &Transducer,
    settings: &Settings,
    rod: &BoneRod,
    depths: &[f64],
) -> Result<Vec<ShadowLevel>, UltrasoundError> {
    let block = rod.block()?;
    check_range(
        "bottom of the rod",
        rod.bottom(),
        [0.0, settings.depth],
        "m",
    )?;
    for depth in depths {
        let behind = [rod.bottom(), settings.depth];
        check_range("depth of the shadow", *depth, behind, "m")?;
    }
    let clear = Block::tissue_without_loss();
    let settings = Settings {
        n_lines: settings.n_lines.max(N_LINES),
        n_samples: settings.n_samples.max(N_SAMPLES),
        noise: f64::NEG_INFINITY,
        compensation: 0.0,
        ..settings.clone()
    };
    let windows = windows(transducer, &settings, rod, depths);
    let mut powers = vec![[0.0; 2]; windows.len()];
    for seed in 0..N_SEEDS {
        let seeded = Settings {
            speckle_seed: settings.speckle_seed.wrapping_add(seed),
            ..settings.clone()
        };
        let mut b_mode = BMode::new(transducer, &seeded)?;
        for (i, block) in [&block, &clear].into_iter().enumerate() {
            let frame = frame_of(&mut b_mode, block)?;
            for (powers, window) in powers.iter_mut().zip(&windows) {
                powers[i] += window.power(&frame);
            }
        }
    }
    let level = |(window, [behind, clear]): (&Window, &[f64; 2])| ShadowLevel {
        x: window.x,
        depth: window.depth,
        level: 10.0 * (behind / clear).log10(),
    };
    Ok(windows.iter().zip(&powers).map(level).collect())
}

/// A part of beam space about a place: ranges of lines and samples.
struct Window {
    x: f64,
    depth: f64,
    lines: [usize; 2],
    samples: [usize; 2],
}

impl Window {
    /// Sum of the power.
    fn power(&self, frame: &Frame) -> f64 {
        let ([first, last], [top, bottom]) = (self.lines, self.samples);
        let levels = (first..=last).flat_map(|line| &frame.line(line)[top..=bottom]);
        levels
            .map(|level| 10f64.powf(0.1 * f64::from(*level)))
            .sum()
    }
}

fn windows(
    transducer: &Transducer,
    settings: &Settings,
    rod: &BoneRod,
    depths: &[f64],
) -> Vec<Window> {
    let n = settings.n_lines;
    let step = settings.depth / settings.n_samples as f64;
    let middle = 0.5 * (n - 1) as f64;
    let window = |depth: f64, place: i32| {
        let x = f64::from(place) * rod.radius / 2.0;
        let spacing = line_distance(transducer, n, depth);
        let half = rod.radius / 6.0 / spacing;
        let line = middle + x / spacing;
        let [first, last] = [(line - half).ceil(), (line + half).floor()];
        // The nearest line where lines are far apart.
        let [first, last] = if first <= last {
            [first, last]
        } else {
            [line.round(); 2]
        };
        let within = 0.04 * settings.depth;
        let top = (depth - within).max(rod.bottom()).min(depth);
        let samples =
            [top, depth + within].map(|z| ((z / step) as usize).min(settings.n_samples - 1));
        (first >= 0.0 && last <= (n - 1) as f64).then_some(Window {
            x,
            depth,
            lines: [first as usize, last as usize],
            samples,
        })
    };
    let places = |depth: &f64| {
        let depth = *depth;
        (-N_PLACES..=N_PLACES).filter_map(move |place| window(depth, place))
    };
    depths.iter().flat_map(places).collect()
}
