//! Contract: meshes are read back from files as they were written, and malformed files cause neither panics nor large allocations.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fmt::Write as _;
use std::path::PathBuf;

use insonate_meshes::{MeshError, MeshFormat, TriangleMesh};
use proptest::prelude::*;

fn read(name: &str, bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
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
        // Binary files store single precision.
        assert!((found.volume() / sphere.volume() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn all_solids_of_a_text_stl_are_read_in_any_case_and_without_normals() {
    let text =
        text_stl(&TriangleMesh::cuboid([1.0; 3])).replace("normal 0 0 0", "normal nan 0 -inf");
    let two = text.to_uppercase().replace("SOLID CUBE", "solid") + &text;
    let found = read("two.stl", two.as_bytes()).unwrap();
    assert_eq!(found.triangles.len(), 24);
    assert_eq!(found.positions.len(), 8);
}

#[test]
fn obj_normals_split_vertices_and_a_cloud_keeps_all() {
    let (mesh, normals) = TriangleMesh::parse_obj_with_normals(
        b"v 0 0 0\nv 9 9 9\nv 1 0 0\nv 1 1 0\nvn 0 0 1\nvn 1 0 0\nf 1//1 3//1 4//1\nf 1//2 3//2 4//1 # last\n",
    )
    .unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [3, 4, 2]]);
    assert_eq!(normals[2..4], [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
    let (cloud, normals) = TriangleMesh::parse_obj_with_normals(b"v 0 0 0\nv 1 0 0\n").unwrap();
    assert_eq!((cloud.positions.len(), normals.len()), (2, 0));
}

#[test]
fn written_meshes_come_back_the_same() {
    let mesh = TriangleMesh::cylinder(0.1, 0.3, 17);
    let normals = mesh.vertex_normals();
    let uvs: Vec<_> = mesh.positions.iter().map(|p| [p[0], p[2]]).collect();
    for (normals, uvs) in [
        (None, None),
        (Some(&normals[..]), None),
        (None, Some(&uvs[..])),
        (Some(&normals[..]), Some(&uvs[..])),
    ] {
        let (mut obj, mut ply) = (Vec::new(), Vec::new());
        mesh.write_obj(&mut obj, normals, uvs).unwrap();
        mesh.write_ply(&mut ply, normals, uvs).unwrap();
        assert_eq!(TriangleMesh::parse(MeshFormat::Obj, &obj).unwrap(), mesh);
        assert_eq!(TriangleMesh::parse(MeshFormat::Ply, &ply).unwrap(), mesh);
    }
    let error = mesh
        .write_obj(Vec::new(), Some(&normals[1..]), None)
        .unwrap_err();
    assert_eq!(error.to_string(), "normals.len() is 35; it must be 36");
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
        writeln!(text, "255 {x} {y} {z}").unwrap();
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
        "line 2: index \"2\" is not one of the 1 so far",
    );
    check_refused("a.obj", b"v 0 0 0\nf 1 0 1\n", "line 2: index \"0\" is not");
    check_refused(
        "a.obj",
        b"v 0 0 0\nf -2 1 1\n",
        "line 2: index \"-2\" is not",
    );
    check_refused(
        "a.obj",
        b"v 0 0 0\nf 1 1\n",
        "line 2: the face has 2 corners",
    );
    check_refused(
        "a.obj",
        b"v 0 0 0\nf 1 -9223372036854775808 1\n",
        "line 2: index",
    );
    check_refused("a.obj", b"\x7fELF", "the file has no vertices");
    check_refused("a.stl", b"", "0 bytes");
    check_refused(
        "a.stl",
        b"solid\nfacet\nouter loop\nvertex 1 2\n",
        "triangle 0: vertex f32 f32 f32, got [\"vertex\", \"1\", \"2\"]",
    );
    check_refused(
        "a.stl",
        b"solid\nendfacet\n",
        "triangle 0: invalid facet header",
    );
    let mut cut = binary_stl(&TriangleMesh::cuboid([1.0; 3]));
    cut[0] = b'b';
    cut.pop();
    check_refused(
        "a.stl",
        &cut,
        "the header announces 12 triangles, which make 684 bytes, but there are 683",
    );
    check_refused(
        "a.ply",
        b"plyx\nend_header\n",
        "Line 1: Expected magic number 'ply'",
    );
    check_refused(
        "a.ply",
        b"ply\nformat ascii 1.0\n",
        "no line end_header in the first 65536 bytes",
    );
    let huge = b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
    check_refused(
        "a.ply",
        huge,
        "element \"vertex\" has 4000000000 rows of 3 properties; it must have at most 124 rows",
    );
    let empty_rows = b"ply\nformat ascii 1.0\nelement a 18446744073709551615\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2";
    check_refused(
        "a.ply",
        empty_rows,
        "element \"a\" has 18446744073709551615 rows of 0",
    );
    check_refused("a.txt", b"", "the extension must be obj, stl or ply");
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
        // The mesh may be arbitrary, but its triangles refer only to existing vertices.
        if let Ok(mesh) = read(name, &[head, &bytes].concat()) {
            prop_assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < mesh.positions.len()));
        }
    }

    #[test]
    fn a_file_cut_anywhere_is_refused_or_shorter(at in 0.0..1.0) {
        let mesh = TriangleMesh::ellipsoid([1.0; 3], 1);
        let mut bytes = Vec::new();
        mesh.write_ply(&mut bytes, None, None).unwrap();
        let cut = &bytes[..(bytes.len() as f64 * at) as usize];
        prop_assert!(read("a.ply", cut).is_err());
        let stl = binary_stl(&mesh);
        let cut = &stl[..(stl.len() as f64 * at) as usize];
        prop_assert!(read("a.stl", cut).and_then(|mesh| Ok(mesh.into_closed()?)).is_err());
    }
}

#[test]
fn hostile_rows_of_a_ply_are_refused() {
    let head = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
    let faces = "element face 1\nproperty list uchar int vertex_indices\n";
    for (rest, problem) in [
        ("end_header\n1 2\n".to_owned(), "but found nothing"),
        (
            "end_header\n1 2 1e999\n".to_owned(),
            "vertex 0: [1.0, 2.0, inf] is not finite",
        ),
        (
            format!("{faces}end_header\n0 0 0\n3 0 0 1\n"),
            "a face refers to vertex 1 of 1",
        ),
        (
            format!("{faces}end_header\n0 0 0\n3 0 0 -1\n"),
            "vertex_indices",
        ),
        (
            format!("{faces}end_header\n0 0 0\n2 0 0\n"),
            "face 0: has 2 corners; it must have at least 3",
        ),
        (
            format!("{faces}end_header\n0 0 0\n0\n"),
            "face 0: has 0 corners; it must have at least 3",
        ),
        (
            format!("{faces}end_header\n0 0 0\n255 0 0\n"),
            "Expected 255 list elements, but found only 2",
        ),
        (
            "element face 0\nproperty int flag\nend_header\n0 0 0\n".to_owned(),
            "no list vertex_indices",
        ),
        (
            format!("end_header\n{}", "1 ".repeat(40_000)),
            "a line is longer than 65536 bytes",
        ),
    ] {
        check_refused("a.ply", format!("{head}{rest}").as_bytes(), problem);
    }
}
