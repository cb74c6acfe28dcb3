//! Tissue laws: one file each, listed in [`ALL`].

mod acceleration;
mod cross_validation;
mod divided;
mod error_estimate;
mod estimates;
mod excitation;
mod flat_punch;
pub(crate) mod friction;
mod half_space;
mod hertz;
mod history;
mod hunt_crossley;
mod kelvin_voigt;
mod kind;
pub(crate) mod latency;
mod law;
mod linearisation;
mod prony;
pub(crate) mod selection;
mod sls;
mod solver;
mod springpot;
mod variable_projection;

pub use kind::ModelKind;

/// All laws.
pub const ALL: &[ModelKind] = &[
    kelvin_voigt::KIND,
    divided::KIND,
    hunt_crossley::KIND,
    sls::KIND,
    hertz::KIND,
    flat_punch::KIND,
    prony::SPHERE,
    prony::FLAT_PUNCH,
    springpot::SPHERE,
    springpot::FLAT_PUNCH,
];

/// The default law: it gives stiffness and damping, and its rows are not divided by a small depth.
pub const DEFAULT: &ModelKind = &ALL[0];

/// The law called `name`.
pub fn by_name(name: &str) -> Option<&'static ModelKind> {
    ALL.iter().find(|kind| kind.name == name)
}

/// Names of the laws that satisfy a condition, for messages: `kelvin-voigt or divided`.
pub fn names_with(condition: impl Fn(&ModelKind) -> bool) -> String {
    let kinds = ALL.iter().filter(|kind| condition(kind));
    kinds.map(|kind| kind.name).collect::<Vec<_>>().join(" or ")
}
