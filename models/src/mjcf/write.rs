//! Writes one standalone, indented, deterministic file.

use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesStart, Event};

use super::value::write_reals;
use super::{Element, Mjcf, MjcfError, Value};

impl Mjcf {
    /// Writes the document as XML text. It is checked by [`Mjcf::validate`] first.
    ///
    /// # Errors
    /// The errors of [`Mjcf::validate`].
    pub fn to_xml(&self) -> Result<String, MjcfError> {
        self.validate()?;
        Ok(self.to_xml_unchecked())
    }

    /// Writes the document as XML text, without checks.
    #[expect(
        clippy::missing_panics_doc,
        reason = "writing UTF-8 into memory does not fail"
    )]
    pub fn to_xml_unchecked(&self) -> String {
        let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
        write_element(&mut writer, self.root(), &mut String::new())
            .expect("writing into memory does not fail");
        let mut xml =
            String::from_utf8(writer.into_inner()).expect("names, numbers and texts are UTF-8");
        xml.push('\n');
        xml
    }
}

/// Writes an element with its descendants. `numbers` is a buffer for the text of numbers.
fn write_element(
    writer: &mut Writer<Vec<u8>>,
    element: &Element,
    numbers: &mut String,
) -> std::io::Result<()> {
    let mut start = BytesStart::new(element.tag());
    for (name, value) in element.attributes() {
        match value {
            Value::Text(text) => start.push_attribute((name, text.as_str())),
            Value::Reals(reals) => {
                numbers.clear();
                write_reals(reals, numbers);
                start.push_attribute((name, numbers.as_str()));
            }
        }
    }
    if element.children().is_empty() {
        return writer.write_event(Event::Empty(start));
    }
    writer.write_event(Event::Start(start))?;
    for child in element.children() {
        write_element(writer, child, numbers)?;
    }
    writer.write_event(Event::End(BytesEnd::new(element.tag())))
}
