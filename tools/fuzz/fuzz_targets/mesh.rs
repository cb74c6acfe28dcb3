//! Contract: any file gives a mesh of finite coordinates and valid indices, or an error. The mesh can be written and
//! read back.

#![no_main]

use insonate_meshes::{MeshFormat, TriangleMesh};
use libfuzzer_sys::fuzz_target;

const FORMATS: [MeshFormat; 3] = [MeshFormat::Obj, MeshFormat::Stl, MeshFormat::Ply];

fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else {
        return;
    };
    let Ok(mesh) = TriangleMesh::parse(FORMATS[usize::from(choice) % 3], bytes) else {
        return;
    };
    assert!(mesh.positions.iter().flatten().all(|x| x.is_finite()));
    let n_vertices = mesh.positions.len();
    assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < n_vertices));
    let mut written = Vec::new();
    mesh.write_ply(&mut written, None, None).expect("memory takes all");
    let again = TriangleMesh::parse(MeshFormat::Ply, &written).expect("what is written is read");
    assert_eq!(mesh, again);
    let mut welded = mesh;
    welded.weld(1e-3);
    let _ = welded.into_closed();
});
