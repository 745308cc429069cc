//! A PostgreSQL server for one test. It listens on loopback, keeps its files in a temporary folder,
//! and stops when the value is dropped.

use std::{
    env, fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use crate::skipped;

/// A running server. Its superuser is `postgres`, without a password.
///
/// # Panics
///
/// Every method panics if one of the server's programs fails.
pub struct Server {
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: u16,
    databases: AtomicU32,
}

impl Server {
    /// Starts a server with these lines in its `postgresql.conf`. Returns `None` if PostgreSQL is
    /// not installed. The test is then [skipped], or fails if `CENTIPAWN_REQUIRE_POSTGRES` is set.
    pub fn start(settings: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            skipped("PostgreSQL is not installed", "CENTIPAWN_REQUIRE_POSTGRES");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        if is_root() {
            // The server refuses to run as root, so its files must belong to another user.
            assert!(
                Command::new("chown")
                    .arg("postgres")
                    .arg(folder.path())
                    .status()
                    .unwrap()
                    .success()
            );
        }
        let mut server = Self {
            folder,
            programs,
            port: 0,
            databases: AtomicU32::new(0),
        };
        server.initialise();
        let file = Path::new(&server.data()).join("postgresql.conf");
        let configuration = fs::read_to_string(&file).unwrap();
        for attempt in 1.. {
            // Ask the system for a free port. Another program may take it before the server starts,
            // so three ports are tried.
            server.port = TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port();
            let own = format!(
                "\nlisten_addresses = '127.0.0.1'\nport = {}\nunix_socket_directories = ''\n{}\n",
                server.port,
                settings.join("\n")
            );
            fs::write(&file, format!("{configuration}{own}")).unwrap();
            let started = server.try_up();
            if started.is_ok() {
                break;
            }
            assert!(
                attempt < 3,
                "the server did not start at three ports: {started:?}"
            );
        }
        Some(server)
    }

    /// Creates the files of an empty server. The first test keeps a copy in cargo's target folder,
    /// because copying takes an eighth of the time of `initdb`.
    fn initialise(&self) {
        let template = target_folder().map(|target| {
            let version: String = self.programs.display().to_string().replace(['/', '.'], "-");
            target.join("tmp").join(format!("postgres{version}"))
        });
        if let Some(template) = template.as_ref().filter(|template| template.is_dir()) {
            return Self::copy(template, Path::new(&self.data()));
        }
        let initdb = [
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "--wal-segsize=1",
        ];
        self.run(
            "initdb",
            &[&initdb[..], &["--pgdata", &self.data()]].concat(),
        );
        if let Some(template) = template {
            // Tests of other processes may do the same at the same time. The first one that renames
            // its copy wins, and the others delete theirs.
            let own = template.with_extension(std::process::id().to_string());
            Self::copy(Path::new(&self.data()), &own);
            if fs::rename(&own, &template).is_err() {
                fs::remove_dir_all(&own).unwrap();
            }
        }
    }

    /// Copies a server's files. Owner and permissions are kept, because the server checks them.
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        let status = Command::new("cp").arg("-Rp").args([from, to]).status();
        assert!(
            status.unwrap().success(),
            "{} is not copied to {}",
            from.display(),
            to.display()
        );
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    /// Starts the server again after [`Server::down`].
    pub fn up(&self) {
        self.try_up().unwrap();
    }

    fn try_up(&self) -> Result<(), String> {
        let log = self.folder.path().join("log").display().to_string();
        self.try_run(
            "pg_ctl",
            &["--pgdata", &self.data(), "--log", &log, "--wait", "start"],
        )
    }

    /// Stops the server at once and without a checkpoint, as a crash would.
    pub fn down(&self) {
        self.run(
            "pg_ctl",
            &[
                "--pgdata",
                &self.data(),
                "--mode=immediate",
                "--wait",
                "stop",
            ],
        );
    }

    /// Returns the server's port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the process ID of the postmaster, the parent of the processes that serve
    /// connections.
    pub fn process(&self) -> u32 {
        let file = fs::read_to_string(Path::new(&self.data()).join("postmaster.pid")).unwrap();
        file.lines().next().unwrap().trim().parse().unwrap()
    }

    /// Returns the path of one of the server's programs, such as `psql`.
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// Creates an empty database and returns its URL.
    pub fn database(&self) -> String {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let port = self.port.to_string();
        self.run(
            "createdb",
            &[
                "--host=127.0.0.1",
                "--port",
                &port,
                "--username=postgres",
                &name,
            ],
        );
        format!("postgres://postgres@127.0.0.1:{port}/{name}")
    }

    fn run(&self, program: &str, args: &[&str]) {
        self.try_run(program, args).unwrap();
    }

    fn try_run(&self, program: &str, args: &[&str]) -> Result<(), String> {
        let program = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(&program);
            command
        } else {
            Command::new(&program)
        };
        command.args(args).current_dir(self.folder.path());
        // The server inherits these streams. If they were pipes, the test would wait until the
        // server ends.
        let status = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let is_done = status.as_ref().is_ok_and(std::process::ExitStatus::success);
        if is_done {
            Ok(())
        } else {
            Err(format!("{}: {status:?}", program.display()))
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if Path::new(&self.data()).join("postmaster.pid").exists() {
            self.down();
        }
    }
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Returns the target folder of cargo in which this test was built; `None` if it is unknown.
fn target_folder() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    program
        .ancestors()
        .find(|folder| folder.join("CACHEDIR.TAG").is_file())
        .map(Path::to_owned)
}

/// Returns the folder of the server's programs. It is searched for, because Debian and Homebrew do
/// not add it to PATH.
fn programs() -> Option<PathBuf> {
    let versions = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"]
        .map(|folder| fs::read_dir(folder).ok());
    let mut versions: Vec<PathBuf> = versions
        .into_iter()
        .flatten()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin"))
        .collect();
    versions.sort();
    let path = env::var_os("PATH").unwrap_or_default();
    versions
        .into_iter()
        .rev()
        .chain(env::split_paths(&path))
        .find(|folder| {
            ["initdb", "pg_ctl", "createdb"]
                .iter()
                .all(|program| folder.join(program).is_file())
        })
}
