//! Contract: any file gives, as labels and as a CT, a number for each voxel in its header and a finite frame, or an error.

#![no_main]

use insonate_volumes::{CtImage, LabelFormat, LabelImage, VoxelFrame};
use libfuzzer_sys::fuzz_target;

const FORMATS: [LabelFormat; 3] = [
    LabelFormat::Nifti,
    LabelFormat::Nrrd,
    LabelFormat::MetaImage,
];

fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else {
        return;
    };
    let format = FORMATS[usize::from(choice) % FORMATS.len()];
    if let Ok(image) = LabelImage::parse(format, bytes) {
        let occurring = image.occurring();
        assert!(occurring.len() <= 255);
        let n_voxels = occurring.iter().map(|(_, n)| n).sum();
        check(image.frame(), image.count(), n_voxels);
    }
    if let Ok(ct) = CtImage::parse(format, bytes) {
        check(ct.frame(), ct.count(), ct.values().len());
    }
});

fn check(frame: VoxelFrame, count: [usize; 3], n_voxels: usize) {
    assert_eq!(count.iter().product::<usize>(), n_voxels);
    let mut numbers = frame.origin.iter().chain(frame.steps.iter());
    assert!(numbers.all(|number| number.is_finite()));
}
