//! The skin of a segmented body: closed, without holes, and without a table.
//!
//! Voxels of all classes are the body. Holes are filled in each slice across the body's length, because lungs and airways are open at the
//! ends of a scan. The largest connected part is kept, which removes a table and cables that do not touch the body.

use insonate_meshes::TriangleMesh;
use insonate_settings::SettingError;
use insonate_volumes::Segmentation;

use crate::AnatomyError;
use crate::blurred::Shares;
use crate::slices::Slices;
use crate::surfaces::{SurfaceSettings, closed_surface};
use crate::tissues::{TissueKind, Tissues};

/// Share from which on a voxel belongs to the body.
const HALF: f32 = 0.5;

/// The skin of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// Closed surface; flat where the edge of the volume cuts the body off.
    pub surface: TriangleMesh,
    /// Volume of the body in the voxels, with filled holes [m³].
    pub volume: f64,
    /// Volume of the holes that were filled [m³].
    pub filled: f64,
    /// Volume of separate parts that were left out [m³].
    pub left_out: f64,
}

/// The skin of a segmentation.
///
/// # Errors
/// [`AnatomyError::Setting`]: a setting is outside of its range, or no class is the body. [`AnatomyError::Surface`]: the surface is not
/// closed in any attempt.
pub fn skin(
    segmentation: &Segmentation,
    tissues: &Tissues,
    settings: &SurfaceSettings,
) -> Result<Skin, AnatomyError> {
    settings.check()?;
    let is_body = |name: &str| {
        tissues
            .of(name)
            .is_some_and(|own| own.kind == TissueKind::Body)
    };
    let with_voxels = || {
        segmentation
            .classes()
            .iter()
            .filter(|class| class.n_voxels > 0)
    };
    let mut is_in = [true; 256];
    is_in[0] = false;
    let settings = settings.for_voxels(segmentation);
    let shares = Shares::new(segmentation, &is_in, settings.edge(), settings.margin());
    let has_body = with_voxels().any(|class| is_body(&class.name));
    let Some(mut shares) = shares.filter(|_| has_body) else {
        let names: Vec<&str> = with_voxels().map(|class| &*class.name).take(5).collect();
        let allowed =
            "with the body as a class, such as body_trunc of TotalSegmentator's task `body`";
        return Err(SettingError::new("classes", names, allowed).into());
    };
    let before = shares.volume();
    fill_slices(&mut shares);
    let filled = shares.volume() - before;
    keep_largest(&mut shares);
    let volume = shares.volume();
    Ok(Skin {
        surface: closed_surface(&shares, "skin", &settings)?,
        volume,
        filled,
        left_out: before + filled - volume,
    })
}

/// Fills holes within each slice across the axis that is nearest to the body's length.
fn fill_slices(shares: &mut Shares) {
    let slices = Slices::new(shares.count, &shares.frame);
    let [nu, nv] = slices.count;
    for slice in 0..slices.n {
        let at = |n: usize| slices.at(slice, n);
        let is_outside = slices.open_to_rim(slice, |at| shares.values[at] < HALF);
        for n in (0..nu * nv).filter(|n| !is_outside[*n]) {
            let is_edge = [n.wrapping_sub(1), n + 1, n.wrapping_sub(nu), n + nu];
            let is_edge = is_edge
                .iter()
                .any(|n| is_outside.get(*n).copied().unwrap_or(true));
            // Voxels at the outer edge keep their share, which places the surface within them.
            if !is_edge {
                shares.values[at(n)] = 1.0;
            } else if shares.values[at(n)] < HALF {
                shares.values[at(n)] = HALF;
            }
        }
    }
}

/// Keeps the largest part that is connected across the sides of voxels, with the partly filled voxels around it.
fn keep_largest(shares: &mut Shares) {
    let count = shares.count;
    let strides = [1, count[0], count[0] * count[1]];
    let mut part = vec![0u32; shares.values.len()];
    let mut sizes = vec![0usize];
    let mut open = Vec::new();
    let around = |at: usize| {
        (0..3).flat_map(move |axis| {
            let place = at / strides[axis] % count[axis];
            let below = (place > 0).then(|| at - strides[axis]);
            let above = (place + 1 < count[axis]).then_some(at + strides[axis]);
            [below, above].into_iter().flatten()
        })
    };
    for first in 0..part.len() {
        if shares.values[first] < HALF || part[first] != 0 {
            continue;
        }
        let own = sizes.len() as u32;
        sizes.push(0);
        part[first] = own;
        open.push(first);
        while let Some(at) = open.pop() {
            sizes[own as usize] += 1;
            for next in around(at) {
                if shares.values[next] >= HALF && part[next] == 0 {
                    part[next] = own;
                    open.push(next);
                }
            }
        }
    }
    let largest = (1..sizes.len())
        .rev()
        .max_by_key(|own| sizes[*own])
        .unwrap_or(0) as u32;
    for at in 0..part.len() {
        let is_kept = part[at] == largest && largest != 0;
        let is_next = || part[at] == 0 && around(at).any(|next| part[next] == largest);
        if !is_kept && !is_next() {
            shares.values[at] = 0.0;
        }
    }
}
