//! Names of labels in the extensions of a NIfTI file.
//!
//! Format: nifti1.h: 4 bytes, the first of them not 0 if extensions follow; each extension has its size, a multiple of 16, a code, and
//! its content.
//! TotalSegmentator writes the XML of Caret (`<Label Key="5"><![CDATA[liver]]></Label>`) with code 0; Caret itself has code 30.

use std::collections::BTreeMap;

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

use crate::class_map::check_name;

/// Codes of extensions with XML of Caret.
const CODES: [i32; 2] = [0, 30];
/// Largest number of names.
const MAX_NAMES: usize = 4096;

/// Names in the bytes between header and labels.
pub(crate) fn read(bytes: &[u8], is_big_endian: bool) -> Result<BTreeMap<i64, String>, String> {
    let mut names = BTreeMap::new();
    let Some((flag, mut rest)) = bytes.split_at_checked(4) else {
        return Ok(names);
    };
    if flag[0] == 0 {
        return Ok(names);
    }
    let whole = |bytes: &[u8]| {
        let bytes = <[u8; 4]>::try_from(bytes).unwrap_or_default();
        if is_big_endian {
            i32::from_be_bytes(bytes)
        } else {
            i32::from_le_bytes(bytes)
        }
    };
    while rest.len() >= 8 {
        let (size, code) = (whole(&rest[..4]), whole(&rest[4..8]));
        let is_allowed = size >= 16 && size % 16 == 0 && size as usize <= rest.len();
        if !is_allowed {
            return Err(format!(
                "an extension has esize {size}; it must be a multiple of 16 from 16 to {}, the bytes before vox_offset",
                rest.len()
            ));
        }
        let (own, after) = rest.split_at(size as usize);
        if CODES.contains(&code)
            && let Ok(text) = std::str::from_utf8(&own[8..])
            && text.contains("<Label ")
        {
            read_caret(text.trim_end_matches('\0'), &mut names)
                .map_err(|problem| format!("names of labels in an extension: {problem}"))?;
        }
        rest = after;
    }
    Ok(names)
}

fn read_caret(text: &str, names: &mut BTreeMap<i64, String>) -> Result<(), String> {
    let mut reader = Reader::from_str(text);
    // Label and name of the open element.
    let mut open: Option<(i64, String)> = None;
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(start) if start.name().as_ref() == "Label" => {
                if open.is_some() {
                    return Err("a Label is within another one".to_owned());
                }
                open = Some((key(&start)?, String::new()));
            }
            Event::Text(text) => add(&mut open, &text),
            Event::CData(text) => add(&mut open, &text),
            Event::GeneralRef(name) => add(&mut open, &resolved(&name)?),
            Event::End(end) if end.name().as_ref() == "Label" => {
                if let Some((label, name)) = open.take() {
                    put(names, label, name.trim())?;
                }
            }
            Event::DocType(_) => return Err("DOCTYPE is not supported".to_owned()),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn add(open: &mut Option<(i64, String)>, text: &str) {
    if let Some((_, name)) = open {
        name.push_str(text);
    }
}

/// Character of one of XML's own entities.
fn resolved(name: &BytesRef) -> Result<String, String> {
    let known = [
        ("amp", "&"),
        ("lt", "<"),
        ("gt", ">"),
        ("apos", "'"),
        ("quot", "\""),
    ];
    let found = known.into_iter().find(|(known, _)| **name == **known);
    found.map(|(_, text)| text.to_owned()).ok_or_else(|| {
        let name: String = name.chars().take(40).collect();
        format!("&{name}; is not an entity of XML")
    })
}

fn key(start: &BytesStart) -> Result<i64, String> {
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        if attribute.key.as_ref() == "Key" {
            let text: &str = &attribute.value;
            return text
                .trim()
                .parse()
                .map_err(|_| format!("the Key of a Label is {text:?}; it must be a whole number"));
        }
    }
    Err("a Label has no Key".to_owned())
}

fn put(names: &mut BTreeMap<i64, String>, label: i64, name: &str) -> Result<(), String> {
    check_name(name)?;
    if names.len() >= MAX_NAMES {
        return Err(format!("has more than {MAX_NAMES} names"));
    }
    match names.insert(label, name.to_owned()) {
        Some(other) if other != name => {
            Err(format!("label {label} is both {other:?} and {name:?}"))
        }
        _ => Ok(()),
    }
}
