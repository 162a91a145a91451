//! The native half of the Python package `headstart`: converts, calls, converts back.
//!
//! One file per function. No rule about data lives here, and nothing here prints.

mod capsule;
mod catalogue;
mod charge;
mod class;
mod column;
mod combien;
mod compare;
mod decris;
mod errors;
mod exact;
mod flat;
mod foreign;
mod from_python;
mod interroge;
mod joins;
mod montre;
mod plain;
mod records;
mod rows;
mod run;
mod sauve;
mod store;
mod table;
mod times;
mod to_python;
mod work;

/// Gives memory back to the next load instead of to the system, where new pages cost more than
/// what is done with them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The module `headstart._headstart`; the package's own files are its only callers.
#[pyo3::pymodule]
mod _headstart {
    /// Version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python packages use")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use super::catalogue::functions;
    #[pymodule_export]
    use super::charge::charge;
    #[pymodule_export]
    use super::column::column;
    #[pymodule_export]
    use super::combien::{combien, key_columns};
    #[pymodule_export]
    use super::compare::{Compared, compare};
    #[pymodule_export]
    use super::decris::decris;
    #[pymodule_export]
    use super::errors::error_kinds;
    #[pymodule_export]
    use super::interroge::interroge;
    #[pymodule_export]
    use super::joins::{
        JoinsOptions, Plan, joins, joins_names, joins_plan, refuse_column, stack_keys,
    };
    #[pymodule_export]
    use super::montre::montre;
    #[pymodule_export]
    use super::records::records;
    #[pymodule_export]
    use super::rows::Rows;
    #[pymodule_export]
    use super::run::run;
    #[pymodule_export]
    use super::sauve::{sauve, sauve_sheets, sauve_value, saved_format};
    #[pymodule_export]
    use super::store::{
        Group, Save, Store, StoreError, change, digest, frame_change, memo_shared, plain_digest,
    };
    #[pymodule_export]
    use super::table::Table;

    #[pymodule_init]
    fn init() {
        super::work::keep_panics_quiet();
    }
}
