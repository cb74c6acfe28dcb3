//! Contract: a map is ordinary kriging averaged over its hyperparameters, its intervals have the stated coverage, the
//! next site minimises the remaining variance, and unsuitable sites are refused.
//!
//! The reference solution treats the mean as an additional unknown with a huge variance and conditions the joint
//! normal distribution by Gaussian elimination.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_calibration::map::{LEAST_SITES, MapSite, SiteMap};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const AMPLITUDES: [f64; 9] = [0.02, 0.04, 0.08, 0.14, 0.22, 0.34, 0.5, 0.75, 1.1];
const SCATTERS: [f64; 5] = [0.003, 0.01, 0.03, 0.08, 0.2];
const N_LENGTHS: usize = 14;
/// Variance of the unknown mean.
const FLAT: f64 = 1e4;

fn apart(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2) + (a[2] - b[2]).powi(2)).sqrt()
}

fn matern(distance: f64, length: f64) -> f64 {
    let u = 3_f64.sqrt() * distance / length;
    (1.0 + u) * (-u).exp()
}

/// Solves A X = B in place by elimination; returns ln |A|.
fn eliminate(a: &mut [Vec<f64>], b: &mut [Vec<f64>]) -> f64 {
    let n = a.len();
    let mut log_determinant = 0.0;
    for pivot in 0..n {
        let best = (pivot..n)
            .max_by(|&i, &j| a[i][pivot].abs().total_cmp(&a[j][pivot].abs()))
            .unwrap();
        a.swap(pivot, best);
        b.swap(pivot, best);
        log_determinant += a[pivot][pivot].abs().ln();
        for row in 0..n {
            if row == pivot {
                continue;
            }
            let factor = a[row][pivot] / a[pivot][pivot];
            let (upper, own) = (a[pivot].clone(), b[pivot].clone());
            for (value, above) in a[row].iter_mut().zip(&upper) {
                *value -= factor * above;
            }
            for (value, above) in b[row].iter_mut().zip(&own) {
                *value -= factor * above;
            }
        }
    }
    for (row, right) in b.iter_mut().enumerate() {
        for value in right {
            *value /= a[row][row];
        }
    }
    log_determinant
}

/// Hyperparameters with their weights.
fn grid(sites: &[MapSite]) -> Vec<([f64; 3], f64)> {
    let pairs = sites
        .iter()
        .flat_map(|a| sites.iter().map(|b| apart(&a.place, &b.place)));
    let distances: Vec<f64> = pairs.filter(|distance| *distance > 0.0).collect();
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let most = distances.iter().copied().fold(0.0, f64::max);
    let mut members = Vec::new();
    for step in 0..N_LENGTHS {
        let share = step as f64 / (N_LENGTHS - 1) as f64;
        let length = 0.5 * least * (4.0 * most / least).powf(share);
        for amplitude in AMPLITUDES {
            for scatter in SCATTERS {
                let hyper = [amplitude, length, scatter];
                let mut a = covariance(sites, hyper);
                let y: Vec<f64> = sites.iter().map(|site| site.value.ln()).collect();
                let mut b: Vec<Vec<f64>> = y.iter().map(|value| vec![*value]).collect();
                let log_determinant = eliminate(&mut a, &mut b);
                let square: f64 = y.iter().zip(&b).map(|(y, x)| y * x[0]).sum();
                members.push((hyper, -0.5 * square - 0.5 * log_determinant));
            }
        }
    }
    let best = members
        .iter()
        .map(|member| member.1)
        .fold(f64::MIN, f64::max);
    let sum: f64 = members.iter().map(|member| (member.1 - best).exp()).sum();
    members
        .into_iter()
        .map(|(hyper, evidence)| (hyper, (evidence - best).exp() / sum))
        .collect()
}

fn covariance(sites: &[MapSite], [amplitude, length, scatter]: [f64; 3]) -> Vec<Vec<f64>> {
    let element = |i: usize, j: usize| {
        let distance = apart(&sites[i].place, &sites[j].place);
        let own = (sites[i].own_error / sites[i].value).powi(2) + scatter.powi(2);
        FLAT + amplitude.powi(2) * matern(distance, length) + if i == j { own } else { 0.0 }
    };
    (0..sites.len())
        .map(|i| (0..sites.len()).map(|j| element(i, j)).collect())
        .collect()
}

/// Mean and variance of ln of the field at a position.
fn conditioned(sites: &[MapSite], hyper: [f64; 3], place: &[f64; 3]) -> [f64; 2] {
    let [amplitude, length, _] = hyper;
    let row: Vec<f64> = sites
        .iter()
        .map(|site| FLAT + amplitude.powi(2) * matern(apart(&site.place, place), length))
        .collect();
    let mut a = covariance(sites, hyper);
    let mut b: Vec<Vec<f64>> = sites
        .iter()
        .zip(&row)
        .map(|(site, k)| vec![site.value.ln(), *k])
        .collect();
    eliminate(&mut a, &mut b);
    let mean = row.iter().zip(&b).map(|(k, x)| k * x[0]).sum();
    let explained: f64 = row.iter().zip(&b).map(|(k, x)| k * x[1]).sum();
    [mean, FLAT + amplitude.powi(2) - explained]
}

fn normal_cdf(x: f64) -> f64 {
    0.5 * statrs::function::erf::erfc(-x / 2_f64.sqrt())
}

fn draw(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn place(rng: &mut ChaCha8Rng) -> [f64; 3] {
    [
        rng.random_range(-0.15..0.15),
        rng.random_range(-0.2..0.2),
        0.1,
    ]
}

/// Sites with a stiffness drawn from a field of relative standard deviation 0.25 that changes over 0.1 m, each known
/// to 3 %; and the true stiffness at further positions.
fn drawn(seed: u64, n_sites: usize, n_held: usize) -> (Vec<MapSite>, Vec<([f64; 3], f64)>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let places: Vec<[f64; 3]> = (0..n_sites + n_held).map(|_| place(&mut rng)).collect();
    let n = places.len();
    // Cholesky factor of the covariance, row by row.
    let mut factor = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let covariance = 0.0625 * matern(apart(&places[i], &places[j]), 0.1);
            let known: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
            factor[i][j] = if i == j {
                (covariance + 1e-12 - known).sqrt()
            } else {
                (covariance - known) / factor[j][j]
            };
        }
    }
    let white: Vec<f64> = (0..n).map(|_| draw(&mut rng)).collect();
    let field = |i: usize| {
        let log: f64 = factor[i].iter().zip(&white).map(|(a, b)| a * b).sum();
        1200.0 * log.exp()
    };
    let sites = (0..n_sites).map(|i| {
        let value = field(i) * (1.0 + 0.03 * draw(&mut rng));
        MapSite {
            name: format!("site{i}"),
            place: places[i],
            value,
            own_error: 0.03 * value,
        }
    });
    let sites = sites.collect();
    (sites, (n_sites..n).map(|i| (places[i], field(i))).collect())
}

#[test]
fn a_map_is_the_mixture_of_conditioned_normal_distributions() {
    let (sites, held) = drawn(7, 8, 5);
    let members = grid(&sites);
    for shared in [0.0, 0.1] {
        let map = SiteMap::of_sites(sites.clone(), shared).unwrap();
        for (place, _) in &held {
            let found = map.at(*place);
            let parts: Vec<([f64; 2], f64)> = members
                .iter()
                .map(|(hyper, weight)| (conditioned(&sites, *hyper, place), *weight))
                .collect();
            let below = |value: f64| -> f64 {
                let parts = parts.iter();
                parts
                    .map(|([mean, variance], weight)| {
                        let deviation = (variance + shared * shared).sqrt();
                        weight * normal_cdf((value.ln() - mean) / deviation)
                    })
                    .sum()
            };
            for (value, wanted) in [
                (found.value, 0.5),
                (found.ci95[0], 0.025),
                (found.ci95[1], 0.975),
            ] {
                let share = below(value);
                assert!(
                    (share - wanted).abs() < 2e-4,
                    "{place:?}: {share} for {wanted}"
                );
            }
        }
    }
}

#[test]
fn intervals_have_the_stated_coverage() {
    let (mut covered, mut total) = (0, 0);
    let mut width = 0.0;
    for seed in 0..60 {
        let (sites, held) = drawn(100 + seed, 12, 10);
        let map = SiteMap::of_sites(sites, 0.0).unwrap();
        for (place, truth) in held {
            let [low, high] = map.at(place).ci95;
            covered += usize::from(low <= truth && truth <= high);
            width += (high - low) / truth;
            total += 1;
        }
    }
    let share = covered as f64 / f64::from(total);
    println!(
        "{covered} of {total} intervals hold the truth ({:.1} %); mean width {:.0} % of it",
        100.0 * share,
        100.0 * width / f64::from(total)
    );
    // Ten positions in one field are correlated: 60 fields leave about 2 % of uncertainty.
    assert!((0.91..=0.99).contains(&share), "{share}");
}

#[test]
fn the_next_site_leaves_the_least_variance() {
    let (sites, held) = drawn(3, 6, 14);
    let map = SiteMap::of_sites(sites.clone(), 0.0).unwrap();
    let candidates: Vec<[f64; 3]> = held.iter().map(|(place, _)| *place).collect();
    let chosen = map.next_sites(&candidates, 3);
    assert_eq!(chosen.len(), 3);
    // First site: condition on one more press, whose value does not matter, with the current weights.
    let members = grid(&sites);
    let relative = sites
        .iter()
        .map(|site| site.own_error / site.value)
        .sum::<f64>()
        / 6.0;
    let left = |place: [f64; 3]| -> f64 {
        let mut more = sites.clone();
        more.push(MapSite {
            name: "next".into(),
            place,
            value: 1000.0,
            own_error: relative * 1000.0,
        });
        let variance = |hyper| -> f64 {
            let all = candidates.iter();
            all.map(|target| conditioned(&more, hyper, target)[1]).sum()
        };
        let heavy = members.iter().filter(|(_, weight)| *weight > 1e-7);
        heavy.map(|(hyper, weight)| weight * variance(*hyper)).sum()
    };
    let best = candidates
        .iter()
        .map(|place| (left(*place), *place))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(chosen[0], best.unwrap().1);
    assert!(chosen[1] != chosen[0] && chosen[2] != chosen[1]);
}

#[test]
fn a_site_that_disagrees_with_its_neighbours_is_detected() {
    let (mut sites, _) = drawn(11, 14, 0);
    let map = SiteMap::of_sites(sites.clone(), 0.0).unwrap();
    let left_out = map.leave_one_out().unwrap();
    assert!(
        left_out.iter().all(|site| site.deviation.abs() < 4.0),
        "{left_out:?}"
    );
    // The site in the middle is five times as stiff.
    let middle = (0..sites.len())
        .min_by(|&i, &j| {
            let distance = |k: usize| sites[k].place[0].hypot(sites[k].place[1]);
            distance(i).total_cmp(&distance(j))
        })
        .unwrap();
    sites[middle].value *= 5.0;
    sites[middle].own_error *= 5.0;
    let left_out = SiteMap::of_sites(sites, 0.0)
        .unwrap()
        .leave_one_out()
        .unwrap();
    let worst = left_out
        .iter()
        .max_by(|a, b| a.deviation.abs().total_cmp(&b.deviation.abs()))
        .unwrap();
    assert_eq!(worst.name, format!("site{middle}"));
    assert!(worst.deviation > 3.0, "{left_out:?}");
}

#[test]
fn unsuitable_sites_are_refused() {
    let (sites, _) = drawn(1, 5, 0);
    let error = |sites: Vec<MapSite>| match SiteMap::of_sites(sites, 0.0) {
        Ok(_) => panic!("it is refused"),
        Err(error) => error.to_string(),
    };
    let few = error(sites[..LEAST_SITES - 1].to_vec());
    assert!(
        few.contains("the number of sites is 3; it must be at least 4"),
        "{few}"
    );
    let mut heap = sites.clone();
    for site in &mut heap {
        site.place = [0.1, 0.0, 0.0];
    }
    assert!(error(heap).contains("same place"));
    let mut negative = sites;
    negative[2].value = -3.0;
    assert!(error(negative).contains("the value of site2 is -3"));
}
