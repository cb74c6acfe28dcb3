//! Embeds the files of a document into it.

use std::path::{Path, PathBuf};

use super::compiler::Compiler;
use super::defaults::Defaults;
use crate::mjcf::assets::{MeshData, mean_colour, parse_mesh};
use crate::mjcf::read::{Sandbox, load_bytes};
use crate::mjcf::{Element, Mjcf, MjcfError, ReadOptions, Value};

/// Attributes of textures that name image files.
const IMAGE_FILES: [&str; 7] = [
    "file",
    "fileright",
    "fileleft",
    "fileup",
    "filedown",
    "filefront",
    "fileback",
];

/// Replaces every file by its content, or by the closest equivalent in MJCF.
pub(super) fn inline(
    mjcf: &mut Mjcf,
    compiler: &Compiler,
    defaults: &Defaults,
    sandbox: &Sandbox,
    options: &ReadOptions,
    notes: &mut Vec<String>,
) -> Result<(), MjcfError> {
    refuse_other_files(mjcf, options.keeps_models)?;
    let mut inliner = Inliner {
        compiler,
        defaults,
        sandbox,
        bytes_left: options.max_asset_bytes,
        notes,
    };
    if let Some(assets) = mjcf.root_mut().child_mut("asset") {
        for asset in assets.children_mut() {
            match asset.tag() {
                "mesh" => inliner.mesh(asset)?,
                "texture" => inliner.texture(asset)?,
                "model" => inliner.model(asset)?,
                _ => {}
            }
        }
    }
    for section in ["asset", "deformable"] {
        drop_skins(mjcf, section, notes);
    }
    Ok(())
}

fn refuse_other_files(mjcf: &Mjcf, keeps_models: bool) -> Result<(), MjcfError> {
    for element in mjcf.root().descendants() {
        let problem = match element.tag() {
            "hfield" if element.get("file").is_some() => {
                "height fields from files are not read; write them as elevation"
            }
            "model" | "attach" if !keeps_models => {
                "models as assets are not read; save the model from MuJoCo first"
            }
            "flexcomp" if element.get("file").is_some() => "flexes from files are not read",
            _ => continue,
        };
        return Err(MjcfError::Unsupported {
            element: element.label(),
            problem: problem.to_owned(),
        });
    }
    Ok(())
}

/// Removes skins from files: they are only visual.
fn drop_skins(mjcf: &mut Mjcf, section: &str, notes: &mut Vec<String>) {
    let Some(section) = mjcf.root_mut().child_mut(section) else {
        return;
    };
    section.children_mut().retain(|child| {
        let from_file = child.tag() == "skin" && child.get("file").is_some();
        if from_file {
            notes.push(format!(
                "{}: dropped; skins from files are not read",
                child.label()
            ));
        }
        !from_file
    });
}

struct Inliner<'a> {
    compiler: &'a Compiler,
    defaults: &'a Defaults,
    sandbox: &'a Sandbox,
    bytes_left: u64,
    notes: &'a mut Vec<String>,
}

impl Inliner<'_> {
    fn mesh(&mut self, mesh: &mut Element) -> Result<(), MjcfError> {
        let Some(file) = mesh.text("file").map(str::to_owned) else {
            return Ok(());
        };
        let path = self.resolve(&self.compiler.mesh_folder, &file)?;
        let bytes = self.load(&path)?;
        let data = parse_mesh(&path, &bytes).map_err(|problem| MjcfError::BadAsset {
            path: path.clone(),
            problem,
        })?;
        name_after(mesh, &file);
        for attribute in ["file", "content_type", "texcoord"] {
            mesh.unset(attribute);
        }
        write_mesh(mesh, &data);
        Ok(())
    }

    /// Resolves the file of a model for MuJoCo's `attach`.
    fn model(&self, model: &mut Element) -> Result<(), MjcfError> {
        let file = model.text("file").unwrap_or_default().to_owned();
        let path = self.resolve("", &file)?;
        name_after(model, &file);
        model.set("file", path.display().to_string());
        Ok(())
    }

    fn texture(&mut self, texture: &mut Element) -> Result<(), MjcfError> {
        let Some(attribute) = IMAGE_FILES
            .into_iter()
            .find(|attribute| texture.get(attribute).is_some())
        else {
            return Ok(());
        };
        let file = texture.text(attribute).unwrap_or_default().to_owned();
        let path = self.resolve(&self.compiler.texture_folder, &file)?;
        let bytes = self.load(&path)?;
        name_after(texture, &file);
        let colour = mean_colour(&bytes).unwrap_or_else(|problem| {
            self.notes.push(format!(
                "{}: {file}: {problem}; it becomes white",
                texture.label()
            ));
            [1.0; 3]
        });
        self.notes.push(format!(
            "{}: the image {file} is replaced by its mean colour; MJCF cannot hold images",
            texture.label()
        ));
        self.make_flat(texture, colour);
        Ok(())
    }

    fn make_flat(&self, texture: &mut Element, colour: [f64; 3]) {
        let kind = self
            .defaults
            .effective(texture, "main", &["texture"], "type")
            .and_then(Value::as_text)
            .unwrap_or("cube")
            .to_owned();
        let (name, class) = (texture.get("name").cloned(), texture.get("class").cloned());
        *texture = Element::new("texture");
        for (attribute, value) in [("name", name), ("class", class)] {
            if let Some(value) = value {
                texture.set(attribute, value);
            }
        }
        texture
            .set("type", kind)
            .set("builtin", "flat")
            .set("rgb1", colour)
            .set("rgb2", colour)
            .set("width", 4)
            .set("height", 4);
    }

    fn load(&mut self, path: &Path) -> Result<Vec<u8>, MjcfError> {
        let bytes = load_bytes(path, self.bytes_left)?;
        self.bytes_left -= bytes.len() as u64;
        Ok(bytes)
    }

    fn resolve(&self, folder: &str, file: &str) -> Result<PathBuf, MjcfError> {
        if self.compiler.strips_path {
            let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
            return self.sandbox.resolve(folder, name);
        }
        self.sandbox.resolve(folder, file)
    }
}

/// Gives an asset without a name the name of its file.
fn name_after(asset: &mut Element, file: &str) {
    let file = file.replace('\\', "/");
    let stem = Path::new(&file).file_stem().and_then(|stem| stem.to_str());
    if let (None, Some(stem)) = (asset.name(), stem) {
        let stem = stem.to_owned();
        asset.set("name", stem);
    }
}

fn write_mesh(mesh: &mut Element, data: &MeshData) {
    mesh.set("vertex", shortest(&data.vertices));
    if !data.normals.is_empty() {
        mesh.set("normal", shortest(&data.normals));
    }
    if !data.faces.is_empty() {
        let faces: Vec<f64> = data.faces.iter().copied().map(f64::from).collect();
        mesh.set("face", faces);
    }
}

/// Doubles with the same shortest decimal form as the single-precision numbers: MuJoCo reads the same bits, and the file
/// stays small.
fn shortest(reals: &[f32]) -> Vec<f64> {
    reals
        .iter()
        .map(|real| {
            real.to_string()
                .parse()
                .expect("a finite number is written as a number")
        })
        .collect()
}
