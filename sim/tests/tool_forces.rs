//! Contract: the reference of `force_peers` has the forces of Hertz, Boussinesq and Mindlin on a wide, deep block, and the solvers report its force
//! at a coarse resolution.

mod soft_block;

use soft_block::motion::Measured;
use soft_block::reference::{Equilibrium, Extent, Law, Resolution, forces};
use soft_block::{CASES, Case, POISSON, Tool, YOUNG, contestants, flex};

/// A block so large that it acts as a half-space.
const WIDE: Extent = Extent {
    half_width: 1.2,
    height: 1.2,
    is_half: false,
};

const COARSE: Resolution = Resolution {
    finest: 3e-3,
    growth: 1.5,
    per_quarter: 2,
};

const MODULUS: f64 = YOUNG / (1.0 - POISSON * POISSON);
const RADIUS: f64 = 0.04;

fn half_space(tool: Tool, friction: f64, extent: Extent) -> Equilibrium {
    Equilibrium::new(extent, tool, friction, COARSE, Law::Linear, |_| YOUNG)
}

/// Within 2 %: the contact is as wide as three elements.
#[test]
fn the_reference_has_hertz_s_force_on_a_ball() {
    let depth = 0.002;
    let mut block = half_space(Tool::Ball { radius: RADIUS }, 0.0, WIDE);
    block.move_tool([0.0, -depth]);
    let wanted = 4.0 / 3.0 * MODULUS * RADIUS.sqrt() * depth.powf(1.5);
    let found = block.force().z;
    eprintln!("{found:.4} N, Hertz {wanted:.4} N");
    assert!((found / wanted - 1.0).abs() < 0.02, "{found} {wanted}");
}

/// Within 4 %: the error at the singular edge is of first order in the width of the elements.
#[test]
fn the_reference_has_boussinesq_s_force_on_a_flat_punch() {
    let (radius, depth) = (0.024, 0.001);
    let mut block = half_space(Tool::Punch { radius }, 0.0, WIDE);
    block.move_tool([0.0, -depth]);
    let (found, wanted) = (block.force().z, 2.0 * MODULUS * radius * depth);
    eprintln!("{found:.4} N, Boussinesq {wanted:.4} N");
    assert!((found / wanted - 1.0).abs() < 0.04, "{found} {wanted}");
}

/// Tangential stiffness 8 G a / (2 − ν) of a contact that sticks (Johnson 1985, Eq. 7.42b), within 5 %; the contact's radius is that of the force
/// that is found.
#[test]
fn the_reference_resists_sideways_as_mindlin_s_contact() {
    let (depth, aside) = (0.002, 2e-5);
    let extent = Extent {
        is_half: true,
        ..WIDE
    };
    let mut block = half_space(Tool::Ball { radius: RADIUS }, 10.0, extent);
    block.move_tool([0.0, -depth]);
    let radius = (RADIUS * depth).sqrt();
    block.move_tool([aside, -depth]);
    let shear_modulus = YOUNG / (2.0 * (1.0 + POISSON));
    let wanted = 8.0 * shear_modulus * radius / (2.0 - POISSON) * aside;
    let found = -block.force().x;
    eprintln!("{found:.5} N, Mindlin {wanted:.5} N");
    assert!((found / wanted - 1.0).abs() < 0.05, "{found} {wanted}");
}

/// With cells of 10 mm, half of the contact's width. Tetrahedra of constant strain are too stiff there.
#[test]
fn solvers_report_the_force_on_a_ball() {
    for case in &CASES[1..3] {
        let wanted = forces(case, Law::NeoHookean, COARSE)[0];
        let check = |name: &str, press: fn(&Case, f64) -> Measured, [least, most]: [f64; 2]| {
            let Measured { forces, cpu } = press(case, 0.01);
            let error = 100.0 * (forces[0] / wanted - 1.0);
            eprintln!("{}: {name} {error:+.1} %, {cpu:.2?} s/s", case.name);
            assert!((least..most).contains(&error), "{name}: {error} %");
        };
        check("elastic", contestants::elastic, [15.0, 32.0]);
        check("xpbd", contestants::xpbd, [-12.0, 5.0]);
        check("mpm", contestants::mpm, [-5.0, 10.0]);
        check("flex", flex::flex, [15.0, 45.0]);
    }
}
