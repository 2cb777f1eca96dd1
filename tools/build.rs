//! Builds the program anew when a file of the page is added (`include_dir!` sees only changes of those that it has included), and tells it its
//! target.

fn main() {
    println!("cargo:rerun-if-changed=page");
    println!("cargo:rustc-env=FOURBASE_TARGET={}", std::env::var("TARGET").unwrap_or_default());
}
