//! Contract: meshes come back from files as they were written, and no file does harm.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fmt::Write as _;
use std::path::PathBuf;

use insonate_tissue::TissueError;
use insonate_tissue::mesh::TriangleMesh;
use proptest::prelude::*;

fn read(name: &str, bytes: &[u8]) -> Result<TriangleMesh, TissueError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    TriangleMesh::read(path)
}

#[track_caller]
fn check_refused(name: &str, bytes: &[u8], problem: &str) {
    let error = read(name, bytes).unwrap_err().to_string();
    assert!(error.contains(name), "{error}");
    assert!(error.contains(problem), "{error}");
}

fn binary_stl(mesh: &TriangleMesh) -> Vec<u8> {
    let mut bytes = b"solid no text all the same".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for triangle in 0..mesh.triangles.len() {
        bytes.extend([0; 12]);
        let corners = mesh.corners(triangle);
        bytes.extend(
            corners
                .iter()
                .flatten()
                .flat_map(|&x| (x as f32).to_le_bytes()),
        );
        bytes.extend([0; 2]);
    }
    bytes
}

fn text_stl(mesh: &TriangleMesh) -> String {
    let mut text = String::from("solid cube\r\n");
    for triangle in 0..mesh.triangles.len() {
        text.push_str(" facet normal 0 0 0\r\n  outer loop\r\n");
        for corner in mesh.corners(triangle) {
            write!(text, "   vertex {} {} {}\r\n", corner.x, corner.y, corner.z).unwrap();
        }
        text.push_str("  endloop\r\n endfacet\r\n");
    }
    text + "endsolid cube\r\n"
}

const CUBE_OBJ: &str = "# a cube of quads
mtllib none.mtl
v 0 0 0
v 1 0 0 1.0
v 1 1 0
v 0 1 0
v 0 0 1 0.5 0.5 0.5
v 1 0 1
v 1 1 1
v 0 1 1
vn 0 0 -1
f 4//1 3//1 2//1 1//1
f 5 6 7 8
f -8 -7 -3 -4
f 2/ 3/ 7/ 6/
f 3 4 8 7
f 4 1 5 8
";

#[test]
fn quads_of_an_obj_become_triangles() {
    let cube = read("cube.obj", CUBE_OBJ.as_bytes()).unwrap();
    assert_eq!(cube.positions.len(), 8);
    assert_eq!(cube.triangles.len(), 12);
    cube.check_closed().unwrap();
    assert!((cube.volume() - 1.0).abs() < 1e-12);
}

#[test]
fn stl_vertices_are_joined() {
    let sphere = TriangleMesh::ellipsoid([0.5, 1.0, 2.0], 2);
    for bytes in [binary_stl(&sphere), text_stl(&sphere).into_bytes()] {
        let found = read("sphere.STL", &bytes).unwrap();
        assert_eq!(found.positions.len(), sphere.positions.len());
        found.check_closed().unwrap();
        // Binary files hold single precision.
        assert!((found.volume() / sphere.volume() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn written_meshes_come_back_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = TriangleMesh::cylinder(0.1, 0.3, 17);
    let normals = mesh.vertex_normals();
    let uvs: Vec<_> = mesh.positions.iter().map(|p| [p[0], p[2]]).collect();
    for (normals, uvs) in [
        (None, None),
        (Some(&normals[..]), None),
        (None, Some(&uvs[..])),
        (Some(&normals[..]), Some(&uvs[..])),
    ] {
        let [obj, ply] = ["a.obj", "a.ply"].map(|name| folder.path().join(name));
        mesh.write_obj(&obj, normals, uvs).unwrap();
        mesh.write_ply(&ply, normals, uvs).unwrap();
        assert_eq!(TriangleMesh::read_closed(obj).unwrap(), mesh);
        assert_eq!(TriangleMesh::read_closed(ply).unwrap(), mesh);
    }
    // Nothing but the two files is left.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    let error = mesh
        .write_obj("a.obj", Some(&normals[1..]), None)
        .unwrap_err();
    assert_eq!(error.to_string(), "normals.len() is 35, but must be 36");
}

#[test]
fn ply_is_read_in_all_its_orders() {
    let head = |format: &str| {
        format!(
            "ply\r\nformat {format} 1.0\ncomment by hand\nelement sensor 1\nproperty list uchar short at\n\
             element vertex 4\nproperty uchar red\nproperty float x\nproperty double y\nproperty int z\n\
             element face 4\nproperty list ushort uint vertex_index\nproperty char flags\nend_header\n"
        )
    };
    let faces: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let vertices: [(f32, f64, i32); 4] = [(0., 0., 0), (1., 0., 0), (0., 1., 0), (0., 0., 1)];
    let mut text = head("ascii") + "2 7 8\n";
    let mut little = (head("binary_little_endian") + "\u{1}\u{7}\u{0}").into_bytes();
    let mut big = (head("binary_big_endian") + "\u{1}\u{0}\u{7}").into_bytes();
    for (x, y, z) in vertices {
        write!(text, "255 {x} {y} {z}\n\n").unwrap();
        little.extend(
            [
                &[255][..],
                &x.to_le_bytes(),
                &y.to_le_bytes(),
                &z.to_le_bytes(),
            ]
            .concat(),
        );
        big.extend(
            [
                &[255][..],
                &x.to_be_bytes(),
                &y.to_be_bytes(),
                &z.to_be_bytes(),
            ]
            .concat(),
        );
    }
    for [a, b, c] in faces {
        writeln!(text, "3 {a} {b} {c} -1").unwrap();
        little.extend(3_u16.to_le_bytes());
        little.extend([a, b, c].iter().flat_map(|v| v.to_le_bytes()));
        little.push(1);
        big.extend(3_u16.to_be_bytes());
        big.extend([a, b, c].iter().flat_map(|v| v.to_be_bytes()));
        big.push(1);
    }
    for bytes in [text.into_bytes(), little, big] {
        let mesh = read("tetrahedron.ply", &bytes).unwrap();
        mesh.check_closed().unwrap();
        assert_eq!(mesh.triangles, faces);
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
    }
}

#[test]
fn faults_of_files_are_named_with_their_place() {
    check_refused(
        "a.obj",
        b"v 0 0 0\nv 1 0 nan\n",
        "line 2: \"nan\" is not a finite number",
    );
    check_refused(
        "a.obj",
        b"v 0 0 0\nf 1 2 1\n",
        "line 2: \"2\" names none of the 1 vertices",
    );
    check_refused("a.obj", b"v 0 0 0\nf 1 0 1\n", "line 2: \"0\" names none");
    check_refused("a.obj", b"v 0 0 0\nf -2 1 1\n", "line 2: \"-2\" names none");
    check_refused("a.obj", b"v 0 0 0\nf 1 1\n", "line 2: a face of 2 corners");
    check_refused("a.obj", b"\x7fELF", "line 1");
    check_refused("a.stl", b"", "0 bytes");
    check_refused(
        "a.stl",
        b"solid\nvertex 1 2\n",
        "line 2: a vertex of 2 numbers",
    );
    check_refused(
        "a.stl",
        b"solid\nendfacet\n",
        "line 2: a facet of 0 vertices",
    );
    let mut cut = binary_stl(&TriangleMesh::cuboid([1.0; 3]));
    cut[0] = b'b';
    cut.pop();
    check_refused(
        "a.stl",
        &cut,
        "byte 80 counts 12 triangles, which make 684 bytes, but there are 683",
    );
    check_refused("a.ply", b"plyx\n", "line 1: not \"ply\"");
    check_refused(
        "a.ply",
        b"ply\nformat ascii 1.0\n",
        "line 3: the heading has no end_header",
    );
    let huge = b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
    check_refused(
        "a.ply",
        huge,
        "the mesh has 4000000000 vertices, but at most 2000000 are taken",
    );
    let empty_rows = b"ply\nformat ascii 1.0\nelement a 18446744073709551615\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2";
    check_refused("a.ply", empty_rows, "line 9: \"\" is not a number");
    check_refused(
        "a.txt",
        b"",
        "the name ends in \"txt\", not in obj, stl or ply",
    );
    let missing = TriangleMesh::read("no such folder/a.obj").unwrap_err();
    assert!(
        missing.to_string().starts_with("no such folder/a.obj: "),
        "{missing}"
    );
}

#[test]
fn an_open_file_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("open.obj");
    std::fs::write(&path, CUBE_OBJ.rsplit_once("f ").unwrap().0).unwrap();
    let error = TriangleMesh::read_closed(&path).unwrap_err().to_string();
    let wanted = "open.obj: edge 0-3 belongs to one triangle only: the mesh is open";
    assert!(error.ends_with(wanted), "{error}");
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), which in 0..5_usize) {
        let heads: [(&str, &[u8]); 5] = [
            ("a.obj", b""),
            ("a.stl", b"solid "),
            ("a.stl", b""),
            ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"),
            ("a.ply", b"ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"),
        ];
        let (name, head) = heads[which];
        // What is read may be anything, but names only vertices that are there.
        if let Ok(mesh) = read(name, &[head, &bytes].concat()) {
            prop_assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < mesh.positions.len()));
        }
    }

    #[test]
    fn a_file_cut_anywhere_is_refused_or_shorter(at in 0.0..1.0) {
        let mesh = TriangleMesh::ellipsoid([1.0; 3], 1);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ply");
        mesh.write_ply(&path, None, None).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let cut = &bytes[..(bytes.len() as f64 * at) as usize];
        prop_assert!(read("a.ply", cut).is_err());
        let stl = binary_stl(&mesh);
        let cut = &stl[..(stl.len() as f64 * at) as usize];
        prop_assert!(read("a.stl", cut).and_then(|mesh| Ok(mesh.into_closed()?)).is_err());
    }
}
