//! Contract: pooling gives textbook values, its intervals cover the truth, and unknown quantities are not invented.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_calibration::{Fit, FitStatistics, Parameter, SharedError, pool};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, Normal, StandardNormal};

/// A fit of stiffness and damping with these standard errors and this correlation.
fn fit(values: [f64; 2], errors: [f64; 2], correlation: f64) -> Fit {
    let parameter = |name, unit, i: usize| Parameter {
        name,
        title: name,
        unit,
        value: values[i],
        standard_error: errors[i],
        ci95: [values[i] - 1.96 * errors[i], values[i] + 1.96 * errors[i]],
        bootstrap95: None,
        identifiable: true,
        reason: String::new(),
    };
    let product = correlation * errors[0] * errors[1];
    Fit {
        model: "divided",
        divided: true,
        elastic: None,
        parameters: vec![
            parameter("stiffness", "N/m", 0),
            parameter("damping", "N·s/m", 1),
        ],
        covariance: vec![errors[0].powi(2), product, product, errors[1].powi(2)],
        shared: Vec::new(),
        statistics: FitStatistics::default(),
        used: Vec::new(),
        predicted: Vec::new(),
        contact_shift: None,
        notes: Vec::new(),
    }
}

fn shared(cause: &'static str, change: [f64; 2]) -> SharedError {
    SharedError {
        cause,
        change: change.to_vec(),
    }
}

fn pooled(fits: &[Fit]) -> insonate_calibration::Pooled {
    pool(&fits.iter().collect::<Vec<_>>())
}

fn assert_near(value: f64, expected: f64, tolerance: f64) {
    assert!(
        (value - expected).abs() < tolerance,
        "{value}, expected {expected}"
    );
}

#[test]
fn the_intervals_include_a_latency_shared_by_all_sites() {
    let own = [[1000.0, 19.0], [1010.0, 20.0], [990.0, 21.0]].map(|values| {
        let mut fit = fit(values, [1.0, 0.1], 0.0);
        fit.shared = vec![shared("latency", [0.0, -2.0])];
        fit
    });
    let all = pooled(&own);
    let c = all.parameter("damping").unwrap();
    // Mean 20, standard deviation 1, t(0.975, 2) = 4.302653.
    let half = (4.302653 / 3.0_f64.sqrt()).hypot(1.96 * 2.0);
    assert_near(c.ci95[0], 20.0 - half, 1e-5);
    let new = (4.302653 * (4.0_f64 / 3.0).sqrt()).hypot(1.96 * 2.0);
    assert_near(c.randomisation[1], 20.0 + new, 1e-5);
    let k = all.parameter("stiffness").unwrap();
    assert_near(k.ci95[1], 1000.0 + 4.302653 * 10.0 / 3.0_f64.sqrt(), 1e-4);
    // 1000/20 ± about 1000 · 4.6/20².
    let ratio = all.ratio.unwrap();
    assert!(ratio.ci95[0] < 41.5 && ratio.ci95[1] > 64.0, "{ratio:?}");
}

#[test]
fn errors_of_different_causes_add_in_quadrature_and_opposite_signs_cancel() {
    let mut own = [1000.0, 1010.0, 990.0].map(|k| fit([k, 20.0], [1.0, 0.1], 0.0));
    let half = |fits: &[Fit]| {
        let [low, high] = pooled(fits).parameter("stiffness").unwrap().ci95;
        0.5 * (high - low)
    };
    let scatter = 4.302653 * 10.0 / 3.0_f64.sqrt();
    for fit in &mut own {
        fit.shared = vec![shared("bias", [30.0, 0.0]), shared("surface", [40.0, 0.0])];
    }
    assert_near(half(&own), scatter.hypot(1.96 * 50.0), 1e-4);
    // An error with opposite signs at two sites moves the mean by a third of one.
    own[1].shared[0].change[0] = -30.0;
    let left = (30.0_f64 / 3.0).hypot(40.0);
    assert_near(half(&own), scatter.hypot(1.96 * left), 1e-4);
}

#[test]
fn noise_in_the_misfit_of_a_site_is_not_a_shared_error() {
    let mut own = [1000.0, 1010.0, 990.0].map(|k| fit([k, 20.0], [1.0, 0.1], 0.0));
    let mut half = |changes: [f64; 3]| {
        for (fit, change) in own.iter_mut().zip(changes) {
            fit.shared = vec![shared("law", [change, 0.0])];
        }
        let [low, high] = pooled(&own).parameter("stiffness").unwrap().ci95;
        0.5 * (high - low)
    };
    let scatter = 4.302653 * 10.0 / 3.0_f64.sqrt();
    // Mean 30 with a standard deviation of 6: the square of the mean is 900 ± 36/3.
    let shared = (900.0_f64 - 12.0).sqrt();
    assert_near(half([24.0, 30.0, 36.0]), scatter.hypot(1.96 * shared), 1e-4);
    assert_near(half([-20.0, 1.0, 20.0]), scatter, 1e-4);
}

#[test]
fn five_sites_give_the_textbook_values() {
    // Mean 3, variance 2.5, t(0.975, 4) = 2.776445 (any table).
    let fits: Vec<Fit> = (1..=5)
        .map(|i| {
            fit(
                [f64::from(i), 1.0 + 0.1 * f64::from(i % 3)],
                [0.1, 0.1],
                0.0,
            )
        })
        .collect();
    let all = pooled(&fits);
    let k = all.parameter("stiffness").unwrap();
    let (sd, t) = (2.5_f64.sqrt(), 2.776445);
    assert_eq!((all.n_sites, k.mean, k.range), (5, 3.0, [1.0, 5.0]));
    assert_near(k.sd, sd, 1e-12);
    assert_near(k.ci95[0], 3.0 - t * sd / 5.0_f64.sqrt(), 1e-5);
    assert_near(k.randomisation[1], 3.0 + t * sd * 1.2_f64.sqrt(), 1e-5);
    // 3 - 4.8 is below zero, which is impossible for tissue: the lower end comes from the logarithms.
    assert!(k.randomisation[0] > 0.0 && k.randomisation[0] < 1.0);
    assert_eq!(all.parameters[1].0, "damping");
}

#[test]
fn the_thesis_numbers_pool_to_its_table() {
    // Two sites as published (Jakobsen 2021), and three chosen to match the published mean ± sd.
    let sites = [
        [1445.75, 15.69],
        [1324.17, 17.59],
        [1650.95, 35.50],
        [1477.36, 33.98],
        [1529.97, 41.44],
    ];
    let fits = sites.map(|site| fit(site, [1.0, 0.1], 0.0));
    let all = pooled(&fits);
    let (k, c) = (
        all.parameter("stiffness").unwrap(),
        all.parameter("damping").unwrap(),
    );
    assert_near(k.mean, 1485.64, 0.01);
    assert_near(k.sd, 119.4, 0.05);
    assert_near(c.mean, 28.84, 0.01);
    assert_near(c.sd, 11.5, 0.05);
    assert_near(all.ratio.unwrap().value, 51.51, 0.01);
}

#[test]
fn a_mean_of_positive_sites_is_positive() {
    // Mean 2, standard deviation √3, t(0.975, 2) = 4.302653: the plain interval begins at −2.3.
    let fits = [1.0, 1.0, 4.0].map(|c| fit([1000.0, c], [1.0, 0.1], 0.0));
    let [low, high] = pooled(&fits).parameter("damping").unwrap().ci95;
    assert_near(low, 2.0 * (-4.302653_f64 / 2.0).exp(), 1e-6);
    assert_near(high, 2.0 + 4.302653, 1e-5);
    // A law whose damping may be negative keeps the plain interval.
    let fits = [-1.0, 1.0, 4.0].map(|c| fit([1000.0, c], [1.0, 0.1], 0.0));
    assert!(pooled(&fits).parameter("damping").unwrap().ci95[0] < 0.0);
}

/// Share of seeded draws whose interval covers the truth.
fn coverage(seed: u64, draws: usize, draw: impl Fn(&mut ChaCha8Rng) -> (Vec<Fit>, f64)) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let hits = (0..draws).filter(|_| {
        let (fits, truth) = draw(&mut rng);
        let [low, high] = pooled(&fits).ratio.unwrap().ci95;
        (low..=high).contains(&truth)
    });
    hits.count() as f64 / draws as f64
}

/// 4000 draws leave a standard error of 0.35 %: 94 to 96 % is three standard errors.
const DRAWS: usize = 4000;

#[test]
fn the_ratio_of_several_sites_is_covered() {
    // Spread over sites as in the thesis; the correlation tests Fieller's covariance term.
    let (k, c) = (
        Normal::new(1485.64, 119.4).unwrap(),
        Normal::new(28.84, 6.0).unwrap(),
    );
    let sites = |rng: &mut ChaCha8Rng| {
        let fits = (0..5).map(|_| {
            let k = k.sample(rng);
            fit([k, c.sample(rng) + 0.02 * (k - 1485.64)], [1.0, 0.1], 0.0)
        });
        (fits.collect(), 1485.64 / 28.84)
    };
    let share = coverage(1, DRAWS, sites);
    assert!((0.94..=0.96).contains(&share), "{share}");
}

#[test]
fn the_ratio_of_one_site_is_covered() {
    // Correlated errors, like those of k and c in one regression; 12 % on c, where the delta method is already
    // asymmetric.
    let (truth, errors, correlation) = ([1300.0, 18.0], [40.0, 2.2], -0.6);
    let site = |rng: &mut ChaCha8Rng| {
        let (a, b): (f64, f64) = (StandardNormal.sample(rng), StandardNormal.sample(rng));
        let mixed = correlation * a + (1.0 - correlation * correlation).sqrt() * b;
        let values = [truth[0] + errors[0] * a, truth[1] + errors[1] * mixed];
        (vec![fit(values, errors, correlation)], truth[0] / truth[1])
    };
    let share = coverage(2, DRAWS, site);
    assert!((0.94..=0.96).contains(&share), "{share}");
}

#[test]
fn the_mean_and_the_next_site_are_covered() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let k = Normal::new(1485.64, 119.4).unwrap();
    let (mut mean, mut next) = (0, 0);
    for _ in 0..DRAWS {
        let fits: Vec<Fit> = (0..5)
            .map(|_| fit([k.sample(&mut rng), 20.0], [1.0, 0.1], 0.0))
            .collect();
        let all = pooled(&fits);
        let spread = all.parameter("stiffness").unwrap();
        let within = |[low, high]: [f64; 2], value: f64| usize::from((low..=high).contains(&value));
        mean += within(spread.ci95, 1485.64);
        next += within(spread.randomisation, k.sample(&mut rng));
    }
    for share in [mean, next].map(|hits| hits as f64 / DRAWS as f64) {
        assert!((0.94..=0.96).contains(&share), "{share}");
    }
}

#[test]
fn one_site_has_the_intervals_of_its_fit() {
    let one = fit([1324.0, 17.6], [10.0, 1.0], 0.0);
    let all = pooled(std::slice::from_ref(&one));
    let k = all.parameter("stiffness").unwrap();
    assert_eq!(
        (k.sd, k.ci95, k.randomisation),
        (0.0, one.parameters[0].ci95, one.parameters[0].ci95)
    );
}

#[test]
fn a_damping_that_may_be_zero_makes_the_ratio_unbounded() {
    let all = pooled(&[fit([1300.0, 10.0], [10.0, 6.0], 0.0)]);
    let [low, high] = all.ratio.unwrap().ci95;
    assert!(
        low > 0.0 && low < 130.0 && high == f64::INFINITY,
        "{low} {high}"
    );
    assert!(all.parameter("damping").unwrap().randomisation[0] > 0.0);
}

#[test]
fn a_parameter_that_a_site_does_not_identify_is_not_pooled() {
    let good = fit([1300.0, 10.0], [10.0, 1.0], 0.0);
    let mut slow = good.clone();
    slow.parameters[1].identifiable = false;
    let all = pooled(&[good, slow]);
    assert!(
        all.parameter("stiffness").is_some()
            && all.parameter("damping").is_none()
            && all.ratio.is_none()
    );
    let none = pool(&[]);
    assert!(none.parameters.is_empty() && none.ratio.is_none());
}
