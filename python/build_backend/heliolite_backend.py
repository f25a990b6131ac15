"""The build backend of `pip install .` (PEP 517): CMake compiles the extension module, the wheel is a zip file. It
needs nothing but the standard library, so that pip has nothing to fetch.

HELIOLITE_BUILD_DIR      where to build (default: build/release, the folder of ./heliolite, whose work is used)
HELIOLITE_CMAKE_OPTIONS  further options for cmake, separated by spaces

As a program it writes the wheel into the folder that is named, or into build/.
"""
import base64
import fcntl
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = "pybind11-dev and python3-dev, and those that ./heliolite --packages build installs"


def _version():
    return re.search(r"project\(heliolite VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def _project(key):
    return re.search(rf'^{key} = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE).group(1)


def _tag():
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{platform}"


def _metadata():
    """The files of the folder heliolite-VERSION.dist-info but RECORD, by name."""
    head = ["Metadata-Version: 2.1", "Name: heliolite", f"Version: {_version()}", f"Summary: {_project('description')}",
            f"Requires-Python: {_project('requires-python')}", "Description-Content-Type: text/markdown", ""]
    wheel = ["Wheel-Version: 1.0", "Generator: heliolite_backend", "Root-Is-Purelib: false", f"Tag: {_tag()}", ""]
    guide = (ROOT / "python" / "README.md").read_text()
    return {"METADATA": "\n".join(head) + "\n" + guide, "WHEEL": "\n".join(wheel),
            "LICENSE": (ROOT / "LICENSE").read_text()}


def _run(*command):
    try:
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise SystemExit(f"heliolite: {command[0]} is not installed; the build needs the Debian packages {PACKAGES}")
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"heliolite: {' '.join(command[:2])} .. failed with code {error.returncode}, see above; "
                         f"the build needs the Debian packages {PACKAGES}")


def _build_folder():
    return pathlib.Path(os.environ.get("HELIOLITE_BUILD_DIR") or ROOT / "build" / "release").resolve()


def _compile():
    """Builds the package for this interpreter and returns its folder. One set-up at a time, as in ./heliolite."""
    build = _build_folder()
    build.mkdir(parents=True, exist_ok=True)
    with open(build / "launcher.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        options = ["-DHELIOLITE_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}"]
        if not (build / "build.ninja").exists():
            options += ["-DCMAKE_BUILD_TYPE=Release", "-DHELIOLITE_UNITY=ON", "-DHELIOLITE_TESTS=OFF",
                        "-DHELIOLITE_BENCH=OFF"]
        elif f"CMAKE_HOME_DIRECTORY:INTERNAL={ROOT}\n" not in (build / "CMakeCache.txt").read_text():
            options += ["--fresh", "-DCMAKE_BUILD_TYPE=Release", "-DHELIOLITE_UNITY=ON"]  # a checkout that was moved
        options += os.environ.get("HELIOLITE_CMAKE_OPTIONS", "").split()
        _run("cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", *options)
        if "heliolite_python" not in (build / "build.ninja").read_text():
            raise SystemExit(f"heliolite: cmake found no pybind11 or no headers of {sys.executable}; the build needs "
                             f"the Debian packages {PACKAGES}")
        _run("cmake", "--build", str(build), "--target", "heliolite_python", "heliolite_python_files")
    return build / "python" / "heliolite"


def _package_files(folder):
    """What belongs to the package for this interpreter: other ones may have left modules of their own beside it."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    module = folder / f"_core{suffix}"
    if not module.exists():
        raise SystemExit(f"heliolite: {module} was not built")
    return [module] + sorted(folder / path.name for path in (ROOT / "python" / "heliolite").iterdir() if path.is_file())


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its name."""
    info = f"heliolite-{_version()}.dist-info"
    content = {f"heliolite/{path.name}": path.read_bytes() for path in _package_files(_compile())}
    content.update({f"{info}/{name}": text.encode() for name, text in _metadata().items()})
    record = []
    for name, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}\n")
    content[f"{info}/RECORD"] = "".join(record + [f"{info}/RECORD,,\n"]).encode()
    wheel = f"heliolite-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes the metadata, for which nothing has to be built, and returns the folder's name."""
    info = f"heliolite-{_version()}.dist-info"
    folder = pathlib.Path(metadata_directory) / info
    folder.mkdir()
    for name, text in _metadata().items():
        (folder / name).write_text(text)
    return info


def build_sdist(sdist_directory, config_settings=None):
    """Writes an archive of the files under version control and returns its name."""
    base = f"heliolite-{_version()}"
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True).stdout
    with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in listed.decode().rstrip("\0").split("\0"):
            archive.add(ROOT / name, f"{base}/{name}", recursive=False)
        info = pathlib.Path(sdist_directory) / "PKG-INFO"
        info.write_text(_metadata()["METADATA"])
        archive.add(info, f"{base}/PKG-INFO")
        info.unlink()
    return base + ".tar.gz"


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    target.mkdir(parents=True, exist_ok=True)
    print(target / build_wheel(target))
