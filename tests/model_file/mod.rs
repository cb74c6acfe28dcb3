//! Reads models that `image --glb` writes.

use std::path::Path;

use serde_json::Value;

/// The JSON of `view_3d.glb` in a folder.
pub(crate) fn gltf(folder: &Path) -> Value {
    let glb = std::fs::read(folder.join("view_3d.glb")).expect("it is there");
    assert_eq!(&glb[..4], b"glTF");
    let length = u32::from_le_bytes(glb[12..16].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&glb[20..20 + length]).expect("it is JSON")
}

/// Lowest and highest coordinate of the parts of a model whose names start with a text, along an axis of glTF.
pub(crate) fn extent(model: &Value, name: &str, axis: usize) -> [f64; 2] {
    let meshes = model["meshes"].as_array().expect("a list").iter();
    let own = meshes.filter(|mesh| {
        mesh["name"]
            .as_str()
            .is_some_and(|own| own.starts_with(name))
    });
    let ends = own.map(|mesh| {
        let at = mesh["primitives"][0]["attributes"]["POSITION"]
            .as_u64()
            .expect("a number");
        ["min", "max"].map(|end| {
            model["accessors"][at as usize][end][axis]
                .as_f64()
                .expect("a number")
        })
    });
    ends.reduce(|[a, b], [c, d]| [a.min(c), b.max(d)])
        .expect("a part of this name")
}
