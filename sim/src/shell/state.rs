//! The shell's state and its step.

use std::sync::Arc;

use nalgebra::Vector3;

use super::ShellModel;
use super::collide::{Collider, Pair, Touch, colliders, detect};
use super::cone::Cones;
use crate::SimError;
use crate::ffi::{self, Contact, Data};
use crate::names::{self, Kind};
use mujoco_rs::wrappers::mj_model::{MjModel, MjtCone};

/// A shell beside one MuJoCo state.
#[derive(Debug)]
pub struct Shell {
    model: Arc<ShellModel>,
    colliders: Vec<Collider>,
    slot: usize,
    impratio: f64,
    timestep: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    touches: Vec<Touch>,
    contacts: Vec<Contact>,
    cones: Cones,
    rows: Vec<Row>,
    /// Forces of the last step by node [N]: the next guess.
    last_force: Vec<[f64; 3]>,
    bodies: Bodies,
    /// What stood in `xfrc_applied` before the contact was added.
    saved: Vec<(usize, [f64; 6])>,
    work: Vec<f64>,
}

/// One direction of one contact, as both sides see it.
#[derive(Debug, Clone, Copy)]
struct Row {
    node: usize,
    /// Displacement of the node along the row per displacement of the node.
    share: f64,
    /// The body's place in [`Bodies`].
    body: usize,
    /// Direction and moment about the body's reference point.
    wrench: [f64; 6],
}

/// The bodies in contact: Jacobians, inverse inertia and motion at their reference points.
#[derive(Debug, Default)]
struct Bodies {
    ids: Vec<usize>,
    points: Vec<Vector3<f64>>,
    jacobian: Vec<f64>,
    solved: Vec<f64>,
    /// $J M^{-1} J^T$, shape `[6 n, 6 n]`.
    inverse_inertia: Vec<f64>,
    /// Twists and smooth accelerations, shape `[6 n]`.
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
}

impl Shell {
    /// A shell at rest beside `model`, the scene without it.
    ///
    /// # Errors
    /// [`SimError::Shell`] for a scene with pyramidal cones; [`SimError::UnknownName`] without the slot geom.
    pub fn new(shell: Arc<ShellModel>, model: &MjModel, slot: &str) -> Result<Self, SimError> {
        if model.opt().cone != MjtCone::mjCONE_ELLIPTIC as i32 {
            return Err(SimError::Shell {
                problem: "needs <option cone=\"elliptic\"/>".to_owned(),
            });
        }
        let n = shell.network.len();
        Ok(Self {
            colliders: colliders(model, &shell.surface),
            slot: names::find(model, Kind::Geom, slot)?,
            impratio: model.opt().impratio,
            timestep: model.opt().timestep,
            q: vec![0.0; n],
            v: vec![0.0; n],
            a: vec![0.0; n],
            touches: Vec::new(),
            contacts: Vec::new(),
            cones: Cones::default(),
            rows: Vec::new(),
            last_force: vec![[0.0; 3]; n],
            bodies: Bodies::default(),
            saved: Vec::new(),
            work: vec![0.0; n],
            model: shell,
        })
    }

    /// Back to rest.
    pub fn reset(&mut self) {
        self.q.fill(0.0);
        self.v.fill(0.0);
        self.last_force.fill([0.0; 3]);
        self.contacts.clear();
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
        (0..self.model.n_capsules).map(|i| {
            std::array::from_fn(|k| self.model.rest[i][k] + self.model.axis[i][k] * self.q[i])
        })
    }

    /// Velocities of the surface nodes in world [m/s].
    pub fn velocities(&self) -> impl Iterator<Item = [f64; 3]> + '_ {
        (0..self.model.n_capsules).map(|i| self.model.axis[i].map(|axis| axis * self.v[i]))
    }

    /// Contacts of the last step; the second side is the shell.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Whether the state is finite and within 1e10.
    pub fn is_finite(&self) -> bool {
        self.q.iter().chain(&self.v).all(|x| x.abs() < 1e10)
    }

    /// Copies the state into a scene compiled with the shell inside.
    pub fn write_into(&self, qpos: &mut [f64], qvel: &mut [f64]) {
        for (node, (&q, &v)) in self.q.iter().zip(&self.v).enumerate() {
            qpos[self.model.qpos_address[node]] = q;
            qvel[self.model.dof_address[node]] = v;
        }
    }

    /// First half of a step: finds the contact forces and adds them to `xfrc_applied`.
    ///
    /// Needs `data` after `mj_step1` with the controls set.
    pub(crate) fn push(&mut self, data: &mut Data) {
        self.model
            .network
            .smooth_acceleration(&self.q, &self.v, &mut self.a, &mut self.work);
        detect(
            &self.model,
            &self.q,
            &self.colliders,
            self.slot,
            data,
            &mut self.touches,
        );
        self.contacts.clear();
        self.saved.clear();
        if self.touches.is_empty() {
            self.last_force.fill([0.0; 3]);
            return;
        }
        // (ctrl, qpos, qvel) => qacc without contact
        data.fwd_actuation();
        data.fwd_acceleration();
        let touched = self
            .touches
            .iter()
            .map(|touch| self.colliders[touch.collider].body);
        self.bodies.gather(touched, data);
        self.assemble();
        self.cones.solve();
        self.apply(data);
    }

    /// Second half, after `mj_step2`: takes the forces off `xfrc_applied` and integrates (semi-implicit Euler, as MuJoCo does).
    pub(crate) fn pull(&mut self, data: &mut Data) {
        for &(body, wrench) in &self.saved {
            data.xfrc_applied_mut()[body] = wrench;
        }
        let h = self.timestep;
        for ((q, v), a) in self.q.iter_mut().zip(&mut self.v).zip(&self.a) {
            *v += h * a;
            *q += h * *v;
        }
    }

    /// Fills the rows, the matrix and the bias of the cone problem.
    fn assemble(&mut self) {
        let Self {
            touches,
            colliders,
            cones,
            rows,
            bodies,
            model,
            ..
        } = self;
        cones.resize(touches.len());
        rows.clear();
        for touch in touches.iter() {
            let body = bodies.place(colliders[touch.collider].body);
            let arm = touch.point - bodies.points[body];
            for direction in frame(&touch.normal) {
                let moment = arm.cross(&direction);
                rows.push(Row {
                    node: touch.node,
                    share: direction.dot(&Vector3::from(model.axis[touch.node])),
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
        let width = rows.len();
        for (i, row) in rows.iter().enumerate() {
            let through_robot = bodies.respond(row);
            let through_shell = model.network.inverse_row(row.node);
            for (j, other) in rows.iter().enumerate().take(i + 1) {
                let block = &through_robot[6 * other.body..6 * other.body + 6];
                let robot: f64 = block.iter().zip(&other.wrench).map(|(a, b)| a * b).sum();
                let value = robot + row.share * other.share * through_shell[other.node];
                cones.matrix[i * width + j] = value;
                cones.matrix[j * width + i] = value;
            }
        }
        for (contact, touch) in touches.iter().enumerate() {
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
                let velocity = row.share * self.v[row.node] - Bodies::along(row, &bodies.velocity);
                let acceleration =
                    row.share * self.a[row.node] - Bodies::along(row, &bodies.acceleration);
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

    /// Forces => accelerations of the shell, wrenches on the robot, contact list.
    fn apply(&mut self, data: &mut Data) {
        self.last_force.fill([0.0; 3]);
        for &body in &self.bodies.ids {
            self.saved.push((body, data.xfrc_applied()[body]));
        }
        for (contact, touch) in self.touches.iter().enumerate() {
            let f: [f64; 3] = std::array::from_fn(|k| self.cones.force[3 * contact + k]);
            self.last_force[touch.node] = f;
            let rows = &self.rows[3 * contact..3 * contact + 3];
            let along: f64 = rows.iter().zip(f).map(|(row, f)| row.share * f).sum();
            for (a, response) in self
                .a
                .iter_mut()
                .zip(self.model.network.inverse_row(touch.node))
            {
                *a += along * response;
            }
            let collider = &self.colliders[touch.collider];
            let center = Vector3::from(data.xipos()[collider.body]);
            let force: Vector3<f64> = rows
                .iter()
                .zip(f)
                .map(|(row, f)| Vector3::from_row_slice(&row.wrench[..3]) * -f)
                .sum();
            let torque = (touch.point - center).cross(&force);
            let wrench = &mut data.xfrc_applied_mut()[collider.body];
            for k in 0..3 {
                wrench[k] += force[k];
                wrench[3 + k] += torque[k];
            }
            self.contacts.push(Contact {
                geom: [collider.geom as i32, self.slot as i32],
                flex: [-1; 2],
                position: touch.point.into(),
                frame: std::array::from_fn(|k| std::array::from_fn(|i| rows[k].wrench[i])),
                distance: touch.distance,
                force_in_contact: f,
            });
        }
    }
}

/// How soft a contact is, from MuJoCo's `solref` and `solimp`.
struct Softness {
    /// Regularisation of the normal and tangent rows [1/kg].
    normal: f64,
    tangent: f64,
    /// [1/s]
    damping: f64,
    /// Stiffness · impedance · distance [m/s²].
    pull: f64,
}

impl Softness {
    fn of(pair: &Pair, distance: f64, timestep: f64, impratio: f64) -> Self {
        let depth = distance - pair.margin;
        let impedance = impedance(&pair.solimp, depth);
        let most = pair.solimp[1];
        let [a, b] = pair.solref;
        let (stiffness, damping) = if a > 0.0 {
            let time = a.max(2.0 * timestep); // `refsafe`
            (
                1.0 / (most * most * time * time * b * b),
                2.0 / (most * time),
            )
        } else {
            (-a / (most * most), -b / most)
        };
        let normal = (1.0 - impedance) / impedance * pair.inverse_weight;
        Self {
            normal,
            tangent: normal / impratio,
            damping,
            pull: stiffness * impedance * depth,
        }
    }
}

/// MuJoCo's impedance at a depth (documentation, "Solver parameters").
fn impedance(solimp: &[f64; 5], depth: f64) -> f64 {
    let [least, most, width, midpoint, power] = *solimp;
    if least == most || width <= 1e-15 {
        return 0.5 * (least + most);
    }
    let x = (depth.abs() / width).min(1.0);
    let y = if power <= 1.0 {
        x
    } else if x <= midpoint {
        x.powf(power) / midpoint.powf(power - 1.0)
    } else {
        1.0 - (1.0 - x).powf(power) / (1.0 - midpoint).powf(power - 1.0)
    };
    least + y * (most - least)
}

/// Normal and two tangents.
fn frame(normal: &Vector3<f64>) -> [Vector3<f64>; 3] {
    let helper = if normal.y.abs() < 0.5 {
        Vector3::y()
    } else {
        Vector3::z()
    };
    let first = (helper - normal * helper.dot(normal)).normalize();
    [*normal, first, normal.cross(&first)]
}

impl Bodies {
    /// Jacobians, inverse inertia and motion of the bodies at their centres of mass.
    fn gather(&mut self, bodies: impl Iterator<Item = usize>, data: &mut Data) {
        let nv = ffi::nv(data);
        self.ids.clear();
        for body in bodies {
            if !self.ids.contains(&body) {
                self.ids.push(body);
            }
        }
        let size = 6 * self.ids.len();
        self.jacobian.resize(size * nv, 0.0);
        self.solved.resize(size * nv, 0.0);
        self.points.clear();
        for (block, &body) in self.jacobian.chunks_exact_mut(6 * nv).zip(&self.ids) {
            let point = data.xipos()[body];
            self.points.push(point.into());
            let (translation, rotation) = block.split_at_mut(3 * nv);
            ffi::jac_point(data, &point, body, translation, rotation);
        }
        ffi::solve_m(data, &mut self.solved, &self.jacobian);
        let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        self.inverse_inertia.clear();
        for row in self.jacobian.chunks_exact(nv) {
            self.inverse_inertia.extend(
                self.solved
                    .chunks_exact(nv)
                    .map(|column| product(row, column)),
            );
        }
        for (result, source) in [
            (&mut self.velocity, data.qvel()),
            (&mut self.acceleration, data.qacc_smooth()),
        ] {
            result.clear();
            result.extend(
                self.jacobian
                    .chunks_exact(nv)
                    .map(|row| product(row, source)),
            );
        }
    }

    fn place(&self, body: usize) -> usize {
        self.ids
            .iter()
            .position(|&id| id == body)
            .expect("every touched body was gathered")
    }

    /// Accelerations of all bodies for a unit force along a row, shape `[6 n]`.
    fn respond(&self, row: &Row) -> Vec<f64> {
        let size = 6 * self.ids.len();
        let mut response = vec![0.0; size];
        for (k, &component) in row.wrench.iter().enumerate() {
            let line = &self.inverse_inertia[(6 * row.body + k) * size..][..size];
            response
                .iter_mut()
                .zip(line)
                .for_each(|(sum, value)| *sum += component * value);
        }
        response
    }

    /// The part of a stacked twist along a row.
    fn along(row: &Row, stacked: &[f64]) -> f64 {
        stacked[6 * row.body..6 * row.body + 6]
            .iter()
            .zip(&row.wrench)
            .map(|(a, b)| a * b)
            .sum()
    }
}
