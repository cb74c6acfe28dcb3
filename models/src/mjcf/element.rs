//! One MJCF element: tag, attributes in order, children in order.

use std::borrow::Cow;

use super::Value;
use super::error::abbreviate;

/// One element of an MJCF document.
///
/// Elements are plain data. [`super::Mjcf::validate`] checks them against MuJoCo's schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    tag: Cow<'static, str>,
    attributes: Vec<(Cow<'static, str>, Value)>,
    children: Vec<Element>,
}

impl Element {
    /// An element without attributes and children.
    pub fn new(tag: impl Into<Cow<'static, str>>) -> Self {
        Self {
            tag: tag.into(),
            attributes: Vec::new(),
            children: Vec::new(),
        }
    }

    /// The tag, such as `geom`.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The `name` attribute.
    pub fn name(&self) -> Option<&str> {
        self.text("name")
    }

    /// The element in messages: `geom "face"`, or `<geom>` without a name.
    pub fn label(&self) -> String {
        let name = self.name().or_else(|| self.text("class"));
        name.map_or_else(
            || format!("<{}>", self.tag),
            |name| format!("{} {:?}", self.tag, abbreviate(name)),
        )
    }

    /// Sets an attribute, replacing an earlier value in its place.
    pub fn set(
        &mut self,
        attribute: impl Into<Cow<'static, str>>,
        value: impl Into<Value>,
    ) -> &mut Self {
        let (attribute, value) = (attribute.into(), value.into());
        match self
            .attributes
            .iter_mut()
            .find(|(name, _)| *name == attribute)
        {
            Some((_, old)) => *old = value,
            None => self.attributes.push((attribute, value)),
        }
        self
    }

    /// Builder form of [`Self::set`].
    pub fn with_attribute(
        mut self,
        attribute: impl Into<Cow<'static, str>>,
        value: impl Into<Value>,
    ) -> Self {
        self.set(attribute, value);
        self
    }

    /// Removes an attribute and returns its value.
    pub fn unset(&mut self, attribute: &str) -> Option<Value> {
        let index = self
            .attributes
            .iter()
            .position(|(name, _)| name == attribute)?;
        Some(self.attributes.remove(index).1)
    }

    /// The value of an attribute.
    pub fn get(&self, attribute: &str) -> Option<&Value> {
        self.attributes
            .iter()
            .find(|(name, _)| name == attribute)
            .map(|(_, value)| value)
    }

    /// The text of an attribute; `None` if it is absent or holds numbers.
    pub fn text(&self, attribute: &str) -> Option<&str> {
        self.get(attribute)?.as_text()
    }

    /// The numbers of an attribute; `None` if it is absent or holds text.
    pub fn reals(&self, attribute: &str) -> Option<&[f64]> {
        self.get(attribute)?.as_reals()
    }

    /// The numbers of an attribute as an array; `None` unless there are exactly `N`.
    pub fn array<const N: usize>(&self, attribute: &str) -> Option<[f64; N]> {
        self.reals(attribute)?.try_into().ok()
    }

    /// All attributes in order.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.attributes
            .iter()
            .map(|(name, value)| (name.as_ref(), value))
    }

    /// All attributes in order, by value.
    pub(crate) fn into_attributes(self) -> Vec<(Cow<'static, str>, Value)> {
        self.attributes
    }

    /// Appends a child and returns it.
    pub fn add(&mut self, child: impl Into<Element>) -> &mut Element {
        self.children.push(child.into());
        let last = self.children.len() - 1;
        &mut self.children[last]
    }

    /// Builder form of [`Self::add`].
    pub fn with(mut self, child: impl Into<Element>) -> Self {
        self.add(child);
        self
    }

    /// The children in order.
    pub fn children(&self) -> &[Element] {
        &self.children
    }

    /// The children, mutable.
    pub fn children_mut(&mut self) -> &mut Vec<Element> {
        &mut self.children
    }

    /// The first child with this tag.
    pub fn child(&self, tag: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.tag == tag)
    }

    /// The first child with this tag, mutable.
    pub fn child_mut(&mut self, tag: &str) -> Option<&mut Element> {
        self.children.iter_mut().find(|child| child.tag == tag)
    }

    /// This element and all its descendants, parents before children.
    pub fn descendants(&self) -> Vec<&Element> {
        let mut found = Vec::new();
        let mut stack = vec![self];
        while let Some(element) = stack.pop() {
            found.push(element);
            stack.extend(element.children.iter().rev());
        }
        found
    }

    /// Calls `change` on this element and all its descendants, parents before children.
    pub fn visit_mut(&mut self, change: &mut impl FnMut(&mut Element)) {
        change(self);
        for child in &mut self.children {
            child.visit_mut(change);
        }
    }

    /// Removes every descendant for which `unwanted` is true, with its subtree.
    pub fn remove_where(&mut self, unwanted: &impl Fn(&Element) -> bool) {
        self.children.retain(|child| !unwanted(child));
        for child in &mut self.children {
            child.remove_where(unwanted);
        }
    }
}
