//! Organs of the neck, drawn by a seed.
//!
//! Depths are in the neck at rest, below the skin in front of the trachea.
//! Sizes are drawn around textbook values (Rumack & Levine 2018, *Diagnostic Ultrasound*, chapter on the thyroid gland: lobes 40 to 60 mm
//! long and 13 to 18 mm deep, isthmus 4 to 6 mm). The diameter of the carotid is from Krejza 2006 (*Stroke* 37:1103: 6.1 ± 0.8 mm in
//! women, 6.5 ± 1.0 mm in men). The lumen of the trachea lies within Breatnach 1984 (*AJR* 142:903: 13 to 25 mm wide in men, 10 to 21 mm
//! in women). Thicknesses of layers and muscles and all positions are estimated from pictures.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::index;
use super::shape::{Arc, Shape};
use crate::deformation::{Point, Vector};

/// Thickness of sheets of connective tissue [m].
const SHEET: f32 = 0.0008;

/// A solid of one material.
#[derive(Clone, Copy, Debug)]
pub(super) struct Organ {
    shape: Shape,
    /// Least growth of the shape on all sides [m].
    growth: f32,
    /// Index among the neck's materials.
    pub(super) material: u8,
}

impl Organ {
    /// Lower bound of the distance of a point outside; negative inside [m].
    pub(super) fn distance(&self, point: &Point) -> f32 {
        self.shape.distance(point) - self.growth
    }
}

/// The solids, in order of precedence, and the radius of the skin [m].
pub(super) fn organs(seed: u64) -> (Vec<Organ>, f32) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let skin = rng.random_range(0.075..0.09);
    let mut builder = Builder {
        organs: Vec::new(),
        rng,
        skin,
        front: 0.0,
    };
    builder.layers();
    let trachea = builder.trachea();
    builder.gullet(trachea);
    for side in [-1.0, 1.0] {
        builder.vessels(side);
    }
    builder.muscles();
    builder.thyroid(trachea);
    builder.spine();
    (builder.organs, skin)
}

/// The trachea in the plane across the neck [m].
#[derive(Clone, Copy)]
struct Trachea {
    center: [f32; 2],
    radius: f32,
}

/// Adds solids to the list.
struct Builder {
    organs: Vec<Organ>,
    rng: ChaCha8Rng,
    /// Radius of the skin [m].
    skin: f32,
    /// Depth at which the layers below the skin end, in the middle [m].
    front: f32,
}

impl Builder {
    fn add(&mut self, shape: Shape, material: u8) {
        self.around(shape, 0.0, material);
    }

    /// Adds a solid around a shape, thicker by `growth` [m], or by more at the far ends of an ellipsoid.
    fn around(&mut self, shape: Shape, growth: f32, material: u8) {
        self.organs.push(Organ {
            shape,
            growth,
            material,
        });
    }

    /// A random number between two limits.
    fn draw(&mut self, [low, high]: [f32; 2]) -> f32 {
        self.rng.random_range(low..high)
    }

    /// A point at x [m] and a depth below the front of the deep neck [m], moved randomly by up to a millimetre.
    fn at(&mut self, x: f32, below: f32) -> [f32; 2] {
        let [right, down] = [0, 1].map(|_| self.draw([-0.001, 0.001]));
        [x + right, -(self.front + below + down)]
    }

    /// A cylinder along the neck with half axes along x and z [m], turned by an angle from the front to the left.
    fn oval(center: [f32; 2], [x, z]: [f32; 2], angle: f32) -> Shape {
        Shape::Oval {
            center,
            half: Vector::new(x, f32::INFINITY, z),
            turn: angle.sin_cos().into(),
        }
    }

    /// Adds a solid with a sheet around it.
    fn sheathed(&mut self, shape: Shape, material: u8) {
        self.add(shape, material);
        self.around(shape, SHEET, index::FASCIA);
    }

    /// Skin, fat with the platysma in it, and the sheet below.
    fn layers(&mut self) {
        let skin = self.skin;
        let thickness = self.draw([0.0015, 0.002]);
        let fat = self.draw([0.0012, 0.003]);
        let platysma = self.draw([0.0008, 0.0011]);
        let gap = self.draw([0.006, 0.010]);
        let start = thickness + fat;
        let end = start + platysma + 0.0008;
        self.add(Shape::Above { skin, depth: 0.0 }, index::AIR);
        self.add(
            Shape::Above {
                skin,
                depth: thickness,
            },
            index::SKIN,
        );
        // The left and the right platysma part in the middle.
        let depths = [start, start + platysma];
        self.add(Shape::Sheet { skin, depths, gap }, index::MUSCLE);
        self.add(Shape::Above { skin, depth: end }, index::FAT);
        self.front = end + SHEET;
        let depth = self.front;
        self.add(Shape::Above { skin, depth }, index::FASCIA);
    }

    /// Air, mucosa, rings that are open at the back, and the tissue between them.
    fn trachea(&mut self) -> Trachea {
        let radius = self.draw([0.0084, 0.0094]);
        // Leaves room for the isthmus.
        let center = self.at(0.0, 0.006 + radius);
        let (mucosa, wall) = (0.0008, 0.0014);
        let lumen = radius - mucosa - wall;
        let ring = Shape::Rings {
            arc: Arc {
                center,
                radius: lumen + mucosa + 0.5 * wall,
                half: 0.5 * wall,
                middle: [0.0, 1.0],
                reach: 2.2f32.sin_cos().into(),
            },
            spacing: 0.006,
            half: 0.002,
        };
        let air = Shape::Tube {
            center,
            radius: lumen,
        };
        self.add(air, index::AIR);
        self.around(air, mucosa, index::WALL);
        self.add(ring, index::CARTILAGE);
        self.around(air, mucosa + wall, index::FASCIA);
        Trachea { center, radius }
    }

    /// The oesophagus, behind the left of the trachea: mucosa within muscle.
    fn gullet(&mut self, trachea: Trachea) {
        let [x, z] = trachea.center;
        let down = self.draw([-0.0005, 0.0005]);
        let center = [x + 0.0092 + down, z - 0.0110 - down];
        let growth = self.draw([0.9, 1.1]);
        let wall = Self::oval(center, [0.0053 * growth, 0.0036 * growth], -0.4);
        let mucosa = Self::oval(center, [0.0027 * growth, 0.0011 * growth], -0.4);
        self.add(mucosa, index::WALL);
        self.sheathed(wall, index::MUSCLE);
    }

    /// Common carotid artery, and the jugular vein lateral and anterior to it; `side` is −1 on the right.
    fn vessels(&mut self, side: f32) {
        let lumen = self.draw([0.0029, 0.0034]);
        let wall = self.draw([0.0008, 0.001]);
        let center = self.at(side * 0.0205, 0.0190);
        let artery = Shape::Tube {
            center,
            radius: lumen,
        };
        self.add(artery, index::BLOOD);
        self.around(artery, wall, index::WALL);
        let half = [[0.0055, 0.007], [0.0036, 0.0046]].map(|range| self.draw(range));
        let center = self.at(side * 0.0265, 0.0155);
        let vein = Self::oval(center, half, side * 0.5);
        self.add(vein, index::BLOOD);
        self.around(vein, SHEET, index::WALL);
    }

    /// Muscles of the front: sternocleidomastoid, then sternohyoid, then sternothyroid.
    fn muscles(&mut self) {
        let growth = self.draw([0.9, 1.1]);
        for side in [-1.0, 1.0] {
            let x = side * self.draw([0.0300, 0.0320]);
            let half = [0.0125, 0.0040 * growth];
            // The muscle follows the skin.
            let angle = (x / self.skin).asin();
            let depth = self.front + half[1] + SHEET;
            let out = self.skin - depth;
            let center = [out * angle.sin(), out * angle.cos() - self.skin];
            let muscle = Self::oval(center, half, angle);
            self.sheathed(muscle, index::MUSCLE);
        }
        let half = 0.0011 * growth;
        let radius = 0.06;
        let center = [0.0, -(self.front + 0.0003 + half + radius)];
        let strap = |side: f32, below: f32, half: f32, [from, to]: [f32; 2]| {
            let radius = radius - below;
            let angle = side * 0.5 * (from + to) / radius;
            Shape::Band(Arc {
                center,
                radius,
                half,
                middle: angle.sin_cos().into(),
                reach: (0.5 * (to - from) / radius).sin_cos().into(),
            })
        };
        let behind = 2.0 * half + SHEET;
        for side in [-1.0, 1.0] {
            let [to, deep] = [0.018, 0.020].map(|to| self.draw([to, to + 0.002]));
            let sternohyoid = strap(side, 0.0, half, [0.0035, to]);
            self.sheathed(sternohyoid, index::MUSCLE);
            let sternothyroid = strap(side, behind, 0.85 * half, [0.0075, deep]);
            self.sheathed(sternothyroid, index::MUSCLE);
        }
    }

    /// Two lobes, and the isthmus that joins them in front of the trachea.
    fn thyroid(&mut self, trachea: Trachea) {
        let thickness = self.draw([0.003, 0.005]);
        let isthmus = Shape::Rings {
            arc: Arc {
                center: trachea.center,
                radius: trachea.radius + 0.5 * thickness,
                half: 0.5 * thickness,
                middle: [0.0, 1.0],
                reach: 0.9f32.sin_cos().into(),
            },
            // A single piece within this neck.
            spacing: 1.0,
            half: 0.009,
        };
        let lobes = [-1.0, 1.0].map(|side| {
            let growth = self.draw([0.94, 1.06]);
            let center = self.at(side * 0.0140, 0.0152);
            Shape::Oval {
                center,
                half: growth * Vector::new(0.0082, 0.0235, 0.0085),
                turn: (side * 0.3f32).sin_cos().into(),
            }
        });
        let [right, left] = lobes;
        for part in [right, left, isthmus] {
            self.add(part, index::THYROID);
        }
        for part in [right, left, isthmus] {
            self.around(part, SHEET, index::FASCIA);
        }
    }

    /// Bodies and transverse processes of vertebrae, and the muscles on them.
    fn spine(&mut self) {
        for side in [-1.0, 1.0] {
            let center = self.at(side * 0.0115, 0.0285);
            let longus = Self::oval(center, [0.0080, 0.0040], side * 0.25);
            self.sheathed(longus, index::MUSCLE);
        }
        for side in [-1.0, 1.0] {
            let center = self.at(side * 0.0280, 0.0290);
            let scalene = Self::oval(center, [0.0090, 0.0042], side * 0.4);
            self.sheathed(scalene, index::MUSCLE);
        }
        let body = self.at(0.0, 0.0450);
        self.add(Self::oval(body, [0.0180, 0.0125], 0.0), index::BONE);
        for side in [-1.0, 1.0] {
            let center = self.at(side * 0.0210, 0.0385);
            let radius = 0.0050;
            self.add(Shape::Tube { center, radius }, index::BONE);
        }
    }
}
