//! Builds the MJCF of a serial arm from a table of links.

use std::f64::consts::FRAC_1_SQRT_2;

use insonate_meshes::TriangleMesh;

use crate::mjcf::{
    Body, DefaultClass, Element, Geom, Inertial, Joint, Material, Mesh, Mjcf, Motor,
};
use crate::shapes::MassProperties;

/// Identity rotation, `[w, x, y, z]`.
pub(super) const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
/// Rotation by +90° about x.
pub(super) const X_PLUS_90: [f64; 4] = [FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0, 0.0];
/// Rotation by -90° about x.
pub(super) const X_MINUS_90: [f64; 4] = [FRAC_1_SQRT_2, -FRAC_1_SQRT_2, 0.0, 0.0];

/// A link and its joint.
pub(super) struct Link {
    pub(super) name: &'static str,
    pub(super) joint: &'static str,
    /// Pose in the parent link at joint angle zero: origin [m], orientation `[w, x, y, z]`. The joint axis is z.
    pub(super) pos: [f64; 3],
    pub(super) quat: [f64; 4],
    /// Mass properties in the link's frame.
    pub(super) mass: MassProperties,
    /// Joint limits [rad].
    pub(super) range: [f64; 2],
    /// Torque limit [N·m].
    pub(super) torque: f64,
    /// Viscous damping [N·m·s/rad].
    pub(super) damping: f64,
    /// Rotor inertia reflected to the joint [kg·m²].
    pub(super) armature: f64,
    pub(super) geoms: Vec<Geom>,
}

/// A serial arm under construction.
pub(super) struct Arm {
    mjcf: Mjcf,
    base: Element,
    links: Vec<Link>,
}

impl Arm {
    /// Creates an arm with these mass properties of the base.
    pub(super) fn new(model: &str, base: &MassProperties) -> Self {
        let mut mjcf = Mjcf::new(model);
        mjcf.default()
            .add(DefaultClass::new("visual").with(class_geom(0, 0, 2)));
        mjcf.default()
            .add(DefaultClass::new("trunk").with(class_geom(1, 2, 3)));
        mjcf.default()
            .add(DefaultClass::new("wrist").with(class_geom(3, 0, 3)));
        let base = Body::new("base").with(inertial(base)).into();
        Self {
            mjcf,
            base,
            links: Vec::new(),
        }
    }

    /// Adds geoms to the base.
    pub(super) fn base_geoms(&mut self, geoms: Vec<Geom>) {
        self.base
            .children_mut()
            .extend(geoms.into_iter().map(Element::from));
    }

    /// Adds a material.
    pub(super) fn material(&mut self, material: Material) {
        self.mjcf.asset().add(material);
    }

    /// Adds a mesh, and returns a visual geom with this mesh.
    pub(super) fn shell(&mut self, name: &str, surface: &TriangleMesh, material: &str) -> Geom {
        self.mjcf.asset().add(Mesh::of_surface(name, surface));
        Geom::mesh(name).class("visual").material(material)
    }

    /// Appends the next link.
    pub(super) fn link(&mut self, link: Link) {
        self.links.push(link);
    }

    /// Returns the document, with a body `flange` at this pose in the last link.
    pub(super) fn finish(mut self, flange_pos: [f64; 3], flange_quat: [f64; 4]) -> Mjcf {
        let flange = Body::new("flange")
            .pos(flange_pos)
            .quat(flange_quat)
            .gravcomp(1.0);
        let mut child = flange;
        for link in &self.links {
            let torque_range = [-link.torque, link.torque];
            self.mjcf.actuator().add(
                Motor::new(link.joint)
                    .ctrlrange(torque_range)
                    .set("forcerange", torque_range),
            );
        }
        for link in self.links.into_iter().rev() {
            let joint = Joint::hinge(link.joint)
                .axis([0.0, 0.0, 1.0])
                .range(link.range)
                .damping(link.damping)
                .armature(link.armature)
                .actuatorfrcrange([-link.torque, link.torque]);
            child = Body::new(link.name)
                .pos(link.pos)
                .quat(link.quat)
                .gravcomp(1.0)
                .with(inertial(&link.mass))
                .with(joint)
                .with_all(link.geoms)
                .with(child);
        }
        self.mjcf.worldbody().add(self.base.with(child));
        self.mjcf
    }
}

fn inertial(mass: &MassProperties) -> Inertial {
    Inertial::new(mass.mass, mass.center_of_mass).fullinertia(mass.inertia)
}

pub(super) fn class_geom(contype: i32, conaffinity: i32, group: i32) -> Element {
    let mut geom = Element::new("geom");
    geom.set("contype", contype)
        .set("conaffinity", conaffinity)
        .set("group", group)
        .set("mass", 0.0);
    geom
}
