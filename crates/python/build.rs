//! Lets `cargo build` link the module where Python's symbols are found only when it is loaded (macOS).

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
