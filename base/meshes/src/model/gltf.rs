//! Binary glTF 2.0 (Khronos 2021): JSON and one buffer in one file.

use serde_json::{Value, json};

use super::Part;

/// Words of the format.
const MAGIC: &[u8] = b"glTF";
const VERSION: u32 = 2;
const JSON_CHUNK: &[u8] = b"JSON";
const BINARY_CHUNK: &[u8] = b"BIN\0";
/// Types of the components of accessors, and what buffer views hold.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

impl Part {
    /// A model as a binary glTF file (`.glb`). Coordinates `(x, y, z)` become `(x, z, −y)`, since the second axis of glTF is up: Blender,
    /// which turns it back, shows the coordinates of the meshes. Parts without triangles are left out.
    pub fn to_glb(parts: &[Self], generator: &str) -> Vec<u8> {
        let mut file = Gltf::default();
        for part in parts {
            if !part.mesh.triangles.is_empty() {
                file.add(part);
            }
        }
        file.into_bytes(generator)
    }
}

/// A file under construction.
#[derive(Debug, Default)]
struct Gltf {
    buffer: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    images: Vec<Value>,
    materials: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
}

impl Gltf {
    fn add(&mut self, part: &Part) {
        let shaded = part.shaded();
        let turned = |vectors: &[[f64; 3]]| -> Vec<[f32; 3]> {
            let turn = |[x, y, z]: &[f64; 3]| [*x as f32, *z as f32, -*y as f32];
            vectors.iter().map(turn).collect()
        };
        let positions = turned(&shaded.positions);
        let mut attributes = json!({
            "POSITION": self.positions(&positions),
            "NORMAL": self.floats(turned(&shaded.normals).as_flattened(), "VEC3", 3),
        });
        let [red, green, blue, opacity] = part.color;
        let linear = [red, green, blue].map(linear);
        let mut color = json!({
            "baseColorFactor": [linear[0], linear[1], linear[2], opacity],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.8,
        });
        if let Some(picture) = &part.picture {
            attributes["TEXCOORD_0"] = self.floats(picture.uvs.as_flattened(), "VEC2", 2);
            let view = self.view(&picture.png, None);
            color["baseColorTexture"] = json!({ "index": self.images.len() });
            self.images
                .push(json!({ "bufferView": view, "mimeType": "image/png" }));
        }
        let is_opaque = opacity >= 1.0;
        self.materials.push(json!({
            "name": part.name,
            "pbrMetallicRoughness": color,
            "alphaMode": if is_opaque { "OPAQUE" } else { "BLEND" },
            "doubleSided": part.picture.is_some(),
        }));
        let indices = self.indices(shaded.triangles.as_flattened());
        let material = self.materials.len() - 1;
        self.meshes.push(json!({
            "name": part.name,
            "primitives": [{ "attributes": attributes, "indices": indices, "material": material }],
        }));
        self.nodes
            .push(json!({ "name": part.name, "mesh": self.meshes.len() - 1 }));
    }

    /// Positions, whose bounds the format requires.
    fn positions(&mut self, positions: &[[f32; 3]]) -> Value {
        let accessor = self.floats(positions.as_flattened(), "VEC3", 3);
        let bound = |choose: fn(f32, f32) -> f32| -> Vec<f32> {
            let along = |axis: usize| positions.iter().map(move |position| position[axis]);
            (0..3)
                .filter_map(|axis| along(axis).reduce(choose))
                .collect()
        };
        let last = self.accessors.len() - 1;
        self.accessors[last]["min"] = json!(bound(f32::min));
        self.accessors[last]["max"] = json!(bound(f32::max));
        accessor
    }

    fn floats(&mut self, values: &[f32], kind: &str, width: usize) -> Value {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes, Some(ARRAY_BUFFER));
        self.accessor(&view, FLOAT, kind, values.len() / width)
    }

    fn indices(&mut self, values: &[u32]) -> Value {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes, Some(ELEMENT_ARRAY_BUFFER));
        self.accessor(&view, UNSIGNED_INT, "SCALAR", values.len())
    }

    fn accessor(&mut self, view: &Value, component: u32, kind: &str, count: usize) -> Value {
        self.accessors.push(json!({
            "bufferView": view, "componentType": component, "type": kind, "count": count,
        }));
        json!(self.accessors.len() - 1)
    }

    /// Appends bytes to the buffer.
    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> Value {
        pad(&mut self.buffer, 0);
        let start = self.buffer.len();
        self.buffer.extend_from_slice(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        json!(self.views.len() - 1)
    }

    fn into_bytes(mut self, generator: &str) -> Vec<u8> {
        pad(&mut self.buffer, 0);
        let mut root = json!({ "asset": { "version": "2.0", "generator": generator } });
        let textures = (0..self.images.len()).map(|image| json!({ "source": image }));
        if !self.nodes.is_empty() {
            let nodes: Vec<usize> = (0..self.nodes.len()).collect();
            root["scene"] = json!(0);
            root["scenes"] = json!([{ "nodes": nodes }]);
        }
        let lists = [
            ("nodes", self.nodes),
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("textures", textures.collect()),
            ("images", self.images),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
        ];
        // The format has no empty lists.
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            root[name] = Value::Array(list);
        }
        if !self.buffer.is_empty() {
            root["buffers"] = json!([{ "byteLength": self.buffer.len() }]);
        }
        let mut text = root.to_string().into_bytes();
        pad(&mut text, b' ');
        let mut chunks = vec![(JSON_CHUNK, text)];
        if !self.buffer.is_empty() {
            chunks.push((BINARY_CHUNK, self.buffer));
        }
        let length: usize = 12
            + chunks
                .iter()
                .map(|(_, bytes)| 8 + bytes.len())
                .sum::<usize>();
        let mut file = [
            MAGIC,
            &VERSION.to_le_bytes(),
            &(length as u32).to_le_bytes(),
        ]
        .concat();
        for (kind, bytes) in chunks {
            file.extend((bytes.len() as u32).to_le_bytes());
            file.extend_from_slice(kind);
            file.extend(bytes);
        }
        file
    }
}

/// Lengthens to a multiple of four bytes.
fn pad(bytes: &mut Vec<u8>, with: u8) {
    bytes.resize(bytes.len().next_multiple_of(4), with);
}

/// Linear intensity of an sRGB value (IEC 61966-2-1).
fn linear(value: f32) -> f32 {
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}
