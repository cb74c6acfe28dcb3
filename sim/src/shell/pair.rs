//! Contact parameters of geoms, and their mixing as in MuJoCo.

use mujoco_rs::wrappers::mj_model::MjModel;

/// Contact parameters of one geom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GeomParams {
    pub(super) contype: i32,
    pub(super) conaffinity: i32,
    pub(super) condim: i32,
    pub(super) priority: i32,
    pub(super) friction: f64,
    pub(super) solmix: f64,
    pub(super) solref: [f64; 2],
    pub(super) solimp: [f64; 5],
    pub(super) margin: f64,
    /// `body_invweight0` [1/kg].
    pub(super) inverse_weight: f64,
}

impl GeomParams {
    pub(super) fn of(model: &MjModel, geom: usize) -> Self {
        let body = model.geom_bodyid()[geom] as usize;
        Self {
            contype: model.geom_contype()[geom],
            conaffinity: model.geom_conaffinity()[geom],
            condim: model.geom_condim()[geom],
            priority: model.geom_priority()[geom],
            friction: model.geom_friction()[geom][0],
            solmix: model.geom_solmix()[geom],
            solref: model.geom_solref()[geom],
            solimp: model.geom_solimp()[geom],
            margin: model.geom_margin()[geom],
            inverse_weight: model.body_invweight0()[body][0],
        }
    }
}

/// Contact parameters of a geom and a capsule, mixed as in MuJoCo.
#[derive(Debug, Clone)]
pub(super) struct PairParams {
    /// Whether there is friction (`condim` above 1; torsional and rolling friction are left out).
    pub(super) has_friction: bool,
    pub(super) friction: f64,
    pub(super) solref: [f64; 2],
    pub(super) solimp: [f64; 5],
    pub(super) margin: f64,
    /// Sum of the sides' inverse weights [1/kg].
    pub(super) inverse_weight: f64,
}

impl PairParams {
    pub(super) fn mix(geom: &GeomParams, capsule: &GeomParams) -> Self {
        let margin = geom.margin.max(capsule.margin);
        let inverse_weight = geom.inverse_weight + capsule.inverse_weight;
        let of = |one: &GeomParams| Self {
            has_friction: one.condim > 1,
            friction: one.friction,
            solref: one.solref,
            solimp: one.solimp,
            margin,
            inverse_weight,
        };
        if geom.priority != capsule.priority {
            return of(if geom.priority > capsule.priority {
                geom
            } else {
                capsule
            });
        }
        let weight = mixing_weight(geom.solmix, capsule.solmix);
        let blend = |a: f64, b: f64| weight * a + (1.0 - weight) * b;
        let standard = geom.solref[0] > 0.0 && capsule.solref[0] > 0.0;
        let solref = |i: usize| {
            let (a, b) = (geom.solref[i], capsule.solref[i]);
            if standard { blend(a, b) } else { a.min(b) }
        };
        Self {
            has_friction: geom.condim.max(capsule.condim) > 1,
            friction: geom.friction.max(capsule.friction),
            solref: std::array::from_fn(solref),
            solimp: std::array::from_fn(|i| blend(geom.solimp[i], capsule.solimp[i])),
            margin,
            inverse_weight,
        }
    }
}

fn mixing_weight(a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-15;
    match (a >= TINY, b >= TINY) {
        (true, true) => a / (a + b),
        (false, false) => 0.5,
        (true, false) => 1.0,
        (false, true) => 0.0,
    }
}
