//! The shell's state and its step.

use std::sync::Arc;

use nalgebra::Vector3;

use super::bodies::Bodies;
use super::collide::{Collider, Detector, colliders};
use super::cone::Cones;
use super::contact::{ContactRow, Softness};
use super::frame::{MocapBase, TorsoFrame};
use super::model::ShellModel;
use super::pair::GeomParams;
use super::settings::Settings;
use super::split::slot_name;
use super::tuning::{Scratch, Tuning};
use crate::applied_wrenches::AppliedWrenches;
use crate::ffi::{Contact, Data};
use crate::names::{self, ObjectType};
use crate::spatial::contact_frame;
use crate::{Pose, SimError, Twist};
use mujoco_rs::wrappers::mj_model::{MjModel, MjtCone};

/// A shell next to one MuJoCo state.
#[derive(Debug)]
pub struct Shell {
    pub(super) model: Arc<ShellModel>,
    /// Pose and velocity of the torso as a whole.
    pub(super) frame: TorsoFrame,
    /// The part of the equation of motion that can be changed.
    pub(super) tuning: Tuning,
    /// Contact parameters of the capsules.
    pub(super) params: GeomParams,
    pub(super) settings: Settings,
    pub(super) colliders: Vec<Collider>,
    slot: usize,
    /// The torso's root in MuJoCo, which moves with the torso.
    mocap_base: Option<MocapBase>,
    impratio: f64,
    pub(super) timestep: f64,
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    a: Vec<f64>,
    /// Acceleration without contact, used as the next guess.
    smooth: Vec<f64>,
    scratch: Scratch,
    detector: Detector,
    contacts: Vec<Contact>,
    cones: Cones,
    rows: Vec<ContactRow>,
    /// Forces on nodes along their axes [N].
    pushes: Vec<(usize, f64)>,
    /// Forces of the last step by node [N], used as the next guess.
    last_force: Vec<[f64; 3]>,
    bodies: Bodies,
    applied: AppliedWrenches,
    response: Vec<f64>,
    pub(super) work: Vec<f64>,
}

impl Shell {
    /// A shell at rest, for a state of `model`, the scene without the shell; names of the torso's parts start with `prefix`.
    ///
    /// # Errors
    /// [`SimError::Shell`] for a scene with pyramidal cones; [`SimError::UnknownName`] if the slot geom is missing.
    pub fn new(shell: Arc<ShellModel>, model: &MjModel, prefix: &str) -> Result<Self, SimError> {
        if model.opt().cone != MjtCone::mjCONE_ELLIPTIC as i32 {
            return Err(SimError::Shell {
                problem: "needs <option cone=\"elliptic\"/>".to_owned(),
            });
        }
        let n = shell.network.len();
        Ok(Self {
            frame: TorsoFrame::default(),
            tuning: Tuning::new(&shell.network),
            params: shell.params,
            settings: Settings::of(&shell),
            colliders: colliders(model, &shell.params),
            slot: names::find(model, ObjectType::Geom, &slot_name(prefix))?,
            mocap_base: MocapBase::find(model, prefix),
            impratio: model.opt().impratio,
            timestep: model.opt().timestep,
            q: vec![0.0; n],
            v: vec![0.0; n],
            a: vec![0.0; n],
            smooth: vec![0.0; n],
            scratch: Scratch::new(&shell.network),
            detector: Detector::default(),
            contacts: Vec::new(),
            cones: Cones::default(),
            rows: Vec::new(),
            pushes: Vec::new(),
            last_force: vec![[0.0; 3]; n],
            bodies: Bodies::default(),
            applied: AppliedWrenches::default(),
            response: Vec::new(),
            work: shell.network.scratch(),
            model: shell,
        })
    }

    /// Resets to rest in the compiled pose; softness, breathing and friction are kept.
    pub fn reset(&mut self) {
        self.set_frame(&Pose::default(), &Twist::default());
        if let Some(base) = &mut self.mocap_base {
            base.reset();
        }
        self.q.fill(0.0);
        self.v.fill(0.0);
        self.smooth.fill(0.0);
        self.last_force.fill([0.0; 3]);
        self.contacts.clear();
        self.detector.reset();
    }

    /// The constants.
    pub fn model(&self) -> &ShellModel {
        &self.model
    }

    /// Displacements along the nodes' axes [m], shape `[n]`; the first `n_capsules` are the surface.
    pub fn displacements(&self) -> &[f64] {
        &self.q
    }

    /// Velocities along the nodes' axes [m/s], shape `[n]`.
    pub fn rates(&self) -> &[f64] {
        &self.v
    }

    /// Displacements [m] and velocities [m/s] for writing.
    pub fn state_mut(&mut self) -> (&mut [f64], &mut [f64]) {
        (&mut self.q, &mut self.v)
    }

    /// Positions of the surface nodes in world [m].
    pub fn positions(&self) -> impl Iterator<Item = [f64; 3]> + '_ {
        (0..self.model.n_capsules).map(|i| self.frame.place(&self.position_at_rest(i)).into())
    }

    /// Velocities of the surface nodes in world [m/s].
    pub fn velocities(&self) -> impl Iterator<Item = [f64; 3]> + '_ {
        (0..self.model.n_capsules).map(|i| {
            let slide = self.axis(i) * self.v[i];
            let point = self.frame.place(&self.position_at_rest(i));
            (slide + self.frame.velocity_at(&point)).into()
        })
    }

    /// Position of a node [m], with the torso where it was compiled.
    fn position_at_rest(&self, node: usize) -> Vector3<f64> {
        Vector3::from(self.model.rest[node]) + Vector3::from(self.model.axis[node]) * self.q[node]
    }

    /// Direction of motion of a node, in world.
    fn axis(&self, node: usize) -> Vector3<f64> {
        self.frame.rotation * Vector3::from(self.model.axis[node])
    }

    /// Contacts of the last step; the second side is the shell.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Whether the state is finite and within 1e10.
    pub fn is_finite(&self) -> bool {
        // Without early exit, so that it vectorises.
        let within = |all: bool, x: &f64| all & (x.abs() < 1e10);
        self.q.iter().fold(true, within) & self.v.iter().fold(true, within)
    }

    /// Copies the displacements into `qpos` of the scene compiled with the shell.
    pub(crate) fn write_into(&self, qpos: &mut [f64]) {
        for (&address, &q) in self.model.qpos_address.iter().zip(&self.q) {
            qpos[address] = q;
        }
    }

    /// First half of a step: computes the contact forces and adds them to `xfrc_applied`.
    ///
    /// Needs `data` after `mj_step1` with the controls set.
    pub(crate) fn begin_step(&mut self, data: &mut Data) {
        self.tuning.smooth_acceleration(
            &self.model.network,
            &self.q,
            &self.v,
            &mut self.smooth,
            &mut self.scratch,
        );
        self.a.copy_from_slice(&self.smooth);
        self.detector.detect(
            &self.model,
            &self.frame,
            &self.q,
            &self.colliders,
            self.slot,
            data,
        );
        self.contacts.clear();
        if self.detector.contacts.is_empty() {
            self.last_force.fill([0.0; 3]);
            return;
        }
        // (ctrl, qpos, qvel) => qacc without contact
        data.fwd_actuation();
        data.fwd_acceleration();
        let touched = self
            .detector
            .contacts
            .iter()
            .map(|touch| self.colliders[touch.collider].body);
        self.bodies.gather(touched, data);
        self.assemble();
        self.cones.solve();
        self.apply(data);
    }

    /// Second half, after `mj_step2`: restores `xfrc_applied` and integrates (semi-implicit Euler, as MuJoCo does).
    pub(crate) fn end_step(&mut self, data: &mut Data) {
        self.applied.restore(data);
        if let Some(base) = &mut self.mocap_base {
            base.follow(&self.frame, data);
        }
        let h = self.timestep;
        for ((q, v), a) in self.q.iter_mut().zip(&mut self.v).zip(&self.a) {
            *v += h * a;
            *q += h * *v;
        }
    }

    /// Fills the rows, the matrix and the bias of the cone problem.
    fn assemble(&mut self) {
        self.collect_rows();
        let Self {
            detector,
            colliders,
            cones,
            rows,
            bodies,
            model,
            tuning,
            response,
            ..
        } = self;
        cones.resize(detector.contacts.len());
        let width = rows.len();
        for (i, row) in rows.iter().enumerate() {
            bodies.respond(row, response);
            for (j, other) in rows.iter().enumerate().take(i + 1) {
                let block = &response[6 * other.body..6 * other.body + 6];
                let robot: f64 = block.iter().zip(&other.wrench).map(|(a, b)| a * b).sum();
                let shell = tuning.inverse(&model.network, row.node, other.node);
                let value = robot + row.jacobian * other.jacobian * shell;
                cones.matrix[i * width + j] = value;
                cones.matrix[j * width + i] = value;
            }
        }
        for (contact, touch) in detector.contacts.iter().enumerate() {
            let pair = &colliders[touch.collider].pair;
            let softness = Softness::of(pair, touch.distance, self.timestep, self.impratio);
            cones.friction[contact] = if pair.has_friction {
                pair.friction
            } else {
                -1.0
            };
            cones.force[3 * contact..3 * contact + 3].copy_from_slice(&self.last_force[touch.node]);
            for k in 0..3 {
                let i = 3 * contact + k;
                let row = &rows[i];
                let velocity = row.torso_velocity + row.jacobian * self.v[row.node]
                    - Bodies::along(row, &bodies.velocity);
                let acceleration =
                    row.jacobian * self.a[row.node] - Bodies::along(row, &bodies.acceleration);
                let reference =
                    -softness.damping * velocity - if k == 0 { softness.pull } else { 0.0 };
                cones.bias[i] = acceleration - reference;
                cones.matrix[i * width + i] += if k == 0 {
                    softness.normal
                } else {
                    softness.tangent
                };
            }
        }
    }

    /// Collects three rows for each contact.
    fn collect_rows(&mut self) {
        self.rows.clear();
        for touch in &self.detector.contacts {
            let body = self.bodies.index_of(self.colliders[touch.collider].body);
            let arm = touch.point - self.bodies.points[body];
            let axis = self.frame.rotation * Vector3::from(self.model.axis[touch.node]);
            let velocity = self.frame.velocity_at(&touch.point);
            for direction in contact_frame(&touch.normal) {
                let moment = arm.cross(&direction);
                self.rows.push(ContactRow {
                    node: touch.node,
                    jacobian: direction.dot(&axis),
                    torso_velocity: direction.dot(&velocity),
                    body,
                    wrench: [
                        direction.x,
                        direction.y,
                        direction.z,
                        moment.x,
                        moment.y,
                        moment.z,
                    ],
                });
            }
        }
    }

    /// Forces => accelerations of the shell, wrenches on the robot, contact list.
    fn apply(&mut self, data: &mut Data) {
        self.last_force.fill([0.0; 3]);
        self.pushes.clear();
        for (contact, touch) in self.detector.contacts.iter().enumerate() {
            let f: [f64; 3] = std::array::from_fn(|k| self.cones.force[3 * contact + k]);
            self.last_force[touch.node] = f;
            let rows = &self.rows[3 * contact..3 * contact + 3];
            let along: f64 = rows.iter().zip(f).map(|(row, f)| row.jacobian * f).sum();
            if along != 0.0 {
                self.pushes.push((touch.node, along));
            }
            let collider = &self.colliders[touch.collider];
            let center = Vector3::from(data.xipos()[collider.body]);
            let force: Vector3<f64> = rows
                .iter()
                .zip(f)
                .map(|(row, f)| Vector3::from_row_slice(&row.wrench[..3]) * -f)
                .sum();
            let torque = (touch.point - center).cross(&force);
            self.applied
                .add(data, collider.body, force.into(), torque.into());
            self.contacts.push(Contact {
                geom: [collider.geom as i32, self.slot as i32],
                flex: [-1; 2],
                position: touch.point.into(),
                frame: std::array::from_fn(|k| std::array::from_fn(|i| rows[k].wrench[i])),
                distance: touch.distance,
                force_in_contact: f,
            });
        }
        self.tuning
            .push(&self.model.network, &self.pushes, &mut self.a);
    }
}
