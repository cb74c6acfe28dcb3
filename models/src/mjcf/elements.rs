//! Typed builders for the most frequent elements.
//!
//! Each builder is a thin wrapper around [`Element`]: named methods for the usual attributes, with their units, and `.set(…)` for the rest.
//! Any other element of MJCF can be written as a plain [`Element`].

use super::{Element, Value};

/// Declares builders: tags and typed attributes.
macro_rules! builders {
    ($($(#[$doc:meta])* $name:ident { $($(#[$attr_doc:meta])* $attribute:ident: $kind:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name(Element);

        impl $name {
            $($(#[$attr_doc])*
            pub fn $attribute(self, $attribute: $kind) -> Self {
                self.set(stringify!($attribute), $attribute)
            })*

            /// Sets any other attribute of the element.
            pub fn set(mut self, attribute: &'static str, value: impl Into<Value>) -> Self {
                self.0.set(attribute, value);
                self
            }

            /// Appends a child element.
            pub fn with(mut self, child: impl Into<Element>) -> Self {
                self.0.add(child);
                self
            }

            /// Appends several child elements.
            pub fn with_all<E: Into<Element>>(mut self, children: impl IntoIterator<Item = E>) -> Self {
                self.0.children_mut().extend(children.into_iter().map(Into::into));
                self
            }
        }

        impl From<$name> for Element {
            fn from(builder: $name) -> Self {
                builder.0
            }
        }
    )*};
}

fn named(tag: &'static str, name: &str) -> Element {
    Element::new(tag).with_attribute("name", name)
}

builders! {
    /// A rigid body.
    Body {
        /// Origin in the parent's frame [m].
        pos: [f64; 3],
        /// Orientation in the parent's frame, `[w, x, y, z]`.
        quat: [f64; 4],
        /// Default class of all elements below this body.
        childclass: &str,
        /// Gravity compensation, as a fraction of the weight: at 1 the body floats.
        gravcomp: f64,
        /// Whether the user sets the pose (mocap body; only for children of the world).
        mocap: bool,
    }
    /// Mass and inertia of a body.
    Inertial {
        /// Centre of mass in the body frame [m].
        pos: [f64; 3],
        /// Orientation of the inertia frame, `[w, x, y, z]`.
        quat: [f64; 4],
        /// Principal moments of inertia [kg·m²].
        diaginertia: [f64; 3],
        /// Inertia about the centre of mass, `[xx, yy, zz, xy, xz, yz]` [kg·m²].
        fullinertia: [f64; 6],
    }
    /// A joint between a body and its parent.
    Joint {
        /// Axis in the body frame.
        axis: [f64; 3],
        /// A point on the axis in the body frame [m].
        pos: [f64; 3],
        /// Joint limits [rad or m].
        range: [f64; 2],
        /// Viscous damping [N·m·s/rad or N·s/m].
        damping: f64,
        /// Rotor inertia reflected to the joint [kg·m² or kg].
        armature: f64,
        /// Spring stiffness [N·m/rad or N/m].
        stiffness: f64,
        /// Joint position at which the spring is at rest [rad or m].
        springref: f64,
        /// Limit of the force that actuators may apply to the joint [N·m or N].
        actuatorfrcrange: [f64; 2],
        /// Visual group.
        group: i32,
        /// Default class.
        class: &str,
    }
    /// A shape for collision, rendering, or both.
    Geom {
        /// Name.
        name: &str,
        /// Centre in the body frame [m].
        pos: [f64; 3],
        /// Orientation in the body frame, `[w, x, y, z]`.
        quat: [f64; 4],
        /// Direction of the shape's z axis in the body frame.
        zaxis: [f64; 3],
        /// Mass [kg].
        mass: f64,
        /// Density [kg/m³], used if no mass is given.
        density: f64,
        /// Colour and opacity, 0–1.
        rgba: [f64; 4],
        /// Name of the material.
        material: &str,
        /// Sliding [1], torsional [m] and rolling [m] friction.
        friction: [f64; 3],
        /// Contact type bitmask.
        contype: i32,
        /// Contact affinity bitmask.
        conaffinity: i32,
        /// Visual group.
        group: i32,
        /// Default class.
        class: &str,
    }
    /// A named frame on a body.
    Site {
        /// Origin in the body frame [m].
        pos: [f64; 3],
        /// Orientation in the body frame, `[w, x, y, z]`.
        quat: [f64; 4],
        /// Colour and opacity, 0–1.
        rgba: [f64; 4],
        /// Visual group.
        group: i32,
    }
    /// A camera. It looks along its -z axis.
    Camera {
        /// Position in the body frame [m].
        pos: [f64; 3],
        /// Orientation in the body frame, `[w, x, y, z]`.
        quat: [f64; 4],
        /// The camera's x and y axes in the body frame.
        xyaxes: [f64; 6],
        /// Vertical field of view [deg].
        fovy: f64,
    }
    /// A light.
    Light {
        /// Position in the body frame [m].
        pos: [f64; 3],
        /// Direction in the body frame.
        dir: [f64; 3],
        /// Diffuse colour, 0–1.
        diffuse: [f64; 3],
        /// Specular colour, 0–1.
        specular: [f64; 3],
        /// Whether it casts shadows.
        castshadow: bool,
    }
    /// Appearance of a surface.
    Material {
        /// Colour and opacity, 0–1.
        rgba: [f64; 4],
        /// Name of the texture.
        texture: &str,
        /// Number of repetitions of the texture along x and y.
        texrepeat: [f64; 2],
        /// Specular intensity, 0–1.
        specular: f64,
        /// Shininess: sharpness of highlights, 0–1.
        shininess: f64,
        /// Reflectance of the surface, 0–1.
        reflectance: f64,
    }
    /// A procedural texture.
    Texture {
        /// First colour, 0–1.
        rgb1: [f64; 3],
        /// Second colour, 0–1.
        rgb2: [f64; 3],
        /// Width [pixels].
        width: i32,
        /// Height [pixels].
        height: i32,
    }
    /// A triangle mesh with its data in the document.
    Mesh {
        /// Vertex normals, flat `[n, 3]`.
        normal: Vec<f64>,
        /// Scale factors along x, y, z.
        scale: [f64; 3],
    }
    /// A torque or force actuator on a joint.
    Motor {
        /// Name.
        name: &str,
        /// Range of the control [N·m or N].
        ctrlrange: [f64; 2],
        /// Gear ratio.
        gear: f64,
    }
    /// An equality constraint.
    Equality {
        /// Name.
        name: &str,
        /// Constraint reference: time constant and damping ratio, or `[-stiffness, -damping]`.
        solref: [f64; 2],
        /// Constraint impedance.
        solimp: Vec<f64>,
        /// Coefficients of the polynomial that gives the first object's position from the second's.
        polycoef: [f64; 5],
    }
    /// A weighted sum of joint positions.
    FixedTendon {
        /// Visual group.
        group: i32,
    }
    /// A sensor. Its reading is in `sensordata`.
    Sensor {
        /// Cutoff of the reading; 0: no cutoff.
        cutoff: f64,
    }
    /// A deformable surface that is drawn over bodies. It does not collide.
    Skin {
        /// Colour and opacity, 0–1.
        rgba: [f64; 4],
        /// Name of the material.
        material: &str,
        /// Offset of the vertices along their normals, outward [m].
        inflate: f64,
        /// Visual group.
        group: i32,
    }
    /// A deformable body made of edges, triangles or tetrahedra.
    Flex {
        /// Radius of the elements [m].
        radius: f64,
        /// Colour and opacity, 0–1.
        rgba: [f64; 4],
        /// Name of the material.
        material: &str,
        /// Visual group.
        group: i32,
    }
    /// A default class.
    DefaultClass {}
}

impl Body {
    /// A body called `name`.
    pub fn new(name: &str) -> Self {
        Self(named("body", name))
    }
}

impl Inertial {
    /// Mass [kg] and centre of mass in the body frame [m].
    pub fn new(mass: f64, pos: [f64; 3]) -> Self {
        Self(
            Element::new("inertial")
                .with_attribute("pos", pos)
                .with_attribute("mass", mass),
        )
    }
}

impl Joint {
    /// A hinge joint. Limits are in rad.
    pub fn hinge(name: &str) -> Self {
        Self(named("joint", name).with_attribute("type", "hinge"))
    }

    /// A slide joint. Limits are in m.
    pub fn slide(name: &str) -> Self {
        Self(named("joint", name).with_attribute("type", "slide"))
    }
}

impl Geom {
    fn shaped(shape: &'static str, size: &[f64]) -> Self {
        Self(
            Element::new("geom")
                .with_attribute("type", shape)
                .with_attribute("size", size),
        )
    }

    /// A plane with half sizes x, y and the spacing of grid lines [m].
    pub fn plane(size: [f64; 3]) -> Self {
        Self::shaped("plane", &size)
    }

    /// A sphere with this radius [m].
    pub fn sphere(radius: f64) -> Self {
        Self::shaped("sphere", &[radius])
    }

    /// A capsule along z: radius and half length of the cylindrical part [m].
    pub fn capsule(size: [f64; 2]) -> Self {
        Self::shaped("capsule", &size)
    }

    /// A capsule between two points in the body frame [m].
    pub fn capsule_between(from: [f64; 3], to: [f64; 3], radius: f64) -> Self {
        let fromto: Vec<f64> = from.into_iter().chain(to).collect();
        Self(
            Element::new("geom")
                .with_attribute("type", "capsule")
                .with_attribute("size", radius)
                .with_attribute("fromto", fromto),
        )
    }

    /// A cylinder along z: radius and half length [m].
    pub fn cylinder(size: [f64; 2]) -> Self {
        Self::shaped("cylinder", &size)
    }

    /// A box with these half sizes [m].
    pub fn cuboid(size: [f64; 3]) -> Self {
        Self::shaped("box", &size)
    }

    /// An ellipsoid with these half axes [m].
    pub fn ellipsoid(size: [f64; 3]) -> Self {
        Self::shaped("ellipsoid", &size)
    }

    /// A mesh asset.
    pub fn mesh(mesh: &str) -> Self {
        Self(
            Element::new("geom")
                .with_attribute("type", "mesh")
                .with_attribute("mesh", mesh),
        )
    }
}

impl Site {
    /// A site called `name`.
    pub fn new(name: &str) -> Self {
        Self(named("site", name))
    }
}

impl Camera {
    /// A camera called `name`.
    pub fn new(name: &str) -> Self {
        Self(named("camera", name))
    }
}

impl Light {
    /// A light called `name`.
    pub fn new(name: &str) -> Self {
        Self(named("light", name))
    }
}

impl Material {
    /// A material called `name`.
    pub fn new(name: &str) -> Self {
        Self(named("material", name))
    }
}

impl Texture {
    /// A procedural texture: `kind` is `2d`, `cube` or `skybox`, `builtin` is `flat`, `checker` or `gradient`.
    pub fn builtin(name: &str, kind: &'static str, builtin: &'static str) -> Self {
        Self(
            named("texture", name)
                .with_attribute("type", kind)
                .with_attribute("builtin", builtin),
        )
    }
}

impl Mesh {
    /// A mesh from vertices [m] and triangles (counter-clockwise seen from outside).
    ///
    /// Without triangles, MuJoCo takes the convex hull of the vertices.
    pub fn new(name: &str, vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Self {
        let vertex: Vec<f64> = vertices.iter().flatten().copied().collect();
        let face: Vec<f64> = triangles
            .iter()
            .flatten()
            .map(|&index| f64::from(index))
            .collect();
        let mut element = named("mesh", name).with_attribute("vertex", vertex);
        if !face.is_empty() {
            element.set("face", face);
        }
        Self(element)
    }
}

impl Motor {
    /// A torque or force motor on a joint.
    pub fn new(joint: &str) -> Self {
        Self(named("motor", joint).with_attribute("joint", joint))
    }
}

impl Equality {
    /// Constrains `joint1` to a polynomial of `joint2`, or to the polynomial's constant if `joint2` is `None`.
    pub fn joint(joint1: &str, joint2: Option<&str>) -> Self {
        let mut element = Element::new("joint").with_attribute("joint1", joint1);
        if let Some(joint2) = joint2 {
            element.set("joint2", joint2);
        }
        Self(element)
    }

    /// Constrains the length of a tendon.
    pub fn tendon(tendon1: &str) -> Self {
        Self(Element::new("tendon").with_attribute("tendon1", tendon1))
    }
}

impl FixedTendon {
    /// A tendon whose length is the sum of coefficient times joint position.
    pub fn new<'a>(name: &str, terms: impl IntoIterator<Item = (&'a str, f64)>) -> Self {
        let mut element = named("fixed", name);
        for (joint, coefficient) in terms {
            element.add(
                Element::new("joint")
                    .with_attribute("joint", joint)
                    .with_attribute("coef", coefficient),
            );
        }
        Self(element)
    }
}

impl Sensor {
    /// A sensor of this `kind` (such as `jointpos`) on the object that `attribute` (such as `joint`) refers to.
    pub fn new(kind: &'static str, name: &str, attribute: &'static str, object: &str) -> Self {
        Self(named(kind, name).with_attribute(attribute, object))
    }

    /// A frame sensor of this `kind` (such as `framepos`) on a site.
    pub fn frame(kind: &'static str, name: &str, site: &str) -> Self {
        Self(
            named(kind, name)
                .with_attribute("objtype", "site")
                .with_attribute("objname", site),
        )
    }
}

impl Skin {
    /// A skin from vertices [m] and triangles. Add `bone` elements to bind the vertices to bodies.
    pub fn new(name: &str, vertices: &[[f64; 3]], triangles: &[[usize; 3]]) -> Self {
        let vertex: Vec<f64> = vertices.iter().flatten().copied().collect();
        let face: Vec<f64> = triangles
            .iter()
            .flatten()
            .map(|&index| index as f64)
            .collect();
        Self(
            named("skin", name)
                .with_attribute("vertex", vertex)
                .with_attribute("face", face),
        )
    }
}

impl Flex {
    /// A flex called `name` of dimension 1 (edges), 2 (triangles) or 3 (tetrahedra).
    pub fn new(name: &str, dim: i32) -> Self {
        Self(named("flex", name).with_attribute("dim", dim))
    }
}

impl DefaultClass {
    /// A default class called `class`.
    pub fn new(class: &str) -> Self {
        Self(Element::new("default").with_attribute("class", class))
    }
}
