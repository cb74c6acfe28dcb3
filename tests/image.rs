//! Contract: `insonate image` measures its test blocks, images patients, and refuses invalid input.

mod command;

#[cfg(feature = "gpu")]
use command::{insonate, stderr};
use command::{json, refused};

#[test]
fn test_blocks_are_measured() {
    let small = ["--probe", "l12-5", "--lines", "128", "--samples", "512"];
    let measured = |phantom: &[&str]| json(&[&["image", "--phantom"], phantom, &small].concat());
    let points = measured(&["points", "--depths", "0.015,0.03"]);
    let targets = points["point_targets"].as_array().expect("a list");
    assert_eq!(targets.len(), 2);
    for target in targets {
        let lateral = target["lateral_fwhm_m"].as_f64().expect("a number");
        assert!((1e-4..1e-3).contains(&lateral), "{target}");
    }
    let lossy = measured(&["points", "--depths", "0.015", "--alpha", "0.5"]);
    let level = lossy["point_targets"][0]["level_db"]
        .as_f64()
        .expect("a number");
    assert!((-11.5..-9.5).contains(&level), "{lossy}");
    let speckle = measured(&["speckle"]);
    let snr = speckle["snr"].as_f64().expect("a number");
    assert!((snr - 1.91).abs() < 0.08, "{speckle}");
    let fading = measured(&["attenuation", "--alpha", "0.6"]);
    let slope = fading["slope_db_per_cm_mhz"].as_f64().expect("a number");
    assert!((slope / 0.6 - 1.0).abs() < 0.04, "{fading}");
}

/// Levels [dB] 80 mm deep behind a rib of 4 mm with its top at 15 mm, by the share of elements of the C5-2 on straight ways that miss it (F/4 at
/// 80 mm sent, F/1.5 heard), over the distance from the middle [m]. A single way would see black up to 7 mm and nothing further aside.
const BEHIND_A_RIB: [[f64; 2]; 3] = [[0.0, -12.0], [0.01, -9.2], [0.02, -1.1]];

#[test]
fn shadows_of_rods_are_soft_and_fill_with_depth() {
    let rod = ["image", "--phantom", "rod", "--radius", "0.004"];
    let place = ["--depth", "0.015", "--depths", "0.04,0.08"];
    let figures = json(&[&rod[..], &place].concat());
    let levels = figures["shadow_db"].as_array().expect("a list");
    let at = |x: f64, depth: f64| {
        let is_here = |row: &&serde_json::Value| {
            let number = |name: &str| row[name].as_f64().expect("a number");
            (number("x_m") - x).abs() < 1e-6 && (number("depth_m") - depth).abs() < 1e-6
        };
        let row = levels.iter().find(is_here).expect("a place");
        row["level_db"].as_f64().expect("a number")
    };
    for [x, wanted] in BEHIND_A_RIB {
        for x in [-x, x] {
            let found = at(x, 0.08);
            assert!((found - wanted).abs() < 2.0, "{x}: {found} {wanted}");
        }
    }
    assert!(at(0.0, 0.04) < at(0.0, 0.08) - 3.0, "{figures}");
    // `--depth` is the picture's depth for everything else.
    let points = json(&[
        "image",
        "--phantom",
        "points",
        "--depths",
        "0.03",
        "--depth",
        "0.05",
    ]);
    assert_eq!(points["depth_m"], 0.05);
}

#[test]
fn a_patient_is_drawn_with_the_materials_around_the_plane() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let output = scratch.path().to_str().expect("a path of letters");
    let patient = [
        "image",
        "--patient",
        "adult",
        "--seed",
        "3",
        "--site",
        "-0.09,-0.035",
    ];
    let small = [
        "--lines",
        "64",
        "--samples",
        "256",
        "--size",
        "128",
        "--output",
        output,
    ];
    let figures = json(&[&patient[..], &small].concat());
    assert!(
        figures["contact_share"].as_f64().expect("a number") > 0.9,
        "{figures}"
    );
    let confidence = figures["confidence_mean"].as_f64().expect("a number");
    assert!((0.05..0.95).contains(&confidence), "{figures}");
    for name in ["b_mode.png", "labels.png", "confidence.png", "image.json"] {
        assert!(scratch.path().join(name).is_file(), "{name}");
    }
    // Two parts of 480 pixels. The middle of the face is a fifth below the top, and a stroke passes through it in both parts.
    let file = std::fs::File::open(scratch.path().join("overview.png")).expect("it is there");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file))
        .read_info()
        .expect("a PNG file");
    let mut pixels = vec![0; 960 * 480];
    reader.next_frame(&mut pixels).expect("a row of pixels");
    let [black, gas] = [pixels[96 * 960 + 240], pixels[0]];
    assert_eq!(pixels[96 * 960 + 720], black);
    assert_eq!(pixels[200 * 960 + 720], black, "the picture's plane across");
    assert!(pixels[104 * 960 + 240] != black && pixels[104 * 960 + 240] != gas);
    let materials: std::collections::BTreeSet<u8> = pixels.iter().copied().collect();
    assert!(materials.len() > 8, "{materials:?}");
}

#[test]
fn a_neck_is_drawn_across_and_holds_a_nodule() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let output = scratch.path().to_str().expect("a path of letters");
    let neck = ["image", "--phantom", "neck", "--probe", "l12-5"];
    let small = [
        "--lines",
        "64",
        "--samples",
        "512",
        "--size",
        "128",
        "--lesion",
        "hypo:0.002",
        "--output",
        output,
    ];
    let figures = json(&[&neck[..], &small].concat());
    let number = |name: &str| figures[name].as_f64().expect("a number");
    assert!((number("depth_m") - 0.045).abs() < 1e-9, "{figures}");
    assert!(number("contact_share") > 0.99, "{figures}");
    assert!(
        (0.05..0.95).contains(&number("confidence_mean")),
        "{figures}"
    );
    let layers = figures["middle_line"].as_array().expect("a list");
    let names: Vec<_> = layers.iter().map(|layer| &layer["material"]).collect();
    for wanted in ["skin", "thyroid", "cartilage", "air"] {
        assert!(names.iter().any(|name| *name == wanted), "{figures}");
    }
    let nodule = &figures["lesions"][0];
    let aside = nodule["x_m"].as_f64().expect("a number").abs();
    assert!((0.005..0.025).contains(&aside), "{figures}");
    for name in ["b_mode.png", "labels.png", "confidence.png", "image.json"] {
        assert!(scratch.path().join(name).is_file(), "{name}");
    }
    let message = refused("image --phantom neck --probe l12-5 --site 0.2,0", 2);
    assert!(message.contains("site x"), "{message}");
}

#[test]
fn a_robot_presses_harder_and_the_layers_get_thinner() {
    let pressed = |force: &str| {
        let small = ["--lines", "64", "--samples", "1024"];
        json(
            &[
                &["image", "--site", "-0.06,-0.02", "--force", force],
                &small[..],
            ]
            .concat(),
        )
    };
    let (light, firm) = (pressed("2"), pressed("12"));
    let number =
        |figures: &serde_json::Value, name: &str| figures[name].as_f64().expect("a number");
    for (figures, wanted) in [(&light, 2.0), (&firm, 12.0)] {
        assert!(
            (number(figures, "force_n") - wanted).abs() < 0.1,
            "{figures}"
        );
    }
    // Tissue with 1324 N/m is indented by about 8 mm more for additional 10 N.
    let deeper = number(&firm, "indentation_m") - number(&light, "indentation_m");
    assert!((0.005..0.012).contains(&deeper), "{deeper}");
    assert!(number(&firm, "contact_share") > number(&light, "contact_share") + 0.1);
    // Skin, fat and muscle end about 25 mm below the skin. A deformation that decays to 1/e over 35 mm compresses them by half of the
    // indentation.
    let wall = |figures: &serde_json::Value| {
        let layers = figures["middle_line"].as_array().expect("a list");
        let wall = layers
            .iter()
            .take_while(|layer| layer["material"] != "liver");
        let thickness = wall.map(|layer| number(layer, "thickness_m"));
        thickness.sum::<f64>()
    };
    let thinner = wall(&light) - wall(&firm);
    assert!(
        (0.3 * deeper..0.7 * deeper).contains(&thinner),
        "{thinner} of {deeper}"
    );
}

/// Topic and content of the messages in an MCAP file without compression, by the specification.
fn mcap_messages(file: &[u8]) -> Vec<(String, Vec<u8>)> {
    let short = |bytes: &[u8]| u16::from_le_bytes(bytes[..2].try_into().expect("2"));
    let long = |bytes: &[u8]| u64::from_le_bytes(bytes[..8].try_into().expect("8")) as usize;
    let text = |bytes: &[u8]| {
        let n = u32::from_le_bytes(bytes[..4].try_into().expect("4")) as usize;
        String::from_utf8(bytes[4..4 + n].to_vec()).expect("UTF-8")
    };
    let (mut topics, mut messages) = (std::collections::BTreeMap::new(), Vec::new());
    assert_eq!(file[1..5], *b"MCAP");
    let mut rest = vec![&file[8..]];
    while let Some(records) = rest.pop() {
        let Some((code, body)) = records.split_first() else {
            continue;
        };
        let (record, after) = body[8..].split_at(long(body));
        match code {
            // The end of the data.
            0x0f => break,
            // A chunk: times, size and checksum, the name of no compression, records.
            0x06 => rest.extend([after, &record[40..]]),
            0x04 => {
                topics.insert(short(record), text(&record[4..]));
                rest.push(after);
            }
            0x05 => {
                messages.push((topics[&short(record)].clone(), record[22..].to_vec()));
                rest.push(after);
            }
            _ => rest.push(after),
        }
    }
    messages
}

/// Grey levels of a PNG in ROS 2's `sensor_msgs/msg/CompressedImage`.
fn compressed_image(message: &[u8]) -> Vec<u8> {
    // Behind the header: seconds and nanoseconds, then texts and bytes with their lengths, each aligned to four.
    let mut at = 12;
    let mut next = || {
        at = usize::next_multiple_of(at, 4);
        let n = u32::from_le_bytes(message[at..at + 4].try_into().expect("4")) as usize;
        at += 4 + n;
        &message[at - n..at]
    };
    assert_eq!((next(), next()), (&b"b_mode\0"[..], &b"png\0"[..]));
    let reader = png::Decoder::new(std::io::Cursor::new(next())).read_info();
    let mut reader = reader.expect("a PNG");
    let mut grey = vec![0; 360 * 360];
    reader.next_frame(&mut grey).expect("360 x 360 grey levels");
    grey
}

#[test]
fn a_scan_is_filmed_and_compounded() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let output = scratch.path().to_str().expect("a path of letters");
    let path = ["--from", "-0.06,-0.02", "--to", "-0.06,-0.005"];
    let scan = [
        "scan",
        "--patient",
        "adult",
        "--b-mode",
        "--mcap",
        "--no-pictures",
        "--speed",
        "0.05",
    ];
    json(&[&scan[..], &path, &["--output", output]].concat());
    let film = std::fs::read(scratch.path().join("b_mode.gif")).expect("there is a film");
    assert!(film.starts_with(b"GIF89a"));
    let volume = std::fs::read(scratch.path().join("b_mode.nrrd")).expect("there is a volume");
    let end = volume.windows(2).position(|pair| pair == b"\n\n");
    let (header, voxels) = volume.split_at(end.expect("a header ends") + 2);
    let header = String::from_utf8_lossy(header);
    let sizes = header.lines().find_map(|line| line.strip_prefix("sizes: "));
    let sizes = sizes.expect("sizes").split(' ');
    let sizes: Vec<usize> = sizes.map(|n| n.parse().expect("a number")).collect();
    assert_eq!(sizes.iter().product::<usize>(), voxels.len(), "{header}");
    assert!(sizes.iter().all(|n| (10..400).contains(n)), "{header}");
    let sequence = std::fs::read(scratch.path().join("b_mode.seq.mha")).expect("there are frames");
    let start = String::from_utf8_lossy(&sequence[..2000]).into_owned();
    let n_frames = start
        .lines()
        .find_map(|line| line.strip_prefix("DimSize = 360 360 "));
    let n_frames: usize = n_frames.expect("a size").parse().expect("a number");
    assert!(
        n_frames > 3 && start.contains("Seq_Frame0000_ProbeToTrackerTransform = "),
        "{start}"
    );
    assert!(sequence.len() > n_frames * 360 * 360);
    let frames = &sequence[sequence.len() - n_frames * 360 * 360..];
    let ros2 = std::fs::read(scratch.path().join("ros2.mcap")).expect("there is a log");
    let messages = mcap_messages(&ros2);
    let on = |topic| messages.iter().filter(move |message| message.0 == topic);
    let logged: Vec<u8> = on("/b_mode/compressed")
        .flat_map(|(_, message)| compressed_image(message))
        .collect();
    assert!(logged == frames, "{} bytes", logged.len());
    // Every sample has a wrench and the joints.
    let n_samples = on("/probe/wrench").count();
    assert!(n_samples > 100 && on("/joint_states").count() == n_samples);
    let log = std::fs::read(scratch.path().join("log.mcap")).expect("there is a log");
    let messages = mcap_messages(&log);
    let images = messages.iter().filter(|(topic, _)| topic == "/b_mode");
    assert_eq!(images.count(), n_frames);
    let dicom = std::fs::read(scratch.path().join("b_mode.dcm")).expect("there is a film");
    assert_eq!(&dicom[128..132], b"DICM");
    let message = refused("scan --b-mode --no-pictures", 2);
    assert!(message.contains("--patient adult"), "{message}");
}

#[test]
fn an_organ_of_a_mesh_lies_in_the_patient() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let path = scratch.path().join("ball.obj");
    let mut mesh = insonate::meshes::TriangleMesh::ellipsoid([15.0, 15.0, 15.0], 3);
    for position in &mut mesh.positions {
        for (x, middle) in position.iter_mut().zip([-90.0, -35.0, 150.0]) {
            *x += middle;
        }
    }
    let mut file = Vec::new();
    mesh.write_obj(&mut file, None, None)
        .expect("memory takes all");
    std::fs::write(&path, file).expect("the folder can be written");
    let organ = format!("{}=spleen", path.display());
    let small = ["--lines", "64", "--samples", "256"];
    let figures = json(
        &[
            &[
                "image",
                "--patient",
                "adult",
                "--organ-mesh",
                &organ,
                "--organ-unit",
                "0.001",
            ],
            &small[..],
        ]
        .concat(),
    );
    assert!(
        figures["middle_line"].to_string().contains("spleen"),
        "{figures}"
    );
    for (arguments, named) in [
        (format!("image --organ-mesh {organ}"), "--organ-unit"),
        (
            format!("image --organ-mesh {} --organ-unit 0.001", path.display()),
            "FILE=MATERIAL",
        ),
        (
            format!(
                "image --organ-mesh {}=splen --organ-unit 0.001",
                path.display()
            ),
            "did you mean",
        ),
        (
            format!("image --organ-mesh {organ} --organ-unit 0"),
            "organ-unit",
        ),
        (
            "image --organ-mesh nowhere.stl=liver".to_owned(),
            "nowhere.stl",
        ),
    ] {
        let message = refused(&arguments, 2);
        assert!(message.contains(named), "{arguments}: {message}");
    }
}

/// Writes a ball of 15 mm at a position [mm] as OBJ with a given first line.
fn ball(path: &std::path::Path, first: &str, middle: [f64; 3]) {
    let mut mesh = insonate::meshes::TriangleMesh::ellipsoid([15.0, 15.0, 15.0], 3);
    for position in &mut mesh.positions {
        for (x, middle) in position.iter_mut().zip(middle) {
            *x += middle;
        }
    }
    let mut file = format!("{first}\n").into_bytes();
    mesh.write_obj(&mut file, None, None)
        .expect("memory takes all");
    std::fs::write(path, file).expect("the folder can be written");
}

#[test]
fn organs_report_their_position_and_axes() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let path = scratch.path().join("ball.obj");
    let image = format!(
        "image --patient adult --lines 64 --samples 256 --organ-mesh {}=bone",
        path.display()
    );
    let mm = format!("{image} --organ-unit 0.001");
    // In LPS, the axes point to the patient's left, posterior and superior.
    let lps = [-90.0, -150.0, -35.0];
    for (first, options) in [("#", " --organ-frame lps"), ("# SPACE=LPS", "")] {
        ball(&path, first, lps);
        let figures = json(&format!("{mm}{options}"));
        let organ = &figures["organs"][0];
        assert_eq!(organ["name"], "ball.obj");
        assert_eq!(organ["cut"], true, "{organ}");
        for (axis, wanted) in [-0.09, -0.035, 0.15].into_iter().enumerate() {
            let centre = organ["centre_m"][axis].as_f64().expect("a number");
            let size = organ["size_m"][axis].as_f64().expect("a number");
            assert!((centre - wanted).abs() < 1e-5, "{organ}");
            assert!((size - 0.03).abs() < 1e-3, "{organ}");
        }
    }
    // The option overrides the header.
    ball(&path, "# SPACE=RAS", lps);
    assert_eq!(
        json(&format!("{mm} --organ-frame lps"))["organs"][0]["cut"],
        true
    );
    // Far away from the image plane.
    ball(&path, "#", [90.0, -35.0, 150.0]);
    assert_eq!(json(&mm)["organs"][0]["cut"], false);
    // The suggested option works.
    ball(&path, "#", lps);
    let message = refused(&mm, 2);
    assert!(
        message.ends_with("; it lies within the body with --organ-frame lps"),
        "{message}"
    );
    assert!(message.contains("extends from (-0.10"), "{message}");
    ball(&path, "#", [-90.0, -35.0, 150.0]);
    let message = refused(&image, 2);
    assert!(
        message.ends_with("; it lies within the body with --organ-unit 0.001"),
        "{message}"
    );
    let message = refused(&format!("{image} --organ-unit 1e-6"), 2);
    assert!(message.contains("is 0.030 mm across"), "{message}");
    assert!(message.ends_with("--organ-unit 0.001"), "{message}");
}

#[cfg(feature = "gpu")]
#[test]
fn a_gpu_makes_the_picture_too() {
    let speckle = "image --phantom speckle --lines 64 --samples 256";
    let done = insonate(&format!("{speckle} --device gpu --json"));
    if stderr(&done).contains("no GPU driver") {
        return eprintln!("skipped: {}", stderr(&done));
    }
    assert!(done.status.success(), "{}", stderr(&done));
    let found: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let wanted = json(speckle);
    for name in ["snr", "log_sd_db", "mean_intensity_db"] {
        let [wanted, found] = [&wanted, &found].map(|figures| figures[name].as_f64());
        let (wanted, found) = (wanted.expect("a number"), found.expect("a number"));
        // Where echoes cancel, the logarithm amplifies rounding errors.
        assert!((wanted - found).abs() < 0.01, "{name}: {wanted} {found}");
    }
    let named = |figures: &serde_json::Value| figures["device"].as_str().map(str::to_owned);
    assert_eq!(named(&wanted).as_deref(), Some("cpu"));
    assert!(named(&found).is_some_and(|name| name.starts_with("gpu: ")));
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path().display();
    // A driver may write to the standard error, too.
    let refused = insonate(&format!(
        "{speckle} --iq --device gpu --output {folder}/lines"
    ));
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--iq needs --device cpu"));
    assert!(!scratch.path().join("lines").exists(), "nothing is written");
    let speed =
        json("bench b-mode --device gpu --batch 2 --frames 2 --lines 32 --samples 64 --size 32");
    for name in ["frames_per_second", "ms_per_frame", "geometry_ms_per_frame"] {
        assert!(speed[name].as_f64().is_some_and(|it| it > 0.0), "{speed}");
    }
}

#[test]
fn impossible_images_are_refused_by_name() {
    for (arguments, named) in [
        ("image --site 2,0", "site"),
        ("image --lines 0", "n_lines"),
        ("image --probe x", "l12-5"),
        ("image --phantom points --depths 9", "depth"),
        ("image --phantom attenuation --alpha -1", "alpha"),
        ("image --indentation 0.5", "indentation"),
        ("image --force 100", "force"),
        ("image --force 5 --torso none", "torso"),
        ("image --force 5 --probe p4-2", "probe"),
        ("image --force 5 --shape box", "shape"),
        ("image --force 5 --indentation 0.01", "indentation"),
        ("image --force 5 --phantom cysts", "phantom"),
        ("image --labels x.nii", "required arguments"),
        (
            "image --labels x.nii --materials y.toml --force 5",
            "--force",
        ),
        (
            "image --labels x.nii --materials nowhere.toml",
            "nowhere.toml",
        ),
        ("image --lesion stone", "cyst, hypo or hyper"),
        ("image --lesion cyst:0.04", "no room"),
        ("image --phantom points --lesion cyst", "soft tissue"),
        ("image --dicom", "required arguments"),
        ("image --torso xpbd", "--torso has no effect"),
        (
            "image --patient adult --robot ur5e",
            "--robot has no effect",
        ),
        ("image --limit lag=1", "--limit has no effect"),
        (
            "image --phantom neck --patient-seed 3",
            "--patient-seed has no",
        ),
        (
            "image --phantom neck --timestep 0.001",
            "--timestep has no effect",
        ),
        ("image --phantom points --site 0,0", "--site has no effect"),
        (
            "image --phantom cysts --rotation 0",
            "--rotation has no effect",
        ),
        (
            "image --phantom cysts --depths 0.1",
            "--depths has no effect",
        ),
        (
            "image --phantom speckle --alpha 0.5",
            "--alpha has no effect",
        ),
        ("image --alpha 0.5", "--alpha has no effect"),
        (
            "image --phantom points --radius 0.001",
            "--radius has no effect",
        ),
        (
            "image --phantom cysts --depth 0.05 --imaging-depth 0.05",
            "--depth has no effect",
        ),
        ("image --phantom rod --radius 1", "radius of the rod"),
        (
            "image --phantom rod --depth 0.01 --depths 0.012",
            "depth of the shadow",
        ),
    ] {
        let message = refused(arguments, 2);
        assert!(message.contains(named), "{arguments}: {message}");
    }
}
