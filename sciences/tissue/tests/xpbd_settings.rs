//! Invalid bodies and settings are refused by name.

#[expect(dead_code, clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;

use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::xpbd::{Sweep, Xpbd, XpbdBody, XpbdConfig};
use insonate_tissue::{Material, TissueError};
use nalgebra::UnitQuaternion;
use xpbd_blocks::lattice;

fn body() -> XpbdBody {
    XpbdBody {
        mesh: lattice([5, 4, 3], [0.06, 0.05, 0.04], [0.3, -0.2, 0.0], 0.1),
        ..XpbdBody::default()
    }
}

#[test]
fn invalid_settings_are_refused_by_name() {
    let good = body;
    let fails = |config: XpbdConfig, body: XpbdBody, name: &str| {
        let error = Xpbd::new(config, &[body], &[]).unwrap_err();
        assert!(
            matches!(&error, TissueError::Setting(error) if error.field == name),
            "{error}"
        );
    };
    let base = XpbdConfig::default;
    fails(
        XpbdConfig {
            substep: f64::NAN,
            ..base()
        },
        good(),
        "substep",
    );
    fails(
        XpbdConfig {
            iterations: 2,
            sweep: Sweep::Jacobi,
            ..base()
        },
        good(),
        "iterations",
    );
    let mut bad = good();
    bad.mesh.tets[7][2] = 9999;
    fails(base(), bad, "bodies[0].mesh.tets[7]");
    let mut bad = good();
    bad.mesh.tets[7].swap(0, 1);
    fails(base(), bad, "bodies[0].mesh.tets[7].volume");
    let mut bad = good();
    bad.mesh.positions[4][1] = f64::NAN;
    fails(base(), bad, "bodies[0].mesh.positions[4]");
    let mut bad = good();
    bad.mesh.positions.push([0.0; 3]);
    let field = format!("bodies[0].mesh.positions[{}]", bad.mesh.positions.len() - 1);
    fails(base(), bad, &field);
    let bad = XpbdBody {
        fixed: vec![100_000],
        ..good()
    };
    fails(base(), bad, "bodies[0].fixed");
    let bad = XpbdBody {
        material: Material {
            poisson_ratio: 0.5,
            ..Material::default()
        },
        ..good()
    };
    fails(base(), bad, "material.poisson_ratio");
    fails(
        base(),
        XpbdBody {
            mesh: insonate_tissue::mesh::TetMesh::default(),
            ..good()
        },
        "bodies[0].mesh.tets.len",
    );
    let mut world = Xpbd::new(base(), &[good()], &[]).unwrap();
    world.tools_mut().push(Tool {
        rotation: UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(f64::NAN, 0.0, 0.0, 0.0)),
        ..Tool::new(Shape::Sphere { radius: 0.02 })
    });
    assert!(matches!(world.step(0.01), Err(TissueError::Setting(_))));
    assert!(matches!(world.step(f64::NAN), Err(TissueError::Setting(_))));
}
