//! Values that are made of Python's own types only, hashed without a pickle: numbers, texts, lists, dicts and their kind. No
//! code of a value runs. What else there is in a value is left to the caller.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use hs_kernel::store::{change, change_in_place};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyComplex, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet,
    PyString, PyTuple,
};

use super::buffers::Lent;

/// Values inside values inside values: what is deeper is left to the caller.
const DEPTH: usize = 100;
/// Texts and bytes that are longer are hashed where they lie.
const LONG: usize = 4096;
/// The description of a value is hashed when it has grown to this.
const FULL: usize = 1 << 18;

/// A hash, bytes, and objects by their ids.
type Seen<'py> = (Bound<'py, PyBytes>, usize, Bound<'py, PyDict>);
/// The id of an object, its place, and itself.
type Met<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// A hash of a value, about how many bytes its pickle has (what is in it twice counts twice), and the objects in it that other
/// values may refer to: by their id, where they stand. None for a value with anything in it that is not one of Python's own types.
///
/// Equal hashes mean: the same types, values and order, and the same objects in the same places.
#[pyfunction]
pub fn plain_digest<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
) -> PyResult<Option<Seen<'py>>> {
    let mut walk = Walk::default();
    if !walk.walk(value, 0)? {
        return Ok(None);
    }
    let shared = PyDict::new(py);
    let through = walk.reached_by_others();
    for met in &walk.may_be_shared {
        if met.1 == 0 || walk.has_others(&met.0) || through.contains(&address(&met.0)) {
            shared.set_item(address(&met.0), met.1)?;
        }
    }
    let digest = walk.digest();
    Ok(Some((PyBytes::new(py, &digest), walk.size, shared)))
}

/// What of the memo of a pickler other values may refer to: objects of Python's own types by their id, where they stand in the
/// pickle; and the id, place and object of all others that are not known to be fixed.
#[pyfunction]
pub fn memo_shared<'py>(
    py: Python<'py>,
    memo: &Bound<'py, PyDict>,
) -> PyResult<(Bound<'py, PyDict>, Vec<Met<'py>>)> {
    let (shared, mut others) = (PyDict::new(py), Vec::new());
    for (id, entry) in memo {
        let entry = entry.cast::<PyTuple>()?;
        let one = entry.get_item(1)?;
        if one.is_exact_instance_of::<PyString>()
            || one.is_exact_instance_of::<PyTuple>()
            || one.is_exact_instance_of::<PyBytes>()
            || one.is_exact_instance_of::<PyInt>()
        {
            continue;
        }
        let place = entry.get_item(0)?;
        if one.is_exact_instance_of::<PyDict>()
            || one.is_exact_instance_of::<PyList>()
            || one.is_exact_instance_of::<PySet>()
        {
            shared.set_item(id, place)?;
        } else {
            others.push((id, place, one));
        }
    }
    Ok((shared, others))
}

fn address(object: &Bound<'_, PyAny>) -> usize {
    object.as_ptr() as usize
}

#[derive(Default)]
struct Walk<'py> {
    /// What was met and not yet hashed, in a form that cannot be read in two ways.
    said: Vec<u8>,
    hashes: Vec<u8>,
    size: usize,
    /// Containers by their address: their number, and how often they were met.
    met: HashMap<usize, (usize, isize)>,
    /// Containers that can change, and their numbers; held, so that no address is met twice for two objects.
    may_be_shared: Vec<(Bound<'py, PyAny>, usize)>,
    /// Those that cannot, held for the same reason.
    held: Vec<Bound<'py, PyAny>>,
    /// How often a container was met.
    containers: usize,
    /// Containers in those that cannot change: the address of each, and of what it is in.
    inside: Vec<(usize, usize)>,
}

impl<'py> Walk<'py> {
    /// Whether somebody refers to a container who was not met here, such as another value.
    fn has_others(&self, one: &Bound<'py, PyAny>) -> bool {
        let edges = self.met.get(&address(one)).map_or(0, |known| known.1);
        #[expect(deprecated, reason = "what is to be used in its place is unsafe code")]
        let referring = one.get_refcnt();
        // One of those who refer to it is the list that holds it here.
        referring > edges + 1
    }

    /// What others reach through something that cannot change itself: a list in a tuple that is in two values has one
    /// referrer, but belongs to both values.
    fn reached_by_others(&self) -> HashSet<usize> {
        let mut reached = HashSet::new();
        if self.inside.is_empty() {
            return reached;
        }
        let mut inside: HashMap<usize, Vec<usize>> = HashMap::new();
        for (one, around) in &self.inside {
            inside.entry(*around).or_default().push(*one);
        }
        let others = self.held.iter().filter(|one| self.has_others(one));
        let mut waiting: Vec<usize> = others.map(address).collect();
        while let Some(around) = waiting.pop() {
            for one in inside.get(&around).into_iter().flatten() {
                if reached.insert(*one) {
                    waiting.push(*one);
                }
            }
        }
        reached
    }

    /// False if there is something that is not plain.
    fn walk(&mut self, value: &Bound<'py, PyAny>, depth: usize) -> PyResult<bool> {
        if self.said.len() >= FULL {
            self.flush();
        }
        if let Ok(text) = value.cast_exact::<PyString>() {
            // A lone surrogate has no place in UTF-8.
            let Ok(text) = text.to_str() else {
                return Ok(false);
            };
            self.bytes(b's', text.as_bytes());
        } else if let Ok(number) = value.cast_exact::<PyInt>() {
            if let Ok(number) = number.extract::<i64>() {
                self.fixed(b'i', &number.to_le_bytes(), 2);
            } else if let Ok(number) = number.extract::<i128>() {
                self.fixed(b'I', &number.to_le_bytes(), 10);
            } else {
                return Ok(false);
            }
        } else if let Ok(number) = value.cast_exact::<PyFloat>() {
            self.fixed(b'f', &number.value().to_bits().to_le_bytes(), 9);
        } else if value.is_none() {
            self.fixed(b'n', &[], 1);
        } else if let Ok(yes) = value.cast_exact::<PyBool>() {
            self.fixed(b'b', &[u8::from(yes.is_true())], 1);
        } else if let Ok(bytes) = value.cast_exact::<PyBytes>() {
            self.bytes(b'y', bytes.as_bytes());
        } else if let Ok(number) = value.cast_exact::<PyComplex>() {
            self.fixed(b'c', &number.real().to_bits().to_le_bytes(), 9);
            self.fixed(b'c', &number.imag().to_bits().to_le_bytes(), 9);
        } else {
            return self.container(value, depth);
        }
        Ok(true)
    }

    /// All of what cannot change itself.
    fn fixed_container(
        &mut self,
        around: &Bound<'py, PyAny>,
        values: impl Iterator<Item = Bound<'py, PyAny>>,
        depth: usize,
    ) -> PyResult<bool> {
        for value in values {
            let before = self.containers;
            if !self.walk(&value, depth + 1)? {
                return Ok(false);
            }
            if self.containers > before {
                self.inside.push((address(&value), address(around)));
            }
        }
        Ok(true)
    }

    fn container(&mut self, value: &Bound<'py, PyAny>, depth: usize) -> PyResult<bool> {
        let kind = if value.is_exact_instance_of::<PyDict>() {
            b'd'
        } else if value.is_exact_instance_of::<PyList>() {
            b'l'
        } else if value.is_exact_instance_of::<PyTuple>() {
            b't'
        } else if value.is_exact_instance_of::<PySet>() {
            b'e'
        } else if value.is_exact_instance_of::<PyFrozenSet>() {
            b'r'
        } else if value.is_exact_instance_of::<PyByteArray>() {
            b'a'
        } else {
            return Ok(false);
        };
        if depth > DEPTH {
            return Ok(false);
        }
        self.containers += 1;
        let number = self.met.len();
        match self.met.entry(address(value)) {
            Entry::Occupied(mut known) => {
                known.get_mut().1 += 1;
                let known = known.get().0 as u64;
                self.fixed(b'm', &known.to_le_bytes(), 2);
                return Ok(true);
            }
            Entry::Vacant(new) => new.insert((number, 1)),
        };
        if matches!(kind, b't' | b'r') {
            self.held.push(value.clone());
        } else {
            self.may_be_shared.push((value.clone(), number));
        }
        if let Ok(dict) = value.cast_exact::<PyDict>() {
            self.fixed(kind, &(dict.len() as u64).to_le_bytes(), 1);
            for (key, one) in dict {
                if !(self.walk(&key, depth + 1)? && self.walk(&one, depth + 1)?) {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        if kind == b'a' {
            let lent = Lent::of(value)?;
            self.bytes(kind, lent.bytes());
            return Ok(true);
        }
        self.fixed(kind, &(value.len()? as u64).to_le_bytes(), 1);
        if let Ok(list) = value.cast_exact::<PyList>() {
            return self.all(list.iter(), depth);
        }
        if let Ok(tuple) = value.cast_exact::<PyTuple>() {
            return self.fixed_container(value, tuple.iter(), depth);
        }
        if let Ok(set) = value.cast_exact::<PySet>() {
            return self.all(set.iter(), depth);
        }
        match value.cast_exact::<PyFrozenSet>() {
            Ok(set) => self.fixed_container(value, set.iter(), depth),
            Err(_) => Ok(false),
        }
    }

    fn all(
        &mut self,
        values: impl Iterator<Item = Bound<'py, PyAny>>,
        depth: usize,
    ) -> PyResult<bool> {
        for value in values {
            if !self.walk(&value, depth + 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn fixed(&mut self, kind: u8, bytes: &[u8], size: usize) {
        self.said.push(kind);
        self.said.extend_from_slice(bytes);
        self.size += size;
    }

    fn bytes(&mut self, kind: u8, bytes: &[u8]) {
        self.fixed(kind, &(bytes.len() as u64).to_le_bytes(), bytes.len() + 2);
        if bytes.len() > LONG {
            self.said.extend_from_slice(&change_in_place(&[bytes]));
        } else {
            self.said.extend_from_slice(bytes);
        }
    }

    fn flush(&mut self) {
        self.hashes.extend_from_slice(&change(&[&self.said]));
        self.said.clear();
    }

    fn digest(&mut self) -> [u8; 16] {
        if self.hashes.is_empty() {
            return change(&[&self.said]);
        }
        self.flush();
        change(&[b"parts", &self.hashes])
    }
}
