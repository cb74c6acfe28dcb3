//! Models as files: read again by a reader of glTF of another author, and by the reader of OBJ.

use insonate_meshes::{MeshFormat, MeshSpace, Part, PartPicture, TriangleMesh};

/// A box of 20, 40 and 60 mm around (0, 0.05, 0), in a flat colour to be seen through.
fn cuboid() -> Part {
    let mesh = TriangleMesh::cuboid([0.01, 0.02, 0.03]).map(|[x, y, z]| [x, y + 0.05, z]);
    Part {
        is_smooth: false,
        ..Part::new("a box", mesh, [1.0, 0.5, 0.0, 0.25])
    }
}

/// A square with a picture.
fn picture() -> Part {
    let corners = [
        [0.0, 0.0, 0.0],
        [0.1, 0.0, 0.0],
        [0.1, 0.0, -0.1],
        [0.0, 0.0, -0.1],
    ];
    let mesh = TriangleMesh {
        positions: corners.to_vec(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    };
    let uvs = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    Part {
        picture: Some(PartPicture {
            uvs,
            png: b"not looked at".to_vec(),
            file: "b_mode.png".to_owned(),
        }),
        ..Part::new("image", mesh, [1.0; 4])
    }
}

#[test]
fn a_reader_of_gltf_finds_the_parts_with_colours_and_coordinates() {
    let bytes = Part::to_glb(&[cuboid(), picture()], "test");
    // It checks all that the specification demands of what the file refers to.
    let read = gltf::Gltf::from_slice(&bytes).unwrap();
    let buffer = read.blob.as_deref().unwrap();
    let nodes: Vec<_> = read.nodes().collect();
    let names: Vec<_> = nodes.iter().filter_map(gltf::Node::name).collect();
    assert_eq!(names, ["a box", "image"]);
    assert_eq!(read.default_scene().unwrap().nodes().count(), 2);

    let mesh = nodes[0].mesh().unwrap();
    let primitive = mesh.primitives().next().unwrap();
    // The second axis of glTF is up, which is the third one of ours; its third one is against our second one.
    let bounds = primitive.bounding_box();
    assert_eq!(bounds.min, [-0.01, -0.03, -0.07]);
    assert_eq!(bounds.max, [0.01, 0.03, -0.03]);
    let reader = primitive.reader(|_| Some(buffer));
    let positions: Vec<_> = reader.read_positions().unwrap().collect();
    let normals: Vec<_> = reader.read_normals().unwrap().collect();
    let indices: Vec<_> = reader.read_indices().unwrap().into_u32().collect();
    assert_eq!(indices.len(), 36);
    assert_eq!(positions.len(), 36, "flat triangles share no vertices");
    for (position, normal) in positions.iter().zip(&normals) {
        let outward = (0..3).find(|axis| normal[*axis].abs() > 0.99).unwrap();
        let end = if normal[outward] > 0.0 {
            bounds.max
        } else {
            bounds.min
        };
        assert_eq!(position[outward], end[outward]);
    }
    let material = primitive.material();
    let [red, green, blue, opacity] = material.pbr_metallic_roughness().base_color_factor();
    // Half of the screen's scale is 21 % of the light.
    assert_eq!([red, blue, opacity], [1.0, 0.0, 0.25]);
    assert!((green - 0.214).abs() < 1e-3, "{green}");
    assert_eq!(material.alpha_mode(), gltf::material::AlphaMode::Blend);

    let primitive = nodes[1].mesh().unwrap().primitives().next().unwrap();
    assert!(primitive.material().double_sided());
    let reader = primitive.reader(|_| Some(buffer));
    let uvs: Vec<_> = reader.read_tex_coords(0).unwrap().into_f32().collect();
    assert_eq!(uvs[2], [1.0, 1.0]);
    let texture = primitive.material().pbr_metallic_roughness();
    let texture = texture.base_color_texture().unwrap().texture();
    let gltf::image::Source::View { view, mime_type } = texture.source().source() else {
        panic!("the picture is not in the file");
    };
    assert_eq!(mime_type, "image/png");
    let range = view.offset()..view.offset() + view.length();
    assert_eq!(&buffer[range], b"not looked at");
}

#[test]
fn a_model_without_surfaces_is_a_file_that_can_be_read() {
    let empty = Part::new("nothing", TriangleMesh::default(), [1.0; 4]);
    let read = gltf::Gltf::from_slice(&Part::to_glb(&[empty], "test")).unwrap();
    assert_eq!(read.nodes().count(), 0);
}

#[test]
fn obj_holds_the_same_surfaces_in_the_frame_of_slicer() {
    let [obj, mtl] = Part::to_lps_obj(&[cuboid(), picture()], "view.mtl");
    let file = tempfile::Builder::new().suffix(".obj").tempfile().unwrap();
    std::fs::write(file.path(), &obj).unwrap();
    assert_eq!(MeshSpace::read(file.path()).unwrap(), Some(MeshSpace::Lps));
    let read = TriangleMesh::parse(MeshFormat::Obj, obj.as_bytes()).unwrap();
    assert_eq!(read.triangles.len(), 14);
    assert_eq!(read.positions.len(), 12);
    // To the left, backwards, to the head [mm]; the square lies at the head's height 0 and reaches 100 mm backwards.
    assert_eq!(read.bounds(), [[-10.0, -30.0, 0.0], [100.0, 100.0, 70.0]]);
    let mut boxed = read.clone();
    boxed.triangles.truncate(12);
    assert!((boxed.volume() - 48_000.0).abs() < 1e-6, "outward, in mm³");
    assert!(obj.contains("mtllib view.mtl\no a_box\nusemtl 0_a_box\n"));
    assert!(obj.contains("usemtl 1_image\n") && obj.contains("f 9/1 10/2 11/3"));
    assert!(mtl.contains("newmtl 0_a_box\nKd 1.0000 0.5000 0.0000\nd 0.2500\n"));
    assert!(mtl.contains("newmtl 1_image") && mtl.contains("map_Kd b_mode.png"));
}
