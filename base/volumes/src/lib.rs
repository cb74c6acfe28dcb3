//! Label volumes, which are whole numbers on a grid of voxels, and CTs, in the patient's frame.
//!
//! Files are not trusted: sizes are limited, memory grows with the data that is read and not with the size that a header claims, and an
//! error names the field.
//! The patient's frame is +x to the patient's left, +y to the head, +z to the front [m].

mod class_map;
mod ct;
mod ct_rows;
mod data_file;
mod dicom;
mod error;
mod frame;
mod image;
mod label_file;
mod mask_folder;
mod meta_image;
mod nifti;
mod nifti_names;
mod nifti_write;
mod nrrd;
mod nrrd_header;
mod nrrd_segments;
mod numbers;
mod part;
mod read;
mod read_segmentation;
mod segmentation;
mod visitor;

pub use class_map::ClassMap;
pub use ct::CtImage;
pub use ct_rows::CtRows;
pub use error::VolumeError;
pub use frame::{VoxelFrame, bounds};
pub use image::{LabelImage, MAX_VOXELS};
pub use label_file::LabelFormat;
pub use part::{MAX_FILE_VOXELS, Neighbourhood};
pub use segmentation::{Class, MAX_SEGMENTATION_VOXELS, Overlap, Segmentation};
