//! The image plane among organs and robot: a picture, and models for other programs.

use insonate::experiments::probe_surfaces;
use insonate::files::OutputFolder;
use insonate::meshes::Part;
use insonate::models::probes;
use insonate::report::{BodySurfaces, ImagePlane, View3d};
use insonate::sim::VisibleSurface;
use insonate::ultrasound::BMode;
use insonate::ultrasound::b_mode::ScanConverter;
use nalgebra::Isometry3;

use super::ImageCommand;
use super::setup::ImagingSetup;

/// Names of the files.
const PICTURE: &str = "view_3d.png";
const GLB: &str = "view_3d.glb";
const OBJ: &str = "view_3d.obj";
const MTL: &str = "view_3d.mtl";

impl ImageCommand {
    /// Writes the picture and the models that the options name; nothing for a body that is infinite, as a test block is.
    pub(super) fn write_view_3d(
        &self,
        b_mode: &BMode,
        converter: &ScanConverter,
        scanned: &ImagingSetup,
        folder: &OutputFolder,
    ) -> anyhow::Result<()> {
        let made = scanned.surfaces.clone();
        let Some(body) = made.or_else(|| BodySurfaces::of_phantom(&*scanned.phantom)) else {
            return Ok(());
        };
        let view = View3d {
            body: body.deformed(&*scanned.deformation),
            image: ImagePlane::new(b_mode, converter, &scanned.pose, "b_mode.png")?,
            rigid: if scanned.rigid.is_empty() {
                self.probe_parts(&scanned.pose)?
            } else {
                scanned.rigid.clone()
            },
        };
        folder.write(PICTURE, &view.picture()?)?;
        if self.glb || self.obj {
            let parts = view.parts(scanned.origin);
            if self.glb {
                let generator = concat!("insonate ", env!("CARGO_PKG_VERSION"));
                folder.write(GLB, &Part::to_glb(&parts, generator))?;
            }
            if self.obj {
                let [obj, mtl] = Part::to_lps_obj(&parts, MTL);
                folder.write(OBJ, obj.as_bytes())?;
                folder.write(MTL, mtl.as_bytes())?;
            }
        }
        Ok(())
    }

    /// The probe at a pose of its face, if it is one that a robot can hold.
    fn probe_parts(&self, pose: &Isometry3<f64>) -> anyhow::Result<Vec<Part>> {
        let Some(probe) = probes::by_name(self.probe_name()) else {
            return Ok(Vec::new());
        };
        let mut parts = rigid_parts(probe_surfaces(&probe)?);
        for part in &mut parts {
            part.mesh.transform(pose, 1.0);
        }
        Ok(parts)
    }
}

/// Surfaces of the scene as parts of a model; those of a body have its name.
pub(super) fn rigid_parts(surfaces: Vec<VisibleSurface>) -> Vec<Part> {
    let part = |surface: VisibleSurface| Part {
        is_smooth: surface.is_smooth,
        ..Part::new(surface.body, surface.mesh, surface.color)
    };
    surfaces.into_iter().map(part).collect()
}
