//! A liver-like organ: two lobes, a wedge that ends in a sharp lower edge.

use super::layer;
use crate::body::{Place, Solid, TissueBody};
use crate::mesh::TriangleMesh;

/// A liver in its capsule, 0.18 × 0.11 × 0.12 m, held at the bare area on top behind.
///
/// Parenchyma of 6 kPa, within the 2 kPa to 10 kPa of healthy livers by elastography; the capsule is stiffer: in life megapascals in about 0.1 mm (Umale et al. 2013), which no cell resolves; here 1 mm of 20 kPa stands for it.
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
        fixed: vec![Place::Cuboid {
            low: [-0.09, 0.01, 0.02],
            high: [0.0, 0.10, 0.10],
        }],
        attachments: Vec::new(),
    }
}

/// A ball, bent: each step moves points by a smooth function of their place, so that the surface stays closed.
pub(in crate::body) fn liver_surface() -> TriangleMesh {
    let mut mesh = TriangleMesh::ellipsoid([1.0; 3], 5);
    for position in &mut mesh.positions {
        *position = bend(*position);
    }
    let [low, high] = mesh.bounds();
    let wanted = [0.18, 0.11, 0.12];
    for position in &mut mesh.positions {
        *position =
            [0, 1, 2].map(|a| ((position[a] - low[a]) / (high[a] - low[a]) - 0.5) * wanted[a]);
    }
    mesh
}

/// A point of the unit sphere, to where it is on the liver, in units of about its half sizes: x to the left lobe, y back, z up.
fn bend([u, v, w]: [f64; 3]) -> [f64; 3] {
    let smooth = |x: f64| 0.5 * (1.0 + (x).tanh());
    // Smaller towards the tip of the left lobe.
    let left = f64::midpoint(u, 1.0);
    let height = 1.0 - 0.62 * left.powf(1.4);
    let depth = 1.0 - 0.55 * left.powf(1.2);
    // A wedge: thick above, an edge below, which lies in front.
    let thick = 0.12 + 0.88 * smooth(1.8 * (w + 0.35));
    let front = -0.45 * (1.0 - smooth(2.0 * (w + 0.2)));
    // The lower side behind is hollow, where stomach and kidney lie.
    let hollow = -0.22 * v.max(0.0) * (1.0 - w * w).max(0.0) * smooth(-3.0 * (w - 0.2));
    // The notch of the round ligament, between the lobes, in the lower edge.
    let notch = 0.30 * (-((u - 0.22) / 0.10).powi(2)).exp() * smooth(-5.0 * (w + 0.45));
    // The upper side lifts to the right dome and sinks a little under the heart.
    let heart = -0.08 * (-((u - 0.3) / 0.25).powi(2)).exp() * smooth(4.0 * (w - 0.3));
    let top = 0.42 * (1.0 - height);
    let z = w * height + top + heart + notch - 0.12 * (1.0 - left) * smooth(-3.0 * w);
    [u, depth * (v * thick + front + hollow), z]
}
