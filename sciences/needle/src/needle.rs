//! A needle and its state.

use insonate_settings::{SettingError, check_ranges};
use nalgebra::{Isometry3, Vector2, Vector3};

use crate::path::{Front, PathPoint, intervals};
use crate::{Layer, NeedleConfig, NeedleError, Report, Tip, Tissue};

/// Slope up to which bending is computed; the error of the linear curvature is 3/2 of its square.
const MAX_SLOPE: f64 = 0.35;

/// Settings of the coupling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Distance between the points of a path [m]; at most half an element or cell of the body.
    pub spacing: f64,
    /// Solutions of the rows in a step of half a spacing, at most. A step that needs more is an error in a body that keeps forces, and ends
    /// without balance in another one, where the next step goes on: one or two are enough for a body with short steps.
    pub max_passes: usize,
    /// Motion of the tip through the tissue below which a step is solved [m].
    pub tolerance: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            spacing: 2e-3,
            max_passes: 200,
            tolerance: 1e-7,
        }
    }
}

/// A needle and its state in a body with points `P`. A clone is a saved state: with a clone of the body, it continues with the same bits.
#[derive(Debug, Clone, PartialEq)]
pub struct Needle<P> {
    pub(crate) config: NeedleConfig,
    pub(crate) layers: Vec<Layer>,
    pub(crate) settings: Settings,
    /// World from base.
    pub(crate) base: Isometry3<f64>,
    /// From the skin to the end of the channel.
    pub(crate) path: Vec<PathPoint<P>>,
    /// The end of the channel, or the place on the skin that the tip presses; `None` if the tip touches nothing.
    pub(crate) front: Option<Front<P>>,
    /// Lateral force of a bevel on the tip, in the base's frame [N].
    pub(crate) tip_load: Vector2<f64>,
    pub(crate) n_punctures: u32,
    pub(crate) cut_length: f64,
    /// Whether the last step ended with all rows in balance.
    pub(crate) is_settled: bool,
}

impl<P: Clone + std::fmt::Debug + PartialEq> Needle<P> {
    /// A straight needle outside the body. `base` is the pose of the hub (world from base); z points along the needle.
    ///
    /// # Errors
    /// [`NeedleError::Setting`].
    pub fn new(
        config: NeedleConfig,
        layers: Vec<Layer>,
        settings: Settings,
        base: Isometry3<f64>,
    ) -> Result<Self, NeedleError> {
        config.check()?;
        if layers.is_empty() {
            return Err(SettingError::new("layers", 0, "at least one").into());
        }
        for (index, layer) in layers.iter().enumerate() {
            layer.check(index)?;
        }
        let rows = [
            ("spacing", settings.spacing, [1e-5, 0.1], "m"),
            ("max_passes", settings.max_passes as f64, [1.0, 1e5], ""),
            ("tolerance", settings.tolerance, [1e-12, 1e-3], "m"),
        ];
        check_ranges("settings.", rows)?;
        check_pose(&base)?;
        Ok(Self {
            config,
            layers,
            settings,
            base,
            path: Vec::new(),
            front: None,
            tip_load: Vector2::zeros(),
            n_punctures: 0,
            cut_length: 0.0,
            is_settled: true,
        })
    }

    /// The same needle at another pose of the hub (world from base), straight and outside the body.
    ///
    /// # Errors
    /// [`NeedleError::Setting`] for a pose that is not allowed.
    pub fn outside(&self, base: Isometry3<f64>) -> Result<Self, NeedleError> {
        Self::new(self.config, self.layers.clone(), self.settings, base)
    }

    /// Description.
    pub fn config(&self) -> &NeedleConfig {
        &self.config
    }

    /// Pose of the hub, world from base.
    pub fn base(&self) -> &Isometry3<f64> {
        &self.base
    }

    /// Material points of the channel, from the skin to its end.
    pub fn path(&self) -> impl Iterator<Item = &P> {
        self.path.iter().map(|point| &point.point)
    }

    /// Forces of the needle on the points of the channel, in world [N], in the order of [`Self::path`].
    pub fn forces(&self) -> impl Iterator<Item = Vector3<f64>> {
        self.path.iter().map(|point| point.force)
    }

    /// Positions of `n` points from hub to tip, at equal distances, in world [m].
    pub fn shape(&self, n: usize) -> Vec<Vector3<f64>> {
        let step = self.config.length / n.saturating_sub(1).max(1) as f64;
        (0..n).map(|i| self.place(i as f64 * step)).collect()
    }

    /// Sets a lateral force on the tip, in the base's frame [N], which lasts while the tip is symmetric.
    ///
    /// # Errors
    /// [`NeedleError::Setting`] for a force that is not finite, and for a bevel, whose force follows from its cut.
    pub fn load_tip(&mut self, force: Vector2<f64>) -> Result<(), NeedleError> {
        if self.config.tip != Tip::Symmetric || !force.iter().all(|x| x.is_finite()) {
            let allowed = "finite [N], on a symmetric tip";
            return Err(SettingError::new("tip load", force, allowed).into());
        }
        self.tip_load = force;
        Ok(())
    }

    /// Moves the base to a pose, in steps in which the tip moves by at most half a spacing, and balances all forces.
    ///
    /// # Errors
    /// [`NeedleError`]. The needle stays where the last step that was possible ended.
    pub fn advance<T: Tissue<Point = P>>(
        &mut self,
        tissue: &mut T,
        base: Isometry3<f64>,
    ) -> Result<Report, NeedleError> {
        check_pose(&base)?;
        let from = self.base;
        let hub = (base.translation.vector - from.translation.vector).norm();
        let turn = from.rotation.angle_to(&base.rotation) * self.config.length;
        let n_steps = ((hub + turn) / (0.5 * self.settings.spacing))
            .ceil()
            .max(1.0);
        if n_steps > 1e6 {
            let most = 1e6 * 0.5 * self.settings.spacing;
            let allowed = format!("a motion of at most {most} m");
            return Err(SettingError::new("base", hub + turn, allowed).into());
        }
        for step in 1..=n_steps as usize {
            let before = self.clone();
            let share = step as f64 / n_steps;
            self.base = Isometry3::from_parts(
                from.translation
                    .vector
                    .lerp(&base.translation.vector, share)
                    .into(),
                from.rotation.slerp(&base.rotation, share),
            );
            if !T::KEEPS_FORCES {
                self.forget_forces();
            }
            let before_base = before.base;
            if let Err(error) = self
                .settle(tissue, &before_base)
                .and_then(|()| self.check(tissue))
            {
                self.put_back(before, tissue);
                return Err(error);
            }
        }
        Ok(self.report(tissue))
    }

    /// Forces of bodies that do not keep them start from zero.
    fn forget_forces(&mut self) {
        for point in &mut self.path {
            point.force = Vector3::zeros();
        }
        if let Some(front) = &mut self.front {
            front.force = Vector3::zeros();
        }
    }

    /// Undoes a step.
    fn put_back<T: Tissue<Point = P>>(&mut self, before: Self, tissue: &mut T) {
        for (point, force) in self.all_forces() {
            tissue.push(point, -force);
        }
        *self = before;
        if T::KEEPS_FORCES {
            for (point, force) in self.all_forces() {
                tissue.push(point, force);
            }
        }
    }

    /// Forces on the tissue in world [N], with their points.
    fn all_forces(&self) -> impl Iterator<Item = (&P, Vector3<f64>)> {
        let path = self.path.iter().map(|point| (&point.point, point.force));
        let front = self.front.iter().map(|front| (&front.point, front.force));
        path.chain(front)
    }

    /// Limits of what is computed.
    fn check<T: Tissue<Point = P>>(&self, tissue: &T) -> Result<(), NeedleError> {
        let slope = self.slope(self.config.length).norm();
        if slope > MAX_SLOPE {
            let most = MAX_SLOPE;
            return Err(NeedleError::Bent { slope, most });
        }
        let covered = self.path.first().filter(|point| point.is_covered);
        let skin = covered.map(|first| self.local(tissue, &first.point).z);
        if let Some(along) = skin.filter(|along| *along <= 0.0) {
            let depth = self.config.length - along;
            return Err(NeedleError::Hub { depth });
        }
        let force = self.axial_force();
        let free_length = skin.unwrap_or(self.config.length);
        let critical = self.config.buckling_load(free_length);
        if force >= critical {
            return Err(NeedleError::Buckles {
                force,
                critical,
                free_length,
            });
        }
        Ok(())
    }

    /// Force that the base exerts along the needle [N].
    fn axial_force(&self) -> f64 {
        let axis = self.axis();
        self.all_forces().map(|(_, force)| force.dot(&axis)).sum()
    }

    /// Forces and shape.
    pub fn report<T: Tissue<Point = P>>(&self, tissue: &T) -> Report {
        let axis = self.axis();
        let hub = self.base.translation.vector;
        let length = self.config.length;
        let mut report = Report {
            friction: vec![0.0; self.layers.len()],
            tip: self.place(length),
            tip_direction: self.base * self.slope(length).push(1.0).normalize(),
            layer: self.front.as_ref().map(|front| front.layer),
            n_punctures: self.n_punctures,
            cut_length: self.cut_length,
            axial_force: self.axial_force(),
            is_settled: self.is_settled,
            is_pressing: self.front.as_ref().is_some_and(|front| !front.is_open),
            ..Report::default()
        };
        for (point, force) in self.all_forces() {
            report.force_on_base -= force;
            report.torque_on_base -= (tissue.position(point) - hub).cross(&force);
        }
        for (point, parts) in self.path.iter().zip(self.friction_parts()) {
            let axial = point.force.dot(&axis);
            for (layer, part) in parts {
                report.friction[layer] += axial * part;
            }
            report.lateral_force += (point.force - axial * axis).norm();
        }
        if let Some(front) = &self.front {
            report.tip_force = front.force.dot(&axis);
        }
        if let Some(first) = self.path.first().filter(|first| first.is_covered) {
            report.inserted_length = length - first.along;
        }
        report
    }

    /// The layers whose friction acts on each point of the path, and their parts: that of the interval before it, and its own.
    fn friction_parts(&self) -> Vec<[(usize, f64); 2]> {
        let covered: Vec<&PathPoint<P>> = self.path.iter().filter(|p| p.is_covered).collect();
        let along: Vec<f64> = covered.iter().map(|point| point.along).collect();
        let lengths = intervals(&along, self.config.length);
        let friction = |i: usize| self.layers[covered[i].layer].friction * lengths[i];
        let parts = (0..self.path.len()).map(|i| {
            let own = self.path[i].layer;
            if i == 0 || i >= covered.len() {
                return [(own, 0.0), (own, 1.0)];
            }
            // The last interval goes to its start alone.
            let after = if i + 1 == covered.len() { 2.0 } else { 1.0 } * friction(i);
            let sum = friction(i - 1) + after;
            let before = if sum > 0.0 {
                friction(i - 1) / sum
            } else {
                0.0
            };
            [(covered[i - 1].layer, before), (own, 1.0 - before)]
        });
        parts.collect()
    }

    /// Direction of the needle at its hub, in world.
    pub(crate) fn axis(&self) -> Vector3<f64> {
        self.base * Vector3::z()
    }

    /// Position of a point in the base's frame [m].
    pub(crate) fn local<T: Tissue<Point = P>>(&self, tissue: &T, point: &P) -> Vector3<f64> {
        let arm = tissue.position(point) - self.base.translation.vector;
        self.base.rotation.inverse_transform_vector(&arm)
    }

    /// Position on the needle at a distance from the hub, in world [m].
    pub(crate) fn place(&self, along: f64) -> Vector3<f64> {
        self.base.translation.vector + self.base * self.deflection(along).push(along)
    }

    /// Lateral displacement at a distance from the hub, in the base's frame [m].
    pub(crate) fn deflection(&self, along: f64) -> Vector2<f64> {
        self.bend(|config, at| config.deflection(along, at))
    }

    /// Slope at a distance from the hub, in the base's frame.
    pub(crate) fn slope(&self, along: f64) -> Vector2<f64> {
        self.bend(|config, at| config.slope(along, at))
    }

    /// Sum of the effects of all lateral forces on the needle.
    fn bend(&self, effect: impl Fn(&NeedleConfig, f64) -> f64) -> Vector2<f64> {
        let length = self.config.length;
        let lateral =
            |force: &Vector3<f64>| self.base.rotation.inverse_transform_vector(force).xy();
        let mut sum = self.tip_load * effect(&self.config, length);
        for point in self.path.iter().filter(|point| point.is_covered) {
            sum -= lateral(&point.force) * effect(&self.config, point.along);
        }
        if let Some(front) = &self.front {
            // The load of the tip is the reaction of a part of this force.
            let held = lateral(&front.force) + self.tip_load;
            sum -= held * effect(&self.config, front.along);
        }
        sum
    }
}

/// Refuses poses that are not finite.
fn check_pose(base: &Isometry3<f64>) -> Result<(), NeedleError> {
    let position = base.translation.vector;
    let is_finite = position
        .iter()
        .chain(base.rotation.coords.iter())
        .all(|x| x.is_finite());
    if is_finite && position.norm() < 1e3 {
        return Ok(());
    }
    let value: [f64; 3] = position.into();
    Err(SettingError::new("base", value, "finite and within 1000 m of the origin").into())
}
