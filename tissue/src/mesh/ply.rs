//! PLY, text and binary of both byte orders; faces of more than three corners become fans.

mod header;
mod values;

use std::io::Write;

use self::header::{Element, Header, Kind, Property};
use self::values::Values;
use super::TriangleMesh;
use super::check::{MAX_VERTICES, check_count};

/// Most corners of a face.
const MAX_CORNERS: usize = 65_536;

/// Reads what a PLY file holds; the error names the line or byte.
pub(super) fn parse(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let (header, n_lines, rest) = header::parse(bytes)?;
    let mut values = Values::new(header.format, rest, bytes.len() - rest.len(), n_lines);
    let mut mesh = TriangleMesh::default();
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => read_vertices(element, &mut values, &mut mesh)?,
            "face" => read_faces(element, &mut values, &mut mesh)?,
            _ => skip(element, &mut values)?,
        }
    }
    let n_vertices = mesh.positions.len();
    let strange = mesh
        .triangles
        .iter()
        .flatten()
        .find(|&&v| v as usize >= n_vertices);
    match strange {
        Some(vertex) => Err(format!(
            "a face names vertex {vertex}, but there are {n_vertices}"
        )),
        None => Ok(mesh),
    }
}

fn read_vertices(
    element: &Element,
    values: &mut Values,
    mesh: &mut TriangleMesh,
) -> Result<(), String> {
    check_count("vertices", element.count, MAX_VERTICES).map_err(|fault| fault.to_string())?;
    let axes = ["x", "y", "z"].map(|name| element.scalar(name));
    let [Some(x), Some(y), Some(z)] = axes else {
        return Err("element vertex has not all of the numbers x, y and z".into());
    };
    for _ in 0..element.count {
        let mut position = [0.0; 3];
        values.start_row()?;
        for (index, property) in element.properties.iter().enumerate() {
            if let Some(count) = property.list {
                skip_list(values, count, property.kind)?;
                continue;
            }
            let number = values.number(property.kind)?;
            if let Some(axis) = [x, y, z].iter().position(|&i| i == index) {
                if !number.is_finite() {
                    return Err(values.at(&format!("{number} is not a finite number")));
                }
                position[axis] = number;
            }
        }
        mesh.positions.push(position);
    }
    Ok(())
}

fn read_faces(
    element: &Element,
    values: &mut Values,
    mesh: &mut TriangleMesh,
) -> Result<(), String> {
    let is_corners = |property: &Property| {
        property.list.is_some()
            && ["vertex_indices", "vertex_index"].contains(&property.name.as_str())
    };
    if !element.properties.iter().any(is_corners) {
        return Err("element face has no list vertex_indices".into());
    }
    let mut corners = Vec::new();
    for _ in 0..element.count {
        values.start_row()?;
        for property in &element.properties {
            match property.list {
                Some(count) if is_corners(property) => {
                    let n_corners = values.whole(count, MAX_CORNERS)?;
                    if n_corners < 3 {
                        let problem = format!("a face of {n_corners} corners, but three are least");
                        return Err(values.at(&problem));
                    }
                    corners.clear();
                    for _ in 0..n_corners {
                        corners.push(values.whole(property.kind, u32::MAX as usize)? as u32);
                    }
                    let fan = corners[1..].windows(2);
                    let triangles = fan.map(|pair| [corners[0], pair[0], pair[1]]);
                    mesh.triangles.extend(triangles);
                    check_count("triangles", mesh.triangles.len(), 2 * MAX_VERTICES)
                        .map_err(|fault| fault.to_string())?;
                }
                Some(count) => skip_list(values, count, property.kind)?,
                None => {
                    values.number(property.kind)?;
                }
            }
        }
    }
    Ok(())
}

fn skip(element: &Element, values: &mut Values) -> Result<(), String> {
    if element.properties.is_empty() {
        return Ok(());
    }
    for _ in 0..element.count {
        values.start_row()?;
        for property in &element.properties {
            match property.list {
                Some(count) => skip_list(values, count, property.kind)?,
                None => {
                    values.number(property.kind)?;
                }
            }
        }
    }
    Ok(())
}

fn skip_list(values: &mut Values, count: Kind, kind: Kind) -> Result<(), String> {
    // Each entry takes bytes of the file, so that a count beyond it ends soon.
    for _ in 0..values.whole(count, u32::MAX as usize)? {
        values.number(kind)?;
    }
    Ok(())
}

/// Writes binary little-endian, positions as doubles.
pub(super) fn write(
    out: &mut dyn Write,
    mesh: &TriangleMesh,
    normals: Option<&[[f64; 3]]>,
    uvs: Option<&[[f64; 2]]>,
) -> std::io::Result<()> {
    let header = Header::of(mesh, normals.is_some(), uvs.is_some());
    out.write_all(header.to_string().as_bytes())?;
    for (index, position) in mesh.positions.iter().enumerate() {
        for x in position {
            out.write_all(&x.to_le_bytes())?;
        }
        let normal = normals.iter().flat_map(|normals| normals[index]);
        for x in normal.chain(uvs.iter().flat_map(|uvs| uvs[index])) {
            out.write_all(&(x as f32).to_le_bytes())?;
        }
    }
    for triangle in &mesh.triangles {
        out.write_all(&[3])?;
        for vertex in triangle {
            out.write_all(&vertex.to_le_bytes())?;
        }
    }
    Ok(())
}
