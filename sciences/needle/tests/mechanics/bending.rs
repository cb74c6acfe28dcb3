//! Bending on a foundation (Hetényi 1946: semi-infinite beam with a force P at its free end) and in a path that the tip cuts.

use insonate_needle::{Layer, NeedleConfig, Tip};
use nalgebra::Vector2;

use crate::bodies::{Foundation, Insertion, assert_near, needle_18g};

/// Length of the facet of a bevel [m].
const FACET: f64 = 3e-3;

/// λ [1/m].
fn wave_number(config: &NeedleConfig, foundation: f64) -> f64 {
    (foundation / (4.0 * config.bending_stiffness())).powf(0.25)
}

#[test]
fn a_force_at_the_tip_bends_the_needle_as_a_beam_on_a_foundation() {
    let (foundation, force) = (5e4, 0.05);
    let config = needle_18g(0.15);
    let wave = wave_number(&config, foundation);
    let layers = vec![Layer::soft("gel", 0.0, 0.0)];
    let mut insertion = Insertion::new(config, layers, 0.5e-3, Foundation::new(foundation, 1e6));
    insertion.to(0.1);
    insertion.needle.load_tip(Vector2::new(force, 0.0)).unwrap();
    let report = insertion.to(0.1);
    assert_near(report.tip.x, 2.0 * force * wave / foundation, 0.02);
    let slope = report.tip_direction.x / report.tip_direction.z;
    assert_near(slope, 2.0 * force * wave * wave / foundation, 0.02);
    // Greatest moment at a quarter wave from the tip: 0.3224 P / λ.
    let (n, length) = (2001, config.length);
    let shape = insertion.needle.shape(n);
    let step = length / (n - 1) as f64;
    let moments = shape[..n - 20].windows(41).map(|part| {
        config.bending_stiffness() * (part[0].x - 2.0 * part[20].x + part[40].x)
            / (20.0 * step).powi(2)
    });
    let most = moments.map(f64::abs).fold(0.0, f64::max);
    assert_near(most, 0.3224 * force / wave, 0.02);
}

/// Curvature of the second half of the path [1/m], by a parabola through its ends and middle.
fn curvature(insertion: &Insertion<Foundation>) -> f64 {
    let path: Vec<_> = insertion.needle.path().collect();
    let (last, first) = (path.len() - 1, path.len() / 2);
    let middle = usize::midpoint(first, last);
    let [a, b, c] = [first, middle, last].map(|i| [path[i].z, path[i].x]);
    let (left, right) = ((b[1] - a[1]) / (b[0] - a[0]), (c[1] - b[1]) / (c[0] - b[0]));
    2.0 * (right - left) / (c[0] - a[0])
}

fn bevel(tip: Tip, foundation: f64, spacing: f64) -> Insertion<Foundation> {
    let config = NeedleConfig {
        tip,
        ..needle_18g(0.15)
    };
    let layers = vec![Layer::soft("gel", 100.0, 0.0)];
    Insertion::new(config, layers, spacing, Foundation::new(foundation, 1e6))
}

#[test]
fn a_loaded_tip_cuts_an_arc() {
    // κ = F / (EI λ)
    for (force, foundation) in [(0.05, 1e6), (0.1, 2e6)] {
        let mut insertion = bevel(
            Tip::TipLoad {
                force,
                facet: FACET,
            },
            foundation,
            1e-3,
        );
        insertion.to(0.12);
        let config = insertion.needle.config();
        let wave = wave_number(config, foundation);
        assert_near(
            curvature(&insertion),
            force / (config.bending_stiffness() * wave),
            0.03,
        );
    }
}

#[test]
fn a_cut_angle_makes_an_arc() {
    // κ = 2 λ β
    let (angle, foundation) = (1e-3, 5e5);
    let mut insertion = bevel(Tip::CutAngle { angle }, foundation, 0.5e-3);
    insertion.to(0.13);
    let wave = wave_number(insertion.needle.config(), foundation);
    assert_near(curvature(&insertion), 2.0 * wave * angle, 0.03);
}

#[test]
fn the_end_does_not_depend_on_the_size_of_steps() {
    let tips = [0.5e-3, 1e-3, 2e-3].map(|step: f64| {
        let mut insertion = bevel(
            Tip::TipLoad {
                force: 0.05,
                facet: FACET,
            },
            1e5,
            1e-3,
        );
        let n = (0.1 / step).round() as i32;
        (1..=n)
            .map(|i| insertion.to(f64::from(i) * step))
            .last()
            .unwrap()
            .tip
    });
    assert!(tips[0].x > 1e-3, "{tips:?}");
    for tip in &tips[1..] {
        assert!((tip - tips[0]).norm() < 1e-4, "{tips:?}");
    }
}

#[test]
fn a_turned_bevel_cuts_to_the_other_side() {
    let mut insertion = bevel(
        Tip::TipLoad {
            force: 0.1,
            facet: FACET,
        },
        2e5,
        1e-3,
    );
    let config = *insertion.needle.config();
    let turn = nalgebra::UnitQuaternion::from_axis_angle(
        &nalgebra::Vector3::z_axis(),
        std::f64::consts::PI,
    );
    let at = |tip: f64| {
        nalgebra::Isometry3::from_parts(
            nalgebra::Translation3::new(0.0, 0.0, tip - config.length),
            turn,
        )
    };
    insertion
        .needle
        .advance(&mut insertion.body, at(-1e-3))
        .unwrap();
    let report = insertion
        .needle
        .advance(&mut insertion.body, at(0.1))
        .unwrap();
    let mut other = bevel(
        Tip::TipLoad {
            force: 0.1,
            facet: FACET,
        },
        2e5,
        1e-3,
    );
    assert_near(report.tip.x, -other.to(0.1).tip.x, 1e-6);
}

#[test]
fn the_path_does_not_depend_on_the_distance_of_its_points() {
    let load = Tip::TipLoad {
        force: 0.05,
        facet: FACET,
    };
    for tip in [load, Tip::CutAngle { angle: 2e-3 }] {
        let tips = [2e-3, 1e-3, 0.5e-3].map(|spacing| bevel(tip, 1e5, spacing).to(0.08).tip.x);
        assert!(tips[2] > 2e-4, "{tips:?}");
        for other in &tips[..2] {
            assert!((other / tips[2] - 1.0).abs() < 0.03, "{tip:?} {tips:?}");
        }
    }
}
