//! Contract: below a probe that is pressed on a made patient, the labels picture shows the label volume, moved as the torso was simulated.
//!
//! The oracle moves the voxels by its own code: points of the simulated tissue are interpolated by moving least squares, the skin below the
//! face is drawn to the face over a decay length, and sound runs straight at the speeds of the materials.

use std::ops::ControlFlow::Continue;
use std::sync::LazyLock;

use insonate::anatomy::{Patient, PatientSettings, Tissues};
use insonate::experiments::{Held, Hold, OwnPatient, Pictures, hold};
use insonate::models::SceneConfig;
use insonate::models::patients::Physique;
use insonate::sim::verdict::VerdictLimits;
use insonate::ultrasound::material::{self, Material};
use insonate::ultrasound::phantom::{Adult, Phantom as _};
use insonate::ultrasound::transducer::{ArrayKind, Transducer};
use insonate::ultrasound::{BMode, Settings, View};
use nalgebra::{DMatrix, DVector, Isometry3, Point3, Vector3};

/// Edge of the voxels [m].
const EDGE: f64 = 0.002;
const N_LINES: usize = 48;
const N_SAMPLES: usize = 160;
const DEPTH: f64 = 0.12;
/// Neighbours of a place whose displacements are interpolated.
const N_NEAR: usize = 24;
/// Samples within which tissue moves by millimetres.
const SHALLOW: usize = 27;
/// Step of the sound [m].
const STEP: f64 = 2e-4;
/// Distance along a line at which displacements are found; between them they are linear [m].
const NODES: f64 = 0.002;
/// Depth over which the skin is drawn to the face [m], and the greatest gap that gel fills [m].
const DECAY: f64 = 0.012;
const GEL: f64 = 0.003;

static OWN: LazyLock<OwnPatient> = LazyLock::new(|| {
    let adult = Adult::new(&Physique::default(), 0).expect("it is an adult");
    let segmentation = adult.segmentation(EDGE).expect("the edge is allowed");
    let tissues = Tissues::standard().expect("the table is valid");
    let settings = PatientSettings::default();
    let made = Patient::make(&segmentation, &tissues, &settings, "a test");
    OwnPatient::new(made.expect("it is a body")).expect("it has a trunk")
});

/// The patient under a probe with 5 N.
fn pressed(torso: &str) -> (Held, Transducer) {
    let mut config = SceneConfig {
        torso: torso.to_owned(),
        ..SceneConfig::default()
    };
    OWN.lay(&mut config).expect("there is such a torso");
    let scene = config.build().expect("it is a scene");
    let wanted = Hold {
        site: OWN.usual_site(),
        rotation: 0.0,
        force: 5.0,
        seconds: 1.0,
        max_force: 60.0,
        limits: VerdictLimits::default(),
    };
    let held = hold(
        &scene,
        &wanted,
        &mut Pictures::none(),
        &mut |_| Continue(()),
    );
    (held.expect("the site is reached"), scene.probe.transducer)
}

/// The simulated tissue and the voxels.
#[derive(Clone)]
struct Oracle<'a> {
    rest: Vec<Vector3<f64>>,
    now: Vec<Vector3<f64>>,
    pose: Isometry3<f64>,
    transducer: &'a Transducer,
    radius: f64,
    decay: f64,
    /// Depth of the face in the skin along the array: places and depths [m].
    reach: Vec<[f64; 2]>,
}

impl<'a> Oracle<'a> {
    fn new(held: &Held, transducer: &'a Transducer) -> Self {
        let [rest, now] = held.torso.points().map(|points| {
            let wide = points.iter().map(|point| point.coords.cast::<f64>());
            wide.collect::<Vec<Vector3<f64>>>()
        });
        let ArrayKind::Curvilinear { radius } = transducer.kind else {
            panic!("the probe is curved");
        };
        let mut own = Self {
            rest,
            now,
            pose: held.torso_from_probe,
            transducer,
            radius,
            decay: DECAY,
            reach: Vec::new(),
        };
        let half = 0.5 * transducer.footprint();
        own.reach = (0..=32)
            .map(|k| {
                let x = half * (f64::from(k) / 16.0 - 1.0);
                [x, own.reach_at(x)]
            })
            .collect();
        let most = own.reach.iter().map(|[_, depth]| *depth);
        own.decay = DECAY.max(1.25 * most.fold(0.0, f64::max));
        own
    }

    /// Height of the face at a place along the array [m].
    fn face(&self, x: f64) -> f64 {
        (self.radius.powi(2) - x.powi(2)).sqrt() - self.radius
    }

    /// How far the face is in the skin of the simulated torso; negative for a gap.
    fn reach_at(&self, x: f64) -> f64 {
        let is_in = |up: f64| {
            let place = Vector3::new(x, 0.0, self.face(x) - up);
            Self::material(self.simulated(&place)) != "air"
        };
        let ups = |sign: f64, most: f64| {
            let n = (most / STEP) as usize;
            (0..n).map(move |k| sign * k as f64 * STEP)
        };
        if is_in(0.0) {
            return ups(1.0, 0.03).find(|up| !is_in(*up)).unwrap_or(0.0);
        }
        ups(-1.0, GEL).find(|up| is_in(*up)).unwrap_or(0.0)
    }

    /// Rest place of a place in the probe's frame, by the simulation alone.
    fn simulated(&self, in_probe: &Vector3<f64>) -> Vector3<f64> {
        let place = (self.pose * Point3::from(*in_probe)).coords;
        place + self.back(&place)
    }

    /// Displacement back to rest at a place of the torso: linear moving least squares over the nearest points.
    fn back(&self, place: &Vector3<f64>) -> Vector3<f64> {
        let mut near: Vec<(f64, usize)> = Vec::with_capacity(self.now.len());
        near.extend(
            self.now
                .iter()
                .enumerate()
                .map(|(k, now)| ((now - place).norm_squared(), k)),
        );
        let n = N_NEAR.min(near.len() - 1);
        near.select_nth_unstable_by(n, |a, b| a.0.total_cmp(&b.0));
        let width = near[n].0;
        let rows = near[..n].iter().map(|(far, k)| (1.0 - far / width, *k));
        let (weights, points): (Vec<f64>, Vec<usize>) = rows.unzip();
        let matrix = DMatrix::from_fn(n, 4, |row, column| {
            let own = if column == 0 {
                1.0
            } else {
                (self.now[points[row]] - place)[column - 1]
            };
            own * weights[row]
        });
        let svd = matrix.svd(true, true);
        Vector3::from_fn(|axis, _| {
            let moved = |row: usize| (self.rest[points[row]] - self.now[points[row]])[axis];
            let right = DVector::from_fn(n, |row, _| moved(row) * weights[row]);
            svd.solve(&right, 1e-6).expect("both factors were found")[0]
        })
    }

    fn material(rest: Vector3<f64>) -> &'static str {
        let [left, head, front] = OWN.torso_origin();
        let place = Point3::from(rest + Vector3::new(left, head, front));
        let patient = OWN.patient();
        let class = patient.labels.class_at(&place);
        let class = class.and_then(|name| patient.description.class(name));
        let found = class.map(|class| material::by_name(&class.material).expect("it is known"));
        found.map_or("air", |material| material.name)
    }

    /// Materials at the samples of a line, from the face down.
    fn line(&self, line: usize) -> Vec<&'static str> {
        let share = (line as f64 + 0.5) / N_LINES as f64 - 0.5;
        let angle = share * self.transducer.span();
        let at = |depth: f64| {
            let far = self.radius + depth;
            Vector3::new(far * angle.sin(), 0.0, far * angle.cos() - self.radius)
        };
        let x = at(0.0).x;
        let slot = self
            .reach
            .partition_point(|[own, _]| *own < x)
            .clamp(1, self.reach.len() - 1);
        let [[x0, w0], [x1, w1]] = [self.reach[slot - 1], self.reach[slot]];
        let reach = w0 + (w1 - w0) * ((x - x0) / (x1 - x0)).clamp(0.0, 1.0);
        let n_nodes = (1.3 * DEPTH / NODES) as usize;
        let back: Vec<Vector3<f64>> = (0..=n_nodes)
            .map(|node| {
                let place = at(node as f64 * NODES);
                let below = place.z - self.face(place.x.clamp(-0.029, 0.029));
                let raised = place - Vector3::z() * reach * (-below / self.decay).exp();
                self.simulated(&raised) - (self.pose * Point3::from(place)).coords
            })
            .collect();
        let rest = |depth: f64| {
            let node = ((depth / NODES) as usize).min(n_nodes - 1);
            let share = depth / NODES - node as f64;
            let back = back[node] * (1.0 - share) + back[node + 1] * share;
            (self.pose * Point3::from(at(depth))).coords + back
        };
        let (mut shown, mut depth, mut found) = (0.0, 0.0, Vec::new());
        while found.len() < N_SAMPLES && depth < 1.25 * DEPTH {
            let own = Self::material(rest(depth));
            while found.len() < N_SAMPLES && found.len() as f64 * DEPTH / N_SAMPLES as f64 <= shown
            {
                found.push(own);
            }
            // Sound does not enter bone and gas: what is behind them is shown at the speed that the scanner assumes.
            let is_passed = |own: &Material| !own.is_bone() && !own.is_gas();
            let passed = material::by_name(own).ok().filter(is_passed);
            let speed = passed.map_or(1540.0, |own| own.speed_of_sound);
            depth += STEP;
            shown += STEP * 1540.0 / f64::from(speed);
        }
        found
    }
}

/// Dice of each material with at least a fiftieth of the samples, and that of all together: the share of samples that agree.
fn dice(one: &[&'static str], other: &[&'static str]) -> (f64, Vec<(&'static str, f64)>) {
    let mut names: Vec<&str> = one.to_vec();
    names.sort_unstable();
    names.dedup();
    let count = |list: &[&str], name: &str| list.iter().filter(|own| **own == name).count() as f64;
    let large = names
        .into_iter()
        .filter(|name| count(one, name) >= 0.02 * one.len() as f64);
    let own = large.map(|name| {
        let both = one
            .iter()
            .zip(other)
            .filter(|(a, b)| **a == name && a == b)
            .count() as f64;
        (name, 2.0 * both / (count(one, name) + count(other, name)))
    });
    let same = one.iter().zip(other).filter(|(a, b)| a == b).count() as f64;
    (same / one.len() as f64, own.collect())
}

fn the_picture_agrees(torso: &str) {
    let (held, transducer) = pressed(torso);
    assert!((held.force - 5.0).abs() < 0.5, "{torso}: {}", held.force);
    assert!(held.indentation > 0.002, "{torso}: {}", held.indentation);
    let settings = Settings {
        n_lines: N_LINES,
        n_samples: N_SAMPLES,
        depth: DEPTH,
        ..Settings::of(&transducer)
    };
    let volume = OWN.phantom().expect("all materials are known");
    let mut b_mode = BMode::new(&transducer, &settings).expect("the settings are allowed");
    let pose = held.torso_from_probe;
    let moved = held
        .torso
        .under(&volume, &transducer, &pose, DEPTH)
        .expect("it is deformed");
    let view = View::new(&volume, &moved, &pose).expect("it is a view");
    let frame = b_mode.labels(&view).clone();
    assert!(
        frame.contact_share() > 0.5,
        "{torso}: {}",
        frame.contact_share()
    );
    let oracle = Oracle::new(&held, &transducer);
    let coupled = (0..N_LINES).filter(|line| frame.coupled[*line]);
    let coupled: Vec<usize> = coupled.collect();
    // Of each line the part up to a sample. What is air below the face is filled by gel.
    let compare = |oracle: &Oracle<'_>, most: usize| {
        let (mut shown, mut wanted) = (Vec::new(), Vec::new());
        for line in &coupled {
            let labels = &frame.labels[line * N_SAMPLES..][..N_SAMPLES];
            for (own, label) in oracle.line(*line).into_iter().zip(labels).take(most) {
                if own != "air" {
                    wanted.push(own);
                    shown.push(volume.materials()[usize::from(*label)].name);
                }
            }
        }
        dice(&wanted, &shown)
    };
    let (all, each) = compare(&oracle, N_SAMPLES);
    assert!(all >= 0.95, "{torso}: {all} {each:?}");
    let liver = each
        .iter()
        .find(|(name, _)| *name == "liver")
        .expect("the liver is shown");
    assert!(liver.1 >= 0.95, "{torso}: {each:?}");
    // Without the displacement the layers would be elsewhere.
    let still = Oracle {
        rest: oracle.now.clone(),
        reach: vec![[-1.0, 0.0], [1.0, 0.0]],
        ..oracle.clone()
    };
    let [near, wrong] = [&oracle, &still].map(|oracle| compare(oracle, SHALLOW).0);
    assert!(
        wrong < near - 0.03,
        "{torso}: {wrong} {near} {all} {each:?}"
    );
}

#[test]
fn labels_move_with_the_xpbd_torso() {
    the_picture_agrees("xpbd");
}

#[test]
fn labels_move_with_the_elastic_torso() {
    the_picture_agrees("elastic");
}
