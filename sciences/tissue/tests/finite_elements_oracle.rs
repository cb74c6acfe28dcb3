//! Checks the indentation oracle against the analytic solutions for half-spaces.

#[expect(clippy::pedantic, reason = "shared by several tests")]
mod finite_elements;

use finite_elements::Layer;

/// A layer that is deep and wide enough to act as a half-space to about a percent.
const DEEP: Layer = Layer {
    radius: 2.0,
    depth: 2.0,
    young_modulus: 28e3,
    poisson_ratio: 0.4,
};

fn plane_modulus() -> f64 {
    DEEP.young_modulus / (1.0 - DEEP.poisson_ratio.powi(2))
}

/// Within 2 %.
#[test]
fn a_flat_punch_is_boussinesqs() {
    let (radius, depth) = (0.02, 0.001);
    let found = DEEP.force(radius, |_| depth);
    let wanted = 2.0 * radius * plane_modulus() * depth;
    eprintln!("punch: {found:.5} N of {wanted:.5} N");
    assert!((found / wanted - 1.0).abs() < 0.02, "{found} {wanted}");
}

/// Within 2 %.
#[test]
fn a_ball_is_hertzs() {
    let (radius, depth) = (0.04, 0.001);
    let found = DEEP.force(1.2 * f64::sqrt(radius * depth), |r| {
        depth - r * r / (2.0 * radius)
    });
    let wanted = 4.0 / 3.0 * plane_modulus() * radius.sqrt() * depth.powf(1.5);
    eprintln!("ball: {found:.5} N of {wanted:.5} N");
    assert!((found / wanted - 1.0).abs() < 0.02, "{found} {wanted}");
}
