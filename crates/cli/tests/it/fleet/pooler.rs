//! The fleet through PgBouncer with the settings of `deploy/`, if PgBouncer is installed.

use std::{
    env, fs,
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt as _,
    process::{Child, Command, Stdio},
};

use super::field::{Field, eventually};
use crate::common::{fake, root};

/// A PgBouncer in front of a fleet's database server.
struct Pooler {
    child: Child,
    port: u16,
}

impl Pooler {
    /// Starts PgBouncer; `None` if it is not installed, which is an error with
    /// `CENTIPAWN_REQUIRE_PGBOUNCER=1`. `line` may change each line of the settings.
    fn start(field: &Field, line: impl Fn(&str) -> String) -> Option<Self> {
        let path = env::var("PATH").unwrap_or_default() + ":/usr/sbin";
        if !env::split_paths(&path).any(|folder| folder.join("pgbouncer").is_file()) {
            assert!(
                env::var_os("CENTIPAWN_REQUIRE_PGBOUNCER").is_none(),
                "the tests need PgBouncer"
            );
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let folder = field.path("pooler");
        fs::create_dir(&folder).unwrap();
        let users = folder.join("users.txt");
        fs::write(&users, "\"postgres\" \"\"\n").unwrap();
        let file = fs::read_to_string(root().join("deploy/pgbouncer/pgbouncer.ini")).unwrap();
        let settings = file
            .lines()
            .map(|text| match text.split(" = ").next().unwrap() {
                "chess" => format!("* = host=127.0.0.1 port={}", field.server.port()),
                "listen_addr" => {
                    "listen_addr = 127.0.0.1\nunix_socket_dir =\nuser = postgres".to_owned()
                }
                "listen_port" => format!("listen_port = {port}"),
                "auth_type" => "auth_type = trust".to_owned(),
                "auth_file" => format!("auth_file = {}", users.display()),
                // A pool smaller than the number of clients, so that transactions change sessions.
                "default_pool_size" => "default_pool_size = 3".to_owned(),
                tls if tls.starts_with("server_tls") || tls.starts_with("client_tls") => {
                    String::new()
                }
                _ => line(text),
            });
        let settings: Vec<String> = settings.collect();
        let ini = folder.join("pgbouncer.ini");
        fs::write(&ini, settings.join("\n")).unwrap();
        for path in [field.path(""), folder] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut command = Command::new("pgbouncer");
        let child = command
            .arg(&ini)
            .env("PATH", path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let pooler = Self { child, port };
        eventually("the pooler listens", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        Some(pooler)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_pooler_gives_each_transaction_another_session() {
    let Some(field) = Field::new(6) else { return };
    let Some(pooler) = Pooler::start(&field, str::to_owned) else {
        return;
    };
    let (url, engine) = (field.url_through(pooler.port), fake("think 20"));
    let mut workers: Vec<_> = (0..3)
        .map(|_| field.worker_at(&url, &engine, &["-j", "2"]))
        .collect();
    let out = field.path("reviewed.pgn").display().to_string();
    let games = field.games_file();
    let review = [
        "review",
        &games,
        "--nodes",
        "1000",
        "--engine",
        &engine,
        "--task-size",
        "1",
        "-o",
        &out,
    ];
    let mut command = field.command(&review);
    let mut submitter = command
        .args(["--fleet", &url])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    eventually("tasks are under way", || {
        field.status()["runs"][0]["held"].as_i64() > Some(1)
    });
    workers[0].kill();
    field.pass_leases();
    assert!(submitter.wait().unwrap().success());
    workers[1..]
        .iter_mut()
        .for_each(|worker| drop(worker.end()));
    assert_eq!(field.reviewed(), field.reviewed_here(&engine));
    assert_eq!(field.done(), 6);
}

#[test]
fn a_pooler_that_refuses_our_setting_is_named() {
    let Some(field) = Field::new(1) else { return };
    let without = |line: &str| {
        if line.starts_with("ignore_startup") {
            String::new()
        } else {
            line.to_owned()
        }
    };
    let Some(pooler) = Pooler::start(&field, without) else {
        return;
    };
    let url = field.url_through(pooler.port);
    let ran = super::run(field.command(&["fleet", "status", "--fleet", &url]));
    let said = "ignore_startup_parameters = extra_float_digits";
    assert!(
        ran.code() == Some(3) && ran.stderr().contains(said),
        "{}",
        ran.stderr()
    );
    let mut worker = field.worker_at(&url, &fake("ok"), &[]);
    eventually("its log says so", || worker.log().contains(said));
    worker.end();
}
