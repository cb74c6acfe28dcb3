//! Contract: pictures show the scene: depth is metric to the millimetre, colours are the geoms' colours, and files
//! appear completely or not at all. Without EGL the error names the packages and the remaining test is skipped, or fails if
//! `INSONATE_REQUIRE_EGL` is 1.

#![cfg(feature = "render")]

mod egl;

use std::path::PathBuf;

use insonate_sim::render::{Image, RenderConfig, Renderer};
use insonate_sim::{Physics, SimError};

/// A camera 2 m above a floor, and a red box of 0.5 m height on its left.
const ROOM: &str =
    "<mujoco><visual><headlight ambient='1 1 1' diffuse='0 0 0' specular='0 0 0'/></visual>
    <worldbody><camera name='top' pos='0 0 2' fovy='45'/><camera name='low' pos='0 0 1' fovy='45'/>
    <geom name='floor' type='plane' size='5 5 1' rgba='0 1 0 1'/>
    <body name='box' pos='-0.4 0 0.25'><joint name='slide' type='slide' axis='0 0 1'/>
    <geom type='box' size='0.3 0.3 0.25' rgba='1 0 0 1'/></body></worldbody></mujoco>";

/// The renderer; `None` without EGL.
fn renderer(physics: &Physics, config: RenderConfig) -> Option<Renderer> {
    match Renderer::of_model(&physics.model_arc(), config) {
        Ok(renderer) => Some(renderer),
        Err(error) => {
            assert!(matches!(error, SimError::Graphics { .. }), "{error}");
            egl::skip(&error.to_string());
            None
        }
    }
}

fn room() -> Physics {
    Physics::from_xml(ROOM).expect("the room is valid")
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

fn color(frame: &Image, column: u32, row: u32) -> [u8; 3] {
    let start = 3 * (row * frame.width + column) as usize;
    [frame.rgb[start], frame.rgb[start + 1], frame.rgb[start + 2]]
}

#[test]
fn depth_is_metric_to_the_millimetre() {
    let mut physics = room();
    let config = RenderConfig {
        width: 200,
        height: 160,
        ..RenderConfig::default()
    };
    let Some(mut renderer) = renderer(&physics, config) else {
        return;
    };
    for (camera, floor, top) in [("top", 2.0, 1.5), ("low", 1.0, 0.5)] {
        let frame = renderer.render(&physics, camera).unwrap();
        assert!(
            (frame.depth_at(150, 80) - floor).abs() < 1e-3,
            "{}",
            frame.depth_at(150, 80)
        );
        assert!(
            (frame.depth_at(50, 80) - top).abs() < 1e-3,
            "{}",
            frame.depth_at(50, 80)
        );
    }
    // The picture follows the physics.
    physics.qpos_mut()[0] = 0.2;
    let frame = renderer.render(&physics, "top").unwrap();
    assert!(
        (frame.depth_at(50, 80) - 1.3).abs() < 1e-3,
        "{}",
        frame.depth_at(50, 80)
    );
}

#[test]
fn colours_and_directions_are_right() {
    let physics = room();
    let Some(mut renderer) = renderer(&physics, RenderConfig::fast(200, 160)) else {
        return;
    };
    let frame = renderer.render(&physics, "top").unwrap();
    assert_eq!(frame.rgb.len(), 200 * 160 * 3);
    let [red, green, _] = color(&frame, 60, 80);
    assert!(red > 200 && green < 50, "the box is red and on the left");
    let [red, green, _] = color(&frame, 150, 80);
    assert!(green > 200 && red < 50, "the floor is green");
}

#[test]
fn files_hold_the_picture_compressed() {
    let physics = room();
    let Some(mut renderer) = renderer(&physics, RenderConfig::fast(200, 160)) else {
        return;
    };
    let frame = renderer.render(&physics, "top").unwrap();
    let folder = folder("files_hold_the_picture");
    let (rgb, depth) = (folder.join("rgb.png"), folder.join("depth.png"));
    frame.write_rgb(&rgb).unwrap();
    frame.write_depth(&depth).unwrap();
    assert!(std::fs::metadata(&rgb).unwrap().len() < 200 * 160);
    let mut reader = png::Decoder::new(std::io::BufReader::new(
        std::fs::File::open(&depth).unwrap(),
    ))
    .read_info()
    .unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width, info.height), (200, 160));
    let at = 2 * (80 * 200 + 150);
    let millimetres = u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    assert!(millimetres.abs_diff(2000) <= 1, "{millimetres}");
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["depth.png", "rgb.png"]);
}

#[test]
fn an_unwritable_file_is_an_error_that_names_it() {
    let frame = Image {
        width: 1,
        height: 1,
        rgb: vec![0; 3],
        depth: vec![1.0],
    };
    let path = folder("unwritable").join("absent/picture.png");
    let error = frame.write_rgb(&path).unwrap_err();
    assert!(error.to_string().contains("picture.png"), "{error}");
    // The target is a folder: renaming fails, and the partial file must be removed.
    let folder = folder("target_is_folder");
    std::fs::create_dir_all(folder.join("taken.png/inside")).unwrap();
    frame.write_rgb(&folder.join("taken.png")).unwrap_err();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn impossible_sizes_and_cameras_are_errors() {
    let physics = room();
    for (width, height) in [(0, 10), (10, 0), (100_000, 10)] {
        let config = RenderConfig {
            width,
            height,
            ..RenderConfig::default()
        };
        let error = Renderer::of_model(&physics.model_arc(), config).unwrap_err();
        assert!(matches!(error, SimError::PictureSize { .. }), "{error}");
    }
    let Some(mut renderer) = renderer(&physics, RenderConfig::fast(20, 20)) else {
        return;
    };
    let error = renderer.render(&physics, "tpo").unwrap_err();
    assert!(error.to_string().contains("top"), "{error}");
}

#[test]
fn large_pictures_do_not_need_the_models_buffer_size() {
    let physics = room();
    let Some(mut renderer) = renderer(&physics, RenderConfig::fast(1920, 1080)) else {
        return;
    };
    let frame = renderer.render(&physics, "top").unwrap();
    assert!((frame.depth_at(1700, 540) - 2.0).abs() < 1e-3);
}
