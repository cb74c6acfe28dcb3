//! The bodies and geoms below a body.

use mujoco_rs::wrappers::mj_model::MjModel;

/// A body and all bodies below it, in model order.
pub(super) fn subtree(model: &MjModel, root: usize) -> Vec<usize> {
    let parents = model.body_parentid();
    let mut bodies = vec![root];
    // In MuJoCo's order, parents come before children.
    for (body, &parent) in parents.iter().enumerate().skip(root + 1) {
        if bodies.contains(&(parent as usize)) {
            bodies.push(body);
        }
    }
    bodies
}

/// Whether each geom of the model belongs to one of the bodies, shape `[ngeom]`.
pub(super) fn geoms_of(model: &MjModel, bodies: &[usize]) -> Vec<bool> {
    model
        .geom_bodyid()
        .iter()
        .map(|&body| bodies.contains(&(body as usize)))
        .collect()
}
