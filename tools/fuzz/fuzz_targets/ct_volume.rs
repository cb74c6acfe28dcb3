//! Contract: any file gives a CT with a value for each voxel in its header and a finite frame, or an error.

#![no_main]

use insonate_volumes::{CtImage, LabelFormat};
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
    let Ok(ct) = CtImage::parse(FORMATS[usize::from(choice) % FORMATS.len()], bytes) else {
        return;
    };
    assert_eq!(ct.values().len(), ct.count().iter().product::<usize>());
    let frame = ct.frame();
    assert!(
        frame
            .origin
            .iter()
            .chain(frame.steps.iter())
            .all(|x| x.is_finite())
    );
});
