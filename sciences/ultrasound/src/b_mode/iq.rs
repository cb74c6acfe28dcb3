//! Complex lines: the received signal of a frame, before noise, gain and logarithm.
//!
//! An echo at the range $r$ is $a\, e^{-2\pi i f t}$ with $t = 2r/c$, demodulated by the carrier $f$. The line at radio frequency
//! is $\mathrm{Re}(s\, e^{2\pi i f t})$.

use super::BMode;

/// Complex lines of a frame.
#[derive(Clone, Debug)]
pub struct Iq {
    /// Number of lines.
    pub n_lines: usize,
    /// Samples of each line; the first is at the face.
    pub n_samples: usize,
    /// Sample rate [Hz].
    pub sample_rate: f64,
    /// Frequency of the carrier [Hz].
    pub center_frequency: f64,
    /// Real and imaginary part relative to the speckle of liver, shape `[n_lines, n_samples, 2]`.
    pub values: Vec<f32>,
}

impl BMode {
    /// Complex lines of the last frame; zeros before the first frame.
    pub fn iq(&self) -> Iq {
        let (n_lines, n_samples) = (self.grid.n_lines, self.grid.n_samples);
        let mut values = vec![0.0; 2 * n_lines * n_samples];
        let mut row = vec![0.0; 2 * (n_lines + 2 * self.beam.reach())];
        let mut seen = vec![0.0; 2 * n_lines];
        for sample in 0..n_samples {
            let own = &mut row[2 * self.beam.reach()..][..2 * n_lines];
            super::side_by_side(&self.pulsed, sample, own);
            self.beam.apply(sample, &row, &mut seen);
            for (line, pair) in seen.chunks_exact(2).enumerate() {
                values[2 * (line * n_samples + sample)..][..2].copy_from_slice(pair);
            }
        }
        Iq {
            n_lines,
            n_samples,
            sample_rate: self.settings.speed_of_sound / (2.0 * f64::from(self.grid.step)),
            center_frequency: self.frequency,
            values,
        }
    }
}

impl Iq {
    /// A NRRD file (version 4, raw floats). Real and imaginary part run fastest, then samples, then lines.
    pub fn to_nrrd(&self) -> Vec<u8> {
        let header = format!(
            "NRRD0004\n# simulated: complex lines of an ultrasound frame, without noise and gain\n\
             type: float\ndimension: 3\nsizes: 2 {} {}\nkinds: complex time domain\nendian: little\nencoding: raw\n\
             sample_rate_hz:={}\ncenter_frequency_hz:={}\n\n",
            self.n_samples, self.n_lines, self.sample_rate, self.center_frequency
        );
        let values = self.values.iter().flat_map(|value| value.to_le_bytes());
        header.into_bytes().into_iter().chain(values).collect()
    }
}
