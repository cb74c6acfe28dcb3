//! Reads a segmentation and prints its classes: `read_segmentation FILE_OR_FOLDER [CLASS_MAP]`.

use std::error::Error;
use std::io::Write as _;
use std::time::Instant;

use insonate_volumes::{ClassMap, Segmentation};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let source = arguments.next().ok_or("give a file or a folder of masks")?;
    let map = arguments.next().map(|name| ClassMap::find(&name));
    let start = Instant::now();
    let read = Segmentation::read(source, map.transpose()?.as_ref())?;
    let seconds = start.elapsed().as_secs_f64();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:?} voxels in {seconds:.1} s", read.count())?;
    for note in read.notes() {
        writeln!(out, "note: {note}")?;
    }
    for class in read.classes().iter().filter(|class| class.n_voxels > 0) {
        let volume = 1e6 * class.n_voxels as f64 * read.voxel_volume();
        writeln!(out, "{:28} {volume:10.1} ml", class.name)?;
    }
    Ok(())
}
