//! Strain and stress as a file for ParaView and PyVista.
//!
//! The legacy format of VTK with big-endian numbers (Kitware, *VTK File Formats*, "Unstructured Grid").

use super::TissueStress;

/// Types of cells in the format.
const VERTEX: i32 = 1;
const TETRAHEDRON: i32 = 10;

impl TissueStress {
    /// An unstructured grid in VTK's legacy format, metres and pascals: tetrahedra, or vertices for particles, with `von_mises_pa`,
    /// `greatest_tension_pa`, `principal_strain` (the largest first), `stress_pa` and `volume_m3` for each.
    pub fn to_vtk(&self) -> Vec<u8> {
        let mut file = Bytes::default();
        file.line("# vtk DataFile Version 3.0");
        file.line("stress in tissue, insonate");
        file.line("BINARY");
        file.line("DATASET UNSTRUCTURED_GRID");
        file.line(&format!("POINTS {} double", self.points.len()));
        file.numbers(self.points.iter().flatten().copied());
        let alone: Vec<[u32; 1]>;
        let (cells, kind): (Vec<&[u32]>, i32) = if self.tets.is_empty() {
            alone = (0..self.points.len() as u32).map(|point| [point]).collect();
            (alone.iter().map(<[u32; 1]>::as_slice).collect(), VERTEX)
        } else {
            let tets = self.tets.iter();
            (tets.map(<[u32; 4]>::as_slice).collect(), TETRAHEDRON)
        };
        let n_words: usize = cells.iter().map(|cell| 1 + cell.len()).sum();
        file.line(&format!("CELLS {} {n_words}", cells.len()));
        for cell in &cells {
            file.whole(cell.len() as i32);
            for &point in *cell {
                file.whole(point as i32);
            }
        }
        file.line("");
        file.line(&format!("CELL_TYPES {}", cells.len()));
        for _ in &cells {
            file.whole(kind);
        }
        file.line("");
        file.line(&format!("CELL_DATA {}", cells.len()));
        for (name, values) in [
            ("von_mises_pa", &self.von_mises()),
            ("greatest_tension_pa", &self.greatest_tension()),
            ("volume_m3", &self.volumes),
        ] {
            file.line(&format!("SCALARS {name} double 1"));
            file.line("LOOKUP_TABLE default");
            file.numbers(values.iter().copied());
        }
        file.line("VECTORS principal_strain double");
        file.numbers(self.principal_strains.iter().flatten().copied());
        file.line("TENSORS stress_pa double");
        file.numbers(self.stresses.iter().flatten().copied());
        file.0
    }
}

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn line(&mut self, text: &str) {
        self.0.extend(text.as_bytes());
        self.0.push(b'\n');
    }

    fn whole(&mut self, number: i32) {
        self.0.extend(number.to_be_bytes());
    }

    /// A block of numbers and the end of its line.
    fn numbers(&mut self, numbers: impl Iterator<Item = f64>) {
        for number in numbers {
            self.0.extend(number.to_be_bytes());
        }
        self.line("");
    }
}
