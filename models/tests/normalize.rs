//! A user's document is converted to a standalone one: angles in radians, masses independent of compiler settings, meshes embedded.
//!
//! The numbers were compared with MuJoCo 3.17 reading the original; these cases pin the rules.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use insonate_models::mjcf::{Element, Mjcf, Namespace, ReadOptions, StandaloneMjcf};
use proptest::prelude::*;

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn standalone_in(folder: &Path, xml: &str) -> Result<StandaloneMjcf, String> {
    let path = folder.join("model.xml");
    fs::write(&path, xml).unwrap();
    Mjcf::read_standalone(&path, &ReadOptions::default()).map_err(|error| error.to_string())
}

fn standalone(xml: &str) -> Result<StandaloneMjcf, String> {
    standalone_in(tempfile::tempdir().unwrap().path(), xml)
}

fn xml_of(xml: &str) -> String {
    standalone(xml).unwrap().mjcf.to_xml().unwrap()
}

#[test]
fn degrees_become_radians_where_mujoco_converts_them() {
    insta::assert_snapshot!(xml_of(r#"<mujoco>
        <compiler eulerseq="zyx"/>
        <default>
            <joint range="-90 90" springref="180"/>
            <site euler="0 0 90"/>
            <default class="slide"><joint type="slide" limited="true"/></default>
        </default>
        <worldbody>
            <camera fovy="60" euler="90 0 0"/>
            <light cutoff="30"/>
            <body name="b" axisangle="0 0 2 180">
                <joint name="hinge"/>
                <joint name="slide" class="slide" ref="45"/>
                <joint name="free" range="0 90" limited="false" ref="45"/>
                <geom size="1"/>
                <body><joint name="ball" type="ball" range="0 90"/><geom size="1"/></body>
            </body>
        </worldbody>
        <tendon><fixed name="t" range="-90 90"><joint joint="hinge" coef="1"/></fixed></tendon>
        <actuator><position joint="hinge" ctrlrange="-90 90" kp="1"/></actuator>
        <keyframe><key qpos="1 2 3 1 0 0 0"/></keyframe>
    </mujoco>"#), @r#"
    <mujoco>
      <compiler angle="radian"/>
      <default>
        <joint/>
        <site quat="0.7071067811865476 0.7071067811865475 0 0"/>
        <default class="slide">
          <joint type="slide" limited="true"/>
        </default>
      </default>
      <worldbody>
        <camera fovy="60" quat="0.7071067811865476 0 0 0.7071067811865475"/>
        <light cutoff="30"/>
        <body name="b" quat="6.123233995736766e-17 0 0 1">
          <joint name="hinge" range="-1.5707963267948966 1.5707963267948966" springref="3.141592653589793"/>
          <joint name="slide" class="slide" ref="45" range="-90 90" springref="180"/>
          <joint name="free" range="0 90" limited="false" ref="0.7853981633974483" springref="3.141592653589793"/>
          <geom size="1"/>
          <body>
            <joint name="ball" type="ball" range="0 1.5707963267948966" springref="180"/>
            <geom size="1"/>
          </body>
        </body>
      </worldbody>
      <tendon>
        <fixed name="t" range="-90 90">
          <joint joint="hinge" coef="1"/>
        </fixed>
      </tendon>
      <actuator>
        <position joint="hinge" ctrlrange="-90 90" kp="1"/>
      </actuator>
      <keyframe>
        <key qpos="1 2 3 1 0 0 0"/>
      </keyframe>
    </mujoco>
    "#);
}

#[test]
fn radians_stay() {
    let xml = r#"<mujoco model="m">
  <compiler angle="radian"/>
  <default>
    <joint range="-1 1"/>
  </default>
  <worldbody>
    <body name="b" quat="1 0 0 0">
      <joint name="j" limited="true"/>
      <geom size="1"/>
    </body>
  </worldbody>
</mujoco>
"#;
    assert_eq!(xml_of(xml), xml);
}

fn bodies(compiler: &str, content: &str) -> Result<StandaloneMjcf, String> {
    standalone(&format!(
        "<mujoco><compiler {compiler}/><default><default class='light'><geom density='0'/></default></default>\
         <worldbody>{content}</worldbody></mujoco>"
    ))
}

fn inertial(standalone: &StandaloneMjcf, body: &str) -> Option<Element> {
    let body = standalone.mjcf.find(Namespace::Body, body).unwrap();
    body.child("inertial").cloned()
}

const INERTIAL: &str = "<inertial pos='0 0 0' mass='1' diaginertia='1 2 10'/>";

#[test]
fn masses_do_not_depend_on_the_compiler() {
    let body = format!("<body name='b'>{INERTIAL}<geom name='g' size='1' group='3'/></body>");
    let mass = |standalone: &StandaloneMjcf| {
        let geom = standalone.mjcf.find(Namespace::Geom, "g").unwrap();
        geom.array("mass")
    };

    let from_geoms = bodies("inertiafromgeom='true'", &body).unwrap();
    assert_eq!(inertial(&from_geoms, "b"), None);
    assert_eq!(mass(&from_geoms), None);

    let grouped = bodies("inertiafromgeom='true' inertiagrouprange='0 2'", &body).unwrap();
    assert_eq!(mass(&grouped), Some([0.0]));

    let bare = "<body name='b'><frame><geom name='g' size='1'/></frame></body>";
    let without = bodies("inertiafromgeom='false'", bare).unwrap();
    assert_eq!(mass(&without), Some([0.0]));

    let bound = bodies(
        "boundmass='2' boundinertia='1.5' balanceinertia='true'",
        &body,
    )
    .unwrap();
    let raised = inertial(&bound, "b").unwrap();
    assert_eq!(raised.array("mass"), Some([2.0]));
    assert_eq!(raised.array("diaginertia"), Some([4.5; 3]));
    assert!(bound.notes.is_empty());

    let empty = "<body name='b'><geom class='light' size='1'/></body>";
    let bound = bodies("boundmass='2'", empty).unwrap();
    assert_eq!(inertial(&bound, "b").unwrap().array("mass"), Some([2.0]));

    let heavy = bodies("boundmass='2'", bare).unwrap();
    assert_eq!(inertial(&heavy, "b"), None);
    assert!(
        heavy.notes[0].ends_with("comes from geoms: body \"b\""),
        "{:?}",
        heavy.notes
    );

    let scaled = bodies("settotalmass='7'", &body).unwrap();
    let scaled = inertial(&scaled, "b").unwrap();
    assert_eq!(scaled.array("mass"), Some([7.0]));
    assert_eq!(scaled.array("diaginertia"), Some([7.0, 14.0, 70.0]));
    let error = bodies("settotalmass='7'", bare).unwrap_err();
    assert!(error.contains("which body \"b\" lacks"), "{error}");
}

#[test]
fn full_inertias_become_principal_where_bounds_need_them() {
    let body = "<body name='b'><inertial pos='0 0 0' mass='1' fullinertia='2 2 3 1 0 0'/></body>";
    let plain = inertial(&bodies("", body).unwrap(), "b").unwrap();
    assert!(plain.get("fullinertia").is_some());
    let bound = inertial(&bodies("boundinertia='1.5'", body).unwrap(), "b").unwrap();
    let mut moments = bound.array::<3>("diaginertia").unwrap();
    moments.sort_by(f64::total_cmp);
    // Eigenvalues 1, 3, 3; the smallest one is raised.
    for (moment, expected) in moments.iter().zip([1.5, 3.0, 3.0]) {
        assert!((moment - expected).abs() < 1e-12, "{moments:?}");
    }
}

#[test]
fn unsupported_features_are_rejected() {
    for (xml, expected) in [
        (
            "<mujoco><compiler coordinate='global'/></mujoco>",
            "coordinate=\"global\"",
        ),
        ("<mujoco><compiler fitaabb='true'/></mujoco>", "fitaabb"),
        (
            "<mujoco><compiler eulerseq='xyw'/></mujoco>",
            "eulerseq=\"xyw\" is not three of",
        ),
        (
            "<mujoco><asset><hfield name='h' file='h.png' size='1 1 1 1'/></asset></mujoco>",
            "height fields",
        ),
        (
            "<mujoco><asset><model name='h' file='h.xml'/></asset></mujoco>",
            "models as assets",
        ),
        (
            "<mujoco><worldbody><composite type='cable' count='3'/></worldbody></mujoco>",
            "composites",
        ),
        (
            "<mujoco><worldbody><geom euler='1 2 3' quat='1 0 0 0'/></worldbody></mujoco>",
            "more than one of",
        ),
        (
            "<mujoco><worldbody><geom axisangle='0 0 0 1'/></worldbody></mujoco>",
            "no length",
        ),
        (
            "<mujoco><compiler eulerseq='zyx'/><worldbody><replicate count='2' euler='1 2 3'/></worldbody></mujoco>",
            "eulerseq",
        ),
        (
            "<mujoco><asset><mesh file='m.dae'/></asset></mujoco>",
            "cannot read",
        ),
        (
            "<mujoco><asset><mesh file='../m.stl'/></asset></mujoco>",
            "lies outside",
        ),
        (
            "<mujoco><compiler meshdir='..'/><asset><mesh file='m.stl'/></asset></mujoco>",
            "lies outside",
        ),
        (
            "<mujoco><asset><texture type='2d' name='t' file='/etc/passwd'/></asset></mujoco>",
            "lies outside",
        ),
    ] {
        let error = standalone(xml).unwrap_err();
        assert!(error.contains(expected), "{error}\n{expected}");
        assert!(error.contains("model.xml"), "{error}");
    }
}

/// A tetrahedron as text STL.
fn text_stl(triangles: &[[[f32; 3]; 3]]) -> String {
    let mut text = String::from("solid t\n");
    for triangle in triangles {
        text.push_str("facet normal 0 0 0\nouter loop\n");
        for [x, y, z] in triangle {
            writeln!(text, "vertex {x} {y} {z}").unwrap();
        }
        text.push_str("endloop\nendfacet\n");
    }
    text + "endsolid t\n"
}

fn binary_stl(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes[..5].copy_from_slice(b"solid"); // some exporters also start binary files with this word
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        for real in triangle.iter().flatten() {
            bytes.extend(real.to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

const CORNERS: [[f32; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 0.0, 0.1],
];

fn msh(positions: i32, faces: &[[u32; 3]]) -> Vec<u8> {
    let counts = [positions, 0, 0, faces.len() as i32];
    let mut bytes: Vec<u8> = counts
        .iter()
        .flat_map(|count| count.to_le_bytes())
        .collect();
    bytes.extend(CORNERS.iter().flatten().flat_map(|real| real.to_le_bytes()));
    bytes.extend(faces.iter().flatten().flat_map(|index| index.to_le_bytes()));
    bytes
}

const FACES: [[u32; 3]; 4] = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [2, 1, 3]];

fn mesh_of(file: &str, content: &[u8]) -> Result<Element, String> {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &format!("meshes/{file}"), content);
    let xml = format!(
        "<mujoco><compiler meshdir='meshes' strippath='true'/><asset><mesh file='C:\\robot\\{file}' scale='2 2 2'/></asset>\
         <worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>"
    );
    let mjcf = standalone_in(folder.path(), &xml)?.mjcf;
    Ok(mjcf.find(Namespace::Mesh, "m").unwrap().clone())
}

#[test]
fn meshes_are_written_into_the_document() {
    let triangles = FACES.map(|face| face.map(|index| CORNERS[index as usize]));
    let obj = "# corners\nv 0 0 0 1 1 1\nv 0 1 0\nv 1 0 0\nv 0 0 .1\nvt 0 0\nusemtl x\nf 1 2 3\nf 1/1 3/1 4/1\nf -4 -1 -3\nf 3 2 4\n";
    let all = [
        mesh_of("m.STL", &binary_stl(&triangles)).unwrap(),
        mesh_of("m.stl", text_stl(&triangles).as_bytes()).unwrap(),
        mesh_of("m.obj", obj.as_bytes()).unwrap(),
        mesh_of("m.msh", &msh(4, &FACES)).unwrap(),
    ];
    for mesh in all {
        // Shortest decimals: 0.1 instead of the double that is nearest to the float.
        assert_eq!(mesh.reals("vertex").unwrap().len(), 12);
        assert!(mesh.reals("vertex").unwrap().contains(&0.1));
        assert_eq!(
            mesh.reals("face").unwrap(),
            [0.0, 1.0, 2.0, 0.0, 2.0, 3.0, 0.0, 3.0, 1.0, 2.0, 1.0, 3.0]
        );
        assert_eq!(mesh.array("scale"), Some([2.0; 3]));
        assert_eq!(mesh.get("file"), None);
    }
}

#[test]
fn polygons_become_fans_and_normals_split_vertices() {
    let mesh = mesh_of(
        "m.obj",
        b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nvn 1 0 0\nf 1//1 2//1 3//1 4//1\nf 1//2 2//2 5//2",
    )
    .unwrap();
    assert_eq!(
        mesh.reals("face").unwrap(),
        [0.0, 1.0, 2.0, 0.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    );
    assert_eq!(mesh.reals("vertex").unwrap().len(), 21);
    assert_eq!(mesh.reals("normal").unwrap().len(), 21);
}

#[test]
fn broken_meshes_are_refused() {
    let mut absurd = vec![0; 84];
    absurd[80..].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut nan = binary_stl(&FACES.map(|face| face.map(|index| CORNERS[index as usize])));
    nan[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut negative = msh(4, &FACES);
    negative[0..4].copy_from_slice(&(-1_i32).to_le_bytes());
    let huge: Vec<u8> = [i32::MAX; 4]
        .iter()
        .flat_map(|count| count.to_le_bytes())
        .collect();
    let cases: &[(&str, &[u8], &str)] = &[
        ("m.stl", &absurd, "announces 4294967295 triangles"),
        ("m.stl", b"", "0 bytes"),
        ("m.stl", &nan, "triangle 0: NaN is not a finite number"),
        ("m.stl", b"solid x\nendsolid", "0 different vertices"),
        (
            "m.stl",
            b"solid x\nvertex 1 2\n",
            "triangle 0: invalid facet header",
        ),
        ("m.stl", &binary_stl(&[]), "0 different vertices"),
        ("m.obj", b"", "no vertices"),
        ("m.obj", b"v 1 2\n", "line 1: three numbers are needed"),
        (
            "m.obj",
            b"v 1 2 3\nf 1 2 3\n",
            "line 2: index \"2\" is not one of the 1",
        ),
        (
            "m.obj",
            b"v 1 2 3\nf 0 0 0\n",
            "line 2: index \"0\" is not one of the 1",
        ),
        (
            "m.obj",
            b"v 1 2 3\nf -9223372036854775808 1 1\n",
            "line 2: index",
        ),
        ("m.obj", b"v 1 2 3\nf 1 1\n", "the face has 2 corners"),
        ("m.obj", b"v 1 2 3\nf\n", "the face has 0 corners"),
        (
            "m.obj",
            b"v 1 2 3\nv inf 2 3\nv 1 1 1\nv 2 2 2\n",
            "line 2: \"inf\" is not a finite number",
        ),
        ("m.obj", b"\xff\xfe\x00", "no vertices"),
        ("m.msh", b"1234", "too short"),
        ("m.msh", &negative, "negative count"),
        ("m.msh", &huge, "which a file of 16 bytes does not hold"),
        ("m.msh", &msh(4, &[[0, 1, 9]]), "refers to vertex 9 of 4"),
        ("m.dae", b"<COLLADA/>", "not from \"dae\" files"),
    ];
    for (file, content, expected) in cases {
        let error = mesh_of(file, content).unwrap_err();
        assert!(error.contains(expected), "{file}: {error}\n{expected}");
        assert!(error.contains(file), "{error}");
    }
}

#[test]
fn images_become_their_mean_colour() {
    let folder = tempfile::tempdir().unwrap();
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 2, 1);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer
        .write_image_data(&[255, 0, 51, 255, 255, 153])
        .unwrap();
    writer.finish().unwrap();
    write(folder.path(), "textures/a.png", &png);
    write(folder.path(), "textures/b.jpg", "no image");
    let xml = r#"<mujoco><compiler texturedir="textures"/>
        <asset>
            <texture type="2d" file="a.png" hflip="true"/>
            <texture name="sides" fileup="b.jpg"/>
            <texture name="made" type="2d" builtin="checker" width="8" height="8"/>
            <material name="m" texture="a"/>
        </asset></mujoco>"#;
    let standalone = standalone_in(folder.path(), xml).unwrap();
    let texture = |name: &str| standalone.mjcf.find(Namespace::Texture, name).unwrap();
    assert_eq!(texture("a").array("rgb1"), Some([1.0, 0.5, 0.4]));
    assert_eq!(texture("a").text("builtin"), Some("flat"));
    assert_eq!(texture("a").get("file"), None);
    assert_eq!(texture("sides").text("type"), Some("cube"));
    assert_eq!(texture("made").text("builtin"), Some("checker"));
    assert_eq!(standalone.notes.len(), 3, "{:?}", standalone.notes);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn arbitrary_mesh_files_never_panic(
        kind in 0..3_usize,
        keep in 0..100_usize,
        noise in prop::collection::vec(any::<u8>(), 0..120)
    ) {
        let triangles = FACES.map(|face| face.map(|index| CORNERS[index as usize]));
        let (file, valid) = [
            ("m.stl", binary_stl(&triangles)),
            ("m.msh", msh(4, &FACES)),
            ("m.obj", b"v 0 0 0\nv 0 1 0\nv 1 0 0\nv 0 0 .1\nf 1 2 3\nf 1//1 3 4\n".to_vec()),
        ][kind].clone();
        let mut bytes = valid[..keep.min(valid.len())].to_vec();
        bytes.extend(noise);
        let _ = mesh_of(file, &bytes);
    }
}
