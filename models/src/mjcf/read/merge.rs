//! Merges repeated sections, from one file or from includes.

use crate::mjcf::schema::{NodeId, Schema};
use crate::mjcf::{Element, MjcfError};

/// Adds a section to the root of the document. If the section exists, the two are merged: later attributes win, children are
/// appended, and children that are allowed only once are merged recursively.
pub(super) fn add_section(root: &mut Element, section: Element) -> Result<(), MjcfError> {
    let schema = Schema::get();
    let Some(earlier) = root.child_mut(section.tag()) else {
        root.add(section);
        return Ok(());
    };
    if section.tag() == "default" && changes_what_classes_took(earlier, &section) {
        return Err(MjcfError::Unsupported {
            element: section.label(),
            problem: "a second top-level <default> changes the global defaults after classes were \
                      derived from them; write both as one <default>"
                .to_owned(),
        });
    }
    let id = schema
        .node(schema.root())
        .child(section.tag())
        .expect("sections were checked when they were opened");
    merge(schema, id, earlier, section);
    Ok(())
}

/// Whether a later section changes values that classes copied from their parent at their definition.
fn changes_what_classes_took(earlier: &Element, later: &Element) -> bool {
    earlier.child("default").is_some()
        && later
            .children()
            .iter()
            .any(|child| child.tag() != "default")
}

fn merge(schema: &Schema, id: NodeId, earlier: &mut Element, mut later: Element) {
    let children = std::mem::take(later.children_mut());
    for (attribute, value) in later.into_attributes() {
        earlier.set(attribute, value);
    }
    for child in children {
        let child_id = schema.node(id).child(child.tag());
        let unique = child_id.filter(|&id| schema.node(id).unique);
        let same = unique.and_then(|id| Some((id, earlier.child_mut(child.tag())?)));
        match same {
            Some((child_id, same)) => merge(schema, child_id, same, child),
            None => {
                earlier.add(child);
            }
        }
    }
}
