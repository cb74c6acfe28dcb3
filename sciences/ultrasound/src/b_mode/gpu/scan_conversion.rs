//! Pictures of envelopes.

use insonate_gpu::{DeviceError, Region, Use};

use super::super::ScanConverter;
use super::super::grey_map::GreyTable;
use super::receiver::Receiver;
use super::setup::{Setup, Stage};

/// Word of a pixel outside of the field of view: see `scan_conversion.wgsl`.
const OUTSIDE: [u32; 3] = [u32::MAX, 0, 0];

/// Pictures, four pixels to a word.
#[derive(Debug)]
pub(super) struct ScanConversion {
    pub(super) n_pixels: usize,
    pub(super) greys: GreyTable,
    pictures: wgpu::Buffer,
    stage: Stage,
}

impl ScanConversion {
    pub(super) fn new(
        setup: &Setup,
        receiver: &Receiver,
        converter: &ScanConverter,
    ) -> Result<Self, DeviceError> {
        let n_pixels = converter.size[0] * converter.size[1];
        let pixels = setup.gpu.filled("pixels", &pixels(converter))?;
        let pictures = setup.numbers("pictures", n_pixels.div_ceil(4))?;
        let buffers = [
            (Use::Read, &receiver.levels),
            (Use::Read, &pixels),
            (Use::Write, &pictures),
        ];
        let text = include_str!("scan_conversion.wgsl");
        Ok(Self {
            stage: setup.stage("scan_conversion", text, &buffers)?,
            n_pixels,
            greys: converter.greys.clone(),
            pictures,
        })
    }

    pub(super) fn run(&self, pass: &mut wgpu::ComputePass, n_frames: usize) {
        self.stage.run(pass, n_frames * self.n_pixels.div_ceil(4));
    }

    /// Bytes of a picture, including the padding of its last word.
    pub(super) fn n_bytes(&self) -> u64 {
        4 * self.n_pixels.div_ceil(4) as u64
    }

    /// The pictures of the first frames.
    pub(super) fn region(&self, n_frames: usize) -> Region<'_> {
        Region {
            buffer: &self.pictures,
            start: 0,
            len: n_frames as u64 * self.n_bytes(),
        }
    }
}

/// Positions of all pixels in beam space, row by row.
fn pixels(converter: &ScanConverter) -> Vec<[u32; 3]> {
    let [width, height] = converter.size;
    let mut pixels = vec![OUTSIDE; (width * height).next_multiple_of(4)];
    for (row, runs) in converter.rows.iter().enumerate() {
        for run in runs {
            let row = &mut pixels[row * width + run.start..];
            for (pixel, (at, shares)) in row.iter_mut().zip(&run.pixels) {
                *pixel = [*at, shares[0].to_bits(), shares[1].to_bits()];
            }
        }
    }
    pixels
}
