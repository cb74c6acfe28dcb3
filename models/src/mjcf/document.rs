//! One MJCF document and its sections.

use super::Element;
use super::schema::{Namespace, namespace_of};

/// The sections in their order in the file.
pub(super) const SECTIONS: [&str; 17] = [
    "compiler",
    "option",
    "size",
    "visual",
    "statistic",
    "custom",
    "extension",
    "default",
    "asset",
    "worldbody",
    "contact",
    "deformable",
    "tendon",
    "equality",
    "actuator",
    "sensor",
    "keyframe",
];

/// An MJCF document: angles in radians, lengths in metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Mjcf {
    root: Element,
}

/// Accessors of the sections that builders fill.
macro_rules! sections {
    ($($(#[$doc:meta])* $name:ident $tag:literal),* $(,)?) => {
        impl Mjcf {
            $($(#[$doc])*
            pub fn $name(&mut self) -> &mut Element {
                self.section_mut($tag)
            })*
        }
    };
}

sections! {
    /// Compiler settings.
    compiler "compiler",
    /// Time step, integrator, solver.
    option "option",
    /// Visualization settings.
    visual "visual",
    /// Custom numbers and texts.
    custom "custom",
    /// Default classes.
    default "default",
    /// Meshes, textures, materials.
    asset "asset",
    /// Bodies, geoms, sites, cameras and lights.
    worldbody "worldbody",
    /// Pairs of geoms that collide, and pairs of bodies that do not.
    contact "contact",
    /// Flexes and skins.
    deformable "deformable",
    /// Tendons.
    tendon "tendon",
    /// Equality constraints.
    equality "equality",
    /// Actuators.
    actuator "actuator",
    /// Sensors.
    sensor "sensor",
    /// Keyframes.
    keyframe "keyframe",
}

impl Mjcf {
    /// Creates an empty document with angles in radians.
    pub fn new(model: &str) -> Self {
        let mut root = Element::new("mujoco").with_attribute("model", model);
        root.add(Element::new("compiler").with_attribute("angle", "radian"));
        Self { root }
    }

    /// Creates a document from a `mujoco` element.
    pub(crate) fn from_root(root: Element) -> Self {
        Self { root }
    }

    /// The `mujoco` element.
    pub fn root(&self) -> &Element {
        &self.root
    }

    /// The `mujoco` element, mutable.
    pub fn root_mut(&mut self) -> &mut Element {
        &mut self.root
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        self.root.text("model").unwrap_or("MuJoCo Model")
    }

    /// Returns a section, or `None` if the document does not have it.
    pub fn section(&self, tag: &str) -> Option<&Element> {
        self.root.child(tag)
    }

    /// Returns a section. Inserts it in MuJoCo's order if it is missing.
    pub fn section_mut(&mut self, tag: &'static str) -> &mut Element {
        let rank = |tag: &str| {
            SECTIONS
                .iter()
                .position(|section| *section == tag)
                .unwrap_or(SECTIONS.len())
        };
        let children = self.root.children_mut();
        let index = children
            .iter()
            .position(|child| child.tag() == tag)
            .unwrap_or_else(|| {
                let index = children
                    .iter()
                    .position(|child| rank(child.tag()) > rank(tag))
                    .unwrap_or(children.len());
                children.insert(index, Element::new(tag));
                index
            });
        &mut children[index]
    }

    /// The element called `name` in a namespace.
    pub fn find(&self, namespace: Namespace, name: &str) -> Option<&Element> {
        fn search<'a>(
            parent: &'a Element,
            namespace: Namespace,
            name: &str,
        ) -> Option<&'a Element> {
            parent.children().iter().find_map(|child| {
                let here = key_of(parent.tag(), child) == Some((namespace, name));
                if here {
                    Some(child)
                } else {
                    search(child, namespace, name)
                }
            })
        }
        search(&self.root, namespace, name)
    }

    /// The element called `name` in a namespace, mutable.
    pub fn find_mut(&mut self, namespace: Namespace, name: &str) -> Option<&mut Element> {
        fn search<'a>(
            parent: &'a mut Element,
            namespace: Namespace,
            name: &str,
        ) -> Option<&'a mut Element> {
            let tag = parent.tag().to_owned();
            parent.children_mut().iter_mut().find_map(|child| {
                let here = key_of(&tag, child) == Some((namespace, name));
                if here {
                    Some(child)
                } else {
                    search(child, namespace, name)
                }
            })
        }
        search(&mut self.root, namespace, name)
    }

    /// The names in a namespace, in the order of the document.
    pub fn names(&self, namespace: Namespace) -> Vec<&str> {
        fn collect<'a>(parent: &'a Element, namespace: Namespace, names: &mut Vec<&'a str>) {
            for child in parent.children() {
                if let Some((found, name)) = key_of(parent.tag(), child)
                    && found == namespace
                {
                    names.push(name);
                }
                collect(child, namespace, names);
            }
        }
        let mut names = Vec::new();
        collect(&self.root, namespace, &mut names);
        names
    }
}

/// Namespace and name of an element; `None` if it has none.
pub(super) fn key_of<'a>(parent: &str, element: &'a Element) -> Option<(Namespace, &'a str)> {
    if element.tag() == "default" {
        return Some((Namespace::Default, element.text("class").unwrap_or("main")));
    }
    Some((namespace_of(parent, element.tag())?, element.name()?))
}
