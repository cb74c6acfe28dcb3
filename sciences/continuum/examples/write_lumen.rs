//! Writes the mesh of the bronchial tree or of the 'T' phantom: `cargo run -p insonate-continuum --example write_lumen
//! -- tree airways.ply 0.001`.

use insonate_continuum::lumen::{AirwayDepth, TPhantom, bronchial_tree};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "usage: write_lumen t|tree FILE.ply [CELL_WIDTH in m]";
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, path, rest @ ..] = &arguments[..] else {
        return Err(usage.into());
    };
    let network = match name.as_str() {
        "t" => TPhantom::default().network()?,
        "tree" => bronchial_tree(AirwayDepth::Subsegmental)?,
        _ => return Err(usage.into()),
    };
    let cell_width = rest.first().map_or(Ok(1e-3), |width| width.parse())?;
    let mesh = network.mesh(cell_width)?;
    let mut bytes = Vec::new();
    mesh.write_ply(&mut bytes, Some(&mesh.vertex_normals()), None)?;
    insonate_files::write(path, &bytes)?;
    Ok(())
}
