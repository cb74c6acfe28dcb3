//! Makes masses and inertias independent of `compiler` settings.
//!
//! MuJoCo takes a body's mass from its `inertial` or from its geoms. It then raises mass and principal inertias to their bounds. If
//! the inertias violate the triangle inequality $A + B \geq C$, it sets all three to their mean. Finally it scales all masses to a
//! total mass. Every step is applied to `inertial` elements here. For masses from geoms, only the choice of geoms can be applied.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::compiler::{Compiler, InertiaSource};
use super::defaults::Defaults;
use super::orientation;
use crate::mjcf::{Element, Mjcf, MjcfError, Value};

/// Applies the compiler settings to all bodies.
pub(super) fn settle(
    mjcf: &mut Mjcf,
    compiler: &Compiler,
    defaults: &Defaults,
    notes: &mut Vec<String>,
) -> Result<(), MjcfError> {
    let mut pass = Pass {
        compiler,
        defaults,
        unbounded: Vec::new(),
        heavy: None,
        mass: 0.0,
    };
    pass.bodies_in(mjcf.section_mut("worldbody"), "main")?;
    let Pass {
        unbounded,
        heavy,
        mass,
        ..
    } = pass;
    if !unbounded.is_empty() {
        notes.push(format!(
            "compiler: boundmass, boundinertia and balanceinertia are not applied to bodies whose mass comes from geoms: {}",
            unbounded.join(", ")
        ));
    }
    match (compiler.total_mass, heavy) {
        (None, _) => Ok(()),
        (Some(total), None) if mass > 0.0 => {
            scale_masses(mjcf.section_mut("worldbody"), total / mass);
            Ok(())
        }
        (Some(_), heavy) => Err(MjcfError::Unsupported {
            element: "<compiler>".to_owned(),
            problem: format!(
                "settotalmass needs the mass of every body as <inertial>, which {} lacks; MuJoCo can save them \
                 (compiler saveinertial=\"true\", mj_saveLastXML)",
                heavy.unwrap_or_else(|| "the model".to_owned())
            ),
        }),
    }
}

struct Pass<'a> {
    compiler: &'a Compiler,
    defaults: &'a Defaults,
    /// Bodies to which the bounds could not be applied.
    unbounded: Vec<String>,
    /// A body whose mass comes from geoms.
    heavy: Option<String>,
    /// Sum of the masses of `inertial` elements [kg].
    mass: f64,
}

impl Pass<'_> {
    fn bodies_in(&mut self, parent: &mut Element, class: &str) -> Result<(), MjcfError> {
        for child in parent.children_mut() {
            let own = child.text("childclass").map(str::to_owned);
            let class = own.as_deref().unwrap_or(class);
            if child.tag() == "body" {
                self.body(child, class)?;
            }
            if matches!(child.tag(), "body" | "frame" | "replicate") {
                self.bodies_in(child, class)?;
            }
        }
        Ok(())
    }

    fn body(&mut self, body: &mut Element, class: &str) -> Result<(), MjcfError> {
        if self.compiler.inertia_source == InertiaSource::Geoms {
            body.children_mut()
                .retain(|child| child.tag() != "inertial");
        }
        let label = body.label();
        if let Some(inertial) = body.child_mut("inertial") {
            self.bound(inertial, &label)?;
            self.mass += inertial.array("mass").map_or(0.0, |[mass]| mass);
            return Ok(());
        }
        let bounds = self.compiler.bound_mass > 0.0 || self.compiler.bound_inertia > 0.0;
        if self.weigh_geoms(body, class) {
            self.heavy.get_or_insert(label.clone());
            if bounds || self.compiler.balances_inertia {
                self.unbounded.push(label);
            }
        } else if bounds {
            body.children_mut().insert(
                0,
                Element::new("inertial")
                    .with_attribute("pos", [0.0; 3])
                    .with_attribute("mass", self.compiler.bound_mass)
                    .with_attribute("diaginertia", [self.compiler.bound_inertia; 3]),
            );
            self.mass += self.compiler.bound_mass;
        }
        Ok(())
    }

    /// Sets the mass of geoms that do not contribute to zero. Returns whether a geom with mass is left.
    fn weigh_geoms(&self, holder: &mut Element, class: &str) -> bool {
        let mut heavy = false;
        for child in holder.children_mut() {
            match child.tag() {
                "geom" => heavy |= self.weigh_geom(child, class),
                "frame" | "replicate" => {
                    let own = child.text("childclass").map(str::to_owned);
                    heavy |= self.weigh_geoms(child, own.as_deref().unwrap_or(class));
                }
                _ => {}
            }
        }
        heavy
    }

    fn weigh_geom(&self, geom: &mut Element, class: &str) -> bool {
        let number = |attribute: &str| {
            let value = self.defaults.effective(geom, class, &["geom"], attribute);
            value.and_then(Value::as_reals).map(|reals| reals[0])
        };
        let [first, last] = self.compiler.inertia_groups;
        let counts = self.compiler.inertia_source != InertiaSource::Inertial
            && (first..=last).contains(&number("group").unwrap_or(0.0));
        if !counts {
            geom.set("mass", 0.0);
            return false;
        }
        let mass = number("mass").or_else(|| number("density"));
        mass.is_none_or(|mass| mass > 0.0)
    }

    /// Raises mass and inertia of an `inertial` to the bounds and enforces the triangle inequality.
    fn bound(&self, inertial: &mut Element, body: &str) -> Result<(), MjcfError> {
        let compiler = self.compiler;
        if compiler.bound_mass <= 0.0 && compiler.bound_inertia <= 0.0 && !compiler.balances_inertia
        {
            return Ok(());
        }
        if let Some(full) = inertial.array("fullinertia") {
            let (moments, quat) = principal(full).ok_or_else(|| MjcfError::BadValue {
                element: format!("inertial of {body}"),
                attribute: "fullinertia".to_owned(),
                value: format!("{full:?}"),
                problem: "has no principal axes".to_owned(),
            })?;
            inertial.unset("fullinertia");
            inertial.set("diaginertia", moments).set("quat", quat);
        }
        let [mass] = inertial.array("mass").unwrap_or([0.0]);
        let moments = inertial.array("diaginertia").unwrap_or([0.0; 3]);
        let mut moments = moments.map(|moment| f64::max(moment, compiler.bound_inertia));
        let [a, b, c] = moments;
        if compiler.balances_inertia && (a + b < c || a + c < b || b + c < a) {
            moments = [(a + b + c) / 3.0; 3];
        }
        inertial.set("mass", f64::max(mass, compiler.bound_mass));
        inertial.set("diaginertia", moments);
        Ok(())
    }
}

/// Principal moments and axes of an inertia `[xx, yy, zz, xy, xz, yz]`.
fn principal(full: [f64; 6]) -> Option<([f64; 3], [f64; 4])> {
    let [xx, yy, zz, xy, xz, yz] = full;
    let matrix = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let eigen = matrix.try_symmetric_eigen(f64::EPSILON, 1000)?;
    let mut axes = eigen.eigenvectors;
    if axes.determinant() < 0.0 {
        let flipped: Vector3<f64> = -axes.column(2);
        axes.set_column(2, &flipped);
    }
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    Some((eigen.eigenvalues.into(), orientation::to_array(&rotation)))
}

fn scale_masses(parent: &mut Element, factor: f64) {
    parent.visit_mut(&mut |element| {
        if element.tag() != "inertial" {
            return;
        }
        for attribute in ["mass", "diaginertia", "fullinertia"] {
            if let Some(reals) = element.reals(attribute) {
                let scaled: Vec<f64> = reals.iter().map(|real| real * factor).collect();
                element.set(attribute, scaled);
            }
        }
    });
}
