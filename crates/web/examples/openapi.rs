//! Prints the description of the server's interface, which the page's types are generated from.

fn main() {
    print!("{}", centipawn_web::openapi());
}
