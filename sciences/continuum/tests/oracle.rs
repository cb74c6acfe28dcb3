//! Contract: a small rod ends at the minimum of its energy, which is computed directly and differentiated numerically.

use insonate_continuum::{Actuation, Equilibrium, RodConfig, Section, Simulation, StepSettings};
use nalgebra::{DMatrix, DVector, Isometry3, Matrix3, Rotation3, Vector3};

const N_ELEMENTS: usize = 4;
const LENGTH: f64 = 1.0;
const FORCE: [f64; 3] = [-0.4, 1.5, 0.8];
const TENSION: f64 = 0.6;

fn section() -> Section {
    Section {
        young_modulus: 1.0,
        shear_modulus: 1.0,
        density: 0.5,
        area: 200.0,
        inertia_y: 0.8,
        inertia_z: 1.0,
        torsion_constant: 0.7,
        radius: 0.05,
        rest_curvature: Vector3::zeros(),
    }
}

/// Energy of a rod whose nodes, except the first, are displaced and rotated by (u, w).
fn energy(freedoms: &DVector<f64>, config: &RodConfig) -> f64 {
    let length = LENGTH / N_ELEMENTS as f64;
    let section = section();
    let mut places = vec![Vector3::zeros()];
    let mut axes: Vec<Matrix3<f64>> = vec![Matrix3::identity()];
    for node in 0..N_ELEMENTS {
        let part = |start: usize| {
            let start = 6 * node + start;
            Vector3::new(freedoms[start], freedoms[start + 1], freedoms[start + 2])
        };
        places.push(part(0) + Vector3::x() * (length * (node + 1) as f64));
        axes.push(Rotation3::new(part(3)).into_inner());
    }
    let mut energy = 0.0;
    for first in 0..N_ELEMENTS {
        // Frame of the element: chord, mean of the second axes.
        let chord = places[first + 1] - places[first];
        let x = chord.normalize();
        let mean = 0.5 * (axes[first].column(1) + axes[first + 1].column(1));
        let z = x.cross(&mean).normalize();
        let frame = Matrix3::from_columns(&[x, z.cross(&x), z]);
        let turns = [first, first + 1].map(|node| {
            let local = frame.transpose() * axes[node];
            Rotation3::from_matrix_unchecked(local).scaled_axis()
        });
        // Linear beam: stretch, twist, bending about y and z.
        let stretch = chord.norm() - length;
        energy += 0.5 * section.young_modulus * section.area / length * stretch * stretch;
        let twist = turns[1].x - turns[0].x;
        energy += 0.5 * section.shear_modulus * section.torsion_constant / length * twist * twist;
        for (axis, inertia) in [(1, section.inertia_y), (2, section.inertia_z)] {
            let (start, end) = (turns[0][axis], turns[1][axis]);
            let stiffness = section.young_modulus * inertia / length;
            energy += 2.0 * stiffness * (start * start + start * end + end * end);
        }
        // Weight, half at each node.
        let mass = section.density * section.area * length;
        energy -= 0.5 * mass * config.gravity.dot(&(places[first] + places[first + 1]));
        // The first cable, straight between guides.
        let offset = Vector3::y() * config.cables.offset;
        let guides = [first, first + 1].map(|node| places[node] + axes[node] * offset);
        energy += TENSION * (guides[1] - guides[0]).norm();
    }
    energy - Vector3::from(FORCE).dot(&places[N_ELEMENTS])
}

/// Newton's method on finite differences of the energy.
fn minimum(config: &RodConfig) -> DVector<f64> {
    let n = 6 * N_ELEMENTS;
    let mut freedoms = DVector::zeros(n);
    let moved = |freedoms: &DVector<f64>, steps: &[(usize, f64)]| {
        let mut moved = freedoms.clone();
        for (idx, step) in steps {
            moved[*idx] += step;
        }
        energy(&moved, config)
    };
    for _ in 0..60 {
        let h = 1e-5;
        let gradient = DVector::from_fn(n, |i, _| {
            (moved(&freedoms, &[(i, h)]) - moved(&freedoms, &[(i, -h)])) / (2.0 * h)
        });
        if gradient.amax() < 1e-8 {
            break;
        }
        let h = 1e-3;
        let hessian = DMatrix::from_fn(n, n, |i, j| {
            let corner = |a: f64, b: f64| moved(&freedoms, &[(i, a * h), (j, b * h)]);
            (corner(1.0, 1.0) - corner(1.0, -1.0) - corner(-1.0, 1.0) + corner(-1.0, -1.0))
                / (4.0 * h * h)
        });
        let step = hessian.lu().solve(&gradient).expect("the rod is held");
        let share = (0.1 / step.amax()).min(1.0);
        freedoms -= step * share;
    }
    freedoms
}

#[test]
fn a_small_rod_ends_at_the_least_of_its_energy() {
    let mut config = RodConfig::uniform(LENGTH, N_ELEMENTS, section());
    config.gravity = Vector3::new(0.0, 0.0, -0.004);
    config.cables.offset = 0.1;
    let settings = StepSettings {
        equilibrium: Equilibrium::Converged { tolerance: 1e-10 },
        max_displacement: 0.1,
        ..StepSettings::default()
    };
    let mut actuation = Actuation::held(Isometry3::identity(), LENGTH);
    let mut simulation =
        Simulation::new(config.clone(), settings, None, &actuation).expect("it is a rod");
    actuation.tip_force = Vector3::from(FORCE);
    actuation.tensions[0] = TENSION;
    simulation.step(&actuation).expect("inputs are in range");

    let least = minimum(&config);
    for node in 1..=N_ELEMENTS {
        let start = 6 * (node - 1);
        let moved = Vector3::new(least[start], least[start + 1], least[start + 2]);
        let place = moved + Vector3::x() * (LENGTH * node as f64 / N_ELEMENTS as f64);
        let error = (simulation.state().positions[node] - place).norm();
        println!("node {node}: {error:.1e}");
        assert!(error < 1e-6, "node {node}: {place} {error}");
    }
    assert!(simulation.state().positions[N_ELEMENTS].y > 0.2);
}
