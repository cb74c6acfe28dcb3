//! Values that an element inherits from its default class.

use std::collections::BTreeMap;

use crate::mjcf::{Element, Mjcf, Value};

/// The default classes of a document.
#[derive(Clone, Debug)]
pub(crate) struct Defaults {
    classes: BTreeMap<String, Class>,
}

#[derive(Clone, Debug)]
struct Class {
    parent: Option<String>,
    elements: Vec<Element>,
}

impl Defaults {
    /// The classes of a document.
    pub(crate) fn of(mjcf: &Mjcf) -> Self {
        let mut classes = BTreeMap::new();
        if let Some(section) = mjcf.section("default") {
            collect(section, None, &mut classes);
        }
        Self { classes }
    }

    /// The value of an attribute: the element's own value, or the value from its class.
    ///
    /// `class` is the class from the element's surroundings (`childclass`), used if the element has no class. `tags` are the elements of
    /// a class whose defaults apply.
    pub(crate) fn effective<'a>(
        &'a self,
        element: &'a Element,
        class: &str,
        tags: &[&str],
        attribute: &str,
    ) -> Option<&'a Value> {
        element.get(attribute).or_else(|| {
            let class = element.text("class").unwrap_or(class);
            self.inherited(class, tags, attribute)
        })
    }

    /// The value from a class, or from its nearest ancestor that has one.
    fn inherited(&self, class: &str, tags: &[&str], attribute: &str) -> Option<&Value> {
        let mut class = self.classes.get(class);
        while let Some(here) = class {
            let found = here
                .elements
                .iter()
                .rev()
                .filter(|element| tags.contains(&element.tag()))
                .find_map(|element| element.get(attribute));
            if found.is_some() {
                return found;
            }
            class = here
                .parent
                .as_ref()
                .and_then(|parent| self.classes.get(parent));
        }
        None
    }
}

fn collect(section: &Element, parent: Option<&str>, classes: &mut BTreeMap<String, Class>) {
    let name = section.text("class").unwrap_or("main");
    let (nested, elements): (Vec<&Element>, Vec<&Element>) = section
        .children()
        .iter()
        .partition(|child| child.tag() == "default");
    let class = Class {
        parent: parent.map(str::to_owned),
        elements: elements.into_iter().cloned().collect(),
    };
    classes.insert(name.to_owned(), class);
    for child in nested {
        collect(child, Some(name), classes);
    }
}

/// Calls `visit` on every element of the world with the class of its surroundings, parents before children.
pub(crate) fn walk_world(mjcf: &mut Mjcf, visit: &mut impl FnMut(&mut Element, &str)) {
    fn walk(parent: &mut Element, class: &str, visit: &mut impl FnMut(&mut Element, &str)) {
        for child in parent.children_mut() {
            visit(child, class);
            let own = child.text("childclass").map(str::to_owned);
            walk(child, own.as_deref().unwrap_or(class), visit);
        }
    }
    walk(mjcf.section_mut("worldbody"), "main", visit);
}
