//! The room: floor, examination table, robot pedestal, lights, cameras.
//!
//! World frame: z up, floor at z = 0, table top at z = 0.8 m with its centre at x = y = 0. The patient lies along y, with the head at +y.
//! The robot stands at x = -0.56 m and faces +x. The surroundings collide with the robot and the probe, but not with each other (see
//! [`crate::robots`]).

use std::sync::LazyLock;

use crate::mjcf::{
    Camera, DefaultClass, Element, Geom, Light, Material, Mesh, Mjcf, Site, Texture,
};
use crate::shapes::{Section, lathe, loft};

/// Height of the table top [m].
pub const TABLE_HEIGHT: f64 = 0.8;

/// Size of the table top along x and y [m].
pub const TABLE_SIZE: [f64; 2] = [0.7, 1.9];

/// Position of the robot's base [m]. For a patient the base is 0.1 m higher.
pub const ROBOT_BASE: [f64; 3] = [-0.56, 0.0, TABLE_HEIGHT];

/// Parameters that differ between rooms.
struct RoomParameters {
    /// Position of the table's centre along y [m].
    table: f64,
    /// Height of the robot's base [m].
    base: f64,
    /// Distance of the pillow's centre from the head end of the table [m].
    pillow: f64,
    /// Name, position, target [m] and field of view [deg] of the cameras.
    cameras: [(&'static str, [f64; 3], [f64; 3], f64); 3],
    /// Position of the overhead camera [m].
    above: [f64; 3],
}

/// For torsos without head and legs.
const CLINIC: RoomParameters = RoomParameters {
    table: 0.0,
    base: TABLE_HEIGHT,
    pillow: 0.17,
    cameras: [
        ("front", [1.35, -0.95, 1.55], [-0.05, 0.0, 0.98], 42.0),
        ("side", [0.1, -1.75, 1.25], [-0.05, 0.0, 0.98], 42.0),
        ("close", [0.4, -0.3, 1.06], [0.0, 0.0, 0.89], 35.0),
    ],
    above: [-0.1, 0.0, 2.7],
};

/// For a patient. The centre of the trunk is at y = 0, so the feet are at y = -1.2 m and the crown at 0.6 m. The robot's base is higher,
/// because the chest is higher.
const BEDSIDE: RoomParameters = RoomParameters {
    table: -0.29,
    base: TABLE_HEIGHT + 0.1,
    pillow: 0.135,
    cameras: [
        ("front", [1.62, -1.32, 1.9], [-0.12, -0.19, 0.93], 44.0),
        ("side", [2.1, -0.2, 1.3], [0.0, -0.2, 0.97], 46.0),
        ("close", [0.62, -0.5, 1.36], [0.02, -0.01, 0.98], 38.0),
    ],
    above: [-0.1, -0.25, 3.1],
};

/// A room with mounts for a robot and a torso.
#[derive(Clone, Debug)]
pub struct Arena {
    /// The model.
    pub mjcf: Mjcf,
    /// Site for the robot's base.
    pub robot_mount: String,
    /// Site for the torso: the centre of the table top.
    pub torso_mount: String,
}

impl Default for Arena {
    fn default() -> Self {
        Self::clinic()
    }
}

impl Arena {
    /// An examination room.
    pub fn clinic() -> Self {
        // The surfaces are generated once.
        static MADE: LazyLock<Arena> = LazyLock::new(Arena::make_clinic);
        MADE.clone()
    }

    /// The same room for a patient: the table is shifted such that an adult's trunk lies in front of the robot, and the cameras show
    /// the whole patient.
    pub fn with_patient() -> Self {
        static MADE: LazyLock<Arena> = LazyLock::new(|| Arena::make(&BEDSIDE));
        MADE.clone()
    }

    fn make_clinic() -> Self {
        Self::make(&CLINIC)
    }

    fn make(room: &RoomParameters) -> Self {
        let mut mjcf = Mjcf::new("arena");
        looks(&mut mjcf);
        let surroundings = Element::new("geom")
            .with_attribute("contype", 0)
            .with_attribute("conaffinity", 1);
        let decoration = Element::new("geom")
            .with_attribute("contype", 0)
            .with_attribute("conaffinity", 0)
            .with_attribute("group", 2);
        mjcf.default()
            .add(DefaultClass::new("surroundings").with(surroundings));
        mjcf.default()
            .add(DefaultClass::new("decoration").with(decoration));
        floor_and_light(&mut mjcf);
        table(&mut mjcf, room);
        pedestal(&mut mjcf, room.base);
        cameras(&mut mjcf, room);
        mjcf.worldbody().add(
            Site::new("robot_mount")
                .pos([ROBOT_BASE[0], ROBOT_BASE[1], room.base])
                .group(4),
        );
        mjcf.worldbody().add(
            Site::new("torso_mount")
                .pos([0.0, 0.0, TABLE_HEIGHT])
                .group(4),
        );
        Self {
            mjcf,
            robot_mount: "robot_mount".to_owned(),
            torso_mount: "torso_mount".to_owned(),
        }
    }
}

/// Adds visualization settings, textures and materials.
fn looks(mjcf: &mut Mjcf) {
    let visual = mjcf.visual();
    visual.add(
        Element::new("global")
            .with_attribute("offwidth", 1920)
            .with_attribute("offheight", 1440)
            .with_attribute("azimuth", 140)
            .with_attribute("elevation", -22),
    );
    visual.add(Element::new("quality").with_attribute("shadowsize", 4096));
    visual.add(
        Element::new("headlight")
            .with_attribute("ambient", [0.4, 0.4, 0.41])
            .with_attribute("diffuse", [0.22, 0.22, 0.22])
            .with_attribute("specular", [0.05, 0.05, 0.05]),
    );
    visual.add(
        Element::new("map")
            .with_attribute("znear", 0.01)
            // The shadow map covers only the table and the robot: there its pixels are 1 mm.
            .with_attribute("shadowscale", 0.34)
            .with_attribute("zfar", 30.0),
    );
    visual.add(Element::new("rgba").with_attribute("haze", [0.93, 0.95, 0.97, 1.0]));
    mjcf.section_mut("statistic")
        .set("center", [-0.15, 0.0, 0.95])
        .set("extent", 1.1);
    let asset = mjcf.asset();
    asset.add(
        Texture::builtin("sky", "skybox", "gradient")
            .rgb1([0.97, 0.98, 0.99])
            .rgb2([0.72, 0.8, 0.86])
            .width(256)
            .height(1536),
    );
    asset.add(
        Texture::builtin("tiles", "2d", "flat")
            .rgb1([0.78, 0.8, 0.81])
            .rgb2([0.78, 0.8, 0.81])
            .width(512)
            .height(512)
            .set("mark", "edge")
            .set("markrgb", [0.7, 0.725, 0.74]),
    );
    asset.add(
        Material::new("floor")
            .texture("tiles")
            .texrepeat([1.6, 1.6])
            .set("texuniform", true)
            .specular(0.15)
            .shininess(0.3)
            .reflectance(0.06),
    );
    asset.add(
        Material::new("cushion")
            .rgba([0.2, 0.42, 0.5, 1.0])
            .specular(0.25)
            .shininess(0.35),
    );
    asset.add(
        Material::new("linen")
            .rgba([0.9, 0.93, 0.94, 1.0])
            .specular(0.05)
            .shininess(0.1),
    );
    asset.add(
        Material::new("frame")
            .rgba([0.83, 0.85, 0.86, 1.0])
            .specular(0.5)
            .shininess(0.6),
    );
    asset.add(
        Material::new("dark")
            .rgba([0.22, 0.24, 0.26, 1.0])
            .specular(0.3)
            .shininess(0.4),
    );
}

fn floor_and_light(mjcf: &mut Mjcf) {
    let world = mjcf.worldbody();
    world.add(
        Geom::plane([0.0, 0.0, 0.05])
            .name("floor")
            .class("surroundings")
            .material("floor"),
    );
    world.add(
        Light::new("key")
            .pos([1.5, -2.0, 4.2])
            .dir([-0.36, 0.42, -0.83])
            .diffuse([0.46, 0.45, 0.43])
            .specular([0.25, 0.25, 0.25])
            .set("type", "spot")
            .set("cutoff", 60)
            .set("exponent", 2)
            .set("attenuation", [1.0, 0.0, 0.0]),
    );
    world.add(
        Light::new("fill")
            .pos([-1.5, 1.5, 2.6])
            .dir([0.45, -0.5, -0.74])
            .diffuse([0.24, 0.25, 0.27])
            .specular([0.05, 0.05, 0.05])
            .castshadow(false)
            .set("type", "directional"),
    );
}

/// Adds the table: a box that collides, drawn as a padded couch on a column.
fn table(mjcf: &mut Mjcf, room: &RoomParameters) {
    const THICKNESS: f64 = 0.07;
    let [half_x, half_y] = TABLE_SIZE.map(|size| size / 2.0);
    let slab = |at, inset| Section {
        at,
        center: [0.0; 2],
        half: [half_x - inset, half_y - inset],
        exponent: 14.0,
    };
    let cushion = loft(
        &[
            slab(-THICKNESS, 0.004),
            slab(-THICKNESS + 0.012, 0.0),
            slab(-0.018, 0.0),
            slab(-0.006, 0.004),
            slab(0.0, 0.014),
        ],
        88,
    );
    let puff = |at, half: [f64; 2]| Section {
        at,
        center: [0.0; 2],
        half,
        exponent: 3.6,
    };
    let pillow = loft(
        &[
            puff(0.0, [0.13, 0.08]),
            puff(0.01, [0.165, 0.105]),
            puff(0.03, [0.175, 0.115]),
            puff(0.048, [0.155, 0.098]),
            puff(0.058, [0.1, 0.06]),
        ],
        36,
    );
    let foot = loft(
        &[
            puff(0.0, [0.25, 0.55]),
            puff(0.04, [0.25, 0.55]),
            puff(0.06, [0.23, 0.53]),
        ],
        40,
    );
    for (name, surface) in [("cushion", &cushion), ("pillow", &pillow), ("foot", &foot)] {
        mjcf.asset().add(Mesh::of_surface(name, surface));
    }
    let middle = room.table;
    let top = [0.0, middle, TABLE_HEIGHT];
    let decorate = |geom: Geom, material| geom.class("decoration").material(material);
    let world = mjcf.worldbody();
    // The slab is slightly smaller than the cushion, so that it is never visible.
    world.add(
        Geom::cuboid([half_x - 0.002, half_y - 0.002, THICKNESS / 2.0])
            .name("table")
            .pos([0.0, middle, TABLE_HEIGHT - THICKNESS / 2.0])
            .class("surroundings")
            .group(3),
    );
    world.add(decorate(Geom::mesh("cushion").pos(top), "cushion"));
    world.add(decorate(
        Geom::mesh("pillow").pos([0.0, middle + half_y - room.pillow, TABLE_HEIGHT]),
        "linen",
    ));
    world.add(decorate(
        Geom::cuboid([half_x - 0.04, half_y - 0.06, 0.02]).pos([
            0.0,
            middle,
            TABLE_HEIGHT - THICKNESS - 0.02,
        ]),
        "frame",
    ));
    for y in [-0.42, 0.42] {
        let name = if y < 0.0 {
            "table_column_foot"
        } else {
            "table_column_head"
        };
        world.add(
            Geom::cuboid([0.13, 0.11, 0.31])
                .name(name)
                .pos([0.0, middle + y, 0.37])
                .class("surroundings")
                .material("frame"),
        );
    }
    world.add(decorate(Geom::mesh("foot").pos([0.0, middle, 0.0]), "dark"));
}

/// The column under the robot.
fn pedestal(mjcf: &mut Mjcf, top: f64) {
    let [x, y, _] = ROBOT_BASE;
    let column = lathe(
        &[
            [0.17, 0.0],
            [0.17, 0.025],
            [0.165, 0.03],
            [0.1, 0.036],
            [0.085, 0.05],
            [0.08, 0.08],
            [0.08, top - 0.08],
            [0.085, top - 0.05],
            [0.13, top - 0.022],
            [0.135, top - 0.018],
            [0.135, top - 0.003],
            [0.132, top],
        ],
        40,
    );
    mjcf.asset().add(Mesh::of_surface("pedestal", &column));
    let world = mjcf.worldbody();
    world.add(
        Geom::mesh("pedestal")
            .pos([x, y, 0.0])
            .class("decoration")
            .material("frame"),
    );
    world.add(
        Geom::cylinder([0.135, top / 2.0])
            .name("pedestal")
            .pos([x, y, top / 2.0])
            .class("surroundings")
            .group(3),
    );
}

/// Adds cameras that look at the torso. A camera looks along its -z axis.
fn cameras(mjcf: &mut Mjcf, room: &RoomParameters) {
    let world = mjcf.worldbody();
    for (name, pos, target, fovy) in room.cameras {
        world.add(
            Camera::new(name)
                .pos(pos)
                .xyaxes(looking_at(pos, target))
                .fovy(fovy),
        );
    }
    world.add(
        Camera::new("top")
            .pos(room.above)
            .xyaxes([0.0, -1.0, 0.0, 1.0, 0.0, 0.0])
            .fovy(45.0),
    );
}

/// x and y axes of a camera at `pos` that looks at `target`, with the world's z up.
fn looking_at(pos: [f64; 3], target: [f64; 3]) -> [f64; 6] {
    let unit = |v: [f64; 3]| v.map(|x| x / v.iter().map(|x| x * x).sum::<f64>().sqrt());
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let back = unit(std::array::from_fn(|i| pos[i] - target[i]));
    let right = unit(cross([0.0, 0.0, 1.0], back));
    let up = cross(back, right);
    [right[0], right[1], right[2], up[0], up[1], up[2]]
}
