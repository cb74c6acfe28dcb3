//! Figures of an ultrasound frame.

use insonate_drawing::label_color;
use insonate_ultrasound::Frame;
use insonate_ultrasound::phantom::Phantom;
use serde::Serialize;

/// A material in a picture of labels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LegendEntry {
    /// Label.
    pub number: usize,
    /// Name of the material.
    pub name: &'static str,
    /// Colour, such as `#1a2b3c`.
    pub color: String,
}

/// A stretch of one material on a scanline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Layer {
    /// Name of the material; `None` for an unknown label.
    pub material: Option<&'static str>,
    /// Thickness along the line [m].
    pub thickness_m: f64,
}

/// Number, name and colour of each material of a phantom.
pub fn legend(phantom: &dyn Phantom) -> Vec<LegendEntry> {
    let materials = phantom.materials().iter().enumerate();
    let entries = materials.map(|(number, material)| {
        let [r, g, b] = label_color(number);
        LegendEntry {
            number,
            name: material.name,
            color: format!("#{r:02x}{g:02x}{b:02x}"),
        }
    });
    entries.collect()
}

/// Materials along the middle scanline, from the face on.
pub fn middle_line(frame: &Frame, phantom: &dyn Phantom) -> Vec<Layer> {
    let start = frame.n_lines / 2 * frame.n_samples;
    let labels = &frame.labels[start..start + frame.n_samples];
    let layers = labels.chunk_by(|a, b| a == b).map(|run| {
        let material = phantom.materials().get(usize::from(run[0]));
        Layer {
            material: material.map(|material| material.name),
            thickness_m: run.len() as f64 * frame.step,
        }
    });
    layers.collect()
}

/// Level of the mean power of the coupled scanlines [dB relative to the speckle of liver]; `None` without such a line.
pub fn mean_intensity(frame: &Frame) -> Option<f64> {
    let coupled = (0..frame.n_lines).filter(|&line| frame.coupled[line]);
    let (mut sum, mut n) = (0.0, 0.0);
    for level in coupled.flat_map(|line| frame.line(line)) {
        sum += 10f64.powf(0.1 * f64::from(*level));
        n += 1.0;
    }
    (n > 0.0).then(|| 10.0 * f64::log10(sum / n))
}
