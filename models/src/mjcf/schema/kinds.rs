//! What the value of each attribute is: numbers, a keyword, a name, a reference, a file.

use super::Namespace;

/// What an attribute holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Numbers, at least and at most so many.
    Reals(usize, usize),
    /// Whole numbers, at least and at most so many.
    Integers(usize, usize),
    /// One of these words.
    Keyword(&'static [&'static str]),
    /// The element's own name.
    Name,
    /// The name of another element.
    Reference(Namespace),
    /// Names of other elements, between spaces.
    References(Namespace),
    /// The name of an element whose namespace another attribute gives.
    TypedReference {
        /// The attribute that gives the namespace.
        type_attribute: &'static str,
    },
    /// A file.
    File,
    /// Anything else.
    Text,
}

const MANY: usize = usize::MAX;
const FLAG: Kind = Kind::Keyword(&["false", "true"]);
const TRISTATE: Kind = Kind::Keyword(&["false", "true", "auto"]);
const SWITCH: Kind = Kind::Keyword(&["disable", "enable"]);
const REAL: Kind = Kind::Reals(1, 1);
const INTEGER: Kind = Kind::Integers(1, 1);
const PAIR: Kind = Kind::Reals(2, 2);
const VECTOR: Kind = Kind::Reals(3, 3);
const COLOUR: Kind = Kind::Reals(4, 4);
const BITS: Kind = Kind::Integers(1, 1);

/// What `attribute` of an element `tag` below a `parent` holds.
pub fn kind_of(parent: &str, tag: &str, attribute: &str) -> Kind {
    if let Some(kind) = reference(parent, tag, attribute) {
        return kind;
    }
    if tag == "flag" {
        return SWITCH;
    }
    if parent == "visual" && tag == "rgba" {
        return COLOUR;
    }
    special(parent, tag, attribute)
        .or_else(|| numeric(tag, attribute))
        .unwrap_or(Kind::Text)
}

/// Names and references.
fn reference(parent: &str, tag: &str, attribute: &str) -> Option<Kind> {
    use Namespace as N;
    Some(match (tag, attribute) {
        ("flex", "body" | "node") => Kind::References(N::Body),
        ("bone", "body") => Kind::Reference(N::Body),
        ("attach", "body" | "frame") => Kind::Text,
        ("attach", "model") => Kind::Reference(N::Model),
        ("config", _)
        | (
            "compiler" | "option" | "size" | "statistic" | "lengthrange" | "text" | "numeric",
            "data" | "value",
        ) => {
            return if tag == "numeric" {
                Some(Kind::Reals(1, MANY))
            } else {
                Some(Kind::Text)
            };
        }
        ("map" | "muscle", "force") => REAL,
        ("contact", "site") => Kind::Reference(N::Site),
        (_, "name") => Kind::Name,
        ("default", "class") => Kind::Name,
        (_, "class" | "childclass") => Kind::Reference(N::Default),
        ("camera" | "light", "target") => Kind::Reference(N::Body),
        (_, "mesh") if tag != "default" => Kind::Reference(N::Mesh),
        (_, "material") => Kind::Reference(N::Material),
        (_, "texture") => Kind::Reference(N::Texture),
        (_, "hfield") => Kind::Reference(N::Hfield),
        (_, "body" | "body1" | "body2" | "subtree1" | "subtree2") => Kind::Reference(N::Body),
        (_, "joint" | "joint1" | "joint2" | "jointinparent") => Kind::Reference(N::Joint),
        (_, "geom" | "geom1" | "geom2") => Kind::Reference(N::Geom),
        (_, "site" | "site1" | "site2" | "refsite" | "cranksite" | "slidersite" | "sidesite") => {
            Kind::Reference(N::Site)
        }
        (_, "tendon" | "tendon1" | "tendon2") => Kind::Reference(N::Tendon),
        (_, "flex") => Kind::Reference(N::Flex),
        (_, "actuator") if parent == "sensor" => Kind::Reference(N::Actuator),
        ("camprojection" | "rangefinder", "camera") => Kind::Reference(N::Camera),
        (_, "instance") => Kind::Reference(N::Plugin),
        (_, "objname") => Kind::TypedReference {
            type_attribute: "objtype",
        },
        (_, "refname") => Kind::TypedReference {
            type_attribute: "reftype",
        },
        (
            _,
            "file" | "fileback" | "filedown" | "filefront" | "fileleft" | "fileright" | "fileup",
        ) => Kind::File,
        _ => return None,
    })
}

/// Attributes whose meaning depends on the element.
fn special(parent: &str, tag: &str, attribute: &str) -> Option<Kind> {
    Some(match (tag, attribute) {
        ("joint", "type") if parent == "composite" => Kind::Text,
        ("joint", "type") => Kind::Keyword(&["free", "ball", "slide", "hinge"]),
        ("geom" | "site", "type") => Kind::Keyword(&[
            "plane",
            "hfield",
            "sphere",
            "capsule",
            "ellipsoid",
            "cylinder",
            "box",
            "mesh",
            "sdf",
        ]),
        ("light", "type") => Kind::Keyword(&["spot", "directional", "point", "image"]),
        ("texture", "type") => Kind::Keyword(&["2d", "cube", "skybox"]),
        ("texture", "builtin") => Kind::Keyword(&["none", "gradient", "checker", "flat"]),
        ("camera" | "light", "mode") => {
            Kind::Keyword(&["fixed", "track", "trackcom", "targetbody", "targetbodycom"])
        }
        ("option", "integrator") => {
            Kind::Keyword(&["Euler", "RK4", "implicit", "implicitfast", "discrete"])
        }
        ("option", "cone") => Kind::Keyword(&["pyramidal", "elliptic"]),
        ("option", "solver") => Kind::Keyword(&["PGS", "CG", "Newton"]),
        ("option", "jacobian") => Kind::Keyword(&["dense", "sparse", "auto"]),
        ("compiler", "angle") => Kind::Keyword(&["radian", "degree"]),
        ("compiler", "inertiafromgeom") => TRISTATE,
        (
            "compiler",
            "autolimits" | "balanceinertia" | "discardvisual" | "fusestatic" | "usethread"
            | "strippath" | "fitaabb",
        ) => FLAG,
        ("compiler", "inertiagrouprange") => Kind::Integers(2, 2),
        ("mesh", "scale" | "refpos") => VECTOR,
        ("mesh", "inertia") => Kind::Keyword(&["convex", "exact", "legacy", "shell"]),
        ("mesh", "refquat") => COLOUR,
        ("mesh" | "skin", "vertex") => Kind::Reals(3, MANY),
        ("mesh" | "skin", "normal" | "texcoord")
        | ("flex", "vertex" | "texcoord" | "nodecoord") => Kind::Reals(2, MANY),
        ("mesh" | "skin", "face") => Kind::Integers(3, MANY),
        ("flex", "element" | "elemtexcoord") => Kind::Integers(1, MANY),
        ("flex" | "flexcomp", "cellcount") => Kind::Integers(3, 3),
        ("flex" | "flexcomp", "dim") => INTEGER,
        ("flexcomp", "dof" | "type" | "origin") | ("flex", "dof") => Kind::Text,
        ("flexcomp", "count") => Kind::Integers(1, 3),
        ("flexcomp", "spacing" | "scale") => Kind::Reals(1, 3),
        ("bone", "vertid") => Kind::Integers(1, MANY),
        ("bone", "vertweight") => Kind::Reals(1, MANY),
        ("bone", "bindpos") => VECTOR,
        ("bone", "bindquat") => COLOUR,
        ("key", "time") => REAL,
        ("key", _) => Kind::Reals(1, MANY),
        ("general", "gainprm" | "biasprm" | "dynprm") => Kind::Reals(1, 10),
        ("edge" | "elasticity", "stiffness" | "damping" | "young" | "poisson" | "thickness") => {
            REAL
        }
        ("light", "attenuation" | "ambient" | "diffuse" | "specular" | "dir" | "pos") => VECTOR,
        (
            "material",
            "specular" | "emission" | "shininess" | "reflectance" | "metallic" | "roughness",
        ) => REAL,
        ("headlight", "ambient" | "diffuse" | "specular") => VECTOR,
        ("headlight", "active") => INTEGER,
        (
            "global" | "quality",
            "offwidth" | "offheight" | "shadowsize" | "offsamples" | "numslices" | "numstacks"
            | "numquads",
        ) => INTEGER,
        ("camera", "resolution") => Kind::Integers(2, 2),
        ("texture", "width" | "height" | "nchannel") => INTEGER,
        ("texture", "rgb1" | "rgb2" | "markrgb") => VECTOR,
        ("equality" | "connect" | "weld" | "joint" | "tendon" | "flex", "active") => FLAG,
        ("connect" | "weld", "anchor") => VECTOR,
        ("weld", "relpose") => Kind::Reals(7, 7),
        ("replicate", "offset" | "euler") => VECTOR,
        ("replicate" | "composite", "count") => Kind::Integers(1, 3),
        ("numeric", "size") => INTEGER,
        ("muscle" | "cylinder" | "position" | "pid" | "dcmotor", "timeconst" | "range") => {
            Kind::Reals(1, 2)
        }
        ("size", "memory") => Kind::Text,
        ("size", _) => Kind::Integers(1, 1),
        _ => return None,
    })
}

/// Attributes that mean the same on every element.
fn numeric(tag: &str, attribute: &str) -> Option<Kind> {
    Some(match attribute {
        "pos" | "axis" | "zaxis" | "gravity" | "wind" | "magnetic" | "center" | "euler"
        | "diaginertia" => VECTOR,
        "quat" | "axisangle" | "rgba" => COLOUR,
        "xyaxes" | "fromto" | "fullinertia" => Kind::Reals(6, 6),
        "size" => Kind::Reals(1, if tag == "hfield" { 4 } else { 3 }),
        "range" | "ctrlrange" | "forcerange" | "actrange" | "lengthrange" | "actuatorfrcrange"
        | "springdamper" | "texrepeat" | "principal" | "focal" | "sensorsize" => PAIR,
        "solref" | "solreflimit" | "solreffriction" | "o_solref" => Kind::Reals(1, 2),
        "solimp" | "solimplimit" | "solimpfriction" | "o_solimp" | "polycoef" => Kind::Reals(1, 5),
        "friction" => Kind::Reals(1, if tag == "pair" { 5 } else { 3 }),
        "o_friction" => Kind::Reals(1, 5),
        "gear" => Kind::Reals(1, 6),
        "damping" | "stiffness" => Kind::Reals(1, 3),
        "springlength" => Kind::Reals(1, 2),
        "armature" | "frictionloss" | "margin" | "gap" | "mass" | "density" | "ref"
        | "springref" | "gravcomp" | "fovy" | "ipd" | "coef" | "kp" | "kv" | "ki" | "dampratio"
        | "cutoff" | "noise" | "divisor" | "inflate" | "radius" | "solmix" | "timestep"
        | "impratio" | "tolerance" | "ls_tolerance" | "noslip_tolerance" | "ccd_tolerance"
        | "sleep_tolerance" | "viscosity" | "shellinertia" | "extent" | "meansize" | "meanmass"
        | "meaninertia" | "boundmass" | "boundinertia" | "settotalmass" | "torquescale"
        | "width" => {
            return if attribute == "shellinertia" {
                Some(FLAG)
            } else {
                Some(REAL)
            };
        }
        "contype" | "conaffinity" => BITS,
        "group" | "condim" | "priority" | "iterations" | "ls_iterations" | "noslip_iterations"
        | "ccd_iterations" | "maxhullvert" => INTEGER,
        "limited" | "ctrllimited" | "forcelimited" | "actlimited" | "actuatorfrclimited" => {
            TRISTATE
        }
        "mocap" | "castshadow" | "texuniform" | "actuatorgravcomp" | "flatskin"
        | "smoothnormal" => FLAG,
        "user" => Kind::Reals(1, MANY),
        _ => return None,
    })
}
