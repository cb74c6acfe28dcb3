//! A segmentation: classes with names on a grid of voxels, in the patient's frame.

use std::collections::BTreeMap;

use nalgebra::{Point3, Vector3};

use crate::VolumeError;
use crate::class_map::ClassMap;
use crate::frame::{VoxelFrame, check_count, put};
use crate::image::LabelImage;

/// Largest number of voxels of a segmentation: 2²⁸. CT volumes of a whole trunk have 512 × 512 × 600.
pub const MAX_SEGMENTATION_VOXELS: usize = 1 << 28;
/// Largest number of classes.
const MAX_CLASSES: usize = 254;

/// A class of a segmentation.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Name, as in TotalSegmentator where the source has its classes.
    pub name: String,
    /// Number in the file; `None` for a mask with a file of its own.
    pub label: Option<i64>,
    /// Number of voxels.
    pub n_voxels: usize,
}

/// Voxels that two classes of a source contain.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// The class that keeps the voxels: the later one.
    pub kept: String,
    /// The class that loses them.
    pub lost: String,
    /// Number of voxels.
    pub n_voxels: usize,
}

/// Classes of voxels, and positions of the voxels.
#[derive(Clone, Debug)]
pub struct Segmentation {
    count: [usize; 3],
    frame: VoxelFrame,
    classes: Vec<Class>,
    voxels: Vec<u8>,
    overlaps: Vec<Overlap>,
    notes: Vec<String>,
}

impl Segmentation {
    /// A segmentation from a volume, whose label 0 is the background. Names are those of the volume or, if it has none, of the map.
    ///
    /// # Errors
    /// [`VolumeError::File`]: there are no names, or a label is negative.
    pub fn of(image: LabelImage, map: Option<&ClassMap>) -> Result<Self, VolumeError> {
        let named = Self::named(image, map);
        named.map_err(|problem| VolumeError::file(&"label volume", problem))
    }

    pub(crate) fn named(image: LabelImage, map: Option<&ClassMap>) -> Result<Self, String> {
        let known: Vec<&str> = ClassMap::known().collect();
        let names = match map {
            _ if !image.names.is_empty() => &image.names,
            Some(map) => &map.classes,
            None => {
                return Err(format!(
                    "has no names of labels; say what the numbers mean with one of the class maps {}, or a table of your own",
                    known.join(", ")
                ));
            }
        };
        let mut notes = image.notes;
        if !image.names.is_empty() && map.is_some_and(|map| map.classes != image.names) {
            notes
                .push("the names of the file were used, and not those of the class map".to_owned());
        }
        let mut present: Vec<i64> = image.labels.iter().copied().filter(|n| *n != 0).collect();
        present.sort_unstable();
        if let Some(negative) = present.first().filter(|label| **label < 0) {
            return Err(format!("holds the label {negative}; labels are 0 or above"));
        }
        let mut classes = Vec::new();
        let mut places = BTreeMap::new();
        for label in present {
            let name = names.get(&label).cloned().unwrap_or_else(|| {
                notes.push(format!("label {label} has no name"));
                format!("label {label}")
            });
            let place = place(&mut classes, name, Some(label))?;
            places.insert(label, place);
        }
        let table: Vec<u8> = image
            .labels
            .iter()
            .map(|label| places.get(label).copied().unwrap_or_default())
            .collect();
        let mut voxels = image.voxels;
        for voxel in &mut voxels {
            *voxel = table[usize::from(*voxel)];
            if let Some(class) = usize::from(*voxel).checked_sub(1) {
                classes[class].n_voxels += 1;
            }
        }
        Ok(Self {
            count: image.count,
            frame: image.frame,
            classes,
            voxels,
            overlaps: Vec::new(),
            notes,
        })
    }

    /// Voxels along each axis.
    pub fn count(&self) -> [usize; 3] {
        self.count
    }

    /// Positions of the voxels.
    pub fn frame(&self) -> VoxelFrame {
        self.frame
    }

    /// The classes. Classes of masks without voxels are among them.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// For each voxel 0 for the background, or one more than the index of its class; the index along the first axis runs fastest.
    pub fn voxels(&self) -> &[u8] {
        &self.voxels
    }

    /// Classes that overlap in the source, the largest overlap first.
    pub fn overlaps(&self) -> &[Overlap] {
        &self.overlaps
    }

    /// Notes for the user of the file.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Volume of a voxel [m³].
    pub fn voxel_volume(&self) -> f64 {
        self.frame.steps.determinant().abs()
    }

    /// Value of the voxels of a class; `None` if there is no class of this name.
    pub fn value(&self, name: &str) -> Option<u8> {
        let place = self.classes.iter().position(|class| class.name == name);
        place.map(|place| place as u8 + 1)
    }

    /// Name of the class at a point [m]; `None` for the background and outside.
    pub fn class_at(&self, point: &Point3<f64>) -> Option<&str> {
        // Frames were checked to be invertible.
        let inverse = self.frame.steps.try_inverse().unwrap_or_default();
        let index = (inverse * (point.coords - self.frame.origin)).map(f64::round);
        let is_inside = (0..3).all(|axis| (0.0..self.count[axis] as f64).contains(&index[axis]));
        let [x, y, z] = [0, 1, 2].map(|axis| index[axis] as usize);
        let value = is_inside.then(|| self.voxels[(z * self.count[1] + y) * self.count[0] + x])?;
        let place = usize::from(value).checked_sub(1)?;
        Some(&self.classes[place].name)
    }

    /// Values at the points of a plane, as [`voxels`](Self::voxels) has them, row by row: `corner + column right + row down` [m]; 0 outside.
    pub fn section(
        &self,
        corner: [f64; 3],
        [right, down]: [[f64; 3]; 2],
        [width, height]: [usize; 2],
    ) -> Vec<u8> {
        // Frames were checked to be invertible.
        let inverse = self.frame.steps.try_inverse().unwrap_or_default();
        let first = inverse * (Vector3::from(corner) - self.frame.origin);
        let [right, down] = [right, down].map(|way| inverse * Vector3::from(way));
        let points = (0..height).flat_map(|row| (0..width).map(move |column| [column, row]));
        let values = points.map(|[column, row]| {
            let index = (first + right * column as f64 + down * row as f64).map(f64::round);
            let is_inside =
                (0..3).all(|axis| (0.0..self.count[axis] as f64).contains(&index[axis]));
            let [x, y, z] = [0, 1, 2].map(|axis| index[axis] as usize);
            let place = || (z * self.count[1] + y) * self.count[0] + x;
            if is_inside { self.voxels[place()] } else { 0 }
        });
        values.collect()
    }

    /// The same classes at other positions: moved to the left, the head and the front [m].
    #[must_use]
    pub fn moved(&self, by: [f64; 3]) -> Self {
        let mut moved = self.clone();
        moved.frame.origin += Vector3::from(by);
        moved
    }

    /// The part that holds all classes with voxels, with a margin on each side [m] as far as the volume reaches. Classes without voxels
    /// are dropped. `None` if no class has voxels.
    pub fn cropped(&self, margin: f64) -> Option<Self> {
        let [nx, ny, _] = self.count;
        let [mut low, mut high] = [[usize::MAX; 3], [0; 3]];
        for (row, own) in self.voxels.chunks_exact(nx).enumerate() {
            let Some(first) = own.iter().position(|value| *value != 0) else {
                continue;
            };
            let last = own.iter().rposition(|value| *value != 0).unwrap_or(first);
            let [y, z] = [row % ny, row / ny];
            for (axis, [least, most]) in [[first, last], [y, y], [z, z]].into_iter().enumerate() {
                low[axis] = low[axis].min(least);
                high[axis] = high[axis].max(most);
            }
        }
        if low[0] > high[0] {
            return None;
        }
        for axis in 0..3 {
            let n = (margin.max(0.0) / self.frame.steps.column(axis).norm()).ceil() as usize;
            low[axis] = low[axis].saturating_sub(n);
            high[axis] = high[axis].saturating_add(n).min(self.count[axis] - 1);
        }
        let mut table = [0; 256];
        let mut classes = Vec::new();
        for (class, value) in self.classes.iter().zip(1..) {
            if class.n_voxels > 0 {
                classes.push(class.clone());
                table[value] = classes.len() as u8;
            }
        }
        let count = [0, 1, 2].map(|axis| high[axis] - low[axis] + 1);
        let mut voxels = Vec::with_capacity(count.iter().product());
        for (z, y) in (low[2]..=high[2]).flat_map(|z| (low[1]..=high[1]).map(move |y| (z, y))) {
            let row = (z * ny + y) * nx;
            let own = &self.voxels[row + low[0]..=row + high[0]];
            voxels.extend(own.iter().map(|value| table[usize::from(*value)]));
        }
        let first = Vector3::from(low.map(|n| n as f64));
        Some(Self {
            count,
            frame: VoxelFrame {
                origin: self.frame.origin + self.frame.steps * first,
                steps: self.frame.steps,
            },
            classes,
            voxels,
            overlaps: self.overlaps.clone(),
            notes: self.notes.clone(),
        })
    }

    /// The part of the same voxels, continued on all sides, that holds a box with lowest and highest corners [m] and this segmentation.
    ///
    /// # Errors
    /// [`VolumeError::Setting`]: it has more than [`MAX_SEGMENTATION_VOXELS`].
    pub fn grown_to(&self, corners: [Vector3<f64>; 2]) -> Result<Self, VolumeError> {
        let [low, high] = self.frame.indices(corners);
        // Rounding must not add a voxel.
        let limit = |x: f64| {
            let n = (x - 0.01).ceil();
            n.clamp(0.0, MAX_SEGMENTATION_VOXELS as f64) as usize
        };
        let below = [0, 1, 2].map(|axis| limit(-0.5 - low[axis]));
        let above = [0, 1, 2].map(|axis| {
            let last = self.count[axis] as f64 - 0.5;
            limit(high[axis] - last)
        });
        let count = [0, 1, 2].map(|axis| self.count[axis] + below[axis] + above[axis]);
        let n = check_count(count, MAX_SEGMENTATION_VOXELS).map_err(|problem| {
            VolumeError::setting("segmentation", "grown to the box of a CT", problem)
        })?;
        let mut voxels = vec![0; n];
        put(&self.voxels, self.count, &mut voxels, below, count);
        Ok(Self {
            count,
            frame: self.frame.before(below),
            classes: self.classes.clone(),
            voxels,
            overlaps: self.overlaps.clone(),
            notes: self.notes.clone(),
        })
    }

    /// Value of the voxels of a class, which is added without voxels if it is missing.
    ///
    /// # Errors
    /// [`VolumeError::Setting`]: there are too many classes.
    pub fn add_class(&mut self, name: &str) -> Result<u8, VolumeError> {
        let n = self.classes.len();
        let added = place(&mut self.classes, name.to_owned(), None);
        added.map_err(|problem| VolumeError::setting("classes", n + 1, problem))
    }

    /// Makes the classes those of a list, in its order, and keeps what each voxel is. Returns whether that is possible: a class with voxels
    /// must be in the list, and no name twice.
    pub fn set_classes(&mut self, names: &[&str]) -> bool {
        let mut classes = Vec::new();
        for (n, name) in names.iter().enumerate() {
            let known = self.classes.iter().find(|class| class.name == *name);
            let label = known.and_then(|class| class.label);
            let value = place(&mut classes, (*name).to_owned(), label);
            if value.map(usize::from) != Ok(n + 1) {
                return false;
            }
        }
        let mut table = [0; 256];
        for (class, value) in self.classes.iter().zip(1..) {
            let to = classes.iter().position(|own| own.name == class.name);
            match to {
                Some(to) => {
                    classes[to].n_voxels = class.n_voxels;
                    table[value] = to as u8 + 1;
                }
                None if class.n_voxels > 0 => return false,
                None => {}
            }
        }
        for voxel in &mut self.voxels {
            *voxel = table[usize::from(*voxel)];
        }
        self.classes = classes;
        true
    }

    /// Adds a note for the user of the file.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Lets a function change the values of all voxels, as [`voxels`](Self::voxels) has them. Values without a class become background.
    pub fn change(&mut self, change: impl FnOnce(&mut [u8])) {
        change(&mut self.voxels);
        let n_classes = self.classes.len();
        let mut counts = [0usize; 256];
        for value in &mut self.voxels {
            if usize::from(*value) > n_classes {
                *value = 0;
            }
            counts[usize::from(*value)] += 1;
        }
        for (class, n) in self.classes.iter_mut().zip(&counts[1..]) {
            class.n_voxels = *n;
        }
    }

    /// Mean position of the voxels of each class [m]; `None` for a class without voxels.
    pub fn centroids(&self) -> Vec<Option<Point3<f64>>> {
        let mut sums = vec![[0u64; 3]; self.classes.len() + 1];
        for (row, own) in self.voxels.chunks_exact(self.count[0]).enumerate() {
            let [y, z] = [row % self.count[1], row / self.count[1]].map(|n| n as u64);
            for (x, value) in own.iter().enumerate().filter(|(_, value)| **value != 0) {
                let sum = &mut sums[usize::from(*value)];
                sum[0] += x as u64;
                sum[1] += y;
                sum[2] += z;
            }
        }
        let means = self.classes.iter().zip(&sums[1..]).map(|(class, sum)| {
            (class.n_voxels > 0).then(|| {
                let mean = Vector3::from(sum.map(|sum| sum as f64 / class.n_voxels as f64));
                Point3::from(self.frame.origin + self.frame.steps * mean)
            })
        });
        means.collect()
    }
}

/// Index of a class plus one; adds the class if there is none of this name.
fn place(classes: &mut Vec<Class>, name: String, label: Option<i64>) -> Result<u8, String> {
    let known = classes.iter().position(|class| class.name == name);
    let place = known.unwrap_or(classes.len());
    if place == MAX_CLASSES {
        return Err(format!("has more than {MAX_CLASSES} classes"));
    }
    if known.is_none() {
        classes.push(Class {
            name,
            label,
            n_voxels: 0,
        });
    }
    Ok(place as u8 + 1)
}

/// Puts voxels of classes that may overlap into one segmentation. The later class keeps a voxel of two.
pub(crate) struct Builder {
    made: Segmentation,
    /// Value of each class that was announced; classes of one name share a value.
    values: Vec<u8>,
    overlaps: BTreeMap<(u8, u8), usize>,
}

impl Builder {
    /// A segmentation of the background. Count and frame are checked by the caller.
    pub(crate) fn new(
        count: [usize; 3],
        frame: VoxelFrame,
        names: impl Iterator<Item = (String, Option<i64>)>,
    ) -> Result<Self, String> {
        let mut classes = Vec::new();
        let values = names.map(|(name, label)| place(&mut classes, name, label));
        let values = values.collect::<Result<_, _>>()?;
        Ok(Self {
            made: Segmentation {
                count,
                frame,
                classes,
                voxels: vec![0; count.iter().product()],
                overlaps: Vec::new(),
                notes: Vec::new(),
            },
            values,
            overlaps: BTreeMap::new(),
        })
    }

    /// Number of voxels.
    pub(crate) fn n(&self) -> usize {
        self.made.voxels.len()
    }

    /// Adds a voxel to the class of a number, counted from 1.
    pub(crate) fn put(&mut self, voxel: usize, class: u8) {
        let own = self.values[usize::from(class) - 1];
        let before = self.made.voxels[voxel];
        if before == own {
            return;
        }
        let kept = own.max(before);
        if before != 0 {
            let lost = own.min(before);
            *self.overlaps.entry((kept, lost)).or_default() += 1;
            self.made.classes[usize::from(before) - 1].n_voxels -= 1;
        }
        self.made.voxels[voxel] = kept;
        self.made.classes[usize::from(kept) - 1].n_voxels += 1;
    }

    pub(crate) fn note(&mut self, note: String) {
        self.made.notes.push(note);
    }

    pub(crate) fn finish(mut self) -> Segmentation {
        let name = |value: u8| self.made.classes[usize::from(value) - 1].name.clone();
        let overlaps = self.overlaps.iter();
        let mut overlaps: Vec<Overlap> = overlaps
            .map(|((kept, lost), n)| Overlap {
                kept: name(*kept),
                lost: name(*lost),
                n_voxels: *n,
            })
            .collect();
        overlaps.sort_by_key(|overlap| std::cmp::Reverse(overlap.n_voxels));
        self.made.overlaps = overlaps;
        self.made
    }
}
