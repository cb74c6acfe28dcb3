//! A typed MJCF document tree: build, attach, validate, read and write models.
//!
//! * [`Element`] and [`Value`]: the tree.
//! * [`elements`]: typed builders ([`Body`], [`Joint`], [`Geom`], …) for the most frequent elements.
//! * [`Mjcf`]: a document with its sections. [`Mjcf::attach`] attaches a model to a frame of another model, under a name prefix.
//! * [`schema`]: the elements and attributes of MJCF, as printed by MuJoCo.
//! * [`Mjcf::validate`]: rejects unknown attributes, duplicate names, unresolved references, non-finite numbers and wrong
//!   counts before MuJoCo sees them. The error names the element.
//! * [`Mjcf::to_xml`]: writes one standalone, indented, deterministic file.
//! * [`Mjcf::read`]: reads a user's file with its includes. [`Mjcf::read_standalone`] also makes it one file with angles in radians.

mod assets;
mod attach;
mod document;
mod element;
pub mod elements;
mod error;
mod normalize;
mod prune;
mod read;
pub mod schema;
mod validate;
mod value;
mod write;

pub(crate) use attach::list_names;
pub use document::Mjcf;
pub use element::Element;
pub use elements::{
    Body, Camera, DefaultClass, Equality, FixedTendon, Flex, Geom, Inertial, Joint, Light,
    Material, Mesh, Motor, Sensor, Site, Skin, Texture,
};
pub use error::MjcfError;
pub use normalize::StandaloneMjcf;
pub(crate) use normalize::{Defaults, walk_world};
pub use read::ReadOptions;
pub use schema::Namespace;
pub use value::Value;
