//! Prints the description of the server's interface. `npm run build` generates the types of the
//! page from it.

fn main() {
    print!("{}", centipawn_web::openapi());
}
