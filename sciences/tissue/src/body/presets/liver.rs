//! A liver-like organ: two lobes, a wedge whose lower side is hollow and whose lower edge is sharp.

use super::layer;
use crate::body::{Roi, Solid, TissueBody};

/// A liver in its capsule, 0.18 × 0.11 × 0.12 m. It is fixed at the bare area, at the top of its
/// back.
///
/// The parenchyma has 6 kPa, chosen within the 1.8 kPa to 7.1 kPa that elastography finds in healthy livers (Alsebaey
/// et al. 2015, doi:10.4254/wjh.v7.i8.1149). The real capsule is stiffer, 8.2 MPa in pigs (Umale et al. 2011,
/// doi:10.1016/j.jbiomech.2011.03.029), but thinner than any cell. A chosen layer of 1 mm with 20 kPa represents it.
pub fn liver() -> TissueBody {
    TissueBody {
        name: "liver".into(),
        position: [0.0; 3],
        solid: Solid::Liver,
        layers: vec![
            layer("capsule", 0.001, 2e4, 1060.0),
            layer("parenchyma", f64::INFINITY, 6e3, 1060.0),
        ],
        regions: Vec::new(),
        fixed: vec![Roi::Cuboid {
            low: [-0.09, 0.01, 0.02],
            high: [0.0, 0.10, 0.10],
        }],
        attachments: Vec::new(),
    }
}
