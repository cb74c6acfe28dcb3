//! The trunk of an adult who lies on the back, from the crotch to the notch above the breastbone, as one function of block coordinates.
//!
//! The trunk is the image of the block $(u, w, v) \in [-1, 1] \times [0, 1] \times [-1, 1]$: across (left is positive), from the table
//! upwards, and from the crotch to the head.
//! Its surface is the image of the block's faces. The lattice of particles, the tetrahedra, the rendered skin and the surface
//! for path planning are all samples of [`AdultTrunk::point`], and points inside have the same coordinates in every patient.
//!
//! A cross-section has half width $a$ and thickness $t$; it is widest at height $c$ above the table:
//! $|x/a|^n + |(z - c)/b|^n = 1$ with $b = t - c$ and $n$ = [`FRONT_EXPONENT`] above $c$, and $b = c + $ [`SINK`] and $n$ =
//! [`BACK_EXPONENT`] below it, cut off by the table.
//! Four arcs form its boundary, and the inside is their Coons patch (Coons 1967, "Surfaces for computer-aided design of space forms").

use super::physique::{Girth, Girths, Physique, Sex};
use super::relief;

/// Exponents of the front and the back of a section: the front is vaulted, the back is blunt because it lies on the table.
const FRONT_EXPONENT: f64 = 2.3;
const BACK_EXPONENT: f64 = 3.0;
/// Depth that the back would reach below the table if it were not pressed flat [m].
const SINK: f64 = 0.014;
/// Ratio of the height at which the section is widest to its thickness.
const WIDEST: f64 = 0.44;
/// Angle from the vertical at which the front ends and the flanks begin [rad].
const FLANK: f64 = 1.1;
/// Bulge of the end faces, as a fraction of the half length.
const BULGE: f64 = 0.06;
/// Ratio of the trunk's length, from crotch to notch, to the height: 1.442 m − 0.846 m of 1.756 m (ANSUR II, men).
const LENGTH: f64 = 0.34;
/// Ratio of depths lying to depths standing: bellies sink and spread (Takashima 2017, doi:10.1589/jpts.29.29, measured smaller depths of
/// rib cages in lying persons; the number was chosen by eye).
const LYING: f64 = 0.98;

/// Height, the girth at that height, factors of its breadth and depth.
type Level = (f64, fn(&Girths) -> Girth, [f64; 2]);

/// Levels of the trunk: height from crotch (0) to notch (1), girth, and factors of its breadth and depth.
///
/// Heights of the landmarks in ANSUR II's men: trochanter 0.12, navel 0.35, tenth rib 0.43, nipples 0.74, armpits 0.83.
const PROFILE: [Level; 11] = [
    (0.0, |girths| girths.hips, [0.96, 0.78]),
    (0.12, |girths| girths.hips, [1.0, 0.86]),
    (0.25, |girths| girths.hips, [0.955, 0.87]),
    (0.352, |girths| girths.waist, [0.975, 0.93]),
    (0.45, |girths| girths.waist, [0.945, 0.96]),
    (0.56, |girths| girths.chest, [1.05, 0.92]),
    (0.66, |girths| girths.chest, [1.11, 0.955]),
    (0.75, |girths| girths.chest, [1.16, 0.955]),
    (0.84, |girths| girths.chest, [1.18, 0.90]),
    (0.93, |girths| girths.chest, [1.10, 0.76]),
    (1.0, |girths| girths.chest, [0.84, 0.60]),
];

/// A trunk. Lengths are in m, in the torso's frame: +x to the patient's left, +y to the head, +z up from the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdultTrunk {
    /// Half of the length from crotch to notch [m].
    pub half_length: f64,
    /// Half width and thickness at the heights of [`PROFILE`] [m].
    sections: [[f64; 2]; PROFILE.len()],
    /// Selects the relief of the chest.
    sex: Sex,
}

impl AdultTrunk {
    /// The trunk of an adult.
    pub fn new(physique: &Physique) -> Self {
        let girths = physique.girths();
        let sections = PROFILE.map(|(_, girth, [broader, deeper])| {
            let girth = girth(&girths);
            [0.5 * girth.breadth * broader, LYING * girth.depth * deeper]
        });
        Self {
            half_length: 0.5 * LENGTH * physique.height,
            sections,
            sex: physique.sex,
        }
    }

    /// Half of the greatest width, half of the greatest thickness, half of the length [m].
    pub fn half_size(&self) -> [f64; 3] {
        let greatest = |column: usize| {
            let column = self.sections.iter().map(|section| section[column]);
            column.fold(0.0, f64::max)
        };
        [greatest(0), 0.5 * greatest(1), self.half_length]
    }

    /// Lengths on the surface of the middle section: of the front and of a flank [m].
    pub(super) fn arcs(&self) -> [f64; 2] {
        let section = Section::of(self, 0.0);
        let length = |arc: &dyn Fn(f64) -> [f64; 2]| {
            let points: Vec<[f64; 2]> = (0..=32).map(|step| arc(f64::from(step) / 32.0)).collect();
            let chords = points.windows(2);
            chords
                .map(|chord| (chord[1][0] - chord[0][0]).hypot(chord[1][1] - chord[0][1]))
                .sum::<f64>()
        };
        let front = length(&|share| section.front(2.0 * share - 1.0));
        [front, length(&|share| section.flank(share))]
    }

    /// The point at block coordinates `[u, w, v]`, in the torso's frame [m].
    pub fn point(&self, [u, w, v]: [f64; 3]) -> [f64; 3] {
        let section = Section::of(self, v);
        let [x, z] = section.inside(u, w);
        let rim = (1.0 - u * u) * (1.0 - (2.0 * w - 1.0).powi(2));
        let along = v * (1.0 - BULGE) + BULGE * rim * v.abs().powi(3).copysign(v);
        // Relief of the front also moves the tissue below it, linearly down to the back.
        let share = (z / section.top(x)).clamp(0.0, 1.0);
        [
            x,
            self.half_length * along,
            z + share * self.relief(&section, x, v),
        ]
    }

    /// The same point with the relief that is too fine for a lattice, such as the navel and the collar bones. For rendering.
    pub fn drawn_point(&self, coordinates: [f64; 3]) -> [f64; 3] {
        let [_, w, v] = coordinates;
        let [x, y, z] = self.point(coordinates);
        let across = x / Section::of(self, v).half_width;
        [x, y, z + w.powi(4) * relief::fine(across, height(v))]
    }

    /// Distance of the rims of the soft skin's front from the middle of the trunk, along y [m]. Beyond them, the end faces bulge.
    pub(super) fn rim(&self) -> f64 {
        self.half_length * (1.0 - BULGE)
    }

    /// Thickness at the notch [m].
    pub(super) fn notch_thickness(&self) -> f64 {
        self.sections[PROFILE.len() - 1][1]
    }

    /// Height of the relief that only the rendered skin has, on the front at a place in the torso's frame [m].
    pub(super) fn fine_relief(&self, x: f64, y: f64) -> f64 {
        let v = (y / self.rim()).clamp(-1.0, 1.0);
        relief::fine(x / Section::of(self, v).half_width, height(v))
    }

    /// Approximate distance of a point from the trunk [m]; negative inside, zero on the surface between the end faces.
    pub fn distance(&self, [x, y, z]: [f64; 3]) -> f64 {
        let v = (y / self.rim()).clamp(-1.0, 1.0);
        let section = Section::of(self, v);
        let (top, relief) = (section.top(x), self.relief(&section, x, v));
        let plain = z - relief * (z / (top + relief)).clamp(0.0, 1.0);
        let (exponent, half) = section.part(plain);
        let across = (x / section.half_width).abs();
        let up = ((plain - section.widest) / half).abs();
        let gauge = (across.powf(exponent) + up.powf(exponent)).powf(exponent.recip());
        let adjacent = (gauge - 1.0) * half.min(section.half_width);
        adjacent.max(-z).max(y.abs() - self.half_length)
    }

    /// Relief of the front at `x` [m].
    fn relief(&self, section: &Section, x: f64, v: f64) -> f64 {
        let across = (x / section.half_width).clamp(-1.0, 1.0);
        let fade = 1.0 - across.powi(6);
        section.thickness * fade * relief::coarse(self.sex, across, height(v))
    }

    /// Half width and thickness at `v` [m]: a cubic Hermite spline through the sections with central slopes.
    fn section(&self, v: f64) -> [f64; 2] {
        let at = height(v);
        let last = PROFILE.len() - 1;
        let left = PROFILE[1..last]
            .iter()
            .take_while(|row| row.0 <= at)
            .count();
        [0, 1].map(|column| {
            let value = |index: usize| self.sections[index][column];
            let slope = |index: usize| {
                let (before, after) = (index.saturating_sub(1), (index + 1).min(last));
                (value(after) - value(before)) / (PROFILE[after].0 - PROFILE[before].0)
            };
            let width = PROFILE[left + 1].0 - PROFILE[left].0;
            let t = (at - PROFILE[left].0) / width;
            let (t2, t3) = (t * t, t * t * t);
            (2.0 * t3 - 3.0 * t2 + 1.0) * value(left)
                + (t3 - 2.0 * t2 + t) * width * slope(left)
                + (3.0 * t2 - 2.0 * t3) * value(left + 1)
                + (t3 - t2) * width * slope(left + 1)
        })
    }
}

/// Height of `v` between crotch (0) and notch (1).
fn height(v: f64) -> f64 {
    0.5 * (v + 1.0)
}

/// A cross-section in the x-z plane [m].
struct Section {
    half_width: f64,
    thickness: f64,
    /// Height at which the section is widest.
    widest: f64,
    /// Angle from the vertical at which it meets the table [rad].
    foot: f64,
}

impl Section {
    fn of(trunk: &AdultTrunk, v: f64) -> Self {
        let [half_width, thickness] = trunk.section(v.clamp(-1.0, 1.0));
        let widest = WIDEST * thickness;
        let down = widest / (widest + SINK);
        let out = (1.0 - down.powf(BACK_EXPONENT)).powf(BACK_EXPONENT.recip());
        Self {
            half_width,
            thickness,
            widest,
            foot: out.atan2(-down),
        }
    }

    /// Exponent and half height of the front or the back, whichever contains this height.
    fn part(&self, z: f64) -> (f64, f64) {
        if z > self.widest {
            (FRONT_EXPONENT, self.thickness - self.widest)
        } else {
            (BACK_EXPONENT, self.widest + SINK)
        }
    }

    /// Height of the front at `x`.
    fn top(&self, x: f64) -> f64 {
        let out = (x / self.half_width).abs().min(1.0);
        let rise = (1.0 - out.powf(FRONT_EXPONENT)).powf(FRONT_EXPONENT.recip());
        self.widest + (self.thickness - self.widest) * rise
    }

    /// The point of the outline at an angle from the vertical, -π to π.
    fn outline(&self, angle: f64) -> [f64; 2] {
        let (sin, cos) = angle.sin_cos();
        let (exponent, half) = self.part(self.widest + cos);
        let radius = (sin.abs().powf(exponent) + cos.abs().powf(exponent)).powf(-exponent.recip());
        [
            self.half_width * radius * sin,
            self.widest + half * radius * cos,
        ]
    }

    /// A point on the front, from right (-1) to left (1).
    fn front(&self, u: f64) -> [f64; 2] {
        self.outline(FLANK * u)
    }

    /// A point on the left flank, from the table (0) to the front (1).
    fn flank(&self, w: f64) -> [f64; 2] {
        self.outline(self.foot + w * (FLANK - self.foot))
    }

    /// A point inside: the Coons patch.
    fn inside(&self, u: f64, w: f64) -> [f64; 2] {
        let [foot, ground] = self.flank(0.0);
        let [edge, rim] = self.flank(1.0);
        let front = self.front(u);
        let [adjacent, up] = self.flank(w);
        let x = (1.0 - w) * foot * u + w * front[0] + u * (adjacent - (1.0 - w) * foot - w * edge);
        // Both flanks have the same height; the ground is zero except for rounding.
        let z = w * front[1] + up - ground * (1.0 - w) - w * rim;
        [x, z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patients::Trunk;

    fn sample_of_adults() -> impl Iterator<Item = Physique> {
        let drawn = (0..20).map(Physique::drawn);
        drawn.chain([Physique::reference(Sex::Female), Physique::default()])
    }

    #[test]
    fn the_reference_man_has_a_trunk_of_real_size() {
        let trunk = AdultTrunk::new(&Physique::default());
        let [half_width, half_thickness, half_length] = trunk.half_size();
        assert!((0.16..0.18).contains(&half_width), "{half_width}");
        assert!((0.10..0.12).contains(&half_thickness), "{half_thickness}");
        assert!((0.29..0.31).contains(&half_length), "{half_length}");
    }

    #[test]
    fn every_trunk_is_symmetric_stands_on_the_table_and_keeps_its_length() {
        for physique in sample_of_adults() {
            let trunk = AdultTrunk::new(&physique);
            for step in 0..=20 {
                let v = 0.1 * f64::from(step) - 1.0;
                for (u, w) in [(0.3, 1.0), (1.0, 0.4), (0.7, 0.0), (0.2, 0.5)] {
                    let [x, y, z] = trunk.point([u, w, v]);
                    let mirrored = trunk.point([-u, w, v]);
                    assert!((x + mirrored[0]).abs() < 1e-12 && (z - mirrored[2]).abs() < 1e-12);
                    assert!(y.abs() <= trunk.half_length * (1.0 + 1e-12));
                    assert!(if w == 0.0 { z.abs() < 1e-12 } else { z > 0.0 });
                }
            }
        }
    }

    #[test]
    fn the_distance_is_zero_on_the_front() {
        for physique in sample_of_adults() {
            let trunk = AdultTrunk::new(&physique);
            for (u, v) in [(0.0, 0.0), (0.5, -0.4), (-0.8, 0.3), (0.2, 0.5)] {
                let front = trunk.point([u, 1.0, v]);
                let off = trunk.distance(front);
                assert!(off.abs() < 1e-9, "{physique:?} {u} {v}: {off}");
                let inside = trunk.point([0.5 * u, 0.5, v]);
                assert!(trunk.distance(inside) < -0.03, "{physique:?} {u} {v}");
            }
        }
    }

    #[test]
    fn the_lattice_follows_the_spacing() {
        let trunk = Trunk::Adult(AdultTrunk::new(&Physique::default()));
        let [across, through, along] = trunk.count(0.02);
        assert!(
            (15..=19).contains(&across) && (7..=10).contains(&through),
            "{across} {through}"
        );
        assert_eq!(along, 31);
        assert_eq!(trunk.count(10.0), [3, 3, 3]);
    }
}
