//! The pictures of an image and its other files.

use insonate::files::OutputFolder;
use insonate::report::{
    Ruler, color_picture, grey_picture, label_picture, legend_picture, overview_picture,
};
use insonate::ultrasound::b_mode::ScanConverter;
use insonate::ultrasound::measure::Confidence;
use insonate::ultrasound::sequence::Sequence;
use insonate::ultrasound::{BMode, Frame};

use super::ImageCommand;
use super::setup::ImagingSetup;
use crate::cli::Usage;

impl ImageCommand {
    /// The picture for people: depth ticks, a mark at the side of the first scanline, and a caption.
    fn figure(
        &self,
        grey: &[u8],
        converter: &ScanConverter,
        b_mode: &BMode,
    ) -> anyhow::Result<Vec<u8>> {
        let mut rgb: Vec<u8> = grey.iter().flat_map(|&level| [level; 3]).collect();
        let ruler = Ruler {
            pixel: converter.pixel,
            top: converter.corner[1],
            has_mark: true,
            caption: format!(
                "{}, depth {:.0} cm, simulated",
                self.probe_name(),
                100.0 * b_mode.settings().depth
            ),
        };
        ruler.draw(&mut rgb, (self.size as u32, self.size as u32))?;
        Ok(color_picture(self.size, &rgb)?)
    }

    /// Writes everything but the figures.
    pub(super) fn write_files(
        &self,
        b_mode: &BMode,
        frame: &Frame,
        confidence: Option<&Confidence>,
        scanned: &ImagingSetup,
        folder: &OutputFolder,
    ) -> anyhow::Result<()> {
        let converter = b_mode.scan_converter(self.size).map_err(Usage::new)?;
        let mut grey = Vec::new();
        converter.picture(frame, &mut grey);
        folder.write("b_mode.png", &grey_picture(self.size, &grey)?)?;
        folder.write("figure.png", &self.figure(&grey, &converter, b_mode)?)?;
        let n_materials = scanned.phantom.materials().len();
        let labels = converter.labels(frame, n_materials as u8);
        let labels = label_picture(self.size, &labels, n_materials)?;
        folder.write("labels.png", &labels)?;
        let names = scanned
            .phantom
            .materials()
            .iter()
            .map(|material| material.name);
        let legend = legend_picture(&names.collect::<Vec<_>>());
        folder.write("legend.svg", legend.as_bytes())?;
        let ImagingSetup {
            phantom,
            deformation,
            pose,
            ..
        } = scanned;
        let overview = overview_picture(&**phantom, &**deformation, pose, b_mode)?;
        folder.write("overview.png", &overview)?;
        self.write_view_3d(b_mode, &converter, scanned, folder)?;
        if let Some(confidence) = confidence {
            let values = converter.values(&confidence.values, 0.0);
            let grey: Vec<u8> = values.iter().map(|value| (255.0 * value) as u8).collect();
            folder.write("confidence.png", &grey_picture(self.size, &grey)?)?;
        }
        if self.iq {
            folder.write("iq.nrrd", &b_mode.iq().to_nrrd())?;
        }
        if self.dicom {
            let mut sequence = Sequence::new(&converter);
            sequence.push(&grey, 0.0, &scanned.pose)?;
            folder.write("b_mode.dcm", &sequence.to_dicom()?)?;
        }
        if let Some((_, picture)) = scanned.pictures.frames.first() {
            picture.write_rgb(&folder.file("scene.png")?)?;
        }
        if let Some(problem) = &scanned.pictures.problem {
            eprintln!("note: no scene.png: {problem}");
        }
        Ok(())
    }
}
