//! Contract: the probe's dynamics equal the textbook's, computed from the arm's Jacobian and inertia with a linear algebra library.

mod scene;

use insonate_sim::controllers::{JointSpace, OperationalSpace, SpatialVector};
use insonate_sim::readings::ProbeFrame;
use insonate_sim::{Arm, Physics};
use nalgebra::{DMatrix, Matrix6, Vector6};
use scene::{Bed, Chain, PANDA, UR5E};

/// The arm away from home and in motion, and the acceleration of its probe per force, J M⁻¹ Jᵀ.
fn textbook(chain: &Chain) -> (Physics, Matrix6<f64>) {
    let mut physics = Physics::from_xml(&scene::xml(chain, Bed::default())).expect("a valid scene");
    let arm = Arm::new(physics.model()).expect("the arm has motors");
    for (i, joint) in arm.joints.iter().enumerate() {
        physics.qpos_mut()[joint.qpos] += 0.1 * (i as f64 + 1.0).sin();
        physics.qvel_mut()[joint.dof] = 0.2 * (i as f64).cos();
    }
    physics.forward();
    let probe = ProbeFrame::new(physics.model()).expect("the scene has a probe");
    let face = probe.world_from_probe(&physics).position;
    let jacobian = DMatrix::from_iterator(
        6,
        arm.n_joints(),
        arm.jacobian(&physics, &face, probe.body).iter().copied(),
    );
    let n = arm.n_joints();
    let inertia = JointSpace::new(&physics).expect("an arm").inertia;
    let inverse = DMatrix::from_row_slice(n, n, &inertia)
        .try_inverse()
        .expect("inertia is positive");
    let mobility = &jacobian * inverse * jacobian.transpose();
    (physics, Matrix6::from_iterator(mobility.iter().copied()))
}

#[test]
fn a_wrench_gives_the_probe_the_wanted_acceleration() {
    for chain in [PANDA, UR5E] {
        let (physics, mobility) = textbook(&chain);
        let mut joints = JointSpace::new(&physics).unwrap();
        joints.read(&physics);
        let mut space = OperationalSpace::new(&physics, &joints).unwrap();
        assert!(space.read(&physics, &joints));
        for axis in 0..6 {
            let mut wanted: SpatialVector = [0.0; 6];
            wanted[axis] = 1.0;
            let wanted = Vector6::from(wanted);
            let got = mobility * Vector6::from(space.wrench(&wanted.into()));
            // The solution is damped at 1e-5 of the largest eigenvalue, squared; the smallest eigenvalue is about 1e-4 of it.
            assert!((got - wanted).norm() < 0.02, "{axis}: {got}");
            // With decoupled inertias of position and orientation.
            let part = |m: &Matrix6<f64>, start| m.fixed_view::<3, 3>(start, start).into_owned();
            let apart = Vector6::from(space.uncoupled_wrench(&wanted.into()));
            for start in [0, 3] {
                let got = part(&mobility, start) * apart.fixed_rows::<3>(start);
                let wanted = wanted.fixed_rows::<3>(start).into_owned();
                assert!((got - wanted).norm() < 1e-3, "{axis}: {got}");
            }
        }
    }
}
