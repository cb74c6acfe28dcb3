//! Contract of materials on the GPU: both elastic laws and tearing agree with the CPU.
//!
//! Without a driver these tests are skipped, or fail where `INSONATE_REQUIRE_GPU` is 1.
#![cfg(feature = "gpu")]

mod gpu_driver;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod gpu_scene;

use gpu_driver::gpu;
use gpu_scene::{assert_same, block, both, config, press};
use insonate_tissue::gpu::mpm::GpuMpm;
use insonate_tissue::mpm::{MpmBody, MpmConfig};
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::{ElasticLaw, Tearing};
use nalgebra::Vector3;

/// A bar along x that tears, and tools that grip its ends and move apart.
fn torn_bar() -> (Vec<MpmBody>, Vec<Tool>) {
    let mut bar = block([7, 10, 8], [10, 3, 3], 4);
    bar.material.tearing = Some(Tearing {
        begins: 1.1,
        ends: 1.6,
    });
    let end = |x: f64, speed: f64| Tool {
        position: Vector3::new(x, 0.115, 0.095),
        linear: Vector3::new(speed, 0.0, 0.0),
        friction: f64::INFINITY,
        ..Tool::new(Shape::Cuboid {
            // No node is near enough to be held.
            half: [0.0155, 0.025, 0.025],
        })
    };
    (vec![bar], vec![end(0.07, -1.0), end(0.17, 1.0)])
}

#[test]
fn the_corotated_law_is_that_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let config = MpmConfig {
        law: ElasticLaw::FixedCorotated,
        ..config()
    };
    let mut moving = block([9, 9, 3], [5, 5, 4], 3);
    moving.velocity = [0.3, -0.2, 0.0];
    let tools = vec![
        press(Shape::Sphere { radius: 0.02 }, 0.087),
        Tool {
            position: Vector3::new(0.0, 0.0, 0.0325),
            friction: f64::INFINITY,
            ..Tool::new(Shape::HalfSpace)
        },
    ];
    let worlds = [vec![moving]];
    let ends = both(
        &gpu,
        &config,
        &worlds,
        std::slice::from_ref(&tools),
        8,
        2e-3,
    );
    assert_same(&ends, 1e-4, 1e-3);
    // It differs from the other law.
    let other = MpmConfig {
        law: ElasticLaw::NeoHookean,
        ..config
    };
    let other = both(&gpu, &other, &worlds, &[tools], 8, 2e-3);
    let furthest = ends[0].positions[0]
        .iter()
        .zip(&other[0].positions[0])
        .map(|(a, b)| (Vector3::from(*a) - Vector3::from(*b)).norm())
        .fold(0.0, f64::max);
    assert!(furthest > 1e-4, "{furthest}");
}

#[test]
fn tearing_is_that_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let (bar, tools) = torn_bar();
    // Next to a material that does not tear.
    let mut whole = bar.clone();
    whole[0].material.tearing = None;
    let worlds = [bar, whole];
    for law in [ElasticLaw::NeoHookean, ElasticLaw::FixedCorotated] {
        let config = MpmConfig { law, ..config() };
        let tools = [tools.clone(), tools.clone()];
        let ends = both(&gpu, &config, &worlds, &tools, 10, 2e-3);
        assert_same(&ends, 1e-4, 1e-3);
        let [found, wanted] = &ends;
        let most = wanted.damage[0].iter().fold(0.0f32, |a, b| a.max(*b));
        assert!(most > 0.3, "{law:?}: damage is at most {most}");
        for (found, wanted) in found.damage[0].iter().zip(&wanted.damage[0]) {
            // F is exact to about 1e-6 after 100 substeps; damage depends on the square of a stretch over 1.35.
            assert!((found - wanted).abs() < 1e-4, "{law:?}: {found} {wanted}");
        }
        assert!(found.damage[1].iter().all(|damage| *damage == 0.0));
    }
}

#[test]
fn damage_stays_through_a_save_and_goes_with_a_reset() {
    let Some(gpu) = gpu() else { return };
    let (bar, tools) = torn_bar();
    let mut world = GpuMpm::new(&gpu, config(), std::slice::from_ref(&bar)).unwrap();
    world.tools_mut(0).clone_from(&tools);
    world.step(0.012).unwrap();
    let damage = world.damage(0).unwrap();
    assert!(damage.iter().any(|damage| *damage > 0.1));
    let mut other = GpuMpm::new(&gpu, config(), &[bar]).unwrap();
    other.restore(0, &world.save(0).unwrap()).unwrap();
    assert_eq!(other.damage(0).unwrap(), damage);
    // Torn particles stay torn after release.
    other.step(0.004).unwrap();
    let later = other.damage(0).unwrap();
    assert!(later.iter().zip(&damage).all(|(now, before)| now >= before));
    world.reset(&[0]).unwrap();
    assert!(world.damage(0).unwrap().iter().all(|damage| *damage == 0.0));
}
