//! Contract: headers whose labels are in another file (`.mhd`, `.nhdr`) read it from their own folder only.

use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use insonate_volumes::LabelImage;

/// 3 × 4 × 5 labels.
fn labels() -> Vec<u8> {
    (0..60).map(|n| [0, 1, 2, 117][n * 7 % 4]).collect()
}

fn mhd(data: &str, is_packed: bool) -> String {
    let is_packed = if is_packed { "True" } else { "False" };
    format!(
        "ObjectType = Image\nNDims = 3\nBinaryData = True\nCompressedData = {is_packed}\nOffset = 1 2 3\n\
         ElementSpacing = 1 1 2\nDimSize = 3 4 5\nElementType = MET_UCHAR\nElementDataFile = {data}\n"
    )
}

fn nhdr(data: &str, encoding: &str) -> String {
    format!(
        "NRRD0004\ntype: uint8\ndimension: 3\nspace: left-posterior-superior\nsizes: 3 4 5\n\
         space directions: (1,0,0) (0,1,0) (0,0,2)\nspace origin: (1,2,3)\nencoding: {encoding}\ndata file: {data}\n"
    )
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    std::fs::write(folder.join(name), content).expect("the folder can be written");
}

fn check(folder: &Path, name: &str) {
    let image = LabelImage::read(folder.join(name)).expect("the file is valid");
    assert_eq!(image.count(), [3, 4, 5], "{name}");
    for (n, label) in labels().into_iter().enumerate() {
        let found = image.label([n % 3, n / 3 % 4, n / 12]);
        assert_eq!(found, Some(i64::from(label)), "{name} {n}");
    }
    // From left, back, head in millimetres to left, head, front.
    let origin = image.frame().origin;
    assert!(
        (origin - nalgebra::Vector3::new(1e-3, 3e-3, -2e-3)).norm() < 1e-9,
        "{origin}"
    );
}

fn refusal(folder: &Path, name: &str) -> String {
    let read = LabelImage::read(folder.join(name));
    read.map(drop).expect_err("the file is wrong").to_string()
}

#[test]
fn labels_are_read_from_a_file_in_the_headers_folder() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    let text: Vec<String> = labels().iter().map(u8::to_string).collect();
    write(folder, "all of.raw", labels());
    write(folder, "all.raw.gz", gzip(&labels()));
    write(folder, "all.zraw", zlib(&labels()));
    write(folder, "all.txt", text.join(" "));
    write(folder, "raw.mhd", mhd("all of.raw", false));
    write(folder, "bare.mhd", mhd("./all of.raw", false).trim_end());
    write(folder, "packed.mhd", mhd("all.zraw", true));
    write(folder, "named.MHA", mhd("all of.raw", false));
    let own = [mhd("LOCAL", false).into_bytes(), labels()].concat();
    write(folder, "local.mhd", own);
    write(folder, "raw.nhdr", nhdr("all of.raw", "raw"));
    write(folder, "ended.nhdr", nhdr("./all of.raw", "raw") + "\n");
    write(folder, "packed.nhdr", nhdr("all.raw.gz", "gzip"));
    write(folder, "text.nhdr", nhdr("all.txt", "ascii"));
    for name in [
        "raw.mhd",
        "bare.mhd",
        "packed.mhd",
        "named.MHA",
        "local.mhd",
        "raw.nhdr",
        "ended.nhdr",
        "packed.nhdr",
        "text.nhdr",
    ] {
        check(folder, name);
    }
}

#[test]
fn headers_cannot_name_files_elsewhere() {
    let outer = tempfile::tempdir().expect("a scratch folder");
    let folder = outer.path().join("inner");
    std::fs::create_dir_all(folder.join("deeper")).expect("the folder can be written");
    write(outer.path(), "all.raw", labels());
    write(&folder, "deeper/all.raw", labels());
    write(&folder, "short.raw", &labels()[..59]);
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 48211\n";
    write(&folder, "pointer.raw", pointer);
    let absolute = outer.path().join("all.raw").display().to_string();
    let mut cases = vec![
        ("../all.raw", "plain name"),
        ("deeper/all.raw", "plain name"),
        ("..\\all.raw", "plain name"),
        (absolute.as_str(), "plain name"),
        ("..", "plain name"),
        ("", "plain name"),
        ("deeper", "no file"),
        ("nowhere.raw", "nowhere.raw"),
        ("LIST", "one file"),
        ("slice%03d.raw 1 5 1", "one file"),
        ("short.raw", "ends or is damaged"),
        ("pointer.raw", "48211 bytes: run git lfs pull"),
    ];
    #[cfg(unix)]
    {
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, folder.join(name));
        link("../all.raw", "out.raw").expect("links can be made");
        link("deeper/all.raw", "down.raw").expect("links can be made");
        cases.push(("out.raw", "leads out"));
        cases.push(("down.raw", "leads out"));
    }
    for (data, named) in cases {
        write(&folder, "own.mhd", mhd(data, false));
        write(&folder, "own.nhdr", nhdr(data, "raw"));
        for (header, field) in [("own.mhd", "ElementDataFile"), ("own.nhdr", "data file")] {
            let refusal = refusal(&folder, header);
            assert!(refusal.contains(named), "{header} {data:?}: {refusal}");
            let is_content = named.starts_with("ends");
            assert!(is_content || refusal.contains(field), "{data:?}: {refusal}");
        }
    }
    write(
        &folder,
        "own.mhd",
        mhd("short.raw", false).replace("Offset", "HeaderSize = -1\nOffset"),
    );
    assert!(refusal(&folder, "own.mhd").contains("HeaderSize is -1"));
}
