//! Contract: from a file with more voxels than fit, those around the site are kept, as if the file had only these; hostile sizes are refused.

use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use insonate_volumes::{LabelImage, MAX_VOXELS, Neighbourhood};

/// Voxels of 1 mm to the left, back and head: more than 512³.
const COUNT: [usize; 3] = [512, 256, 1100];

/// A label that identifies the position.
fn label(left: usize, back: usize, head: usize) -> u8 {
    ((left / 8 + 3 * (back / 8) + 5 * (head / 16)) % 250) as u8
}

fn header(count: [usize; 3], encoding: &str) -> String {
    let [x, y, z] = count;
    format!(
        "NRRD0004\ntype: uint8\ndimension: 3\nspace: left-posterior-superior\nsizes: {x} {y} {z}\n\
         space directions: (1,0,0) (0,1,0) (0,0,1)\nspace origin: (-255.5,0,-300)\nencoding: {encoding}\n\n"
    )
}

fn write_packed(path: &Path) {
    let file = std::fs::File::create(path).expect("the folder can be written");
    let mut file = std::io::BufWriter::new(file);
    let [nx, ny, nz] = COUNT;
    let start = header(COUNT, "gzip");
    file.write_all(start.as_bytes()).expect("there is room");
    let mut packed = GzEncoder::new(file, Compression::fast());
    for (z, y) in (0..nz).flat_map(|z| (0..ny).map(move |y| (z, y))) {
        let row: Vec<u8> = (0..nx).map(|x| label(x, y, z)).collect();
        packed.write_all(&row).expect("there is room");
    }
    packed.finish().expect("there is room");
}

#[test]
fn voxels_around_the_site_are_kept_from_a_large_file() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("large.nrrd");
    write_packed(&path);
    let whole = LabelImage::read(&path)
        .map(drop)
        .expect_err("it is too large");
    assert!(whole.to_string().contains("voxels"), "{whole}");

    let depth = 0.04;
    let near = |site| Neighbourhood { site, depth };
    let image = LabelImage::read_near(&path, &near(Some([0.05, 0.3]))).expect("a part fits");
    let [nx, ny, nz] = image.count();
    // 100 mm to either side and to head and feet, but all 256 mm to the back.
    assert!(
        (200..=202).contains(&nx) && (200..=202).contains(&nz),
        "{:?}",
        image.count()
    );
    assert_eq!(ny, COUNT[1]);
    assert_eq!(image.site(), Some([0.05, 0.3]));
    let note = &image.notes()[0];
    assert!(
        note.contains("[512, 256, 1100]") && note.contains(&MAX_VOXELS.to_string()),
        "{note}"
    );
    // Each voxel has the same position as in the file.
    for index in [
        [0, 0, 0],
        [nx - 1, ny - 1, nz - 1],
        [57, 131, 88],
        [100, 3, 199],
    ] {
        let place = image.frame().origin
            + image.frame().steps * nalgebra::Vector3::from(index.map(|n: usize| n as f64));
        let [left, head, front] = [place.x, place.y, place.z].map(|x| 1e3 * x);
        let at = |x: f64| x.round() as usize;
        let wanted = label(at(left + 255.5), at(-front), at(head + 300.0));
        assert_eq!(image.label(index), Some(i64::from(wanted)), "{index:?}");
    }
    let middle = LabelImage::read_near(&path, &near(None)).expect("a part fits");
    assert_eq!(
        middle.site().map(|site| site.map(|x| (1e4 * x).round())),
        Some([0.0, 2495.0])
    );
    let outside = LabelImage::read_near(&path, &near(Some([0.9, 0.3])));
    let refusal = outside.map(drop).expect_err("nothing is there").to_string();
    assert!(refusal.contains("site is [0.9, 0.3]"), "{refusal}");
}

/// Files without the data that their headers announce.
#[test]
fn sizes_that_no_memory_holds_are_refused_at_once() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("hostile.nrrd");
    let refused = |count: [usize; 3], depth: f64| {
        std::fs::write(&path, header(count, "raw")).expect("the folder can be written");
        let near = Neighbourhood { site: None, depth };
        let read = LabelImage::read_near(&path, &near);
        read.map(drop).expect_err("it cannot be").to_string()
    };
    let huge = usize::MAX;
    assert!(refused([huge, huge, huge], 0.1).contains("voxels"));
    assert!(refused([1 << 20, 1 << 10, 1 << 10], 0.1).contains("voxels"));
    // The size is allowed, but the data is missing.
    assert!(refused([2000, 1000, 1000], 0.04).contains("damaged"));
    // A neighbourhood that does not fit; the error names a depth that does.
    let told = refused([1000, 1600, 1000], 0.3);
    let depth = told.split("a depth of ").nth(1).expect("a depth is named");
    let depth: f64 = depth
        .split(' ')
        .next()
        .and_then(|word| word.parse().ok())
        .expect("a number");
    assert!((0.01..0.3).contains(&depth), "{told}");
    assert!(refused([1000, 1600, 1000], depth).contains("damaged"));
    for depth in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(!refused([1000, 1600, 1000], depth).is_empty());
    }
}
