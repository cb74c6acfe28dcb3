//! A folder with a mask per class, as TotalSegmentator writes it: `segmentations/liver.nii.gz`.
//!
//! Masks are put one after the other, in the order of TotalSegmentator's numbers, and a later mask keeps the voxels that it shares with an
//! earlier one, as in TotalSegmentator's own merge. Masks that contain others, as the body does, come first.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::class_map::{ClassMap, check_name, enclosing_place};
use crate::frame::VoxelFrame;
use crate::label_file::LabelFormat;
use crate::numbers::Layout;
use crate::read::visit;
use crate::segmentation::{Builder, MAX_SEGMENTATION_VOXELS, Segmentation};
use crate::visitor::VoxelVisitor;
use crate::{VolumeError, dicom};

/// Folder of the masks next to a CT in TotalSegmentator's data set.
const INNER: &str = "segmentations";
/// Largest number of files that are listed.
const MAX_FILES: usize = 10_000;
/// Largest number of masks that are decoded at once: each needs a bit for each voxel.
const MAX_THREADS: usize = 8;
/// Largest distance of corners of two masks [shortest edges of voxels].
const TOLERANCE: f64 = 0.1;
/// Version 2 of TotalSegmentator, and version 1.
const ORDERS: [&str; 2] = ["total", "total-v1"];

/// A mask, and the name of its class.
struct Mask {
    name: String,
    path: PathBuf,
}

/// Reads the masks of a folder.
pub(crate) fn read(folder: &Path) -> Result<Segmentation, VolumeError> {
    let inner = folder.join(INNER);
    let folder = if inner.is_dir() {
        inner.as_path()
    } else {
        folder
    };
    let refuse = |problem: String| VolumeError::file(&folder.display(), problem);
    let mut masks = list(folder).map_err(refuse)?;
    let order = sort(&mut masks)?;
    let mut filling = Filling {
        names: masks.iter().map(|mask| mask.name.clone()).collect(),
        ..Filling::default()
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS));
    for batch in masks.chunks(threads) {
        // Decoded at once, but put in their order: the result does not depend on the number of threads.
        for (mask, bits) in batch.iter().zip(decode_all(batch)) {
            let put = filling.put(&bits?);
            put.map_err(|problem| VolumeError::file(&mask.path.display(), problem))?;
        }
    }
    let Some(mut builder) = filling.builder else {
        return Err(refuse(if dicom::is_in(folder) {
            format!(
                "is a folder of DICOM files, and holds no masks; {}",
                dicom::ADVICE
            )
        } else {
            "holds no masks; a mask is a file such as liver.nii.gz".to_owned()
        }));
    };
    builder.note(format!("{} masks, in the order of {order}", masks.len()));
    let made = builder.finish();
    if made.classes().iter().all(|class| class.n_voxels == 0) {
        return Err(refuse("all its masks are empty".to_owned()));
    }
    Ok(made)
}

fn list(folder: &Path) -> Result<Vec<Mask>, String> {
    let mut masks: Vec<Mask> = Vec::new();
    let files = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    for (n, file) in files.enumerate() {
        if n == MAX_FILES {
            return Err(format!("holds more than {MAX_FILES} files"));
        }
        let path = file.map_err(|error| error.to_string())?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let is_mask = LabelFormat::of(&path).is_some() && path.is_file();
        let Some(name) = name.filter(|name| is_mask && !name.starts_with('.')) else {
            continue;
        };
        let name = stem(name).to_owned();
        check_name(&name)?;
        if let Some(other) = masks.iter().find(|mask| mask.name == name) {
            let files = [&path, &other.path].map(|path| path.display().to_string());
            return Err(format!(
                "holds two masks of {name}: {}",
                files.join(" and ")
            ));
        }
        masks.push(Mask { name, path });
    }
    Ok(masks)
}

/// Name of a file without its ending.
fn stem(name: &str) -> &str {
    let lower = name.to_ascii_lowercase();
    let endings = [
        ".nii.gz",
        ".nii",
        ".seg.nrrd",
        ".nrrd",
        ".nhdr",
        ".mha",
        ".mhd",
    ];
    let ending = endings.into_iter().find(|ending| lower.ends_with(ending));
    &name[..name.len() - ending.map_or(0, str::len)]
}

/// Sorts masks that contain others to the start, the others by the numbers of the version that knows more of their names, and unknown names after them by name.
fn sort(masks: &mut [Mask]) -> Result<&'static str, VolumeError> {
    let mut best = (0, ORDERS[0], None);
    for order in ORDERS {
        let map = ClassMap::of(order)?;
        let known = masks.iter().filter(|mask| map.label(&mask.name).is_some());
        let known = known.count();
        if best.2.is_none() || known > best.0 {
            best = (known, order, Some(map));
        }
    }
    let (_, order, map) = best;
    let number = |name: &str| map.as_ref().and_then(|map| map.label(name));
    masks.sort_by_cached_key(|mask| {
        let number = number(&mask.name).unwrap_or(i64::MAX);
        (enclosing_place(&mask.name), number, mask.name.clone())
    });
    Ok(order)
}

/// Decodes masks, one on each thread.
fn decode_all(masks: &[Mask]) -> Vec<Result<Bits, VolumeError>> {
    let decode = |mask: &Mask| {
        let mut bits = Bits::default();
        visit(&mask.path, MAX_SEGMENTATION_VOXELS, &mut bits).map(|()| bits)
    };
    if let [single] = masks {
        return vec![decode(single)];
    }
    std::thread::scope(|scope| {
        let started = masks.iter().map(|mask| scope.spawn(move || decode(mask)));
        let started: Vec<_> = started.collect();
        let done = started.into_iter().map(std::thread::ScopedJoinHandle::join);
        done.map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// A mask, with a bit for each voxel.
#[derive(Default)]
struct Bits {
    count: [usize; 3],
    frame: Option<VoxelFrame>,
    /// Its label; `None` if it is empty.
    label: Option<i64>,
    /// Empty if no voxel is set.
    words: Vec<u64>,
}

impl VoxelVisitor for Bits {
    fn grid(&mut self, count: [usize; 3], frame: VoxelFrame) -> Result<(), String> {
        (self.count, self.frame) = (count, Some(frame));
        Ok(())
    }

    fn numbers(&mut self, layout: &Layout, input: &mut dyn Read, n: u64) -> Result<(), String> {
        layout.visit(input, n, &mut |start, labels| self.labels(start, labels))
    }
}

impl Bits {
    fn labels(&mut self, start: u64, labels: &[i64]) -> Result<(), String> {
        for (voxel, &label) in (start as usize..).zip(labels).filter(|(_, n)| **n != 0) {
            let own = *self.label.get_or_insert(label);
            if label != own || label < 0 {
                return Err(format!(
                    "holds the labels {own} and {label}, but a mask has one label above 0; give a label volume as a file, and not as a folder"
                ));
            }
            if self.words.is_empty() {
                let n: usize = self.count.iter().product();
                self.words = vec![0; n.div_ceil(64)];
            }
            self.words[voxel / 64] |= 1 << (voxel % 64);
        }
        Ok(())
    }
}

/// Fills a segmentation with masks.
#[derive(Default)]
struct Filling {
    names: Vec<String>,
    /// Number of masks that were put.
    n_put: usize,
    grid: Option<([usize; 3], VoxelFrame)>,
    builder: Option<Builder>,
}

impl Filling {
    /// Puts the next mask.
    fn put(&mut self, mask: &Bits) -> Result<(), String> {
        self.n_put += 1;
        let Some(frame) = mask.frame else {
            return Ok(());
        };
        match &self.grid {
            None => {
                self.grid = Some((mask.count, frame));
                let names = self.names.iter().cloned().map(|name| (name, None));
                self.builder = Some(Builder::new(mask.count, frame, names)?);
            }
            Some(first) => check_same(first, mask.count, &frame, &self.names[0])?,
        }
        let Some(builder) = &mut self.builder else {
            return Ok(());
        };
        for (place, word) in mask.words.iter().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                builder.put(
                    64 * place + rest.trailing_zeros() as usize,
                    self.n_put as u8,
                );
                rest &= rest - 1;
            }
        }
        Ok(())
    }
}

/// Checks that a mask has the grid of the first one.
fn check_same(
    (first_count, first): &([usize; 3], VoxelFrame),
    count: [usize; 3],
    frame: &VoxelFrame,
    name: &str,
) -> Result<(), String> {
    let edge = first.steps.column_iter().map(|step| step.norm());
    let edge = edge.fold(f64::INFINITY, f64::min);
    let pairs = first
        .corners(*first_count)
        .into_iter()
        .zip(frame.corners(count));
    let apart = pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    if count == *first_count && apart <= TOLERANCE * edge {
        return Ok(());
    }
    Err(format!(
        "has {count:?} voxels, and a corner {apart:.4} m from that of {name}, which has {first_count:?}; all masks of a folder must have the same grid"
    ))
}
