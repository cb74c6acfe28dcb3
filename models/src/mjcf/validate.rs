//! Validates a document before MuJoCo sees it.

use std::collections::{BTreeMap, BTreeSet};

use insonate_settings::nearest;

use super::document::key_of;
use super::error::abbreviate;
use super::schema::{AttributeKind, Namespace, Node, NodeId, Schema, kind_of};
use super::{Element, Mjcf, MjcfError, Value};

type Names<'a> = BTreeMap<Namespace, BTreeSet<&'a str>>;

impl Mjcf {
    /// Rejects documents that MuJoCo would reject or misread: unknown elements and attributes, wrong counts,
    /// non-finite numbers, duplicate names and unresolved references.
    ///
    /// # Errors
    /// The first problem in the order of the document. The error names the element.
    pub fn validate(&self) -> Result<(), MjcfError> {
        let schema = Schema::get();
        if self.root().tag() != "mujoco" {
            return Err(MjcfError::UnknownElement {
                parent: "the document".to_owned(),
                tag: self.root().tag().to_owned(),
                allowed: "mujoco".to_owned(),
            });
        }
        check_shape(schema, schema.root(), "", self.root())?;
        let names = self.collect_names()?;
        // Elements that MuJoCo expands create names that are not in the document.
        let expands = self.root().descendants().iter().any(|element| {
            matches!(
                element.tag(),
                "replicate" | "composite" | "flexcomp" | "attach"
            ) || (matches!(element.tag(), "mesh" | "texture" | "hfield" | "skin")
                && element.get("file").is_some()
                && element.name().is_none())
        });
        if expands {
            Ok(())
        } else {
            check_references("", self.root(), &names)
        }
    }

    fn collect_names(&self) -> Result<Names<'_>, MjcfError> {
        fn collect<'a>(parent: &'a Element, names: &mut Names<'a>) -> Result<(), MjcfError> {
            for child in parent.children() {
                if let Some((namespace, name)) = key_of(parent.tag(), child)
                    && !names.entry(namespace).or_default().insert(name)
                {
                    return Err(MjcfError::DuplicateName {
                        kind: namespace.as_str(),
                        name: abbreviate(name).into_owned(),
                    });
                }
                collect(child, names)?;
            }
            Ok(())
        }
        let mut names = Names::new();
        names.entry(Namespace::Body).or_default().insert("world");
        names.entry(Namespace::Default).or_default();
        collect(self.root(), &mut names)?;
        names.entry(Namespace::Default).or_default().insert("main");
        Ok(names)
    }
}

/// Checks elements, attributes and values of an element and its descendants.
fn check_shape(
    schema: &Schema,
    id: NodeId,
    parent: &str,
    element: &Element,
) -> Result<(), MjcfError> {
    check_attributes(schema.node(id), parent, element)?;
    for (index, child) in element.children().iter().enumerate() {
        let child_id = child_node(schema, id, element, child.tag())?;
        let repeated = || {
            element.children()[..index]
                .iter()
                .any(|earlier| earlier.tag() == child.tag())
        };
        if schema.node(child_id).unique && repeated() {
            return Err(MjcfError::RepeatedElement {
                parent: element.label(),
                tag: child.tag().to_owned(),
            });
        }
        check_shape(schema, child_id, element.tag(), child)?;
    }
    Ok(())
}

/// Checks attributes and values of one element.
pub(super) fn check_attributes(
    node: &Node,
    parent: &str,
    element: &Element,
) -> Result<(), MjcfError> {
    for (attribute, value) in element.attributes() {
        if !node.has_attribute(attribute) {
            return Err(unknown_attribute(node, element, attribute));
        }
        if let Err(problem) = check_value(kind_of(parent, element.tag(), attribute), value) {
            return Err(MjcfError::BadValue {
                element: element.label(),
                attribute: attribute.to_owned(),
                value: abbreviate(&value.to_string()).into_owned(),
                problem,
            });
        }
    }
    Ok(())
}

/// The schema of a child of `element`, or an error if the child is not allowed.
pub(super) fn child_node(
    schema: &Schema,
    id: NodeId,
    element: &Element,
    tag: &str,
) -> Result<NodeId, MjcfError> {
    let node = schema.node(id);
    node.child(tag).ok_or_else(|| MjcfError::UnknownElement {
        parent: element.label(),
        tag: abbreviate(tag).into_owned(),
        allowed: node.child_tags().collect::<Vec<_>>().join(", "),
    })
}

pub(super) fn unknown_attribute(node: &Node, element: &Element, attribute: &str) -> MjcfError {
    MjcfError::UnknownAttribute {
        element: element.label(),
        attribute: abbreviate(attribute).into_owned(),
        hint: did_you_mean(attribute, node.attributes().iter().copied()),
    }
}

fn check_value(kind: AttributeKind, value: &Value) -> Result<(), String> {
    if let Value::Reals(reals) = value
        && let Some(bad) = reals.iter().find(|real| !real.is_finite())
    {
        return Err(format!("holds {bad}; numbers must be finite"));
    }
    match (kind, value) {
        (AttributeKind::Reals(least, most), Value::Reals(reals)) => {
            check_count(reals.len(), least, most)
        }
        (AttributeKind::Integers(least, most), Value::Reals(reals)) => {
            if let Some(bad) = reals.iter().find(|real| real.fract() != 0.0) {
                return Err(format!("holds {bad}; whole numbers are needed"));
            }
            check_count(reals.len(), least, most)
        }
        (AttributeKind::Reals(..) | AttributeKind::Integers(..), Value::Text(_)) => {
            Err("is not a number".to_owned())
        }
        (AttributeKind::Keyword(words), _) => {
            let text = value.to_string();
            if words.contains(&text.as_str()) {
                Ok(())
            } else {
                Err(format!("is not one of {}", words.join(", ")))
            }
        }
        (AttributeKind::Name, Value::Text(text)) if text.is_empty() => {
            Err("is an empty name".to_owned())
        }
        (_, Value::Text(text)) if text.chars().any(char::is_control) => {
            Err("holds a control character".to_owned())
        }
        _ => Ok(()),
    }
}

fn check_count(count: usize, least: usize, most: usize) -> Result<(), String> {
    if (least..=most).contains(&count) {
        return Ok(());
    }
    let needed = match (least, most) {
        (least, most) if least == most => format!("{least}"),
        (least, usize::MAX) => format!("at least {least}"),
        (least, most) => format!("{least} to {most}"),
    };
    Err(format!(
        "holds {count} number{}; {needed} needed",
        if count == 1 { "" } else { "s" }
    ))
}

fn check_references(parent: &str, element: &Element, names: &Names<'_>) -> Result<(), MjcfError> {
    if element.tag() == "default" {
        return Ok(()); // MuJoCo resolves references of classes only where a class is used
    }
    for (attribute, value) in element.attributes() {
        let Some(namespace) = referenced_namespace(parent, element, attribute) else {
            continue;
        };
        let text = value.to_string();
        for name in references_in(parent, element.tag(), attribute, &text) {
            let known = names.get(&namespace);
            if !known.is_some_and(|known| known.contains(name)) {
                return Err(MjcfError::UnknownReference {
                    element: element.label(),
                    attribute: attribute.to_owned(),
                    name: abbreviate(name).into_owned(),
                    kind: namespace.as_str(),
                    hint: did_you_mean(name, known.into_iter().flatten().copied()),
                });
            }
        }
    }
    element
        .children()
        .iter()
        .try_for_each(|child| check_references(element.tag(), child, names))
}

/// The namespace that an attribute refers to; `None` if the attribute is not a reference.
pub(super) fn referenced_namespace(
    parent: &str,
    element: &Element,
    attribute: &str,
) -> Option<Namespace> {
    match kind_of(parent, element.tag(), attribute) {
        AttributeKind::Reference(namespace) | AttributeKind::References(namespace) => {
            Some(namespace)
        }
        AttributeKind::TypedReference { type_attribute } => {
            Namespace::from_object_type(element.text(type_attribute)?)
        }
        _ => None,
    }
}

/// The names in the text of a reference attribute.
pub(super) fn references_in<'a>(
    parent: &str,
    tag: &str,
    attribute: &str,
    text: &'a str,
) -> Vec<&'a str> {
    match kind_of(parent, tag, attribute) {
        AttributeKind::References(_) => text.split_whitespace().collect(),
        _ => vec![text],
    }
}

/// `; did you mean …?` with the nearest of `candidates`, or an empty text if none is close.
pub(crate) fn did_you_mean<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    nearest(word, candidates).map_or_else(String::new, |near| format!("; did you mean {near:?}?"))
}
