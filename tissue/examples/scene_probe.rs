//! Temporary.
#![expect(missing_docs, clippy::print_stdout, clippy::unwrap_used, reason = "an example")]
use insonate_tissue::Material;
use insonate_tissue::mpm::{MlsMpm, MpmBody, MpmConfig, Wall};
use insonate_tissue::tool::{Shape, Tool};
use nalgebra::{UnitQuaternion, Vector3};
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[2].parse().unwrap();
    let pv: f64 = a[3].parse().unwrap();
    let h: f64 = a[4].parse().unwrap();
    let threads: usize = a[5].parse().unwrap();
    let frames: usize = a[6].parse().unwrap();
    let raw = std::fs::read(&a[1]).unwrap();
    let x: Vec<f64> = raw.chunks(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))).collect();
    let positions = (0..n).map(|i| [x[3 * i], x[3 * i + 1], x[3 * i + 2]]).collect();
    let mut config = MpmConfig { n_threads: threads, ..MpmConfig::default() };
    config.walls[2][0] = Wall::Sticky;
    let body = MpmBody { material: Material::default(), positions, velocity: [0.0; 3], particle_volume: pv };
    let mut world = MlsMpm::new(config, &[body]).unwrap();
    world.tools.push(Tool { friction: 0.3, rotation: UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3), ..Tool::new(Shape::Cuboid { half: [0.06, 0.04, 0.05] }) });
    let top = 3.0 / 64.0 + h + 0.05;
    let mut times = vec![];
    for f in 0..30 + frames {
        let t = f as f64 * 25.0 * 5e-4;
        let z0 = top - 0.15 * h;
        let mut z = top + 0.01 - 0.2 * t;
        let (mut vz, mut vx) = (0.0, 0.05);
        if z > z0 { vz = -0.2; vx = 0.0; } else { z = z0; }
        world.tools[0].position = Vector3::new(0.5, 0.5, z);
        world.tools[0].linear = Vector3::new(vx, 0.0, vz);
        let start = Instant::now();
        world.step(25.0 * 5e-4).unwrap();
        if f >= 30 { times.push(start.elapsed().as_secs_f64() * 1e3); }
        if f == 29 {
            let p = world.positions();
            let mean = [0, 1, 2].map(|d| p.iter().map(|p| p[d]).sum::<f64>() / n as f64);
            println!("{mean:?} zmax {} wrench {:?}", p.iter().map(|p| p[2]).fold(0.0, f64::max), world.wrench(0));
        }
    }
    times.sort_by(f64::total_cmp);
    println!("ms/frame {:.2} min {:.2}", times[frames / 2], times[0]);
}
