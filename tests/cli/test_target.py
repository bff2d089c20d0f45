"""`--target`: the same program on another machine, by stand-ins of ssh and adb whose device is a folder."""

import io
import os
import signal
import sys
import tarfile
import time
import unittest

import run_support as support
from target_support import TargetTest, write_program

# A program that takes no time: it writes its output.
SMALL = b"""#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" != --output ] || echo trace > "$2"; shift; done
"""


class BySsh(TargetTest):
    def test_target__profile_records_there_and_shows_here(self):
        words = ("profile", self.model(), "--etrecord", self.model(file="model.etrecord"), "--group-by", "source",
                 "--runs", "7", "-o", "trace.etdp", "--report", "report.html")  # fmt: skip
        done = self.call(*words)
        self.assertRegex(done.stdout, r"Execute - method forward - 7 runs")
        self.assertIn("models/zoo.py:16", done.stdout)
        self.assertIn(f"note: {self.target}: pushing the program, ", done.stderr)
        self.assertIn(f"note: {self.target}: pushing {self.model()}, 5.4 KiB", done.stderr)
        self.assertGreater((self.folder / "report.html").stat().st_size, 100_000)
        shown = support.call("inspect", "trace.etdp", "--program", self.model(), "--etrecord",
                             self.model(file="model.etrecord"), "--group-by", "source", cwd=self.folder)
        self.assertEqual(shown.stdout, done.stdout)
        # The ETRecord stays here but for its inputs; what is there is not pushed again.
        self.assertIn("pushing the ETRecord's inputs, 372 B", done.stderr)
        self.assertEqual(len(list((self.root() / "files").iterdir())), 2)
        self.assertNotIn("pushing", self.call(*words).stderr)
        self.assertEqual(self.left(), [])

    def test_target__outputs_come_back(self):
        self.call("run", self.model(), "--inputs", "ones", "--capture", "intermediates", "-o", "trace.etdp",
                  "--debug-buffer", "debug.bin")  # fmt: skip
        here = support.call("run", self.model(), "--inputs", "ones", "--capture", "intermediates", "-o", "here.etdp",
                            "--debug-buffer", "here.bin", cwd=self.folder)  # fmt: skip
        self.assertEqual(here.returncode, support.OK, here.stderr)
        self.assertEqual((self.folder / "debug.bin").read_bytes(), (self.folder / "here.bin").read_bytes())
        done = support.call("tensors", "trace.etdp", "--debug-buffer", "debug.bin", cwd=self.folder)
        self.assertEqual(done.returncode, support.OK, done.stderr)
        self.assertEqual(self.left(), [])

    def test_target__files_of_one_name_are_told_apart(self):
        for value in (1, 2):
            (self.folder / str(value)).mkdir()
            support.write_npy(self.folder / str(value) / "x.npy", "<f4", (2, 16), [value] * 32)
        outputs = [self.call("run", self.model(), "--input", f"{value}/x.npy").stdout for value in (1, 2)]
        here = [support.call("run", self.model(), "--input", f"{value}/x.npy", cwd=self.folder).stdout
                for value in (1, 2)]
        timeless = [[line for line in text.splitlines() if "wall time" not in line] for text in outputs + here]
        self.assertEqual(timeless[:2], timeless[2:])
        self.assertNotEqual(outputs[0], outputs[1])

    def test_target__an_input_of_any_name_leaves_what_is_there_whole(self):
        for name in ("code", "gone", "out0", "0", "1", "code"):
            (self.folder / name).write_bytes(self.model().read_bytes())
            self.call("run", name, "-o", "trace.etdp")
            (self.folder / name).unlink()
        (file,) = (self.root() / "files").iterdir()
        self.assertEqual(file.read_bytes(), self.model().read_bytes())
        self.assertEqual(file.stat().st_mode & 0o777, 0o400)
        self.assertEqual(self.left(), [])

    def test_target__a_file_that_was_damaged_there_is_pushed_again(self):
        self.call("run", self.model())
        (file,) = (self.root() / "files").iterdir()
        file.chmod(0o600)
        file.write_bytes(b"0\n")
        self.assertIn("pushing", self.call("run", self.model()).stderr)
        self.assertEqual(file.read_bytes(), self.model().read_bytes())
        self.assertNotIn("pushing", self.call("run", self.model()).stderr)

    def test_target__verdicts_keep_their_exit_code(self):
        done = self.call("verify", self.model(file="model.bpte"))
        self.assertTrue(done.stdout.startswith("PASS 3 of 3 test cases"), done.stdout)
        done = self.call("verify", self.model(file="model.bpte"), "--rtol", "0", "--atol", "0",
                         "--rms", "0", code=support.NEGATIVE)  # fmt: skip
        self.assertIn("FAIL", done.stdout)
        done = self.call("run", self.model(), "--method", "nothing", code=support.USAGE)
        self.assertIn("etscope: model.pte: no method nothing; the program has forward", done.stderr)
        self.assertEqual(self.left(), [])

    def test_target__words_with_quotes_and_spaces_arrive_whole(self):
        done = self.call("run", self.model(), "--method", "it's $HOME `x`", code=support.USAGE)
        self.assertIn("no method it's $HOME `x`;", done.stderr)

    def test_target__recordings_have_processes_of_their_own_there(self):
        model = self.folder / "llm.pte"
        model.write_bytes((support.DATA / "llama" / "kv_sdpa.pte").read_bytes())
        words = ("generate", model, "--prompt", "4", "--new", "3", "--recordings", "3", "-o", "trace.etdp")
        done = support.call(*self.words(*words), cwd=self.folder, **self.environment())
        if done.returncode == support.UNAVAILABLE:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, support.OK, done.stderr)
        self.assertIn("of 3 recordings", done.stdout)
        for number in range(1, 4):
            self.assertGreater((self.folder / f"trace.recording-{number}.etdp").stat().st_size, 0)

    def sizes_there(self):
        return sorted(path.stat().st_size for path in (self.root() / "files").iterdir())

    def test_target__of_a_record_only_the_inputs_are_pushed(self):
        record = self.model(file="model.etrecord")
        for words in (("run", "--etrecord", record, "--inputs", "etrecord"), ("profile", "--etrecord", record),
                      ("run", "--etrecord", record)):  # fmt: skip
            name, *options = words
            there = self.call(name, self.model(), *options, "-o", "there.etdp", "--capture", "intermediates",
                              "--debug-buffer", "there.bin")  # fmt: skip
            here = support.call(name, self.model(), *options, "-o", "here.etdp", "--capture", "intermediates",
                                "--debug-buffer", "here.bin", cwd=self.folder)  # fmt: skip
            self.assertEqual(here.returncode, support.OK, here.stderr)
            self.assertEqual((self.folder / "there.bin").read_bytes(), (self.folder / "here.bin").read_bytes())
            notes = [line for line in here.stderr.splitlines() if "captured" not in line]
            self.assertLessEqual(set(notes), set(there.stderr.splitlines()))
        self.assertEqual(self.sizes_there(), [372, self.model().stat().st_size])

    def test_target__a_record_beside_the_program_is_used(self):
        for file in ("model.pte", "model.etrecord"):
            (self.folder / file).write_bytes(self.model(file=file).read_bytes())
        words = ("profile", "model.pte", "--group-by", "source")
        here = support.call(*words, cwd=self.folder)
        there = self.call(*words)
        self.assertIn("using model.etrecord beside the program; --no-siblings ignores it", there.stderr)
        self.assertIn("models/zoo.py:16", there.stdout)
        self.assertEqual("models/zoo.py:16" in here.stdout, True)
        (self.folder / "model.etrecord").write_bytes(self.model("types", "model.etrecord").read_bytes())
        done = self.call(*words)
        self.assertNotIn("zoo.py", done.stdout)
        self.assertRegex(done.stderr, "model.etrecord")

    def test_target__gap_captures_there_and_compares_here(self):
        (self.folder / "model.pte").write_bytes(self.model("mlp_portable").read_bytes())
        record = self.model("mlp_portable", "model.etrecord")
        done = self.call("gap", "model.pte", "--etrecord", record)
        support.call("run", "model.pte", "--etrecord", record, "--inputs", "etrecord", "--capture", "intermediates",
                     "-o", "gap.etdp", "--debug-buffer", "gap.bin", cwd=self.folder)  # fmt: skip
        here = support.call("gap", "gap.etdp", "--debug-buffer", "gap.bin", "--etrecord", record, "--program",
                            "model.pte", cwd=self.folder)  # fmt: skip
        self.assertEqual(here.returncode, support.OK, here.stderr)
        self.assertEqual(done.stdout, here.stdout)
        self.assertNotIn(record.stat().st_size, self.sizes_there())
        self.assertEqual(self.left(), [])
        done = self.call("gap", "model.pte", "--etrecord", record, "--fail-below", "1000", "--format", "json",
                         code=support.NEGATIVE)  # fmt: skip
        self.assertEqual(len(support.json_rows(done.stdout)), 4)
        self.assertIn("gap needs --etrecord", self.call("gap", "model.pte", code=support.USAGE).stderr)
        self.call("gap", "model.pte", "--etrecord", record, "--debug-buffer", "x.bin", code=support.USAGE)

    def test_target__several_recordings_are_made_in_turn(self):
        done = self.call("profile", self.model(), "--recordings", "2", "-o", "trace.etdp")
        self.assertIn("20 runs of 2 files", done.stdout)
        for number in (1, 2):
            self.assertGreater((self.folder / f"trace.recording-{number}.etdp").stat().st_size, 0)
        done = self.call("profile", self.model(), "--before", self.model("mlp_portable"), "--recordings", "2")
        self.assertRegex(done.stdout, "(?i)before")
        self.assertEqual(self.left(), [])

    def test_target__files_that_a_name_stands_for_come_back(self):
        done = self.call("profile", self.model(), "--threads", "1,2", "-o", "trace.etdp")
        self.assertRegex(done.stdout, "thread")
        self.call("run", self.model(), "--inputs", "ones", "--outputs", "out", "--output-file", "bytes")
        (self.folder / "folder").mkdir()
        self.call("run", self.model(file="model.bpte"), "--case", "0", "--case", "1", "--outputs", "folder/")
        found = sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*")
                       if path.suffix in (".etdp", ".npy", ".bin") and self.device not in path.parents)
        self.assertEqual(found, ["bytes-0.bin", "folder/0.0.npy", "folder/1.0.npy", "out.0.npy",
                                 "trace.threads-1.etdp", "trace.threads-2.etdp"])
        self.assertEqual(self.left(), [])

    def test_target__the_shared_connection_is_in_a_folder_that_no_other_user_can_write(self):
        path = self.folder / "modes"
        self.before(f"""path=$(printf '%s\\n' "$@" | sed -n 's/^-oControlPath=//p')
stat -c %a "$(dirname "$path")" >> {path}""")
        private = self.folder / "private"
        private.mkdir()
        for folder in (private, "/tmp"):
            with self.subTest(folder=folder):
                done = support.call(*self.words("run", self.model()), cwd=self.folder,
                                    **{**self.environment(), "TMPDIR": str(folder), "XDG_RUNTIME_DIR": "/tmp"})  # fmt: skip
                self.assertEqual(done.returncode, support.OK, done.stderr)
        self.assertEqual(set(path.read_text().splitlines()), {"700"})
        self.assertEqual(list(private.iterdir()), [])
        long = self.folder / ("n" * 90)
        long.mkdir()
        self.before("")
        done = support.call(*self.words("run", self.model()), cwd=self.folder,
                            **{**self.environment(), "TMPDIR": str(long)})  # fmt: skip
        self.assertEqual(done.returncode, support.OK, done.stderr)
        self.assertNotIn("Control", (self.device / "calls").read_text().splitlines()[-1])

    def test_target__two_at_once_share_what_they_push(self):
        both = [self.start("run", self.model(), "-o", f"{i}.etdp") for i in range(2)]
        for each in both:
            error = each.communicate(timeout=120)[1]
            self.assertEqual(each.returncode, support.OK, error)
        self.assertEqual(len(list((self.root() / "bundles").iterdir())), 1)
        self.assertEqual(self.left(), [])
        for i in range(2):
            self.assertGreater((self.folder / f"{i}.etdp").stat().st_size, 0)

    def test_target__nothing_runs_on_when_this_side_is_killed(self):
        running = self.start_long_run()
        running.send_signal(signal.SIGKILL)
        running.wait()
        self.wait_until(lambda: not self.left() and not self.processes())

    def test_target__an_interrupt_ends_both_sides_and_leaves_no_file(self):
        running = self.start_long_run()
        running.send_signal(signal.SIGTERM)
        self.assertEqual(running.wait(timeout=60), 128 + signal.SIGTERM)
        self.wait_until(lambda: not self.left() and not self.processes())
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])


class WhatGoesWrong(TargetTest):
    def setUp(self):
        super().setUp()
        self.runtime = self.folder / "small.tar"
        with tarfile.open(self.runtime, "w") as tar:
            info = tarfile.TarInfo("start")
            info.size, info.mode = len(SMALL), 0o755
            tar.addfile(info, io.BytesIO(SMALL))

    def words(self, *words):
        return [*super().words(*words), "--target-runtime", self.runtime]

    def test_target__a_connection_that_is_refused_is_said(self):
        self.before("exit 255")
        done = self.call("run", self.model(), "-o", "trace.etdp", code=support.UNAVAILABLE)
        self.assertIn("etscope: ssh:me@board: its shell: the connection was refused or lost; `ssh me@board` must "
                      "work without a question", done.stderr)
        self.assertFalse((self.folder / "trace.etdp").exists())

    def test_target__a_cable_that_is_pulled_at_any_step_leaves_nothing_half_written(self):
        self.call("run", self.model(), "-o", "trace.etdp")
        whole = self.calls()
        for step in range(1, whole + 1):
            for again in (False, True):  # a device that has nothing, and one that has everything
                with self.subTest(step=step, again=again):
                    self.device = self.folder / f"device{step}{again}"
                    self.device.mkdir()
                    self.before("")
                    if again:
                        self.call("run", self.model())
                        (self.device / "calls").unlink()
                    self.before(f'[ "$(wc -l < "$ETSCOPE_TEST_DEVICE/calls")" -eq {step} ] && exit 255')
                    (self.folder / "trace.etdp").unlink(missing_ok=True)
                    done = support.call(*self.words("run", self.model(), "-o", "trace.etdp"), cwd=self.folder,
                                        **self.environment())  # fmt: skip
                    calls = self.calls()
                    if calls >= step and not (done.returncode == support.OK and calls == step):
                        self.assertEqual(done.returncode, support.UNAVAILABLE, done.stderr)
                        self.assertFalse((self.folder / "trace.etdp").exists())
                    self.check_whole()
                    self.before("")
                    self.call("run", self.model(), "-o", "trace.etdp")

    def check_whole(self):
        """What is there is there as a whole, under its own name."""
        for folder in ("files", "bundles"):
            if (self.root() / folder).exists():
                for path in (self.root() / folder).iterdir():
                    self.assertRegex(path.name, "^[0-9a-f]{16}-[0-9]+$")

    def test_target__what_a_connection_that_ends_left_of_a_push_is_removed(self):
        self.before("""case $script in *'cat >'*'files/'*) script="head -c 99 | { $script; }" ;; esac""")
        self.call("run", self.model(), code=support.UNAVAILABLE)
        self.check_whole()
        for folder in ("files", "bundles"):
            left = self.root() / folder / "0123456789abcdef-5.1"
            left.write_text("")
            os.utime(left, (0, 0))
        self.before("")
        self.call("run", self.model())
        self.check_whole()

    def test_target__a_full_disk_there_is_said_and_mended_later(self):
        with tarfile.open(self.runtime, "a") as tar:
            info = tarfile.TarInfo("large")
            info.size = 1 << 20
            tar.addfile(info, io.BytesIO(bytes(info.size)))
        self.before("ulimit -f 64")
        done = self.call("run", self.model(), code=support.UNAVAILABLE)
        self.assertIn("cannot be copied there: is its disk full?", done.stderr)
        self.check_whole()
        self.before("")
        self.call("run", self.model())

    def test_target__names_of_files_there_decide_nothing_but_how_a_given_name_goes_on(self):
        (self.runtime, folder) = (self.folder / "own", self.folder / "results")
        for path in (self.runtime, folder):
            path.mkdir()
        (self.runtime / "start").write_bytes(SMALL + b"""
cd ..
mkdir -p out0/trace.folder out9
for F in evil trace.1.etdp .trace trace.folder/x trace.recording-1.etdp trace.recording-.etdp trace.recording-1.py \\
    trace.recording-1.etdp.py 'trace.recording-1\\..\\x.etdp' 'trace.threads-1:x.etdp' trace.etdp.sh .0.npy; do
    echo > "out0/$F"
done
echo > out9/trace; echo > evil; mkdir -p out1; echo > out1/trace.recording-1.etdp
""")
        (self.runtime / "start").chmod(0o755)
        self.call("run", self.model(), "-o", "results/trace.etdp")
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["trace.etdp", "trace.recording-1.etdp"])
        self.assertFalse((self.folder / "evil").exists())
        # A short stem, and the start of names.
        for path in ("makefile", "model.py", "m.recording-x.etdp", "p.py", "p.forward.0.npy"):
            (self.folder / path).write_text("mine")
        (self.runtime / "start").write_bytes(SMALL + b"""
cd ..
for F in makefile model.py m.recording-x.etdp m.recording-2.etdp; do echo > out0/$F; done
for F in p p.py p.forward.0.npy p.0.npy p.x.0.npy p.1.2.npy p-0.bin p-0.npy p..npy; do echo > out1/$F; done
for F in 0.npy 1-0.bin other.0.npy x.1.0.npy .0.npy; do echo > "out2/$F"; done
""")
        self.call("run", self.model(), "-o", "m.etdp", "--outputs", "p", "--output-file", "results/", "--method", "x")
        for path in ("makefile", "model.py", "m.recording-x.etdp", "p.py", "p.forward.0.npy"):
            self.assertEqual((self.folder / path).read_text(), "mine")
        self.assertEqual(sorted(path.name for path in self.folder.glob("p*")),
                         ["p-0.bin", "p.0.npy", "p.1.2.npy", "p.forward.0.npy", "p.py", "p.x.0.npy"])
        self.assertTrue((self.folder / "m.recording-2.etdp").exists())
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["0.npy", "1-0.bin", "trace.etdp", "trace.recording-1.etdp", "x.1.0.npy"])
        (self.runtime / "start").write_text("#!/bin/sh\n")
        self.assertIn("results/other.etdp was not written there",
                      self.call("run", self.model(), "-o", "results/other.etdp", code=support.INTERNAL).stderr)

    def test_target__other_words_are_refused(self):
        for target in ("board", "ssh:", "ssh:-oProxyCommand=x", "ssh:me@board:port", "adb:", "serial:x", "ssh:a b",
                       "ssh:me@", "ssh:me@:22", "ssh:me@[]", "ssh:me@[::1", "ssh:me@[::1]22", "ssh:me@board:123456789"):  # fmt: skip
            self.target = target
            done = self.call("run", self.model(), code=support.USAGE)
            self.assertIn(f'--target takes ssh:USER@HOST[:PORT] or adb[:SERIAL], not "{target}"', done.stderr)
        self.target = "ssh:me@board"
        for words in (("run", self.model(), "--python"), ("run",)):
            self.call(*words, code=support.USAGE)
        done = self.call("run", self.folder / "none.pte", code=support.INPUT)
        self.assertIn("none.pte: no such file", done.stderr)
        self.assertFalse((self.device / "calls").exists())

    def test_target__addresses_of_ipv6_are_those_of_ssh(self):
        for target, words in (("me@[::1]:22", "-p 22 me@::1"), ("me@[fe80::1%eth0]", "me@fe80::1%eth0"),
                              ("me@fe80::1", "me@fe80::1"), ("::1", "::1"), ("me@board:22", "-p 22 me@board")):  # fmt: skip
            self.target = f"ssh:{target}"
            (self.device / "calls").unlink(missing_ok=True)
            self.call("run", self.model())
            said = (self.device / "calls").read_text().partition(" exec sh ")[0]
            self.assertTrue(said.endswith(f" {words}"), said)
            self.assertEqual(words.startswith("-p"), " -p " in said, said)

    def test_target__an_interrupt_while_pushing_ends_both_sides_at_once(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                self.before(f"""case $script in *'cat >'*) : > {self.folder}/pushing; exec sleep 60 ;; esac""")
                (self.folder / "pushing").unlink(missing_ok=True)
                running = self.start("run", self.model())
                self.wait_until((self.folder / "pushing").exists)
                begun = time.time()
                running.send_signal(number)
                error = running.communicate(timeout=60)[1]
                self.assertEqual(running.returncode, 128 + number, error)
                self.assertNotIn("etscope: ", error)
                self.assertLess(time.time() - begun, 3)

    def test_target__a_run_whose_end_is_lost_leaves_no_folder(self):
        self.before("""case $script in *'cat code'*) exit 255 ;; esac""")
        self.call("run", self.model(), "-o", "trace.etdp", code=support.UNAVAILABLE)
        self.assertEqual(self.left(), [])
        self.before("""script=$(printf '%s' "$script" | sed 's/ln -s/false/')""")
        self.assertIn("the command cannot begin", self.call("run", self.model(), code=support.UNAVAILABLE).stderr)
        self.assertEqual(self.left(), [])

    def test_target__runs_of_a_day_ago_go_away_but_those_that_run(self):
        self.before("")
        for name, shell in (("old", "999999999"), ("running", str(os.getpid())), ("older", "")):
            path = self.root() / "runs" / name
            path.mkdir(parents=True)
            (path / "shell").write_text(shell)
            os.utime(path, (0, 0))
        self.call("run", self.model())
        self.assertEqual(self.left(), ["running"])

    def test_target__what_does_not_stop_there_is_killed(self):
        with tarfile.open(self.runtime, "w") as tar:
            text = f"#!/bin/sh\ntrap '' TERM INT\n: > {self.folder}/begun\nwhile :; do sleep 0.1; done\n".encode()
            info = tarfile.TarInfo("start")
            info.size, info.mode = len(text), 0o755
            tar.addfile(info, io.BytesIO(text))
        running = self.start("run", self.model())
        self.wait_until((self.folder / "begun").exists)
        running.send_signal(signal.SIGTERM)
        error = running.communicate(timeout=60)[1]
        self.assertEqual(running.returncode, 128 + signal.SIGTERM, error)
        self.assertEqual(self.left(), [])

    def test_target__the_login_shell_may_be_any_and_may_print(self):
        write_program(self.folder / "bin" / "is_words", f"""#!{sys.executable}
import re, sys
sys.exit(not re.fullmatch(r"exec sh -c '[^'!\\\\]*('\\\\['!\\\\]'[^'!\\\\]*)*'", sys.argv[1]))
""")
        # As fish and csh, it knows only words, and prints first.
        self.before(f"""{self.folder}/bin/is_words "$script" || {{ echo "unknown: $script" >&2; exit 127; }}
echo 'Welcome to board 7'; printf 'two!'""")
        self.call("run", self.model(), "-o", "it's!\\ here.etdp", "--method", "it's!\\")
        self.assertEqual((self.folder / "it's!\\ here.etdp").read_text(), "trace\n")
        self.assertNotIn("pushing", self.call("run", self.model(), "-o", "trace.etdp").stderr)
        self.assertEqual((self.folder / "trace.etdp").read_text(), "trace\n")

    def test_target__a_machine_and_an_exit_code_are_checked(self):
        for machine in ("../x86_64", "x86 64", "", "x" * 40):
            self.before(f"""script=$(printf '%s' "$script" | sed "s,uname -m,echo \\"{machine}\\",")""")
            self.assertIn("its shell did not answer", self.call("run", self.model(), code=support.UNAVAILABLE).stderr)
        for code in ("256", "99999999999999999999", "-1", "x"):
            self.before(f"""script=$(printf '%s' "$script" | sed "s,cat code,echo {code},")""")
            self.call("run", self.model(), code=support.UNAVAILABLE)
            self.assertEqual(self.left(), [])

    def test_target__a_folder_with_a_runtime_of_ones_own_is_packed_and_pushed_once(self):
        self.runtime = self.folder / "own"
        self.runtime.mkdir()
        self.call("run", self.model(), code=support.INPUT)
        (self.runtime / "start").write_bytes(SMALL)
        (self.runtime / "start").chmod(0o755)
        (self.runtime / "libown.so").write_bytes(b"own" * 1000)
        (self.runtime / "folder").mkdir()
        self.assertIn("pushing the program", self.call("run", self.model(), "-o", "trace.etdp").stderr)
        self.assertEqual((self.folder / "trace.etdp").read_text(), "trace\n")
        self.assertNotIn("pushing", self.call("run", self.model(), "-o", "trace.etdp").stderr)
        (bundle,) = (self.root() / "bundles").iterdir()
        self.assertEqual({path.name: path.read_bytes() for path in bundle.iterdir()},
                         {"start": SMALL, "libown.so": b"own" * 1000})
        self.assertTrue(os.access(bundle / "libown.so", os.X_OK))
        (self.runtime / "libown.so").write_bytes(b"other")
        self.assertIn("pushing the program", self.call("run", self.model()).stderr)
        (self.runtime / ("n" * 101)).write_text("")
        self.assertIn("a name of 100", self.call("run", self.model(), code=support.INPUT).stderr)

    def test_target__a_processor_without_a_bundle_is_said(self):
        self.before("""script=$(printf '%s' "$script" | sed "s/uname -m/echo riscv64/")""")
        done = support.call("run", self.model(), "--target", self.target, **self.environment())
        self.assertEqual(done.returncode, support.UNAVAILABLE)
        self.assertIn("ssh:me@board is riscv64, and there is no etscope-bundle-riscv64.tar: make it with `make bundle "
                      "TARGET=riscv64`, or name one with --target-runtime", done.stderr)

    def test_target__a_program_for_connections_that_is_missing_is_said(self):
        (self.folder / "ssh").unlink()
        done = self.call("run", self.model(), code=support.UNAVAILABLE)
        self.assertIn(f"etscope: {self.folder}/ssh: No such file or directory; install it, or name it in ETSCOPE_SSH",
                      done.stderr)
        done = support.call(*self.words("run", self.model()), cwd=self.folder,
                            **{**self.environment(), "ETSCOPE_SSH": "/none/adbtools/ssh"})  # fmt: skip
        self.assertIn("name it in ETSCOPE_SSH", done.stderr)


class ByAdb(TargetTest):
    target = "adb:serial"

    def test_target__adb_pushes_runs_and_pulls(self):
        done = self.call("profile", self.model(), "-o", "trace.etdp")
        self.assertIn("Execute - method forward - 10 runs", done.stdout)
        self.assertGreater((self.folder / "trace.etdp").stat().st_size, 0)
        self.assertEqual(self.left(), [])
        self.call("verify", self.model(file="model.bpte"), "--rtol", "0", "--atol", "0", "--rms", "0",
                  code=support.NEGATIVE)  # fmt: skip
        (self.folder / "-x.pte").write_bytes(self.model("mlp_portable").read_bytes())
        done = support.call("run", "--target", self.target, "--", "-x.pte", cwd=self.folder, **self.environment())
        self.assertEqual(done.returncode, support.OK, done.stderr)
        self.assertIn("push ./-x.pte ", (self.device / "calls").read_text())
        self.before("exit 1")
        self.call("run", self.model(), code=support.UNAVAILABLE)


if __name__ == "__main__":
    unittest.main()
