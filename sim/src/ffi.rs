//! Safe wrappers of the MuJoCo functions that the bindings leave raw or that allocate on every call.

#![expect(
    unsafe_code,
    reason = "calls into libmujoco; every length is checked here"
)]

use std::ffi::c_int;
use std::sync::Arc;

use mujoco_rs::mujoco_c::{mj_contactForce, mj_geomDistance, mj_jac, mj_printSchema, mj_solveM};
use mujoco_rs::wrappers::mj_data::MjData;
use mujoco_rs::wrappers::mj_model::MjModel;

use crate::SimError;

/// MuJoCo's state, sharing its model.
pub type Data = MjData<Arc<MjModel>>;

/// Number of generalised velocities of the model.
pub fn nv(data: &Data) -> usize {
    data.model().ffi().nv as usize
}

/// Position and rotation Jacobian of a world point [m] fixed to a body, row-major, shape `[3, nv]` each, in world.
///
/// Needs current kinematics and centres of mass (`mj_kinematics`, `mj_comPos`).
///
/// # Panics
/// If a slice is not `3 * nv` long or the body does not exist.
pub fn jac_point(data: &Data, point: &[f64; 3], body: usize, jacp: &mut [f64], jacr: &mut [f64]) {
    let len = 3 * nv(data);
    assert!(
        jacp.len() == len && jacr.len() == len,
        "jacobian buffers must hold 3 * nv = {len} numbers"
    );
    assert!(
        body < data.model().ffi().nbody as usize,
        "body {body} does not exist"
    );
    // SAFETY: both buffers hold 3 * nv numbers and the body exists, checked above; data and model belong together.
    unsafe {
        mj_jac(
            data.model().ffi(),
            data.ffi(),
            jacp.as_mut_ptr(),
            jacr.as_mut_ptr(),
            point,
            body as c_int,
        );
    }
}

/// Solves `M x = y` with the factorised joint-space inertia, for all vectors of length `nv` in the slices.
///
/// Needs the factorisation (`mj_factorM`, part of `mj_step1`).
///
/// # Panics
/// If the slices differ in length or do not hold whole vectors.
pub fn solve_m(data: &mut Data, x: &mut [f64], y: &[f64]) {
    let nv = nv(data);
    assert!(
        x.len() == y.len() && nv > 0 && x.len().is_multiple_of(nv),
        "solve_m needs equal slices of whole vectors"
    );
    let model: *const _ = data.model().ffi();
    // SAFETY: both slices hold `n * nv` numbers, checked above; the model outlives the call because data owns an Arc.
    unsafe {
        mj_solveM(
            model,
            data.ffi_mut(),
            x.as_mut_ptr(),
            y.as_ptr(),
            (y.len() / nv) as c_int,
        );
    }
}

/// Signed distance between two geoms [m], at most `max_distance`, and the segment from the first to the second in world [m].
///
/// # Panics
/// If a geom does not exist.
pub fn geom_distance(data: &mut Data, geoms: [usize; 2], max_distance: f64) -> (f64, [f64; 6]) {
    let ngeom = data.model().ffi().ngeom as usize;
    assert!(
        geoms[0] < ngeom && geoms[1] < ngeom,
        "geoms {geoms:?} must be below {ngeom}"
    );
    let mut segment = [0.0; 6];
    let model: *const _ = data.model().ffi();
    // SAFETY: both geoms exist, checked above; the segment holds six numbers.
    let distance = unsafe {
        mj_geomDistance(
            model,
            data.ffi_mut(),
            geoms[0] as c_int,
            geoms[1] as c_int,
            max_distance,
            &raw mut segment,
        )
    };
    (distance, segment)
}

/// One contact between two geoms or flexes; the geom index of a flex is -1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Geoms in MuJoCo's order; `-1` if the side is a flex.
    pub geom: [i32; 2],
    /// Flexes in MuJoCo's order; `-1` if the side is a geom.
    pub flex: [i32; 2],
    /// Contact point in world [m].
    pub position: [f64; 3],
    /// Rows are the contact's axes in world; the first is the normal, from the first side to the second.
    pub frame: [[f64; 3]; 3],
    /// Signed distance, negative when they overlap [m].
    pub distance: f64,
    /// Force on the second side along the rows of `frame` [N].
    pub force_in_contact: [f64; 3],
}

impl Contact {
    /// Force on the second side in world [N]; the first side feels the opposite.
    pub fn force_in_world(&self) -> [f64; 3] {
        let mut force = [0.0; 3];
        for (row, magnitude) in self.frame.iter().zip(self.force_in_contact) {
            for (sum, axis) in force.iter_mut().zip(row) {
                *sum += magnitude * axis;
            }
        }
        force
    }
}

/// The contacts of the last solve with their forces.
pub fn contacts(data: &Data) -> impl Iterator<Item = Contact> + '_ {
    data.contact().iter().enumerate().map(|(index, contact)| {
        let mut wrench = [0.0; 6];
        // SAFETY: the index is below ncon because it comes from the contact list itself.
        unsafe {
            mj_contactForce(
                data.model().ffi(),
                data.ffi(),
                index as c_int,
                &raw mut wrench,
            );
        };
        let f = contact.frame;
        Contact {
            geom: contact.geom,
            flex: contact.flex,
            position: contact.pos,
            frame: [[f[0], f[1], f[2]], [f[3], f[4], f[5]], [f[6], f[7], f[8]]],
            distance: contact.dist,
            force_in_contact: [wrench[0], wrench[1], wrench[2]],
        }
    })
}

/// Updates the poses of bodies, geoms and sites for the current `qpos` (`mj_kinematics`, `mj_comPos`).
pub fn update_kinematics(data: &mut Data) {
    data.kinematics();
    data.com_pos();
}

/// MuJoCo's table of MJCF elements and attributes, as plain text.
///
/// # Errors
/// [`SimError::MissingLibrary`], [`SimError::Version`].
pub fn schema_text() -> Result<String, SimError> {
    crate::loader::load()?;
    crate::log_handler::install();
    let mut buffer = vec![0u8; 1 << 16];
    loop {
        // SAFETY: the buffer's own length is given; a null file name prints into the buffer only.
        let written = unsafe {
            mj_printSchema(
                std::ptr::null(),
                buffer.as_mut_ptr().cast(),
                buffer.len() as c_int,
                0,
                0,
            )
        };
        let len = buffer
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(buffer.len());
        if written >= 0 && len + 1 < buffer.len() {
            buffer.truncate(len);
            return Ok(String::from_utf8_lossy(&buffer).into_owned());
        }
        buffer.resize(buffer.len() * 2, 0);
    }
}
