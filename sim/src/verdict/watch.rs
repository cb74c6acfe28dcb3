//! Record of the arm's limits and contacts, step by step.

use mujoco_rs::wrappers::mj_model::MjModel;

use crate::ffi::Contact;
use crate::names::{self, ObjectType};
use crate::readings::{ArmContact, ProbeFrame, ROBOT_PREFIX, TORSO_PREFIX};
use crate::{Arm, Physics, SimError};

/// Share of a torque limit above which a joint counts as at the limit.
const AT_TORQUE: f64 = 0.999;
/// Distance to a position limit below which a joint counts as at the limit, as a share of the joint's range.
const AT_POSITION: f64 = 2e-3;

/// A joint that was at a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct JointLimit {
    /// Number of the joint from the base, starting at 1.
    pub number: usize,
    /// Name without the robot's prefix.
    pub name: String,
    /// Kind of limit.
    pub kind: LimitKind,
    /// Value of the limit [N·m or rad; N or m for a slide].
    pub limit: f64,
    /// Share of the steps at the limit.
    pub share: f64,
    /// Mean torque of the joint's own damping while it was at its torque limit [N·m, N for a slide]; 0 for a position limit.
    pub damping: f64,
    /// Dry friction of the joint [N·m, N for a slide].
    pub friction: f64,
    /// Whether the joint slides.
    pub is_slide: bool,
}

/// Kind of a joint's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitKind {
    /// The largest torque of its motor.
    Torque,
    /// An end of its range.
    Position,
}

impl JointLimit {
    /// The limit in words, such as `torque limit of 87 N·m`.
    pub fn limit_text(&self) -> String {
        let (quantity, unit) = match (self.kind, self.is_slide) {
            (LimitKind::Torque, false) => ("torque", "N·m"),
            (LimitKind::Torque, true) => ("force", "N"),
            (LimitKind::Position, false) => ("position", "rad"),
            (LimitKind::Position, true) => ("position", "m"),
        };
        let rounded = (1e3 * self.limit).round() / 1e3;
        format!("{quantity} limit of {rounded} {unit}")
    }
}

/// The hardest contact of the robot without its probe.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherContact {
    /// The robot's body.
    pub body: String,
    /// The part that it touched: a body, or a flex.
    pub other: String,
    /// Largest force [N].
    pub force: f64,
    /// Time of the largest force [s].
    pub time: f64,
}

/// Observes every step of a run: joints at limits, and contacts of the robot without its probe.
#[derive(Debug, Clone)]
pub struct RunWatch {
    arm: Arm,
    /// Name of each joint of the arm.
    names: Vec<String>,
    is_slide: Vec<bool>,
    friction: Vec<f64>,
    robot: ArmContact,
    n_steps: usize,
    /// Number of steps of each joint at its torque limit, and the sum of its damping torque in them.
    at_torque: Vec<(usize, f64)>,
    /// Number of steps of each joint at its lowest and highest position.
    at_position: Vec<[usize; 2]>,
    hardest: Option<OtherContact>,
    /// Pairs of bodies that touch in this step; kept to reuse its memory.
    pairs: Vec<TouchingPair>,
}

/// Two bodies in contact.
#[derive(Debug, Clone)]
struct TouchingPair {
    /// Body of the robot and body of the other side; `None` for a soft part.
    key: [Option<usize>; 2],
    /// Sum of the contacts' forces [N].
    force: f64,
    /// Index of one of the contacts, and the robot's side of it.
    contact: usize,
    robot: usize,
}

impl RunWatch {
    /// A watch without any steps.
    ///
    /// # Errors
    /// As [`Arm::new`] and [`ProbeFrame::new`].
    pub fn new(physics: &Physics) -> Result<Self, SimError> {
        let model = physics.model();
        let arm = Arm::new(model)?;
        let probe = ProbeFrame::new(model)?;
        let name = |id: usize| {
            let name = names::name_of(model, ObjectType::Joint, id);
            name.strip_prefix(ROBOT_PREFIX).unwrap_or(name).to_owned()
        };
        let n = arm.n_joints();
        Ok(Self {
            names: arm.joints.iter().map(|joint| name(joint.id)).collect(),
            is_slide: arm.slides(model),
            friction: arm
                .joints
                .iter()
                .map(|joint| model.dof_frictionloss()[joint.dof])
                .collect(),
            robot: ArmContact::new(model, &probe),
            arm,
            n_steps: 0,
            at_torque: vec![(0, 0.0); n],
            at_position: vec![[0; 2]; n],
            hardest: None,
            pairs: Vec::new(),
        })
    }

    /// Clears the record of joints and keeps the record of contacts: shares count from here.
    pub fn restart_joints(&mut self) {
        self.n_steps = 0;
        self.at_torque.fill((0, 0.0));
        self.at_position.fill([0; 2]);
    }

    /// Clears the whole record.
    pub fn restart(&mut self) {
        self.restart_joints();
        self.hardest = None;
    }

    /// Records the last physics step.
    pub fn see(&mut self, physics: &Physics) {
        self.n_steps += 1;
        self.see_joints(physics);
        self.see_contacts(physics);
    }

    fn see_joints(&mut self, physics: &Physics) {
        let (qpos, damper) = (physics.qpos(), physics.data().qfrc_damper());
        for (i, joint) in self.arm.joints.iter().enumerate() {
            let (torque, [low, high]) = (self.arm.torque(physics, i), self.arm.torque_range(i));
            if torque <= AT_TORQUE * low || torque >= AT_TORQUE * high {
                self.at_torque[i].0 += 1;
                self.at_torque[i].1 += damper[joint.dof].abs();
            }
            let [low, high] = self.arm.position_range[i];
            let margin = AT_POSITION * (high - low);
            if margin.is_finite() {
                self.at_position[i][0] += usize::from(qpos[joint.qpos] < low + margin);
                self.at_position[i][1] += usize::from(qpos[joint.qpos] > high - margin);
            }
        }
    }

    /// Records contacts; forces of several contacts between two bodies add up.
    fn see_contacts(&mut self, physics: &Physics) {
        self.pairs.clear();
        for (index, contact) in physics.contacts().iter().enumerate() {
            let sides = contact.geom.map(|geom| self.robot.owns(geom));
            if sides == [false; 2] {
                continue;
            }
            let robot = usize::from(!sides[0]);
            let key = [robot, 1 - robot].map(|side| side_body(physics.model(), contact, side));
            let force = contact
                .force_in_contact
                .iter()
                .map(|f| f * f)
                .sum::<f64>()
                .sqrt();
            match self.pairs.iter_mut().find(|pair| pair.key == key) {
                Some(pair) => pair.force += force,
                None => self.pairs.push(TouchingPair {
                    key,
                    force,
                    contact: index,
                    robot,
                }),
            }
        }
        let hardest = self.pairs.iter().max_by(|a, b| a.force.total_cmp(&b.force));
        let most = self.hardest.as_ref().map_or(0.0, |touch| touch.force);
        if let Some(pair) = hardest.filter(|pair| pair.force > most) {
            let contact = &physics.contacts()[pair.contact];
            let name = |side| side_name(physics.model(), contact, side);
            self.hardest = Some(OtherContact {
                body: name(pair.robot),
                other: name(1 - pair.robot),
                force: pair.force,
                time: physics.time(),
            });
        }
    }

    /// Joints that were at a limit for more than a share of the steps, the longest first.
    pub fn joints_at_limits(&self, share: f64) -> Vec<JointLimit> {
        let mut found: Vec<JointLimit> = (0..self.names.len())
            .flat_map(|joint| [self.torque_limit(joint), self.position_limit(joint)])
            .flatten()
            .filter(|limit| limit.share > share)
            .collect();
        found.sort_by(|a, b| b.share.total_cmp(&a.share));
        found
    }

    /// The hardest contact of the robot without its probe, if there was one.
    pub fn other_contact(&self) -> Option<&OtherContact> {
        self.hardest.as_ref()
    }

    fn torque_limit(&self, joint: usize) -> Option<JointLimit> {
        let (n, damping) = self.at_torque[joint];
        let [low, high] = self.arm.torque_range(joint);
        (n > 0).then(|| JointLimit {
            damping: damping / n as f64,
            ..self.at(joint, LimitKind::Torque, high.max(-low), n)
        })
    }

    fn position_limit(&self, joint: usize) -> Option<JointLimit> {
        let [n_low, n_high] = self.at_position[joint];
        let [low, high] = self.arm.position_range[joint];
        let (n, limit) = if n_low > n_high {
            (n_low, low)
        } else {
            (n_high, high)
        };
        (n > 0).then(|| self.at(joint, LimitKind::Position, limit, n))
    }

    fn at(&self, joint: usize, kind: LimitKind, limit: f64, n: usize) -> JointLimit {
        JointLimit {
            number: joint + 1,
            name: self.names[joint].clone(),
            kind,
            limit,
            share: n as f64 / self.n_steps.max(1) as f64,
            damping: 0.0,
            friction: self.friction[joint],
            is_slide: self.is_slide[joint],
        }
    }
}

/// The body of one side of a contact; `None` for any soft part.
fn side_body(model: &MjModel, contact: &Contact, side: usize) -> Option<usize> {
    let geom = usize::try_from(contact.geom[side]).ok()?;
    let body = model.geom_bodyid()[geom] as usize;
    let is_soft = names::name_of(model, ObjectType::Body, body).starts_with(TORSO_PREFIX);
    (!is_soft).then_some(body)
}

/// Name of soft parts.
pub(super) const SOFT: &str = "the torso";

/// Name of the body of one side of a contact, or of the geom if the body is the world; soft parts are the torso.
pub(super) fn side_name(model: &MjModel, contact: &Contact, side: usize) -> String {
    let Ok(geom) = usize::try_from(contact.geom[side]) else {
        return SOFT.to_owned();
    };
    let body = model.geom_bodyid()[geom] as usize;
    let name = match body {
        0 => names::name_of(model, ObjectType::Geom, geom),
        _ => names::name_of(model, ObjectType::Body, body),
    };
    match name {
        "" => format!("geom {geom}"),
        name if name.starts_with(TORSO_PREFIX) => SOFT.to_owned(),
        name => name.to_owned(),
    }
}
