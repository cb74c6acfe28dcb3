//! Segments of 3D Slicer (`.seg.nrrd`).
//!
//! Format: custom keys `SegmentN_Name`, `_ID`, `_LabelValue` and `_Layer` of an NRRD file. Segments that overlap are in several layers, a
//! fourth axis whose direction is `none`. It is the first axis, or the last one in newer files.
//! Files from before 2020 have no values and layers: segment N is then label 1 of layer N.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;

use crate::class_map::{check_name, enclosing_place};
use crate::frame::{VoxelFrame, check_count, check_frame};
use crate::nrrd_header::{Header, vectors};
use crate::part::MAX_FILE_VOXELS;
use crate::segmentation::{Builder, Segmentation};

/// Largest number of layers and segments.
const MOST: usize = 254;

/// A segment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Segment {
    pub(crate) name: String,
    pub(crate) label: i64,
    pub(crate) layer: usize,
}

/// The axis of layers.
#[derive(Clone, Copy, PartialEq)]
enum ListAxis {
    First,
    Last,
}

/// Segments of a header, in their order.
pub(crate) fn all(header: &Header) -> Result<Vec<Segment>, String> {
    let mut numbers: Vec<usize> = header.keys.keys().filter_map(|key| number(key)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() > MOST {
        let n = numbers.len();
        return Err(format!("has {n} segments; it must have at most {MOST}"));
    }
    let of = |number: usize, field: &str| {
        let value = header.keys.get(&format!("Segment{number}_{field}"));
        value.map(String::as_str)
    };
    let segments = numbers.into_iter().map(|number| {
        let name = of(number, "Name").or(of(number, "ID"));
        let name = name.ok_or_else(|| format!("Segment{number} has no Name"))?;
        check_name(name).map_err(|problem| format!("Segment{number}_Name: {problem}"))?;
        let whole = |field: &str, usual: i64| {
            let Some(text) = of(number, field) else {
                return Ok(usual);
            };
            text.trim().parse::<i64>().map_err(|_| {
                format!("Segment{number}_{field} is {text:?}; it must be a whole number")
            })
        };
        let layer = whole(
            "Layer",
            if of(number, "LabelValue").is_none() {
                number as i64
            } else {
                0
            },
        )?;
        let layer = usize::try_from(layer).ok().filter(|layer| *layer < MOST);
        Ok(Segment {
            name: name.trim().to_owned(),
            label: whole("LabelValue", 1)?,
            layer: layer.ok_or_else(|| {
                format!("Segment{number}_Layer must be between 0 and {}", MOST - 1)
            })?,
        })
    });
    segments.collect()
}

/// Number of the segment that a key belongs to.
fn number(key: &str) -> Option<usize> {
    let (number, _) = key.strip_prefix("Segment")?.split_once('_')?;
    number.parse().ok().filter(|number| *number < 100_000)
}

/// Reads a file with segments; `None` if its header has none and it is a plain volume.
pub(crate) fn read(
    input: &mut dyn BufRead,
    folder: &Path,
    most: usize,
) -> Result<Option<Segmentation>, String> {
    let header = Header::read(input)?;
    let mut segments = all(&header)?;
    // The later of two overlapping segments keeps their voxels.
    segments.sort_by_key(|segment| enclosing_place(&segment.name));
    if segments.is_empty() {
        return Ok(None);
    }
    let sizes = header.sizes()?;
    let axis = list_axis(&header, sizes.len())?;
    let (layers, count) = match (axis, sizes.as_slice()) {
        (None, [x, y, z]) => (1, [*x, *y, *z]),
        (Some(ListAxis::First), [layers, x, y, z]) | (Some(ListAxis::Last), [x, y, z, layers]) => {
            (*layers, [*x, *y, *z])
        }
        _ => {
            return Err(format!(
                "sizes are {sizes:?}; segments have three axes, or four with one of direction none"
            ));
        }
    };
    let frame = header.frame()?;
    let mut builder = builder(count, frame, most, &segments)?;
    let n = (builder.n() as u64).checked_mul(layers as u64);
    let n = n.filter(|n| layers <= MOST && *n <= MAX_FILE_VOXELS);
    let n = n.ok_or_else(|| {
        format!("sizes are {sizes:?}; at most {MOST} layers and {MAX_FILE_VOXELS} numbers are read")
    })?;
    let classes = Places::new(&segments, layers)?;
    let voxels = builder.n() as u64;
    let mut without = BTreeMap::new();
    let mut put = |start: u64, labels: &[i64]| {
        for (number, &label) in (start..).zip(labels).filter(|(_, label)| **label != 0) {
            let (layer, voxel) = match axis {
                None => (0, number),
                Some(ListAxis::First) => (number % layers as u64, number / layers as u64),
                Some(ListAxis::Last) => (number / voxels, number % voxels),
            };
            match classes.of(layer as usize, label) {
                Some(class) => builder.put(voxel as usize, class),
                None if without.len() < MOST || without.contains_key(&(layer, label)) => {
                    *without.entry((layer, label)).or_insert(0u64) += 1;
                }
                None => return Err("has too many labels without a segment".to_owned()),
            }
        }
        Ok(())
    };
    header.visit(input, Some(folder), &mut |layout, input| {
        layout.visit(input, n, &mut put)
    })?;
    for ((layer, label), n) in without {
        builder.note(format!(
            "label {label} of layer {layer} has no segment: {n} voxels were left out"
        ));
    }
    Ok(Some(builder.finish()))
}

fn builder(
    count: [usize; 3],
    frame: VoxelFrame,
    most: usize,
    segments: &[Segment],
) -> Result<Builder, String> {
    check_count(count, most).map_err(|problem| format!("sizes: {problem}"))?;
    check_frame(count, &frame)?;
    let classes = segments.iter();
    let classes = classes.map(|segment| (segment.name.clone(), Some(segment.label)));
    Builder::new(count, frame, classes)
}

/// The axis of layers: the one whose direction is `none`.
fn list_axis(header: &Header, n_axes: usize) -> Result<Option<ListAxis>, String> {
    let text = header.field("space directions")?;
    let directions = vectors(text).ok_or_else(|| {
        format!("space directions are {text:?}; they must be vectors, or none for layers")
    })?;
    let is_list: Vec<bool> = directions.iter().map(Option::is_none).collect();
    match (n_axes, is_list.as_slice()) {
        (3, [false, false, false]) => Ok(None),
        (4, [true, false, false, false]) => Ok(Some(ListAxis::First)),
        (4, [false, false, false, true]) => Ok(Some(ListAxis::Last)),
        _ => Err(format!(
            "space directions are {text:?}; they must be three vectors, with one none first or last if there are layers"
        )),
    }
}

/// Classes by layer and label.
struct Places {
    of: BTreeMap<(usize, i64), u8>,
}

impl Places {
    fn new(segments: &[Segment], layers: usize) -> Result<Self, String> {
        let mut of = BTreeMap::new();
        for (index, segment) in segments.iter().enumerate() {
            let Segment { name, label, layer } = segment;
            if *label == 0 || *layer >= layers {
                return Err(format!(
                    "segment {name:?} is label {label} of layer {layer}; labels are not 0, and the file has {layers} layers"
                ));
            }
            if of.insert((*layer, *label), index as u8 + 1).is_some() {
                return Err(format!(
                    "segment {name:?} has the label {label} of layer {layer} of another segment"
                ));
            }
        }
        Ok(Self { of })
    }

    fn of(&self, layer: usize, label: i64) -> Option<u8> {
        self.of.get(&(layer, label)).copied()
    }
}
