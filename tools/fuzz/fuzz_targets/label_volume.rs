//! Contract: any file gives a label volume with the number of voxels in its header and a finite frame, or an error.

#![no_main]

use insonate_ultrasound::phantom::labels::{LabelFormat, LabelImage};
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
    let Ok(image) = LabelImage::parse(FORMATS[usize::from(choice) % FORMATS.len()], bytes) else {
        return;
    };
    let n_voxels = image.count().iter().product::<usize>();
    let occurring = image.occurring();
    assert_eq!(occurring.iter().map(|(_, n)| n).sum::<usize>(), n_voxels);
    assert!(occurring.len() <= 255);
    let frame = image.frame();
    assert!(frame.origin.iter().chain(frame.steps.iter()).all(|x| x.is_finite()));
});
