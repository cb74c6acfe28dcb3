//! Removes elements whose references no longer resolve.

use std::collections::BTreeSet;

use super::document::key_of;
use super::schema::Namespace;
use super::validate::{referenced_namespace, references_in};
use super::{Element, Mjcf};

/// Sections whose elements need the objects that they refer to.
const DEPENDENT: [&str; 6] = [
    "contact",
    "deformable",
    "tendon",
    "equality",
    "actuator",
    "sensor",
];

/// Assets, users before the assets that they use.
const ASSETS: [(&str, Namespace); 4] = [
    ("mesh", Namespace::Mesh),
    ("hfield", Namespace::Hfield),
    ("material", Namespace::Material),
    ("texture", Namespace::Texture),
];

type Names = BTreeSet<(Namespace, String)>;

impl Mjcf {
    /// Removes constraints, tendons, actuators, sensors, skins, tracking cameras and lights that refer to objects that do not
    /// exist, and then the elements that refer to the removed ones. Returns the removed elements.
    pub fn prune_references(&mut self) -> Vec<String> {
        let mut removed = Vec::new();
        loop {
            let names = self.all_names();
            let before = removed.len();
            for section in DEPENDENT {
                if let Some(section) = self.root_mut().child_mut(section) {
                    let tag = section.tag().to_owned();
                    retain(section, &mut removed, &|element| {
                        resolves(&tag, element, &names)
                    });
                }
            }
            self.worldbody().visit_mut(&mut |parent| {
                retain(parent, &mut removed, &|element| {
                    !matches!(element.tag(), "camera" | "light")
                        || resolves("body", element, &names)
                });
            });
            if removed.len() == before {
                return removed;
            }
        }
    }

    /// Removes meshes, height fields, materials and textures that nothing uses.
    pub fn prune_assets(&mut self) {
        for (tag, namespace) in ASSETS {
            let used = self.used_names(namespace);
            if let Some(assets) = self.root_mut().child_mut("asset") {
                assets.children_mut().retain(|asset| {
                    let is_skybox = asset.text("type") == Some("skybox");
                    asset.tag() != tag
                        || is_skybox
                        || asset.name().is_some_and(|name| used.contains(name))
                });
            }
        }
    }

    fn all_names(&self) -> Names {
        fn collect(parent: &Element, names: &mut Names) {
            for child in parent.children() {
                if let Some((namespace, name)) = key_of(parent.tag(), child) {
                    names.insert((namespace, name.to_owned()));
                }
                collect(child, names);
            }
        }
        let mut names = Names::from([
            (Namespace::Body, "world".to_owned()),
            (Namespace::Default, "main".to_owned()),
        ]);
        collect(self.root(), &mut names);
        names
    }

    fn used_names(&self, namespace: Namespace) -> BTreeSet<String> {
        fn collect(parent: &Element, namespace: Namespace, used: &mut BTreeSet<String>) {
            for child in parent.children() {
                for (found, name) in references(parent.tag(), child) {
                    if found == namespace {
                        used.insert(name);
                    }
                }
                collect(child, namespace, used);
            }
        }
        let mut used = BTreeSet::new();
        collect(self.root(), namespace, &mut used);
        used
    }
}

/// References of an element, without its children.
fn references(parent: &str, element: &Element) -> Vec<(Namespace, String)> {
    let mut found = Vec::new();
    for (attribute, value) in element.attributes() {
        if let Some(namespace) = referenced_namespace(parent, element, attribute) {
            let text = value.to_string();
            for name in references_in(parent, element.tag(), attribute, &text) {
                found.push((namespace, name.to_owned()));
            }
        }
    }
    found
}

/// Whether all references of an element and its children resolve.
fn resolves(parent: &str, element: &Element, names: &Names) -> bool {
    references(parent, element)
        .iter()
        .all(|reference| names.contains(reference))
        && element
            .children()
            .iter()
            .all(|child| resolves(element.tag(), child, names))
}

fn retain(parent: &mut Element, removed: &mut Vec<String>, keep: &impl Fn(&Element) -> bool) {
    parent.children_mut().retain(|child| {
        let kept = keep(child);
        if !kept {
            removed.push(child.label());
        }
        kept
    });
}
