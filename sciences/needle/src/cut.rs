//! Puncture and cutting: the front moves through the tissue while the tip pushes with the force that the tissue holds.

use nalgebra::{Vector2, Vector3};

use crate::needle::Needle;
use crate::path::{Front, PathPoint};
use crate::{NeedleError, Tip, Tissue};

/// A straight cut, in the base's frame.
struct Cut {
    /// Place of the front [m].
    start: Vector3<f64>,
    slope: Vector2<f64>,
}

impl<P: Clone + std::fmt::Debug + PartialEq> Needle<P> {
    /// Force that an unbroken layer holds [N].
    pub(crate) fn surface_limit(&self, layer: usize) -> f64 {
        if self.layers[layer].is_bone {
            return f64::MAX;
        }
        self.layers[layer]
            .puncture_force
            .max(self.cutting_limit(layer))
    }

    /// Force that the tissue of a layer holds in front of a crack [N].
    fn cutting_limit(&self, layer: usize) -> f64 {
        self.layers[layer].cutting_force(self.config.outer_diameter)
    }

    /// Moves the front if the tip pushes with all the force that the tissue holds. Returns whether the rows must be solved again.
    ///
    /// After a puncture the force that the tissue holds decreases in parts, in which the tissue springs back by about half a spacing each.
    /// So the shaft that enters takes up friction on the way, and the tissue does not overshoot its balance.
    pub(crate) fn cut<T: Tissue<Point = P>>(
        &mut self,
        tissue: &mut T,
    ) -> Result<bool, NeedleError> {
        let (axis, length) = (self.axis(), self.config.length);
        let Some(front) = &mut self.front else {
            return Ok(false);
        };
        let near = tissue
            .near_field(&front.point, 0.5 * self.config.outer_diameter)
            .tip;
        // That of the solution: the product of a vector and the axis may round below the limit.
        let force = front.axial_force;
        let arm = tissue.position(&front.point) - self.base.translation.vector;
        let flow = length - (arm.dot(&axis) + near * force);
        let is_yielding = force >= front.limit && flow > self.settings.tolerance;
        if is_yielding && !front.is_open {
            front.is_open = true;
            self.n_punctures += u32::from(self.layers[front.layer].puncture_force > 0.0);
            if self.path.is_empty() {
                self.add_point(tissue);
            }
            // The limit decreases from here on.
        } else if is_yielding {
            self.advance_front(tissue, flow)?;
        }
        let Some(front) = self.front.as_ref().filter(|front| front.is_open) else {
            return Ok(is_yielding);
        };
        let cutting = self.cutting_limit(front.layer);
        if front.limit > cutting {
            let response = axis.dot(&(tissue.response(&front.point, &front.point) * axis));
            let part = 0.5 * self.settings.spacing / (response + near).max(1e-12);
            let limit = (front.limit - part).max(cutting);
            if let Some(front) = &mut self.front {
                front.limit = limit;
            }
            return Ok(true);
        }
        Ok(is_yielding)
    }

    /// Cuts `flow` [m] of channel, up to the surface of the next layer.
    fn advance_front<T: Tissue<Point = P>>(
        &mut self,
        tissue: &mut T,
        flow: f64,
    ) -> Result<(), NeedleError> {
        let Some(front) = &self.front else {
            return Ok(());
        };
        let cut = self.next_cut(tissue, front, flow);
        let n_parts = (flow / (0.5 * self.settings.spacing)).ceil().max(1.0);
        let mut done = 0.0;
        for index in 1..=n_parts as usize {
            let Some(layer) = self.front.as_ref().map(|front| front.layer) else {
                return Ok(());
            };
            let mut next = flow * index as f64 / n_parts;
            if self.layer_ahead(tissue, &cut, next) != Some(layer) {
                next = self.end_of_layer(tissue, &cut, layer, [done, next]);
            }
            self.cut_part(tissue, &cut, next)?;
            self.cut_length += next - done;
            done = next;
            if self.front.as_ref().is_none_or(|front| !front.is_open) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Moves the front to a length from its start [m], which is in the same layer or at the beginning of the next one.
    fn cut_part<T: Tissue<Point = P>>(
        &mut self,
        tissue: &mut T,
        cut: &Cut,
        length: f64,
    ) -> Result<(), NeedleError> {
        let Some(front) = self.front.clone() else {
            return Ok(());
        };
        let to = self.place_of(cut, length);
        let Some(point) = tissue.embed(to) else {
            // The tip leaves the body on its other side.
            tissue.push(&front.point, -front.force);
            self.front = None;
            return Ok(());
        };
        let layer = tissue.layer(&point);
        if self.layers[layer].is_bone {
            return Err(NeedleError::Bone {
                layer: self.layers[layer].name.clone(),
                position: to.into(),
            });
        }
        self.add_points_up_to(tissue, cut, length);
        tissue.push(&front.point, -front.force);
        tissue.push(&point, front.force);
        let has_surface = layer != front.layer && self.layers[layer].puncture_force > 0.0;
        let least = if has_surface {
            self.surface_limit(layer)
        } else {
            self.cutting_limit(layer)
        };
        self.front = Some(Front {
            point,
            layer,
            force: front.force,
            axial_force: front.axial_force,
            along: front.along,
            is_open: !has_surface,
            limit: front.limit.max(least),
        });
        if layer != front.layer {
            self.add_point(tissue);
        }
        Ok(())
    }

    /// Layer at a length from the start of a cut [m]; `None` outside the body.
    fn layer_ahead<T: Tissue<Point = P>>(
        &self,
        tissue: &T,
        cut: &Cut,
        length: f64,
    ) -> Option<usize> {
        let point = tissue.embed(self.place_of(cut, length))?;
        Some(tissue.layer(&point))
    }

    /// Length from the start of a cut at which a layer has just ended [m], between a length in it and one behind it.
    fn end_of_layer<T: Tissue<Point = P>>(
        &self,
        tissue: &T,
        cut: &Cut,
        layer: usize,
        [mut within, mut behind]: [f64; 2],
    ) -> f64 {
        for _ in 0..40 {
            let middle = 0.5 * (within + behind);
            if self.layer_ahead(tissue, cut, middle) == Some(layer) {
                within = middle;
            } else {
                behind = middle;
            }
        }
        behind
    }

    /// Adds points to the path at equal distances, up to a length from the start of a cut [m].
    fn add_points_up_to<T: Tissue<Point = P>>(&mut self, tissue: &T, cut: &Cut, length: f64) {
        let spacing = self.settings.spacing;
        loop {
            let last = self
                .path
                .last()
                .map_or(cut.start.z, |last| self.local(tissue, &last.point).z);
            let along = last + spacing;
            if along > cut.start.z + length || along < cut.start.z {
                return;
            }
            let Some(point) = tissue.embed(self.place_of(cut, along - cut.start.z)) else {
                return;
            };
            let layer = tissue.layer(&point);
            self.push_point(point, layer, along);
        }
    }

    /// The cut of some length [m] from the front.
    fn next_cut<T: Tissue<Point = P>>(&self, tissue: &T, front: &Front<P>, flow: f64) -> Cut {
        let start = self.local(tissue, &front.point);
        let slope = match self.config.tip {
            // The tip cuts where it goes. It is not on the line of the shaft behind it, but on that from the last place of the tip.
            Tip::Symmetric | Tip::TipLoad { .. } => {
                (self.deflection(start.z + flow) - start.xy()) / flow
            }
            Tip::CutAngle { angle } => self.slope(self.config.length) + Vector2::new(angle, 0.0),
        };
        let cut = Cut { start, slope };
        if tissue.embed(self.place_of(&cut, flow)).is_some() {
            return cut;
        }
        // A tip that has slid along the skin while it pressed is not below the place that it opens. So it cuts along the needle there.
        let slope = self.slope(self.config.length);
        Cut { start, slope }
    }

    /// A place of a cut at a length from its start [m], in world [m].
    fn place_of(&self, cut: &Cut, length: f64) -> Vector3<f64> {
        let at = cut.start + (cut.slope * length).push(length);
        self.base.translation.vector + self.base * at
    }

    /// Adds the front to the path.
    fn add_point<T: Tissue<Point = P>>(&mut self, tissue: &T) {
        if let Some(front) = &self.front {
            let along = self.local(tissue, &front.point).z;
            let (point, layer) = (front.point.clone(), front.layer);
            self.push_point(point, layer, along);
        }
    }

    /// Adds a point to the path. It sticks to the shaft where it is now, without a force.
    fn push_point(&mut self, point: P, layer: usize, along: f64) {
        self.path.push(PathPoint {
            point,
            layer,
            force: Vector3::zeros(),
            grip: along,
            along,
            is_covered: along <= self.config.length,
        });
    }
}
