//! Contract: plates shorten the block of an inclusion, the ball strains as Eshelby's, and both maps of the deformation are inverse.

use insonate_experiments::{Inclusion, PressedBlock};
use insonate_ultrasound::deformation::{Deformation as _, Point};
use insonate_ultrasound::transducer::l12_5;

const DEPTH: f32 = 0.05;
const STRAIN: f32 = 0.01;

fn pressed(stiffness_ratio: f64) -> PressedBlock {
    let inclusion = Inclusion {
        radius: 0.005,
        stiffness_ratio,
    };
    let pressed = inclusion.pressed(&l12_5(), f64::from(DEPTH), f64::from(STRAIN));
    pressed.expect("the test is valid")
}

fn depth(block: &PressedBlock, rest: [f32; 3]) -> f32 {
    let [x, y, z] = rest;
    let world = block.world_from_rest(&Point::new(x, y, z));
    world.expect("it is in the block").z
}

/// Strain along the probe's axis between two rest depths [m], `aside` from it.
fn strain(block: &PressedBlock, aside: f32, [top, bottom]: [f32; 2]) -> f32 {
    let [a, b] = [top, bottom].map(|z| depth(block, [aside, 0.0, z]));
    1.0 - (b - a) / (bottom - top)
}

/// Along the axis through the ball's core within 4 % (the mean over the core is nearer), far aside within 2 %, at the plates to 10 nm.
#[test]
fn the_ball_strains_as_eshelbys_between_plates() {
    // Strain of a ball over that far away, for ν = 0.45 and uniaxial stress; the first from its deviatoric, the second from its volumetric part.
    let eshelby = |k: f32| {
        let (beta, alpha) = (3.5 / 8.25, 1.45 / 1.65);
        2.9 / 3.0 / (1.0 + beta * (k - 1.0)) + 0.1 / 3.0 / (1.0 + alpha * (k - 1.0))
    };
    for ratio in [0.5, 3.0] {
        let block = pressed(f64::from(ratio));
        for aside in [0.0, 0.013] {
            assert!(depth(&block, [aside, 0.0, 0.0]).abs() < 1e-8, "{ratio}");
            let end = depth(&block, [aside, 0.0, DEPTH]);
            assert!((end - (1.0 - STRAIN) * DEPTH).abs() < 1e-8, "{end}");
        }
        let core = strain(&block, 0.0, [0.023, 0.027]) / STRAIN;
        let wanted = eshelby(ratio);
        assert!(
            (core / wanted - 1.0).abs() < 0.04,
            "{ratio}: {core} {wanted}"
        );
        let aside = strain(&block, 0.02, [0.015, 0.035]) / STRAIN;
        assert!((aside - 1.0).abs() < 0.02, "{ratio}: {aside}");
    }
}

#[test]
fn the_block_is_symmetric_and_its_maps_are_inverse() {
    let block = pressed(3.0);
    for [x, y, z] in [
        [0.001, 0.002, 0.024],
        [0.012, 0.0, 0.003],
        [0.004, 0.003, 0.03],
        [0.0, 0.0, 0.06],
        [0.01, 0.001, -0.004],
    ] {
        let rest = Point::new(x, y, z);
        let world = block.world_from_rest(&rest).expect("it is in the block");
        let back = block.rest_from_world(&world).expect("it is in the block");
        assert!((back - rest).norm() < 1e-7, "{rest}: {back}");
        let mirrored = block.world_from_rest(&Point::new(-x, -y, z));
        let mirrored = mirrored.expect("it is in the block");
        assert!((mirrored.x + world.x).abs() + (mirrored.z - world.z).abs() < 1e-8);
    }
    assert!(block.world_from_rest(&Point::new(0.2, 0.0, 0.02)).is_none());
}
