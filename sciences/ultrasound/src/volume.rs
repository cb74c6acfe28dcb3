//! Compounds the frames of a sweep into a volume: each voxel has the mean level of the samples in it.

use std::fmt::Write as _;

use insonate_settings::check_range;
use nalgebra::Isometry3;

use crate::deformation::Point;
use crate::{BMode, Frame, UltrasoundError};

/// Largest number of voxels.
const MOST: usize = 64_000_000;

/// A volume of grey levels over a box.
#[derive(Clone, Debug)]
pub struct Volume {
    /// Lowest corner [m].
    low: Point,
    /// Edge of a voxel [m].
    width: f32,
    /// Voxels along x, y and z.
    count: [usize; 3],
    /// Sum of levels [dB] and number of samples in each voxel, x running fastest.
    voxels: Vec<(f32, u32)>,
    /// Levels of black and white [dB].
    levels: [f32; 2],
}

impl Volume {
    /// An empty volume from one corner to the other [m], with cubic voxels of `width` [m], for the frames of a scanner.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: corners and width do not give a box of at most 64 million voxels.
    pub fn new(
        b_mode: &BMode,
        low: Point,
        high: Point,
        width: f32,
    ) -> Result<Self, UltrasoundError> {
        check_range("width of a voxel", f64::from(width), [1e-4, 0.05], "m")?;
        let size = high - low;
        if !size.iter().all(|size| (0.0..10.0).contains(size)) {
            let allowed = "a high corner above the low one, at most 10 m away";
            return Err(UltrasoundError::setting(
                "corners of the volume",
                size,
                allowed,
            ));
        }
        let count = [0, 1, 2].map(|axis| ((size[axis] / width - 1e-3).ceil() as usize).max(1));
        let n = count.iter().product::<usize>();
        if n > MOST {
            let allowed = "at most 64 million; choose wider ones";
            return Err(UltrasoundError::setting("voxels", n, allowed));
        }
        let settings = b_mode.settings();
        let white = -settings.gain as f32;
        Ok(Self {
            low,
            width,
            count,
            voxels: vec![(0.0, 0); n],
            levels: [white - settings.dynamic_range as f32, white],
        })
    }

    /// Adds a frame, seen from a pose of the probe in the volume's frame; samples outside of the volume are dropped.
    pub fn add(&mut self, b_mode: &BMode, frame: &Frame, pose: &Isometry3<f64>) {
        let pose: Isometry3<f32> = pose.cast();
        for line in (0..frame.n_lines).filter(|&line| frame.coupled[line]) {
            for (sample, level) in frame.line(line).iter().enumerate() {
                let place = (pose * b_mode.point(line, sample) - self.low) / self.width;
                let inside =
                    (0..3).all(|axis| place[axis] >= 0.0 && place[axis] < self.count[axis] as f32);
                if inside {
                    let [x, y, z] = [0, 1, 2].map(|axis| place[axis] as usize);
                    let voxel = &mut self.voxels[(z * self.count[1] + y) * self.count[0] + x];
                    voxel.0 += level.clamp(self.levels[0], self.levels[1]);
                    voxel.1 += 1;
                }
            }
        }
    }

    /// Grey levels 1 to 255, 0 for voxels without samples; x runs fastest.
    pub fn grey(&self) -> Vec<u8> {
        let [black, white] = self.levels;
        let grey = |(sum, n): &(f32, u32)| match n {
            0 => 0,
            n => (255.0 * (sum / *n as f32 - black) / (white - black)).clamp(1.0, 255.0) as u8,
        };
        self.voxels.iter().map(grey).collect()
    }

    /// Fills each empty voxel between two filled ones along an axis with their mean: the frames of a sweep leave gaps of one voxel.
    pub fn fill(&mut self) {
        let steps = [1, self.count[0], self.count[0] * self.count[1]];
        let seen = |at: usize| Some(self.voxels[at]).filter(|(_, n)| *n > 0);
        let between = |at: usize| {
            let axis = |axis: usize| {
                let place = at / steps[axis] % self.count[axis];
                let is_inside = place > 0 && place + 1 < self.count[axis];
                let pair = is_inside.then(|| [at - steps[axis], at + steps[axis]])?;
                Some(pair.map(seen)).and_then(|[before, after]| before.zip(after))
            };
            let (before, after) = (0..3).find_map(axis)?;
            let level = |(sum, n): (f32, u32)| sum / n as f32;
            Some((at, (0.5 * (level(before) + level(after)), 1)))
        };
        let unseen = (0..self.voxels.len()).filter(|&at| self.voxels[at].1 == 0);
        let filled: Vec<_> = unseen.filter_map(between).collect();
        for (at, voxel) in filled {
            self.voxels[at] = voxel;
        }
    }

    /// First and last filled voxel along each axis; the first voxel if all are empty.
    fn bounds(&self) -> [[usize; 2]; 3] {
        let [nx, ny, _] = self.count;
        let seen = (0..self.voxels.len()).filter(|&at| self.voxels[at].1 > 0);
        let places = seen.map(|at| [at % nx, at / nx % ny, at / (nx * ny)]);
        let bounds = places.fold([[usize::MAX, 0]; 3], |bounds, place| {
            [0, 1, 2].map(|axis| {
                let [first, last] = bounds[axis];
                [first.min(place[axis]), last.max(place[axis])]
            })
        });
        bounds.map(|[first, last]| [first.min(last), last])
    }

    /// A NRRD file (version 4, raw) of the filled part. The volume's frame is the frame of a patient on the back: +x to the left, +y to
    /// the head, +z to the front.
    pub fn to_nrrd(&self) -> Vec<u8> {
        let [x, y, z] = self.bounds();
        let sizes = [x, y, z].map(|[first, last]| last - first + 1);
        let mm = 1e3 * self.width;
        // The centre of the first voxel.
        let [left, head, front] = [0, 1, 2].map(|axis| {
            let first = [x, y, z][axis][0] as f32;
            1e3 * (self.low[axis] + (first + 0.5) * self.width)
        });
        let mut text =
            String::from("NRRD0004\n# simulated: compounded B-mode of a synthetic patient\n");
        let _ = write!(
            text,
            "type: uint8\ndimension: 3\nspace: left-anterior-superior\nsizes: {} {} {}\n\
             space directions: ({mm:.4},0,0) (0,0,{mm:.4}) (0,{mm:.4},0)\nkinds: domain domain domain\nencoding: raw\n\
             space units: \"mm\" \"mm\" \"mm\"\nspace origin: ({left:.3},{front:.3},{head:.3})\n\n",
            sizes[0], sizes[1], sizes[2]
        );
        let mut file = text.into_bytes();
        let grey = self.grey();
        for z in z[0]..=z[1] {
            for y in y[0]..=y[1] {
                let row = (z * self.count[1] + y) * self.count[0];
                file.extend(&grey[row + x[0]..=row + x[1]]);
            }
        }
        file
    }
}
