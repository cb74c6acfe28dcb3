//! Hostile input to the MJCF reader is rejected with an error that states the reason, without panic and with little memory.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;

use insonate_models::mjcf::{Mjcf, ReadOptions};
use proptest::prelude::*;

fn read(path: &Path) -> String {
    Mjcf::read(path, &ReadOptions::default())
        .expect_err("hostile input must be refused")
        .to_string()
}

fn read_bytes(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.xml");
    fs::write(&path, bytes).unwrap();
    read(&path)
}

fn check(bytes: &[u8], expected: &str) {
    let error = read_bytes(bytes);
    let start: String = error.chars().take(1000).collect();
    assert!(error.contains(expected), "{start}\n{expected}");
    assert!(!error.contains('\n') && error.len() < 1000, "{start}");
}

#[test]
fn entities_are_refused() {
    let laughs = r#"<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<mujoco model="&b;"/>"#;
    check(laughs.as_bytes(), "model.xml:2: DOCTYPE is not supported");
    let external = r#"<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><mujoco>&x;</mujoco>"#;
    check(external.as_bytes(), "DOCTYPE is not supported");
    check(b"<mujoco model='&x;'/>", "model.xml:1:");
    check(
        b"<mujoco>\n<worldbody>&x;</worldbody></mujoco>",
        "model.xml:2: unknown entity &x;",
    );
}

#[test]
fn texts_that_are_not_xml_are_rejected() {
    check(b"", "holds no element");
    check(b"\xff\xfe<\0m\0", "UTF-16");
    check(b"\xfe\xff\0<", "UTF-16");
    check(
        b"<mujoco>\n\0</mujoco>",
        "model.xml:2: the text holds a NUL byte",
    );
    check(
        b"<mujoco>\n<a b='\xc3\x28'/></mujoco>",
        "model.xml:2: the text is not UTF-8",
    );
    check(b"<mujoco model='x", "model.xml:1:");
    check(b"<mujoco", "model.xml:1:");
    check(b"<mujoco><worldbody><!-- ", "model.xml:1:");
    check(b"plain text", "holds no element");
    check(b"\x7fELF\x02\x01\x01", "holds no element");
    check(b"<mujocoinclude/>", "MJCF starts with <mujoco>");
    // A UTF-8 byte order mark is harmless.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bom.xml");
    fs::write(&path, "\u{feff}<mujoco/>").unwrap();
    assert!(Mjcf::read(&path, &ReadOptions::default()).is_ok());
}

#[test]
fn sizes_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.xml");
    File::create(&path).unwrap().set_len(1 << 30).unwrap(); // sparse file: it does not occupy this space
    assert!(read(&path).contains("1073741824 bytes, exceeds the limit of 67108864"));

    let nested = "<body>".repeat(1_000_000);
    check(
        format!("<mujoco><worldbody>{nested}").as_bytes(),
        "the depth of elements within elements exceeds the limit of 256",
    );
    let unknown = "<a>".repeat(1_000_000);
    check(unknown.as_bytes(), "MJCF starts with <mujoco>, not <a>");
    let many = "<body/>".repeat(1_000_001);
    check(
        format!("<mujoco><worldbody>{many}</worldbody></mujoco>").as_bytes(),
        "the number of elements exceeds the limit of 1000000",
    );
    let numbers = "1 ".repeat(1_000_000);
    check(
        format!("<mujoco><worldbody><geom pos='{numbers}'/></worldbody></mujoco>").as_bytes(),
        "holds 1000000 numbers; 3 needed",
    );
    let long = "x".repeat(1_000_000);
    for xml in [
        format!("<{long}/>"),
        format!("<mujoco><{long}/></mujoco>"),
        format!("<mujoco {long}='1'/>"),
        format!(
            "<mujoco><worldbody><body name='{long}'/><body name='{long}'/></worldbody></mujoco>"
        ),
        format!(
            "<mujoco><worldbody><body name='{long}y' childclass='{long}'/></worldbody></mujoco>"
        ),
        format!(
            "<mujoco><worldbody><body name='{long}'/></worldbody><sensor><framepos objtype='body' objname='{long}y'/></sensor></mujoco>"
        ),
        format!("<mujoco><include file='{long}'/></mujoco>"),
        format!("<mujoco><compiler angle='{long}'/></mujoco>"),
        format!("<mujoco>&{long};</mujoco>"),
    ] {
        check(xml.as_bytes(), "");
    }
    let mut attributes = String::new();
    for index in 0..100_000 {
        write!(attributes, " a{index}='1'").unwrap();
    }
    check(
        format!("<mujoco{attributes}/>").as_bytes(),
        r#"has no attribute "a0""#,
    );
    let repeated = " model='1'".repeat(100_000);
    check(
        format!("<mujoco{repeated}/>").as_bytes(),
        r#"has two attributes "model""#,
    );
}

#[test]
fn many_siblings_are_read_in_linear_time() {
    // Quadratic merging would take minutes: this test would hang instead of failing.
    let (geoms, sites) = ("<geom/>".repeat(200_000), "<site/>".repeat(200_000));
    let xml =
        format!("<mujoco><worldbody>{geoms}</worldbody><worldbody>{sites}</worldbody></mujoco>");
    let mjcf = Mjcf::read_str(&xml, "text", &ReadOptions::default()).unwrap();
    assert_eq!(mjcf.section("worldbody").unwrap().children().len(), 400_000);
}

#[test]
fn numbers_must_be_finite() {
    for bad in ["nan", "NaN", "inf", "-inf", "infinity", "1e400"] {
        check(
            format!("<mujoco>\n<worldbody><body pos='0 {bad} 0'/></worldbody></mujoco>").as_bytes(),
            "numbers must be finite",
        );
    }
    for bad in ["0x10", "1,2", "1.2.3", "--1", "1e", "٣"] {
        check(
            format!("<mujoco>\n<worldbody><body pos='0 {bad} 0'/></worldbody></mujoco>").as_bytes(),
            "model.xml:2: <body>: pos=",
        );
    }
}

#[test]
fn files_outside_the_root_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let secret = folder.path().join("secret.xml");
    fs::write(&secret, "<mujoco/>").unwrap();
    let path = inner.join("model.xml");
    let include = |file: &str| {
        fs::write(&path, format!("<mujoco><include file='{file}'/></mujoco>")).unwrap();
        read(&path)
    };
    for file in [
        "../secret.xml",
        "..\\secret.xml",
        "../missing.xml",
        "a/../../secret.xml",
        "/etc/passwd",
        "/missing.xml",
        &secret.display().to_string(),
    ] {
        let error = include(file);
        assert!(error.contains("lies outside"), "{file}: {error}");
        assert!(error.contains("--robot-root"), "{file}: {error}");
    }
    assert!(include("missing.xml").contains("cannot read"));
    assert!(include(".").contains("not a regular file"));
    assert!(include("").contains("needs the attribute"));

    // The user widens the root explicitly.
    include("../missing.xml");
    fs::write(&path, "<mujoco><include file='../secret.xml'/></mujoco>").unwrap();
    let rooted = |root: &Path| ReadOptions {
        root: Some(root.to_owned()),
        ..ReadOptions::default()
    };
    let options = rooted(folder.path());
    assert!(Mjcf::read(&path, &options).is_ok());
    let elsewhere = rooted(tempfile::tempdir().unwrap().path());
    assert!(Mjcf::read(&path, &elsewhere).is_err());
}

#[cfg(unix)]
#[test]
fn symbolic_links_and_devices_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::write(folder.path().join("secret.xml"), "<mujoco/>").unwrap();
    std::os::unix::fs::symlink("../secret.xml", inner.join("link.xml")).unwrap();
    std::os::unix::fs::symlink("..", inner.join("up")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", inner.join("zero.xml")).unwrap();
    let path = inner.join("model.xml");
    for file in ["link.xml", "up/secret.xml", "zero.xml"] {
        fs::write(&path, format!("<mujoco><include file='{file}'/></mujoco>")).unwrap();
        let error = read(&path);
        assert!(error.contains("lies outside"), "{file}: {error}");
    }
    assert!(read(Path::new("/dev/zero")).contains("not a regular file"));
    assert!(read(&inner).contains("not a regular file"));
    assert!(read(&inner.join("absent.xml")).contains("cannot read"));
}

#[test]
fn include_cycles_end() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, include: &str| {
        let path = folder.path().join(name);
        fs::write(
            &path,
            format!("<mujoco><include file='{include}'/></mujoco>"),
        )
        .unwrap();
        path
    };
    let main = write("a.xml", "b.xml");
    write("b.xml", "a.xml");
    assert!(read(&main).contains("MuJoCo allows each once"));
    for index in 0..100 {
        write(&format!("{index}.xml"), &format!("{}.xml", index + 1));
    }
    assert!(read(&folder.path().join("0.xml")).contains("files include one another"));
    fs::write(
        &main,
        "<mujoco><include file='b.xml'><geom/></include></mujoco>",
    )
    .unwrap();
    fs::write(folder.path().join("b.xml"), "<mujoco/>").unwrap();
    assert!(read(&main).contains("cannot contain elements"));
    fs::write(folder.path().join("b.xml"), "").unwrap();
    assert!(read(&main).contains("ends before its root element does"));
}

const VALID: &str = r#"<?xml version="1.0"?>
<mujoco model="m"><compiler angle="degree" meshdir="x"/><default><default class="c"><geom size="0.1"/></default></default>
<asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><texture type="skybox" builtin="gradient" width="4" height="4"/></asset>
<worldbody><body name="b" pos="0 0 1" euler="1 2 3"><joint name="j" range="-90 90"/><geom class="c"/></body></worldbody>
<actuator><motor joint="j" gear="1"/></actuator><!-- end --></mujoco>"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn arbitrary_texts_never_panic(text in "[<>/='\"& a-zµ\n!\\[\\]?;#-]{0,200}") {
        let _ = Mjcf::read_str(&text, "text", &ReadOptions::default());
    }

    #[test]
    fn changed_documents_never_panic(
        changes in prop::collection::vec((0..VALID.len(), any::<u8>(), 0..3_u8), 1..8)
    ) {
        let mut bytes = VALID.as_bytes().to_vec();
        for (index, byte, kind) in changes {
            let index = index.min(bytes.len() - 1);
            match kind {
                0 => bytes[index] = byte,
                1 => { bytes.remove(index); }
                _ => bytes.insert(index, byte),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(mjcf) = Mjcf::read_str(&text, "text", &ReadOptions::default()) {
            let written = mjcf.to_xml().unwrap();
            let again = Mjcf::read_str(&written, "text", &ReadOptions::default()).unwrap();
            prop_assert_eq!(again.to_xml().unwrap(), written);
        }
    }
}
