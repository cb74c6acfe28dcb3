//! Attaching one model to a frame of another, under a name prefix.

use super::document::key_of;
use super::error::abbreviate;
use super::schema::Namespace;
use super::validate::{did_you_mean, referenced_namespace, references_in};
use super::{Element, Mjcf, MjcfError, Value};

impl Mjcf {
    /// Adds the content of `child` to this document. Its bodies go into the body, site or frame called `parent` (`world` for the
    /// world). Its assets, defaults, constraints, actuators and sensors go into the sections with the same names.
    ///
    /// Every name of `child` and every reference to it gets `prefix` (such as `probe/`), so models cannot clash.
    /// Defaults of `child` apply to `child` only: its global defaults become the class `prefix + "main"`.
    /// If `parent` is a site, its position and orientation apply.
    /// `compiler`, `option`, `visual`, `statistic`, `size` and keyframes of `child` are left out: they hold for the whole scene.
    ///
    /// # Errors
    /// [`MjcfError::UnknownFrame`] if `parent` does not exist; [`MjcfError::BadName`] if the prefix is empty or already in use.
    pub fn attach(&mut self, parent: &str, mut child: Mjcf, prefix: &str) -> Result<(), MjcfError> {
        if prefix.is_empty() {
            return Err(MjcfError::BadName {
                name: String::new(),
                what: "a prefix",
                problem: "it is empty",
            });
        }
        let has_defaults = child.section("default").is_some();
        prefix_below(child.root_mut(), prefix);
        if has_defaults || parent != "world" {
            child.keep_own_defaults(&format!("{prefix}main"), has_defaults);
        }
        let world = child.section_mut("worldbody");
        let content = std::mem::take(world.children_mut());
        self.add_to_frame(parent, content)?;
        for section in [
            "custom",
            "extension",
            "asset",
            "contact",
            "deformable",
            "tendon",
            "equality",
            "actuator",
            "sensor",
        ] {
            if child
                .section(section)
                .is_some_and(|section| !section.children().is_empty())
            {
                let from = std::mem::take(child.section_mut(section).children_mut());
                self.section_mut(section).children_mut().extend(from);
            }
        }
        if child.section("default").is_some() {
            let mut class = child.default().clone();
            class.set("class", format!("{prefix}main"));
            self.default().add(class);
        }
        Ok(())
    }

    /// Assigns the model's own defaults to every element without a class, so that it does not inherit from its new parent.
    fn keep_own_defaults(&mut self, main: &str, has_defaults: bool) {
        if self.default().text("class").is_none() {
            self.default().set("class", main);
        }
        inherit_childclass(self.worldbody(), main);
        for section in ["asset", "contact", "tendon", "equality", "actuator"] {
            if has_defaults && self.section(section).is_some() {
                self.section_mut(section)
                    .children_mut()
                    .iter_mut()
                    .for_each(|child| inherit_class(child, main));
            }
        }
    }

    /// Moves bodies with their descendants into the body, site or frame called `name`.
    fn add_to_frame(&mut self, name: &str, content: Vec<Element>) -> Result<(), MjcfError> {
        if name == "world" {
            self.worldbody().children_mut().extend(content);
            return Ok(());
        }
        for namespace in [Namespace::Body, Namespace::Frame] {
            if let Some(parent) = self.find_mut(namespace, name) {
                parent.children_mut().extend(content);
                return Ok(());
            }
        }
        let Some((holder, site)) = holder_of_site(self.root_mut(), name) else {
            let bodies = self.names(Namespace::Body);
            let mut hint = did_you_mean(
                name,
                bodies.iter().copied().chain(self.names(Namespace::Site)),
            );
            if hint.is_empty() {
                hint = list_names("; the bodies are", &bodies);
            }
            return Err(MjcfError::UnknownFrame {
                name: name.to_owned(),
                hint,
            });
        };
        let mut frame = Element::new("frame");
        for attribute in ["pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"] {
            if let Some(value) = site.get(attribute) {
                frame.set(attribute, value.clone());
            }
        }
        *frame.children_mut() = content;
        holder.add(frame);
        Ok(())
    }
}

/// A hint that lists the first few names.
pub(crate) fn list_names(what: &str, names: &[&str]) -> String {
    const MOST: usize = 40;
    let shown: Vec<_> = names
        .iter()
        .take(MOST)
        .map(|name| abbreviate(name))
        .collect();
    let more = match names.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{what} {}{more}", shown.join(", "))
}

/// The element that contains the site called `name`, and a copy of the site.
fn holder_of_site<'a>(parent: &'a mut Element, name: &str) -> Option<(&'a mut Element, Element)> {
    let site = parent
        .children()
        .iter()
        .find(|child| key_of(parent.tag(), child) == Some((Namespace::Site, name)));
    if let Some(site) = site.cloned() {
        return Some((parent, site));
    }
    parent
        .children_mut()
        .iter_mut()
        .find_map(|child| holder_of_site(child, name))
}

/// Sets the class of children of the world, directly or as the `childclass` of their subtree.
fn inherit_childclass(parent: &mut Element, main: &str) {
    for child in parent.children_mut() {
        match child.tag() {
            "body" | "frame" => {
                if child.get("childclass").is_none() {
                    child.set("childclass", main);
                }
            }
            "replicate" => inherit_childclass(child, main), // has no class of its own
            _ => inherit_class(child, main),
        }
    }
}

/// Sets the class of elements that take defaults and have no class yet.
fn inherit_class(element: &mut Element, main: &str) {
    let takes_class = !matches!(
        element.tag(),
        "hfield"
            | "skin"
            | "model"
            | "exclude"
            | "plugin"
            | "body"
            | "frame"
            | "flexcomp"
            | "composite"
            | "replicate"
            | "attach"
    );
    if takes_class && element.get("class").is_none() {
        element.set("class", main);
    }
}

fn prefix_below(parent: &mut Element, prefix: &str) {
    let tag = parent.tag().to_owned();
    for child in parent.children_mut() {
        let named = key_of(&tag, child).is_some();
        let references: Vec<(String, String)> = child
            .attributes()
            .filter(|(attribute, _)| referenced_namespace(&tag, child, attribute).is_some())
            .map(|(attribute, value)| {
                let text = value.to_string();
                let names = references_in(&tag, child.tag(), attribute, &text);
                let prefixed: Vec<String> = names
                    .into_iter()
                    .map(|name| with_prefix(prefix, attribute, name))
                    .collect();
                (attribute.to_owned(), prefixed.join(" "))
            })
            .collect();
        for (attribute, text) in references {
            child.set(attribute, Value::Text(text));
        }
        if named {
            for attribute in ["name", "class"] {
                let own = attribute == "name" || child.tag() == "default";
                if own && let Some(name) = child.text(attribute) {
                    let name = format!("{prefix}{name}");
                    child.set(attribute, name);
                }
            }
        }
        prefix_below(child, prefix);
    }
}

/// Prefixes a name, except `world`, which is the same body in every model.
fn with_prefix(prefix: &str, attribute: &str, name: &str) -> String {
    let is_world = name == "world"
        && (attribute.starts_with("body") || attribute.ends_with("name") || attribute == "target");
    if is_world {
        name.to_owned()
    } else {
        format!("{prefix}{name}")
    }
}
