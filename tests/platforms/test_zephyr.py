"""The Zephyr module: its Kconfig, and examples/zephyr over a stand-in of Zephyr, in QEMU.

ETSCOPE names the binary, PLATFORMS_OUT the folder for builds.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import support

try:
    import kconfiglib
except ImportError:
    kconfiglib = None

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SAMPLE = ROOT / "examples" / "zephyr"
OUT = Path(os.environ.get("PLATFORMS_OUT", "build/platforms"))
TOOLS = {"clang": "clang", "ld.lld": "lld", "llvm-ar": "llvm", "cmake": "cmake", "qemu-system-arm": "qemu-system-arm"}
MISSING = sorted(package for tool, package in TOOLS.items() if shutil.which(tool) is None)
# What the module's file refers to, as ExecuTorch's module and Zephyr's kernel have it.
BESIDE = """
config EXECUTORCH
	bool "ExecuTorch Support"
config EXECUTORCH_ENABLE_EVENT_TRACER
	bool "Enable ExecuTorch event tracer"
	depends on EXECUTORCH
config MAIN_STACK_SIZE
	int "stack of main"
	default 1024
"""


def module():
    """The keys of module.yml: two levels, no lists."""
    keys, above = {}, ""
    for line in (ROOT / "zephyr" / "module.yml").read_text().splitlines():
        key, _, value = line.strip().partition(":")
        above = above if line.startswith(" ") else key
        keys[f"{above}.{key}" if line.startswith(" ") else key] = value.strip()
    return keys


def configure(lines, beside=BESIDE):
    """The configuration that Kconfig makes of lines CONFIG_...=...; returns the file's text and the warnings."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "Kconfig"
        root.write_text(f'{beside}\nsource "{ROOT / module()["build.kconfig"]}"\n')
        asked = Path(folder) / "asked"
        asked.write_text("\n".join(lines) + "\n")
        made = kconfiglib.Kconfig(str(root), warn_to_stderr=False)
        made.load_config(str(asked))
        made.write_config(str(asked))
        return asked.read_text(), made.warnings


@unittest.skipIf(kconfiglib is None, "Python's kconfiglib is missing")
class Kconfig(unittest.TestCase):
    def is_on(self, *lines, beside=BESIDE):
        text, warnings = configure(lines, beside)
        self.assertEqual(warnings, [])
        return "CONFIG_ETSCOPE=y\n" in text

    def test_zephyr__the_tracer_is_on_where_the_event_tracer_is(self):
        executorch, tracer = "CONFIG_EXECUTORCH=y", "CONFIG_EXECUTORCH_ENABLE_EVENT_TRACER=y"
        self.assertFalse(self.is_on())
        self.assertFalse(self.is_on(executorch))
        self.assertTrue(self.is_on(executorch, tracer))
        self.assertFalse(self.is_on(executorch, tracer, "# CONFIG_ETSCOPE is not set"))

    def test_zephyr__without_executorch_it_is_on_where_asked(self):
        self.assertFalse(self.is_on(beside=""))
        self.assertTrue(self.is_on("CONFIG_ETSCOPE=y", beside=""))


class Sample(unittest.TestCase):
    def test_zephyr__the_module_names_its_files(self):
        keys = module()
        self.assertEqual(keys.pop("name"), "etscope")
        self.assertEqual(keys, {"build": "", "build.cmake": "zephyr", "build.kconfig": "zephyr/Kconfig"})
        self.assertTrue((ROOT / "zephyr" / "CMakeLists.txt").is_file())

    def build(self, config):
        folder = OUT.resolve() / "zephyr"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "dotconfig").write_text(config)
        environment = {word: value for word, value in os.environ.items() if word not in ("CC", "CFLAGS", "LDFLAGS")}
        commands = (["cmake", "-S", SAMPLE, "-B", folder, f"-DZephyr_DIR={HERE / 'zephyr_package'}",
                     f"-DETS_DOTCONFIG={folder / 'dotconfig'}"], ["cmake", "--build", folder])
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
            if done.returncode != 0:
                return None, done.stdout + done.stderr
        return folder, ""

    @unittest.skipIf(MISSING, "the packages " + " ".join(MISSING) + " are missing")
    @unittest.skipIf(kconfiglib is None, "Python's kconfiglib is missing")
    def test_zephyr__the_sample_prints_a_trace(self):
        folder, errors = self.build("# CONFIG_ETSCOPE is not set\n")
        self.assertIsNone(folder)
        self.assertIn("text/text_sink.h", errors)
        config, warnings = configure((SAMPLE / "prj.conf").read_text().splitlines())
        self.assertEqual(warnings, [])
        folder, errors = self.build(config)
        self.assertIsNotNone(folder, errors)
        subprocess.run(["qemu-system-arm", "-M", "mps2-an385", "-nographic", "-monitor", "none", "-icount", "6",
                        "-semihosting-config", "enable=on,target=native", "-serial", "file:console.log",
                        "-kernel", "zephyr.elf"], cwd=folder, timeout=60, check=True, capture_output=True)
        log = (folder / "console.log").read_bytes()
        self.assertTrue(log.endswith(b"done\r\n"), log[-200:])
        (folder / "trace.etdp").unlink(missing_ok=True)
        done = support.run("recover", folder / "console.log", "-o", folder / "trace.etdp", "-f", "json")
        self.assertEqual((done.returncode, done.stderr), (support.OK, b""))
        stream = support.json_rows(done.stdout)[0]["stream"]
        self.assertEqual([stream[name] for name in ("lost_frames", "dropped_events", "finished")], [0, 0, True])
        table = support.json_rows(support.run("inspect", folder / "trace.etdp", "-f", "json").stdout)
        self.assertEqual([(row["operator"], row["runs"]) for row in table], [("Method::execute", 20), ("scale", 20), ("linear", 20)])
        self.assertTrue(all(row["min_ns"] > 0 for row in table))


if __name__ == "__main__":
    unittest.main()
