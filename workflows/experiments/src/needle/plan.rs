//! The plan of an insertion, and what is refused before it begins.

use insonate_needle::{Gauge, NeedleConfig};
use insonate_settings::{SettingError, check_range};
use insonate_sim::needle::{LayeredBlock, Preset};
use insonate_ultrasound::transducer::Transducer;
use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::probe_place::check_probe;

/// Distance of entry and target from the fixed sides of the block [m].
const MARGIN: f64 = 0.01;

/// Height of the tip over the skin at the start, along the needle [m].
pub(super) const START: f64 = 2e-3;

/// Radius of the lesion around the target, in pictures [m].
pub(super) const LESION: f64 = 4e-3;

/// Length of needle that stays outside [m].
const OUTSIDE: f64 = 5e-3;

/// Poisson's ratio of all tissues: nearly incompressible.
const POISSON_RATIO: f64 = 0.45;

/// Viscosity over shear modulus of all tissues [s]; it calms waves, which no published curve shows.
const DAMPING_TIME: f64 = 0.01;

/// A layer of the plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlannedLayer {
    /// Tissue.
    pub preset: Preset,
    /// Thickness [m]; the last layer fills the rest.
    pub thickness: f64,
}

/// A straight insertion to a target, in a vertical plane along x.
///
/// The middle of the skin is the origin, and z points up out of the body.
#[derive(Debug, Clone, PartialEq)]
pub struct NeedlePlan {
    /// Size of the needle.
    pub gauge: Gauge,
    /// Length from hub to tip [m].
    pub length: f64,
    /// Target at rest [m].
    pub target: [f64; 3],
    /// Angle between needle and skin [rad]; a right angle is straight down, and less comes from −x.
    pub angle: f64,
    /// Speed of the hub along the needle [m/s].
    pub speed: f64,
    /// Layers from the skin down.
    pub layers: Vec<PlannedLayer>,
    /// Sizes of the block along x, y and z [m].
    pub size: [f64; 3],
    /// Edge of the elements [m].
    pub edge: f64,
    /// Whether the skin is whole, so that the needle must break it; otherwise a nick opens it.
    pub is_skin_whole: bool,
    /// Array of a probe on the skin that films the insertion; `None` for no B-mode picture.
    pub transducer: Option<Transducer>,
    /// Name of the robot that holds the needle; `None` for a hand, which nothing deflects.
    pub robot: Option<String>,
}

impl NeedlePlan {
    /// Direction of the needle.
    pub fn direction(&self) -> Vector3<f64> {
        Vector3::new(self.angle.cos(), 0.0, -self.angle.sin())
    }

    /// Target at rest [m].
    pub fn target(&self) -> Vector3<f64> {
        Vector3::from(self.target)
    }

    /// Length of the straight way from skin to target [m].
    pub fn depth(&self) -> f64 {
        -self.target[2] / self.angle.sin()
    }

    /// Where the straight way passes the skin [m].
    pub fn entry(&self) -> Vector3<f64> {
        self.target() - self.direction() * self.depth()
    }

    /// Pose of the hub when the tip of the straight needle is at a depth on its way [m].
    pub fn base(&self, depth: f64) -> Isometry3<f64> {
        let forward = self.direction();
        let side = Vector3::y();
        let frame = Matrix3::from_columns(&[side.cross(&forward), side, forward]);
        let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(frame));
        let hub = self.entry() + forward * (depth - self.length);
        Isometry3::from_parts(hub.into(), turn)
    }

    /// The needle, with its stylet.
    pub fn needle(&self) -> NeedleConfig {
        NeedleConfig {
            has_stylet: true,
            ..NeedleConfig::steel(self.gauge, self.length)
        }
    }

    /// The tissue.
    pub fn block(&self) -> LayeredBlock {
        let layers = self.layers.iter().enumerate();
        let layers = layers.map(|(index, layer)| {
            let is_whole = index == 0 && self.is_skin_whole;
            layer.preset.layer(layer.thickness, is_whole)
        });
        LayeredBlock {
            size: self.size,
            edge: self.edge,
            layers: layers.collect(),
            poisson_ratio: POISSON_RATIO,
            density: 1000.0,
            damping_time: DAMPING_TIME,
        }
    }

    /// Refuses what no needle can do, and values out of their range.
    ///
    /// # Errors
    /// [`SettingError`] that names the field, its value and the reason.
    pub fn check(&self) -> Result<(), SettingError> {
        let degrees = self.angle.to_degrees();
        check_range("angle", degrees, [15.0, 90.0], "degrees")?;
        check_range("speed", self.speed, [5e-4, 0.2], "m/s")?;
        check_range("length", self.length, [0.02, 0.5], "m")?;
        self.block().check()?;
        self.check_target()?;
        let most = self.length - OUTSIDE;
        if self.depth() > most {
            let allowed = format!(
                "at most {most:.3} m from the skin along the needle of {} m: use a longer needle or a steeper angle",
                self.length
            );
            let depth = format!("{:.4} m", self.depth());
            return Err(SettingError::new("depth of the target", depth, allowed));
        }
        if let Some(transducer) = &self.transducer {
            check_probe(&self.entry(), &self.target(), transducer)?;
        }
        self.check_bone()
    }

    /// Refuses a target or an entry that is not in the free part of the block.
    fn check_target(&self) -> Result<(), SettingError> {
        let [x, y, z] = self.size;
        let target = self.target;
        if !target.iter().all(|value| value.is_finite())
            || target[2] > -1e-3
            || target[2] < MARGIN - z
        {
            let allowed = format!(
                "between {:.3} and -0.001 m: below the skin at z = 0 and {MARGIN} m above the bottom of the body",
                MARGIN - z
            );
            return Err(SettingError::new("target.z", target[2], allowed));
        }
        let entry = self.entry();
        let rows = [
            ("target.x", target[0], x),
            ("target.y", target[1], y),
            ("entry.x, from target and angle,", entry.x, x),
        ];
        for (field, value, size) in rows {
            let most = 0.5 * size - MARGIN;
            if value.abs() > most {
                let allowed = format!(
                    "between {:.3} and {most:.3} m: in the body, {MARGIN} m from its sides",
                    -most
                );
                return Err(SettingError::new(field, format!("{value:.4} m"), allowed));
            }
        }
        Ok(())
    }

    /// Refuses a way through bone.
    fn check_bone(&self) -> Result<(), SettingError> {
        let mut start = 0.0;
        for layer in &self.layers {
            if layer.preset.is_bone && start <= -self.target[2] {
                let allowed = format!(
                    "above the bone, which begins {start} m below the skin and no needle enters"
                );
                return Err(SettingError::new("target.z", self.target[2], allowed));
            }
            start += layer.thickness;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insonate_ultrasound::transducer::l12_5;

    fn plan(layers: &[(&str, f64)]) -> NeedlePlan {
        let layers = layers.iter().map(|(name, thickness)| PlannedLayer {
            preset: Preset::by_name(name).expect("a known tissue"),
            thickness: *thickness,
        });
        NeedlePlan {
            gauge: Gauge::G18,
            length: 0.15,
            target: [0.01, 0.0, -0.05],
            angle: 60_f64.to_radians(),
            speed: 5e-3,
            layers: layers.collect(),
            size: [0.14, 0.08, 0.08],
            edge: 8e-3,
            is_skin_whole: false,
            transducer: None,
            robot: None,
        }
    }

    #[test]
    fn a_straight_needle_reaches_the_target_from_the_skin() {
        let plan = plan(&[("skin", 2e-3), ("liver", 1.0)]);
        plan.check().expect("the plan is possible");
        let tip = |depth: f64| plan.base(depth) * nalgebra::Point3::new(0.0, 0.0, 0.15);
        assert!((tip(plan.depth()).coords - plan.target()).norm() < 1e-12);
        // tan 60° = 0.05 m over the way along x.
        let entry = tip(0.0);
        assert!((entry.x - (0.01 - 0.05 / 3_f64.sqrt())).abs() < 1e-12);
        assert!(entry.y.abs() < 1e-12 && entry.z.abs() < 1e-12);
    }

    #[test]
    fn impossible_ways_are_refused_by_reason() {
        let good = plan(&[("skin", 2e-3), ("liver", 1.0)]);
        let refused = [
            (
                plan(&[("skin", 2e-3), ("bone", 0.01), ("liver", 1.0)]),
                "bone",
            ),
            (
                NeedlePlan {
                    target: [0.2, 0.0, -0.05],
                    ..good.clone()
                },
                "target.x",
            ),
            (
                NeedlePlan {
                    target: [0.0, 0.0, 0.01],
                    ..good.clone()
                },
                "target.z",
            ),
            (
                NeedlePlan {
                    target: [0.0, 0.0, -0.075],
                    ..good.clone()
                },
                "target.z",
            ),
            (
                NeedlePlan {
                    target: [-0.05, 0.0, -0.05],
                    ..good.clone()
                },
                "entry.x",
            ),
            (
                NeedlePlan {
                    length: 0.05,
                    ..good.clone()
                },
                "longer needle",
            ),
            (
                NeedlePlan {
                    angle: f64::NAN,
                    ..good.clone()
                },
                "angle",
            ),
            (
                NeedlePlan {
                    angle: 85_f64.to_radians(),
                    transducer: Some(l12_5()),
                    ..good.clone()
                },
                "B-mode",
            ),
            (NeedlePlan { speed: 0.0, ..good }, "speed"),
        ];
        for (plan, reason) in refused {
            let error = plan.check().expect_err(reason).to_string();
            assert!(error.contains(reason), "{error}");
        }
        // Bone behind the target is no obstacle.
        plan(&[("liver", 0.06), ("bone", 1.0)])
            .check()
            .expect("it is possible");
    }
}
