//! Contract: named materials have the published moduli, and the softness of the analytic punch.

use insonate_models::torsos::materials;

/// Name, G₀ and G∞ [kPa], β [1/s], from the table of the phantoms; 0: elastic.
const PUBLISHED: [(&str, f64, f64, f64); 7] = [
    ("qiba-1kpa", 1.0, 1.0, 0.0),
    ("qiba-2kpa", 2.0, 2.0, 0.0),
    ("qiba-5kpa", 5.0, 5.0, 0.0),
    ("qiba-10kpa", 10.0, 10.0, 0.0),
    ("qiba-10-2kpa", 10.0, 2.0, 6667.0),
    ("qiba-15-4kpa", 15.0, 4.0, 5500.0),
    ("qiba-20-4kpa", 20.0, 4.0, 4000.0),
];
/// Radius of a flat punch with the area of the probe's face [m], and Poisson's ratio of the phantoms.
const RADIUS: f64 = 0.0199;
const POISSON: f64 = 0.495;

#[test]
fn the_phantoms_have_their_published_moduli_and_the_stiffness_of_a_flat_punch() {
    assert_eq!(materials::ALL.len(), PUBLISHED.len());
    for (name, instantaneous, relaxed, rate) in PUBLISHED {
        let material = materials::by_name(name).expect("it is known");
        assert_eq!(
            material.instantaneous_shear_modulus,
            1e3 * instantaneous,
            "{name}"
        );
        assert_eq!(material.relaxed_shear_modulus, 1e3 * relaxed, "{name}");
        let softness = material.softness();
        // F = 8 G a d / (2 (1 − ν)): the same as 2 a E/(1 − ν²) with E = 2 G (1 + ν).
        let stiffness = 4.0 * 1e3 * relaxed * RADIUS / (1.0 - POISSON);
        assert!(
            (softness.stiffness / stiffness - 1.0).abs() < 1e-12,
            "{name}: {softness:?}, not {stiffness} N/m"
        );
        // ∫ (G − G∞) dt = (G₀ − G∞)/β, under the same punch.
        let damping = if rate > 0.0 {
            assert_eq!(material.relaxation_rate, rate, "{name}");
            4.0 * 1e3 * (instantaneous - relaxed) / rate * RADIUS / (1.0 - POISSON)
        } else {
            0.1
        };
        assert!(
            (softness.damping / damping - 1.0).abs() < 1e-12,
            "{name}: {softness:?}, not {damping} N·s/m"
        );
        softness.check().expect("torsos take it");
    }
    let unknown = materials::by_name("liver")
        .expect_err("it is not known")
        .to_string();
    assert!(
        unknown.contains("liver") && unknown.contains("qiba-1kpa"),
        "{unknown}"
    );
}
