//! On macOS, allows `cargo build` to link a module whose Python symbols are only known when Python
//! loads it.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
