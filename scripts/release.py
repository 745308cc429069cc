#!/usr/bin/env python3
"""Builds what a release publishes into target/packages, and tries it out, without publishing anything: release.py [STEP …].

`make release-dry` runs all steps on Debian for x86-64. The release workflow runs the same steps, and then publishes their files. Each step
ends with an error if a check fails. Steps of one call share what they build.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ROOT / "target/packages"
STAGE = ROOT / "target/packed"
TOOLS = ROOT / "target/release-tools/bin"
# Address of the published files. The workflow passes that of its repository.
HOMEPAGE = os.environ.get("CENTIPAWN_HOMEPAGE", "https://example.org/centipawn")
URL = os.environ.get("CENTIPAWN_RELEASE_URL", f"{HOMEPAGE}/releases")
# Static programs run on every Linux; wheels need glibc 2.17.
PROGRAMS = {"x86_64-unknown-linux-musl": "amd64", "aarch64-unknown-linux-musl": "arm64"}
EMULATORS = {"aarch64-unknown-linux-musl": ["qemu-aarch64-static"]}
WHEEL = "x86_64-unknown-linux-gnu"
# Systems whose programs are built elsewhere, and what of the crates is compiled for them here: tests and benchmarks need Unix.
SYSTEMS = {"x86_64-pc-windows-gnu": ["--lib", "--bins", "--exclude=centipawn-tools"], "aarch64-apple-darwin": ["--all-targets"]}
UNPUBLISHED = ["centipawn-fake-engine", "centipawn-python", "centipawn-test-support", "centipawn-tools"]
# Checks of the numbers that a program computes, on files of examples/.
QUESTIONS = [
    ["pgn", "stats", "examples/selfplay.pgn.gz", "--json"],
    ["wdl", "fit", "examples/selfplay.wdl", "--json"],
    ["policy", "run", "examples/opera-game.pgn", "--level", "1350", "--json"],
    ["rating", "examples/opera-game.pgn", "--json"],
]

# What winget's manifests must have, by its schemas of version 1.9.0.
WINGET = {
    "version": {"PackageIdentifier", "PackageVersion", "DefaultLocale", "ManifestType", "ManifestVersion"},
    "installer": {"PackageIdentifier", "PackageVersion", "Installers", "ManifestType", "ManifestVersion"},
    "defaultLocale": {"PackageIdentifier", "PackageVersion", "PackageLocale", "Publisher", "PackageName", "License", "ShortDescription",
                      "ManifestType", "ManifestVersion"},
}

environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}:/usr/games", "CARGO_INCREMENTAL": "0", "CENTIPAWN_STORE": "none"}


def run(*command, **options):
    options = {"cwd": ROOT, "env": environment, **options}
    return subprocess.run([str(part) for part in command], check=True, **options)


def output(*command, **options):
    return run(*command, stdout=subprocess.PIPE, text=True, **options).stdout


def check(holds, message):
    if not holds:
        sys.exit(f"release.py: {message}")


def version():
    return re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def source_archive():
    return PACKAGES / f"centipawn-{version()}-source.tar.gz"


def folder_of(archive):
    """The folder in an archive, so that unpacking it overwrites nothing."""
    return archive.name.removesuffix(".tar.gz")


def program(target):
    return ROOT / "target" / target / "dist/centipawn"


def is_static(path):
    headers = output("readelf", "--program-headers", path)
    return "INTERP" not in headers


# --- Steps ------------------------------------------------------------------------------------------------------------------------


def versions():
    """One version everywhere: Cargo.toml, CHANGELOG.md, CITATION.cff, and the tag if there is one."""
    number = version()
    newest = re.search(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    check(newest and newest[1] == number, f"CHANGELOG.md should begin with `## {number} (date)`")
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    check(cited and cited[1] == number, f"CITATION.cff should have `version: {number}`")
    inner = re.findall(r'^centipawn-\w+ = \{ version = "([^"]*)"', (ROOT / "Cargo.toml").read_text(), re.M)
    check(set(inner) == {number}, f"crates depend on each other by version {set(inner)}, not {number}")
    tag = os.environ.get("GITHUB_REF_NAME", f"v{number}")
    check(tag == f"v{number}", f"the tag is {tag}, not v{number}")
    return number


def source():
    """The sources, as Homebrew, Arch and Nix build them."""
    prefix = f"centipawn-{version()}/"
    run("git", "archive", "--format=tar.gz", f"--prefix={prefix}", "-o", source_archive(), "HEAD")
    with tarfile.open(source_archive()) as archive:
        names = archive.getnames()
    check(f"{prefix}Cargo.lock" in names, "the archive has no Cargo.lock")
    return f"{len(names)} files, {size(source_archive())}"


def programs():
    """Static programs, with manual pages and completions. Each gives the same numbers as the others."""
    for target in PROGRAMS:
        run("rustup", "target", "add", target, stderr=subprocess.DEVNULL)
        run("cargo", "auditable", "zigbuild", "--locked", "--profile", "dist", "--target", target, "-p", "centipawn")
        check(is_static(program(target)), f"{target} is not static")
    native = next(target for target in PROGRAMS if target not in EMULATORS)
    run("scripts/stage.sh", STAGE, program(native))
    answers = {}
    for target in PROGRAMS:
        # A package of Debian takes the program from here, too.
        shutil.copy(program(target), STAGE / "centipawn")
        archive = PACKAGES / f"centipawn-{version()}-{target}.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            for path in sorted(STAGE.iterdir()):
                tar.add(path, f"{folder_of(archive)}/{path.name}")
        with tempfile.TemporaryDirectory() as folder:
            run("tar", "-xzf", archive, "-C", folder)
            answers[target] = try_program([*EMULATORS.get(target, []), f"{folder}/{folder_of(archive)}/centipawn"])
    compare(answers[native], [answers[target] for target in EMULATORS])
    return ", ".join(f"{target.split('-')[0]} {size(PACKAGES / f'centipawn-{version()}-{target}.tar.gz')}" for target in PROGRAMS)


def systems():
    """The crates compile for Windows and macOS without warnings."""
    for target, parts in SYSTEMS.items():
        run("rustup", "target", "add", target, stderr=subprocess.DEVNULL)
        run("cargo-zigbuild", "check", "--locked", "--quiet", "--workspace", *parts, "--target", target,
            env={**environment, "CARGO_TARGET_DIR": str(ROOT / "target/systems"),
                 "RUSTC_WORKSPACE_WRAPPER": str(ROOT / "scripts/linting_rustc.sh")})
    return ", ".join(SYSTEMS)


def try_program(command):
    """A review with the real engine, and answers whose numbers do not depend on the machine."""
    check(version() in output(*command, "--version"), "it has another version")
    review = output(*command, "review", "examples/opera-game.pgn", "--nodes", "20000", "-q")
    check("Morphy" in review, "a review shows no players")
    return [documents(output(*command, *question, "-q")) for question in QUESTIONS] + [review]


def documents(text):
    """The JSON values that follow each other in a text."""
    found, place = [], 0
    while place < len(text):
        value, place = json.JSONDecoder().raw_decode(text, place)
        place += len(text[place:]) - len(text[place:].lstrip())
        found.append(value)
    return found


def compare(expected, others):
    """The last digits may differ: processors sum a network's 32-bit numbers in different orders, and each system has its own logarithms."""

    def is_close(a, b):
        if isinstance(a, dict):
            return a.keys() == b.keys() and all(is_close(a[key], b[key]) for key in a)
        if isinstance(a, list):
            return len(a) == len(b) and all(map(is_close, a, b))
        return abs(a - b) <= 1e-4 * max(1.0, abs(a)) if isinstance(a, float) else a == b

    for other in others:
        for question, a, b in zip([*QUESTIONS, ["review"]], expected, other, strict=True):
            check(is_close(a, b), f"`centipawn {' '.join(question)}` has other numbers on another processor")


def deb():
    """Debian packages: checked by lintian, then installed, tried and removed in a clean Debian."""
    run("scripts/cargo_tool.sh", "cargo-deb")
    now = output("date", "--rfc-email").strip()
    maintainer = re.search(r'^maintainer = "(.*)"', (ROOT / "crates/cli/Cargo.toml").read_text(), re.M)[1]
    (STAGE / "changelog.Debian").write_text(
        f"centipawn ({version()}-1) stable; urgency=medium\n\n  * Version {version()}; CHANGELOG.md says what changed.\n\n -- {maintainer}  {now}\n")
    for target in PROGRAMS:
        shutil.copy(program(target), STAGE / "centipawn")
        run("cargo", "deb", "-p", "centipawn", "--profile", "dist", "--target", target, "--no-build", "--no-strip", "-o", f"{PACKAGES}/")
    package = PACKAGES / f"centipawn_{version()}-1_amd64.deb"
    run("lintian", "--fail-on", "error", "--suppress-tags", "statically-linked-binary,embedded-library", package)
    contents = output("dpkg-deb", "--contents", package)
    for path in ["usr/bin/centipawn", "usr/share/man/man1/centipawn.1.gz", "usr/lib/systemd/system/centipawn-worker.service"]:
        check(f"./{path}\n" in contents, f"the package has no {path}")
    root = [] if os.geteuid() == 0 else ["sudo"]
    with tempfile.TemporaryDirectory() as folder:
        clean = f"{folder}/debian"
        run(*root, "debootstrap", "--variant=minbase", "bookworm", clean, stdout=subprocess.DEVNULL)
        before = listing(root, clean)
        run(*root, "cp", package, f"{clean}/package.deb")
        run(*root, "cp", ROOT / "examples/opera-game.pgn", f"{clean}/game.pgn")
        inside = [*root, "chroot", clean]
        run(*inside, "dpkg", "--install", "/package.deb", stdout=subprocess.DEVNULL)
        check(version() in output(*inside, "centipawn", "--version"), "the installed program has another version")
        check(re.search(r"^Games +1$", output(*inside, "centipawn", "pgn", "stats", "/game.pgn"), re.M), "the installed program reads no game")
        run(*inside, "dpkg", "--purge", "centipawn", stdout=subprocess.DEVNULL)
        run(*root, "rm", f"{clean}/package.deb", f"{clean}/game.pgn")
        left = listing(root, clean) - before
        check(not left, f"the package left {sorted(left)[:5]}")
        run(*root, "rm", "-rf", clean)
    return ", ".join(f"{name} {size(PACKAGES / f'centipawn_{version()}-1_{name}.deb')}" for name in PROGRAMS.values())


def listing(root, folder):
    """The files of a system, without what dpkg notes for itself."""
    own = re.compile(r"\./(var/lib/dpkg|var/log|proc|sys|dev)/")
    found = output(*root, "find", ".", "-not", "-type", "d", cwd=folder)
    return {path for path in found.splitlines() if not own.match(path)}


def wheel():
    """The Python package for glibc 2.17, and its sources; installed into an empty environment."""
    run("rustup", "target", "add", WHEEL, stderr=subprocess.DEVNULL)
    manifest = ["-m", "crates/python/Cargo.toml", "-o", PACKAGES]
    run(TOOLS / "maturin", "build", "--locked", "--profile", "dist", "--zig", "--compatibility", "manylinux2014", "--target", WHEEL, *manifest,
        env={**environment, "CARGO": str(ROOT / "scripts/auditable.sh")})
    run(TOOLS / "maturin", "sdist", *manifest)
    [built] = PACKAGES.glob(f"centipawn-{version()}-cp310-abi3-manylinux*_x86_64.whl")
    with tempfile.TemporaryDirectory() as folder:
        run("scripts/pinned.sh", f"{folder}/bare", "bare")
        run(f"{folder}/bare/bin/pip", "install", "--quiet", "--no-index", built)
        run(f"{folder}/bare/bin/python", "-c", "import centipawn as cp; assert len(cp.scan('opera-game.pgn')['ply']) == 33", cwd=ROOT / "examples")
    return f"{built.name} {size(built)}"


def sdist():
    """The sources of the Python package, built as pip builds them."""
    archive = PACKAGES / f"centipawn-{version()}.tar.gz"
    with tempfile.TemporaryDirectory() as folder:
        run(TOOLS / "pip", "wheel", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", "-w", folder,
            "--config-settings=build-args=--profile=dev", archive, env={**environment, "CARGO_TARGET_DIR": str(ROOT / "target/sdist")})
        [built] = Path(folder).glob("*.whl")
        return f"{archive.name} builds {built.name}"


def crates():
    """Each crate is packed for the registry, and built from its package in the order of publishing."""
    # Cargo unpacks the packages into its home, by the path of this folder, and takes them for those of an earlier run with this version.
    home, target = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")), ROOT / "target/crates"
    for earlier in [*home.glob(f"registry/src/-*/centipawn*-{version()}"), *target.glob("debug/.fingerprint/centipawn*")]:
        shutil.rmtree(earlier)
    run("cargo", "package", "--locked", "--workspace", *(f"--exclude={name}" for name in UNPUBLISHED), "--allow-dirty", "--quiet",
        env={**environment, "CARGO_TARGET_DIR": str(target)})
    packed = sorted((target / "package").glob(f"*-{version()}.crate"))
    check_features([path.with_suffix("") for path in packed], target)
    return f"{len(packed)} crates, {sum(path.stat().st_size for path in packed) / 1e6:.1f} MB"


def check_features(packages, target):
    """Another project's program uses all crates. Its resolver gives the dependencies only the features that crates ask for; in the workspace
    they also have those that tests and macros ask for."""
    user = target / "user"
    (user / "src").mkdir(parents=True, exist_ok=True)
    (user / "src/main.rs").write_text("fn main() {}\n")
    paths = "".join(f'{package.name.removesuffix(f"-{version()}")} = {{ path = "{package}" }}\n' for package in packages)
    (user / "Cargo.toml").write_text(
        '[package]\nname = "user"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n'
        f"[dependencies]\n{paths}\n[patch.crates-io]\n{paths}")
    shutil.copy(ROOT / "Cargo.lock", user)
    run("cargo", "check", "--quiet", cwd=user, env={**environment, "CARGO_TARGET_DIR": str(target)})


def recipes():
    """Homebrew, Arch, Nix, winget: filled in from packaging/ with the hashes of the files, and checked by their tools."""
    zips = sorted(PACKAGES.glob("*windows*.zip"))
    check(zips or "GITHUB_ACTIONS" not in os.environ, "the program for Windows is missing")
    values = {
        "VERSION": version(), "HOMEPAGE": HOMEPAGE, "URL": URL, "SOURCE_SHA256": sha256(source_archive()),
        "WINDOWS_ZIP": zips[0].name if zips else f"centipawn-{version()}-x86_64-pc-windows-msvc.zip",
        # Without a build on Windows, the form alone is checked.
        "WINDOWS_SHA256": sha256(zips[0]).upper() if zips else "0" * 64,
    }
    folder = PACKAGES / "recipes"
    shutil.rmtree(folder, ignore_errors=True)
    for template in sorted((ROOT / "packaging").rglob("*.in")):
        text = re.sub(r"@([A-Z0-9_]+)@", lambda name: values[name[1]], template.read_text())
        path = folder / template.relative_to(ROOT / "packaging").with_suffix("")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    shutil.copy(ROOT / "Cargo.lock", folder / "nix")
    run("ruby", "-wc", folder / "homebrew/centipawn.rb", stdout=subprocess.DEVNULL)
    # Without a store: only its owner may use the one that Debian sets up.
    run("nix-instantiate", "--parse", folder / "nix/default.nix", stdout=subprocess.DEVNULL, env={**environment, "NIX_REMOTE": "dummy://"})
    run("shellcheck", "--shell=bash", "--exclude=SC2034,SC2154,SC2164", folder / "aur/PKGBUILD")
    info = source_info(folder / "aur/PKGBUILD")
    check(f"pkgver = {version()}" in info, "makepkg reads another version")
    (folder / "aur/.SRCINFO").write_text(info)
    for path in (folder / "winget").glob("*.yaml"):
        keys = set(re.findall(r"^(\w+):", path.read_text(), re.M))
        kind = re.search(r"^ManifestType: (\w+)$", path.read_text(), re.M)[1]
        check(WINGET[kind] <= keys, f"{path.name} lacks {sorted(WINGET[kind] - keys)}")
    return "Homebrew, Arch, Nix, winget" + ("" if zips else " (form only: no program for Windows was built)")


def source_info(recipe):
    """What makepkg reads in a recipe. It does not run as root, and requires a program that PACMAN names."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(recipe, folder)
        other = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        if other:
            shutil.chown(folder, "nobody")
        return output(*other, "makepkg", "--printsrcinfo", cwd=folder, env={**environment, "HOME": folder, "PACMAN": "true"})


def bill():
    """CycloneDX: the crates in the program, with versions, hashes and licences."""
    run("scripts/cargo_tool.sh", "cargo-cyclonedx")
    run("cargo", "cyclonedx", "--manifest-path", "crates/cli/Cargo.toml", "--format", "json", "--override-filename", "bill", "--quiet")
    path = PACKAGES / f"centipawn-{version()}.cdx.json"
    shutil.move(ROOT / "crates/cli/bill.json", path)
    for stray in ROOT.glob("crates/*/bill.json"):
        stray.unlink()
    document = json.loads(path.read_text())
    check(document["bomFormat"] == "CycloneDX" and document["metadata"]["component"]["version"] == version(), "the bill has another form")
    unlicensed = [part["name"] for part in document["components"] if not part.get("licenses")]
    check(not unlicensed, f"no licence is known of {unlicensed}")
    return f"{len(document['components'])} components"


def sums():
    """SHA-256 of every file. The workflow signs a statement about them (SLSA provenance)."""
    files = sorted(path for path in PACKAGES.rglob("*") if path.is_file() and path.name != "SHA256SUMS" and path.suffix != ".sha256")
    others = [path.name for path in files if path.parent == PACKAGES and version() not in path.name]
    check(not others, f"target/packages has files of another version: {others}")
    # What other machines built arrived as they built it.
    for path in PACKAGES.glob("*.sha256"):
        run("sha256sum", "--check", "--quiet", path.name, cwd=PACKAGES)
    (PACKAGES / "SHA256SUMS").write_text("".join(f"{sha256(path)}  {path.relative_to(PACKAGES)}\n" for path in files))
    return f"{len(files)} files"


def workflow():
    """The release workflow asks for all steps of this script, and publishes the same crates."""
    text = (ROOT / ".github/workflows/release.yml").read_text()
    asked = re.findall(r"scripts/release\.py([^\n]*)", text)
    named = {step for line in asked for step in line.split()}
    check(named <= set(STEPS), f"the workflow asks for unknown steps: {sorted(named - set(STEPS))}")
    missing = set(STEPS) - named
    check(not missing, f"the workflow leaves out {sorted(missing)}")
    check(re.findall(r"--exclude (\S+)", text) == UNPUBLISHED, f"the workflow should leave out {UNPUBLISHED}")
    run(TOOLS / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", *sorted((ROOT / ".github/workflows").glob("*.yml")),
        stdout=subprocess.DEVNULL)
    return f"{len(named)} steps"


STEPS = {step.__name__: step for step in [versions, workflow, source, programs, systems, deb, wheel, sdist, crates, recipes, bill, sums]}


def size(path):
    return f"{path.stat().st_size / 1e6:.1f} MB"


def main():
    asked = sys.argv[1:] or list(STEPS)
    unknown = [name for name in asked if name not in STEPS]
    check(not unknown, f"unknown steps: {' '.join(unknown)}; there are {' '.join(STEPS)}")
    if not sys.argv[1:]:
        shutil.rmtree(PACKAGES, ignore_errors=True)
    PACKAGES.mkdir(parents=True, exist_ok=True)
    run("scripts/pinned.sh", "target/release-tools", "release")
    run("scripts/cargo_tool.sh", "cargo-auditable")
    for name in asked:
        print(f"{name}: {STEPS[name].__doc__.splitlines()[0]}", flush=True)
        begin = time.monotonic()
        result = STEPS[name]()
        print(f"{name}: {result} ({time.monotonic() - begin:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
