//! MJCF with a solid torso → MJCF without it.

use insonate_models::mjcf::{Element, Mjcf, Namespace};
use insonate_models::torsos::Device;
use insonate_models::torsos::tissue::{DEVICE, SOLVER};

use super::model::{SolverKind, TissueModel};
use crate::keyframes::remove_joints;

/// The solver that a torso requests with its device, and the prefix of its parts, such as `torso/`.
pub fn tissue_torso(scene: &Mjcf) -> Option<((SolverKind, Device), String)> {
    scene.names(Namespace::Text).into_iter().find_map(|name| {
        let prefix = name.strip_suffix(SOLVER)?;
        let solver = scene.find(Namespace::Text, name)?.text("data")?;
        let device = scene.find(Namespace::Text, &format!("{prefix}{DEVICE}"));
        let device = device.and_then(|element| Device::by_name(element.text("data")?).ok());
        let solver = SolverKind::from_name(solver)?;
        Some(((solver, device.unwrap_or_default()), prefix.to_owned()))
    })
}

/// Removes the solid from a scene: the bodies of its points, its flexes and skin, its entries in the keyframes, and the integrator that
/// only the flexes needed.
pub fn without_tissue(scene: &Mjcf, prefix: &str, tissue: &TissueModel) -> Mjcf {
    let mut rest = scene.clone();
    let ours = |element: &Element, start: &str| {
        element
            .name()
            .and_then(|name| name.strip_prefix(prefix))
            .is_some_and(|name| name.starts_with(start))
    };
    let is_point = |element: &Element| {
        element.tag() == "body" && element.child("joint").is_some_and(|joint| ours(joint, "J"))
    };
    rest.worldbody().remove_where(&is_point);
    if rest.section("deformable").is_some() {
        rest.section_mut("deformable")
            .remove_where(&|element| matches!(element.tag(), "flex" | "skin") && ours(element, ""));
    }
    remove_joints(&mut rest, &tissue.qpos_addresses, &tissue.dof_addresses);
    let option = rest.option();
    if option.text("integrator") == Some("Euler") {
        option.set("integrator", "implicitfast");
        option.unset("solver");
        option.unset("iterations");
    }
    rest
}
