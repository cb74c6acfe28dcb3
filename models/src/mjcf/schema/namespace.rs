//! The namespaces of MJCF. Names are unique in each of them.

/// A kind of object with its own namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is the MJCF element of the same name")]
pub enum Namespace {
    Body,
    Joint,
    Geom,
    Site,
    Camera,
    Light,
    Frame,
    Default,
    Mesh,
    Hfield,
    Texture,
    Material,
    Skin,
    Flex,
    Model,
    Pair,
    Exclude,
    Equality,
    Tendon,
    Actuator,
    Sensor,
    Key,
    Numeric,
    Text,
    Tuple,
    Plugin,
}

impl Namespace {
    /// The name of the namespace in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Joint => "joint",
            Self::Geom => "geom",
            Self::Site => "site",
            Self::Camera => "camera",
            Self::Light => "light",
            Self::Frame => "frame",
            Self::Default => "default class",
            Self::Mesh => "mesh",
            Self::Hfield => "hfield",
            Self::Texture => "texture",
            Self::Material => "material",
            Self::Skin => "skin",
            Self::Flex => "flex",
            Self::Model => "model asset",
            Self::Pair => "contact pair",
            Self::Exclude => "contact exclude",
            Self::Equality => "equality",
            Self::Tendon => "tendon",
            Self::Actuator => "actuator",
            Self::Sensor => "sensor",
            Self::Key => "keyframe",
            Self::Numeric => "custom numeric",
            Self::Text => "custom text",
            Self::Tuple => "custom tuple",
            Self::Plugin => "plugin instance",
        }
    }

    /// The namespace for the `objtype` of a frame sensor.
    pub fn from_object_type(object_type: &str) -> Option<Self> {
        Some(match object_type {
            "body" | "xbody" => Self::Body,
            "joint" => Self::Joint,
            "geom" => Self::Geom,
            "site" => Self::Site,
            "camera" => Self::Camera,
            "light" => Self::Light,
            "mesh" => Self::Mesh,
            "hfield" => Self::Hfield,
            "texture" => Self::Texture,
            "material" => Self::Material,
            "skin" => Self::Skin,
            "flex" => Self::Flex,
            "tendon" => Self::Tendon,
            "actuator" => Self::Actuator,
            "sensor" => Self::Sensor,
            "equality" => Self::Equality,
            "pair" => Self::Pair,
            "exclude" => Self::Exclude,
            "numeric" => Self::Numeric,
            "text" => Self::Text,
            "tuple" => Self::Tuple,
            "key" => Self::Key,
            _ => return None,
        })
    }
}

/// The namespace of an element's `name`, given the tag of its parent; `None` if `name` does not identify the element.
pub fn namespace_of(parent: &str, tag: &str) -> Option<Namespace> {
    Some(match (parent, tag) {
        ("equality", _) => Namespace::Equality,
        ("tendon", "spatial" | "fixed") => Namespace::Tendon,
        ("actuator", _) => Namespace::Actuator,
        ("sensor", _) => Namespace::Sensor,
        ("contact", "pair") => Namespace::Pair,
        ("contact", "exclude") => Namespace::Exclude,
        ("keyframe", "key") => Namespace::Key,
        ("custom", "numeric") => Namespace::Numeric,
        ("custom", "text") => Namespace::Text,
        ("custom", "tuple") => Namespace::Tuple,
        ("plugin", "instance") => Namespace::Plugin,
        ("asset", "mesh") => Namespace::Mesh,
        ("asset", "hfield") => Namespace::Hfield,
        ("asset", "texture") => Namespace::Texture,
        ("asset", "material") => Namespace::Material,
        ("asset", "model") => Namespace::Model,
        ("asset" | "deformable", "skin") => Namespace::Skin,
        ("deformable", "flex") => Namespace::Flex,
        ("worldbody" | "body" | "frame" | "replicate", _) => match tag {
            "body" => Namespace::Body,
            "joint" | "freejoint" => Namespace::Joint,
            "geom" => Namespace::Geom,
            "site" => Namespace::Site,
            "camera" => Namespace::Camera,
            "light" => Namespace::Light,
            "frame" => Namespace::Frame,
            "flexcomp" => Namespace::Flex,
            _ => return None,
        },
        _ => return None,
    })
}
