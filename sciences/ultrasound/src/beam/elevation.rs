//! Width of the two-way beam across the array: the field of a strip with a lens.
//!
//! $p(f, y) = \int_{-h/2}^{h/2} \frac{1}{\sqrt{r}}\, e^{i k (r - \sqrt{z_f^2 + \eta^2})}\, d\eta$ with $r = \sqrt{z^2 + (y - \eta)^2}$,
//! aperture $h$ and focus $z_f$; the two-way amplitude is the mean of $|p|^2$ over the transmitted band.
//! Elements off the scanline are slightly farther away than those on it. This is neglected: the width has an error of up to 5 %.

use std::f64::consts::PI;

use nalgebra::Complex;

use super::Pulse;
use super::lateral::half_width;
use crate::transducer::Transducer;

/// Full width at half maximum of the two-way beam across the array [m], at a depth [m].
pub fn elevation_width(
    transducer: &Transducer,
    pulse: &Pulse,
    depth: f64,
    speed_of_sound: f64,
) -> f64 {
    let profile = |y: f64| {
        let intensity = pulse.spectrum().iter().map(|component| {
            let k = 2.0 * PI * component.frequency / speed_of_sound;
            component.sent * strip(transducer, depth, y, k).norm_sqr()
        });
        intensity.sum::<f64>()
    };
    2.0 * half_width(profile, 0.01 * transducer.elevation_aperture)
}

/// Pressure of a strip across the array, at a distance in the image plane and a distance from that plane [m].
fn strip(transducer: &Transducer, distance: f64, y: f64, k: f64) -> Complex<f64> {
    const N_PARTS: usize = 64;
    let (height, focus) = (transducer.elevation_aperture, transducer.elevation_focus);
    let part = |index: usize| {
        let across = height * ((index as f64 + 0.5) / N_PARTS as f64 - 0.5);
        let way = distance.hypot(y - across);
        Complex::from_polar(way.sqrt().recip(), k * (way - focus.hypot(across)))
    };
    (0..N_PARTS).map(part).sum()
}

#[cfg(test)]
mod tests;
