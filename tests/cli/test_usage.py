"""Words that are off, where results go, and what happens when they cannot."""

import json
import os
import pathlib
import re
import shlex
import shutil
import stat
import subprocess
import tempfile
import unittest

import support

DUMP = support.fixture("mlp_portable", "profile.etdp")
COMMANDS = support.commands()


class Words(unittest.TestCase):
    def complaint(self, *words, code=support.USAGE):
        done = support.run(*words)
        self.assertEqual((done.returncode, done.stdout), (code, b""), done.stderr)
        text = done.stderr.decode()
        self.assertEqual(text.count("\n"), 1)
        self.assertTrue(text.startswith("etscope: "), text)
        return text

    def test_usage__without_words_the_overview_is_a_complaint(self):
        done = support.run()
        self.assertEqual((done.returncode, done.stdout), (support.USAGE, b""))
        for command in COMMANDS:
            self.assertIn(command, done.stderr.decode())

    def test_usage__a_mistyped_command_gets_the_nearest(self):
        self.assertIn("did you mean inspect?", self.complaint("inspct", DUMP))
        self.assertIn("did you mean profile?", self.complaint("proflie"))
        self.assertIn("did you mean inspect?", self.complaint("insp", DUMP))
        self.assertIn("did you mean inspect?", self.complaint("help", "inspcet"))
        self.assertIn("did you mean delegates?", self.complaint("help", "del"))
        self.assertIn("did you mean generate, or profile for models", self.complaint("bench", "m.pte"))
        self.assertIn("`etscope --help` lists the commands", self.complaint(""))
        self.assertIn("`etscope --help` lists the commands", self.complaint("xyzzyxyzzy"))
        self.assertIn("unknown command xyzzy", self.complaint("help", "xyzzy"))

    def test_usage__a_mistyped_option_gets_the_nearest(self):
        self.assertIn("inspect has no option --etrecrod; did you mean --etrecord?",
                      self.complaint("inspect", DUMP, "--etrecrod", "x"))
        self.assertIn("did you mean --group-by?",
                      self.complaint("inspect", DUMP, "--groupby=op"))
        self.assertIn("`etscope inspect --help` lists its options",
                      self.complaint("inspect", DUMP, "--utterly-different"))

    def test_usage__options_of_every_command(self):
        self.assertIn("unknown option --verison; did you mean --version?",
                      self.complaint("--verison"))
        self.assertIn("unknown option --hlep; did you mean --help?", self.complaint("--hlep"))
        self.assertIn("expected a command before --top:", self.complaint("--top", "3"))
        self.assertIn("--help takes no value", self.complaint("inspect", DUMP, "--help=sort"))
        self.assertIn("inspect has no option --halp; did you mean --help?",
                      self.complaint("inspect", DUMP, "--halp"))

    def test_usage__a_mistyped_choice_gets_the_list(self):
        self.assertIn('--format takes one of table|tsv|csv|json|jsonl|markdown|upstream, not "tvs"',
                      self.complaint("inspect", DUMP, "--format", "tvs"))
        for wrong in ("", "t", "table|tsv", "TABLE", "|"):
            self.assertIn("--format takes one of",
                          self.complaint("inspect", DUMP, f"--format={wrong}"))

    def test_usage__a_missing_value_is_named(self):
        self.assertIn("--etrecord needs a value: FILE",
                      self.complaint("inspect", DUMP, "--etrecord"))
        self.assertIn("--all takes no value", self.complaint("inspect", DUMP, "--all=yes"))
        self.assertIn("inspect needs a trace", self.complaint("inspect"))
        self.assertIn("inspect reads one trace",
                      self.complaint("inspect", DUMP, "--etdump", DUMP))

    def test_usage__numbers_are_whole_and_in_range(self):
        for option, value in (("--top", "-1"), ("--top", "3x"), ("--top", ""), ("--width", "19"),
                              ("--run", "-1"), ("--top", "99999999999999999999")):
            self.assertIn(f'{option} takes a whole number',
                          self.complaint("inspect", DUMP, option, value))
        self.assertIn("--run 6: the trace has 6 runs, counted from 0",
                      self.complaint("inspect", DUMP, "--run", "6"))

    def test_usage__a_mistyped_block_gets_the_list(self):
        text = self.complaint("inspect", DUMP, "--block", "Exceute")
        self.assertIn('the trace has no block "Exceute"; its blocks are 0 Default, 1 Execute', text)

    def test_usage__cycles_are_no_time(self):
        for words in (("--source-time-scale", "cycles", "--target-time-scale", "ms"),
                      ("--target-time-scale", "cycles")):
            self.assertIn("cycles cannot be converted to time",
                          self.complaint("inspect", DUMP, *words))

    def test_usage__missing_files_are_named(self):
        for words in (("inspect", "no/such.etdp"), ("inspect", DUMP, "--etrecord", "no/such"),
                      ("inspect", DUMP, "--program", "no/such"),
                      ("inspect", DUMP, "--debug-buffer", "no/such")):
            text = self.complaint(*words, code=support.INPUT)
            self.assertIn("no/such", text)
            self.assertIn("no such file", text)
        self.assertIn("is a directory", self.complaint("inspect", support.DATA, code=support.INPUT))

    def test_usage__everything_behind_two_dashes_is_a_word(self):
        self.assertIn("--format: no such file",
                      self.complaint("inspect", "--", "--format", code=support.INPUT))

    def test_usage__version_and_help_are_results(self):
        for words in (("--version",), ("--help",), ("-h",), ("help",),
                      *((command, "--help") for command in COMMANDS),
                      *((command, "--no-such", "-h") for command in COMMANDS),
                      *(("help", command) for command in COMMANDS)):
            done = support.run(*words)
            self.assertEqual((done.returncode, done.stderr), (0, b""), words)
            self.assertTrue(done.stdout.endswith(b"\n"))

    def test_usage__help_is_in_groups(self):
        overview = support.run("help").stdout.decode()
        tasks = {name: set(re.findall(r"^  (\w+)", body, re.MULTILINE)) for name, body in
                 re.findall(r"^(\w+):\n((?:  .*\n)+)", overview, re.MULTILINE)}
        self.assertEqual(list(tasks), ["measure", "understand", "compare", "check", "data", "etscope"])
        self.assertEqual(sum(map(len, tasks.values())), len(COMMANDS))
        self.assertEqual(set().union(*tasks.values()), set(COMMANDS))
        for command in COMMANDS:
            text = support.run(command, "--help").stdout.decode()
            groups = re.findall(r"^(input|options|filter|output|advanced):\n", text, re.MULTILINE)
            self.assertEqual(groups, sorted(set(groups), key=("input", "options", "filter", "output",
                                                              "advanced").index), command)
            if "  -f, --format" in text:
                self.assertIn("output", groups)
        text = support.run("inspect", "--help").stdout.decode()
        for group, option in (("input", "--etrecord"), ("filter", "--module"), ("output", "--color"),
                              ("options", "--group-by"), ("advanced", "--partial")):
            part = text.split(f"\n{group}:\n")[1].split("\n\n")[0]
            self.assertRegex(part, rf"(?m)^  (?:-\w, )?{option}\b")

    def test_usage__completion_scripts_parse(self):
        for shell, words in (("bash", ("-n",)), ("zsh", ("-n",)), ("fish", ("--no-execute",))):
            done = support.run("help", "--completion", shell)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            for command in COMMANDS:
                self.assertIn(command, done.stdout.decode())
            if shutil.which(shell):
                with tempfile.NamedTemporaryFile() as script:
                    script.write(done.stdout)
                    script.flush()
                    subprocess.run([shell, *words, script.name], check=True)

    def questions(self):
        """Lines to complete, and what is offered."""
        trace = support.fixture("gpt_xnnpack", "profile.etdp")
        *_, record = map(str, support.with_record("gpt_xnnpack"))
        modules = ["blocks.0.ln1", "blocks.0.ln2", "blocks.0.qkv"]
        return ((f"inspect {trace} --columns op", ["operator", "op_types"]),
                (f"inspect {trace} --columns operator,mi", ["operator,mid", "operator,min"]),
                ("inspect nothing --columns op", []), ("help ga", ["gap", "gate"]),
                (f"inspect {trace} --etrecord {record} --module blocks.0.", modules),
                (f"inspect {trace} --etrecord {record} --module zz", []))

    def environment(self):
        binary = pathlib.Path(shutil.which(support.ETSCOPE)).resolve().parent
        return {**os.environ, "PATH": f"{binary}:{os.environ['PATH']}"}

    @unittest.skipUnless(shutil.which("fish"), "needs fish")
    def test_usage__completion_in_fish_asks_files_for_columns_and_modules(self):
        for words, expected in self.questions():
            done = subprocess.run(
                ["fish", "--no-config", "-c", f"etscope help --completion fish | source; "
                                              f"complete -C 'etscope {words}'"],
                env=self.environment(), capture_output=True, check=True, text=True)
            found = [line.split("\t")[0] for line in done.stdout.splitlines()]
            with self.subTest(words=words):
                self.assertEqual(sorted(set(found) & set(expected)), sorted(expected))
                self.assertTrue(expected or not found, found)

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_usage__completion_in_zsh_asks_files_for_columns_and_modules(self):
        # a shell on a terminal of its own; what is offered goes to a file
        script = r"""
zmodload zsh/zpty
zpty shell "TERM=dumb zsh -f -i"
ask() { zpty -w shell "$1"; local line; while zpty -r shell line '*'$'\n'; do [[ $line == *done_$2* ]] && break; done }
ask "PS1=; fpath=($FOLDER \$fpath); autoload -Uz compinit; compinit -D -u; echo done_\$((0))" 0
ask "compadd() { local -a m; builtin compadd -O m \"\$@\"; print -rl -- \$m >> $FOLDER/offered; \
builtin compadd \"\$@\" }; echo done_\$((1))" 1
ask "offer() { zle list-choices; zle kill-whole-line }; zle -N offer; bindkey '^G' offer; echo done_\$((2))" 2
zpty -w -n shell "etscope $WORDS"$'\a'
ask "echo done_\$((3))" 3
zpty -d shell
"""
        for words, expected in self.questions():
            with self.subTest(words=words), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder)
                (path / "_etscope").write_bytes(support.run("help", "--completion", "zsh").stdout)
                (path / "offered").write_text("")
                subprocess.run(["zsh", "-f", "-c", script], check=True, timeout=60, capture_output=True,
                               env={**self.environment(), "FOLDER": folder, "WORDS": words})
                found = (path / "offered").read_text().split()
                begun = words.split()[-1].rpartition(",")
                wanted = [word[len(begun[0] + begun[1]):] for word in expected]
                self.assertEqual(sorted(set(found) & set(wanted)), sorted(wanted), found)
                self.assertTrue(expected or not found, found)

    @unittest.skipUnless(shutil.which("bash"), "needs bash")
    def test_usage__completion_knows_choices_and_options(self):
        script = support.run("help", "--completion", "bash").stdout.decode()
        for words, expected in ((["etscope", "inspect", "--format", "js"], "json jsonl"),
                                (["etscope", "ins"], "inspect"),
                                (["etscope", "help", "ver"], "verify"),
                                (["etscope", "inspect", "--group-"], "--group-by")):
            line = " ".join(words)
            test = (f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _etscope; "
                    'echo "${COMPREPLY[@]}"')
            done = subprocess.run(["bash", "-c", test], capture_output=True, check=True)
            self.assertEqual(done.stdout.decode().strip(), expected)

    @unittest.skipUnless(shutil.which("bash"), "needs bash")
    def test_usage__completion_asks_files_for_columns_and_modules(self):
        script = support.run("help", "--completion", "bash").stdout.decode()
        folder = pathlib.Path(support.ETSCOPE).resolve().parent
        trace = support.fixture("mlp_portable", "profile.etdp")
        program = support.fixture("mlp_portable", "model.pte")
        record = support.with_record("mlp_portable")

        def offered(*words):
            line = " ".join(map(shlex.quote, map(str, words)))
            test = (f"{script}\nCOMP_WORDS=(etscope {line}); COMP_CWORD={len(words)}; _etscope; "
                    'printf "%s\\n" "${COMPREPLY[@]}"')
            done = subprocess.run(["bash", "-c", test], capture_output=True, check=True,
                                  env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
            return done.stdout.decode().split()
        self.assertEqual(offered("inspect", trace, "--columns", "operator,p"),
                         ["operator,p50", "operator,p10", "operator,p90", "operator,p99"])
        self.assertIn("flops", offered("cost", program, "-c", "fl"))
        self.assertEqual(offered("inspect", "no.etdp", "--columns", ""), [])
        modules = {name for row in support.rows(*record, "--group-by", "module")
                   for name in row["module"] or ()}
        found = offered("inspect", *record, "--module", "")
        self.assertLessEqual(set(found), modules)
        self.assertTrue(found)
        self.assertEqual(offered("inspect", *record, "--module", found[-1]), [found[-1]])

    @unittest.skipUnless(shutil.which("bash"), "needs bash")
    def test_usage__completion_offers_no_name_that_a_shell_expands(self):
        script = support.run("help", "--completion", "bash").stdout.decode()
        with tempfile.TemporaryDirectory() as folder:
            fake = pathlib.Path(folder) / "etscope"
            fake.write_text("#!/bin/sh\nprintf 'module\\n$(touch %s/run)\\n`id`\\na.b\\n;x\\n' "
                            f"{folder}\n")
            fake.chmod(0o755)
            trace = support.fixture("mlp_portable", "profile.etdp")
            test = (f"{script}\nCOMP_WORDS=(etscope inspect {trace} --module ''); COMP_CWORD=4; "
                    '_etscope; printf "%s\\n" "${COMPREPLY[@]}"')
            done = subprocess.run(["bash", "-c", test], capture_output=True, check=True,
                                  env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
            self.assertEqual(done.stdout, b"a.b\n")
            self.assertEqual(os.listdir(folder), ["etscope"])

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_usage__man_pages_have_no_warnings(self):
        for words in ((), *((command,) for command in COMMANDS)):
            page = support.run("help", "--man", *words).stdout
            done = subprocess.run(["groff", "-ww", "-Tutf8", "-man"], input=page,
                                  capture_output=True, check=True)
            self.assertEqual(done.stderr, b"", words)
            self.assertIn(b"etscope", done.stdout)


    def test_usage__one_file_is_standard_input(self):
        for words in (("inspect", "-", "--etrecord", "-"), ("inspect", "--etdump", "-",
                      "--program=-"), ("info", "-", "-"), ("run", "-", "--input", "-"),
                      ("run", "m.pte", "--input", "-", "--data", "-"),
                      ("profile", "-", "--etrecord", "-")):
            self.assertIn("standard input (-) can be read only once", self.complaint(*words))

    def test_usage__no_control_character_of_a_path_reaches_a_terminal(self):
        path = b"a\x1b[2J\xc2\x9b\xff\xe2\x82\xac"
        for words in (("inspect", path), ("info", path), ("inspect", DUMP, "--block", path),
                      ("inspect", DUMP, "--output", b"no/" + path)):
            words = [os.fsencode(str(word)) if not isinstance(word, bytes) else word
                     for word in words]
            done = subprocess.run([support.ETSCOPE, *words], capture_output=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("a\\x1b[2J\\xc2\\x9b\\xff\u20ac", done.stderr.decode())


class Completion(unittest.TestCase):
    """Scripts for shells that need not be installed."""

    def script(self, shell):
        return support.run("help", "--completion", shell).stdout.decode()

    def options(self, command):
        """The table of options, from the help: names, aliases, value."""
        text = support.run("help", command).stdout.decode().split("other accepted spellings")[0]
        for short, name, value in re.findall(
                r"^  (?:(-\w), )?(--[\w-]+)(?: ([^\s.]+))?", text, re.MULTILINE):
            yield name, short, value
        upstream = re.search(r"work as well:\n(.*)\n", text)
        for name in upstream.group(1).split() if upstream else ():
            yield name, "", None

    def test_usage__completion_quotes_are_balanced(self):
        words = shlex.split(self.script("zsh"), comments=True)
        self.assertIn("annotate:print the model's source with the time and numeric error of each line",
                      words)
        shlex.split(self.script("bash"), comments=True)
        for line in self.script("fish").splitlines():
            self.assertRegex(line, r"^(?:[^'\\]|'(?:[^'\\]|\\['\\])*')*$")
        self.assertIn("print the model\\'s source with the time", self.script("fish"))

    def test_usage__completion_of_zsh_is_made_of_whole_specifications(self):
        block = re.compile(r"^    (\w+)\) (_arguments .*?) ;;$", re.MULTILINE | re.DOTALL)
        found = dict(block.findall(self.script("zsh")))
        self.assertEqual(set(found), set(COMMANDS))
        form = re.compile(r"(?:\*|\([^)]*\))?(-[\w-]+)\[((?:[^\\\]:\[]|\\.)*)\]"
                          r"(?::((?:[^\\:]|\\.)+):(.+))?")
        for command, text in found.items():
            for word in shlex.split(text.replace("\\\n", " "))[1:]:
                if word.startswith(("*:", "(- *)")):
                    continue
                spec = form.fullmatch(word)
                self.assertTrue(spec, word)
                _, _, value, action = spec.groups()
                self.assertEqual(action == "_files", value in (
                    "FILE", "FOLDER", "PATH", "PREFIX", "PROGRAM", "PYTHON", "STREAM", "INPUT", "OUTPUT"), word)

    def test_usage__completion_offers_every_spelling(self):
        for command in COMMANDS:
            for name, short, _ in self.options(command):
                for each in filter(None, (name, short)):
                    self.assertRegex(self.script("bash"), rf"{command}\) words='[^']* {each}[ ']|"
                                     rf"{command}\) words='{each} ")
                    self.assertRegex(self.script("zsh"), rf"[')*{{,]{each}[\[,}}]")
                    letter = f"-s {each[1:]} " if each[1] != "-" else f"-l {each[2:]} "
                    self.assertIn(letter, self.script("fish"))

    @unittest.skipUnless(shutil.which("bash"), "needs bash")
    def test_usage__completion_of_bash_leaves_files_to_the_shell(self):
        for words, expected in (("inspect --etrecord_path ''", ""), ("inspect -f js", "json jsonl"),
                                ("inspect --debug_", "--debug_buffer_path"), ("run --runs ''", "")):
            count = len(shlex.split(words))
            test = (f"{self.script('bash')}\nCOMP_WORDS=(etscope {words}); COMP_CWORD={count}; "
                    '_etscope; echo "${COMPREPLY[@]}"')
            done = subprocess.run(["bash", "-c", test], capture_output=True, check=True)
            self.assertEqual((done.stdout.decode().strip(), done.stderr), (expected, b""))


class UpstreamsSpellings(unittest.TestCase):
    """The call of `python -m executorch.devtools.inspector.inspector_cli`."""

    def test_usage__upstreams_call_works_as_it_stands(self):
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "out.tsv"
            done = support.inspect(
                "--etdump_path", support.fixture("mlp_xnnpack", "profile.etdp"),
                "--etrecord_path", support.fixture("mlp_xnnpack", "model.etrecord"),
                "--source_time_scale", "ns", "--target_time_scale", "ms", "--tsv_path", target)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(target.read_bytes(),
                             support.fixture("mlp_xnnpack", "profile.tsv").read_bytes())
            self.assertIn(b"avg ms", done.stdout)

    def test_usage__upstreams_table_is_whole_or_refused(self):
        whole = support.inspect(DUMP, "--format", "upstream").stdout
        self.assertTrue(whole.startswith(b"\tevent_block_name\tevent_name\t"), whole[:60])
        for words in (("--top", "3"), ("--sort", "time"), ("--all",), ("--block", "1"),
                      ("--run", "0"), ("--unit", "us"), ("--subtract-overhead",), ("--tree",),
                      ("--steady",), ("--columns", "operator"), ("--name", "add*"),
                      ("--module", "x"), ("--handle", "1"), ("--source", "x.py"),
                      ("--backend", "portable"), ("--group-by", "op"), ("--depth", "1")):
            with self.subTest(words=words):
                done = support.inspect(DUMP, *words, "--format", "upstream")
                self.assertEqual((done.returncode, done.stdout), (support.USAGE, b""))
                self.assertIn(b"--format upstream always prints the complete table: leave out "
                              + words[0].encode(), done.stderr)
        done = support.inspect(DUMP, "--top", "3", "--unit", "us", "--format", "upstream")
        self.assertIn(b"leave out --top, --unit (its unit is --target-time-scale)", done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "out.tsv"
            support.inspect(DUMP, "--top", "3", "--sort", "name", "--tsv-path", target)
            self.assertEqual(target.read_bytes(), whole)

    def test_usage__tsv_has_the_columns_of_csv_whatever_rows_are_chosen(self):
        for words in ((), ("--top", "3"), ("--sort", "time"), ("--unit", "us"), ("--block", "1"),
                      ("--group-by", "op"), ("--tree",)):
            with self.subTest(words=words):
                tsv, csv = (support.inspect(DUMP, *words, "--format", form).stdout.splitlines()
                            for form in ("tsv", "csv"))
                self.assertEqual(tsv[0].replace(b"\t", b","), csv[0])
                self.assertEqual(len(tsv), len(csv))

    def test_usage__upstreams_debug_buffer_is_checked(self):
        words = ("--etdump_path", support.fixture("mlp_portable", "debug.etdp"),
                 "--debug_buffer_path")
        done = support.inspect(*words, support.fixture("mlp_portable", "debug.bin"))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = support.inspect(*words, os.devnull)
        self.assertEqual(done.returncode, support.INPUT)


class Inputs(unittest.TestCase):
    """No command writes over what it reads, under whatever name."""

    def test_usage__an_output_is_no_input(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, link = pathlib.Path(folder, "a.etdp"), pathlib.Path(folder, "b.etdp")
            shutil.copy(DUMP, trace)
            os.link(trace, link)
            content = trace.read_bytes()
            for words in (("inspect", trace, "--output", trace),
                          ("inspect", trace, "--tsv-path", link),
                          ("inspect", "--etdump", trace, "--output", link),
                          ("diff", DUMP, trace, "--output", trace),
                          ("sql", "select 1", trace, "--to", link),
                          ("recover", trace, "-o", trace)):
                with self.subTest(words=words):
                    done = support.run(*words)
                    self.assertEqual(done.returncode, support.USAGE)
                    self.assertIn(b" is an input of this command: -", done.stderr)
                    self.assertEqual(trace.read_bytes(), content)
            new = pathlib.Path(folder, "new")
            done = support.run("inspect", trace, "--output", new, "--tsv-path", new)
            self.assertEqual(done.returncode, support.USAGE)
            self.assertIn(b"new is the output of both --output and --tsv-path", done.stderr)
            done = support.run("inspect", trace, "--output", "/dev/null", "--tsv-path", "/dev/null")
            self.assertEqual(done.returncode, support.OK)


class Output(support.FolderTest):
    def setUp(self):
        super().setUp()
        self.target = self.folder / "table.txt"

    def test_usage__output_is_what_standard_output_would_be(self):
        plain = support.run("inspect", DUMP, "--format", "csv")
        done = support.run("inspect", DUMP, "--format", "csv", "--output", self.target)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        self.assertEqual(self.target.read_bytes(), plain.stdout)
        self.assertEqual(os.listdir(self.folder), ["table.txt"])
        done = support.run("inspect", DUMP, "--format", "csv", "--output", "-")
        self.assertEqual(done.stdout, plain.stdout)

    def test_usage__a_failure_leaves_the_target_alone(self):
        self.target.write_text("as it was")
        for words in (("inspect", support.fixture("types", "debug.etdp")),
                      ("inspect", DUMP, "--block", "nowhere"),
                      ("inspect", DUMP, "--program", support.fixture("cond", "model.pte"))):
            done = support.run(*words, "--output", self.target)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(self.target.read_text(), "as it was")
            self.assertEqual(os.listdir(self.folder), ["table.txt"])

    def test_usage__an_output_that_cannot_be_is_told(self):
        for target in (self.folder / "no" / "folder.txt", self.folder):
            done = support.run("inspect", DUMP, "--output", target)
            self.assertEqual((done.returncode, done.stdout), (support.INTERNAL, b""))
            self.assertIn(str(target), done.stderr.decode())
            self.assertEqual(os.listdir(self.folder), [])

    def test_usage__permissions_are_those_of_a_plain_file(self):
        support.run("inspect", DUMP, "--output", self.target, umask=0o027)
        self.assertEqual(stat.S_IMODE(self.target.stat().st_mode), 0o640)

    def test_usage__a_link_stays_and_its_target_is_written(self):
        folder = self.folder / "folder"
        folder.mkdir()
        (folder / "kept.txt").write_text("as it was")
        self.target.symlink_to("folder/kept.txt")
        done = support.run("inspect", DUMP, "--output", self.target)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.target.is_symlink())
        self.assertEqual((folder / "kept.txt").read_bytes(), support.run("inspect", DUMP).stdout)
        self.assertEqual(os.listdir(folder), ["kept.txt"])
        (folder / "kept.txt").unlink()
        support.run("inspect", DUMP, "--output", self.target)
        self.assertTrue(self.target.is_symlink())
        self.assertEqual((folder / "kept.txt").read_bytes(), support.run("inspect", DUMP).stdout)
        self.assertEqual(sorted(os.listdir(self.folder)), ["folder", "table.txt"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_usage__a_full_disk_is_told_of_standard_output(self):
        debug = (support.fixture("mlp_portable", "debug.etdp"), "--compare-results", "--etrecord",
                 support.fixture("mlp_portable", "model.etrecord"), "--debug-buffer",
                 support.fixture("mlp_portable", "debug.bin"), "--output", os.devnull)
        for words in (("inspect", DUMP), ("inspect", DUMP, "--format", "upstream"), ("info", DUMP),
                      ("doctor",), ("inspect", *debug)):
            with self.subTest(words=words), open("/dev/full", "wb") as full:
                done = subprocess.run([support.ETSCOPE, *map(str, words)], stdout=full,
                                      stderr=subprocess.PIPE, check=False)
                if done.returncode == support.UNAVAILABLE:
                    continue
                self.assertEqual(done.returncode, support.INTERNAL)
                self.assertIn(b"etscope: standard output: cannot write: No space", done.stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_usage__a_full_disk_is_told(self):
        for words in (("inspect", DUMP), ("inspect", DUMP, "--format", "upstream"), ("--help",),
                      ("--version",), ("help", "inspect"), ("inspect", "--help"),
                      ("help", "--man"), ("help", "--completion", "bash")):
            with self.subTest(words=words), open("/dev/full", "wb") as full:
                done = subprocess.run([support.ETSCOPE, *map(str, words)], stdout=full,
                                      stderr=subprocess.PIPE, check=False)
                self.assertEqual(done.returncode, support.INTERNAL)
                self.assertRegex(done.stderr, b"cannot (write|be written)")
        for option in ("--output", "--tsv-path"):
            done = support.run("inspect", DUMP, option, "/dev/full")
            self.assertEqual(done.returncode, support.INTERNAL)

    def test_usage__a_reader_that_leaves_is_no_crash(self):
        dump = support.fixture("gpt_portable", "profile.etdp")
        with subprocess.Popen([support.ETSCOPE, "inspect", dump, "--format", "jsonl"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.readline()
            process.stdout.close()
            error = process.stderr.read()
        self.assertIn(process.returncode, (0, -13, support.INTERNAL))
        self.assertNotIn(b"Sanitizer", error)

    def test_usage__notes_go_to_standard_error(self):
        done = support.run("inspect", support.fixture("types", "debug.etdp"), "--partial",
                           "--format", "json")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stderr.startswith(b"note: "))
        notes = json.loads(done.stdout)["notes"]
        said = [line[len("note: "):] for line in done.stderr.decode().splitlines()]
        self.assertEqual(notes, said)
        for form in ("jsonl", "csv"):
            done = support.run("inspect", support.fixture("types", "debug.etdp"), "--partial",
                               "--format", form)
            self.assertNotIn(said[0].encode(), done.stdout)

    def test_usage__a_locale_with_decimal_commas_changes_nothing(self):
        plain = support.run("inspect", DUMP, "--format", "json", env={"LC_ALL": "C"})
        done = support.run("inspect", DUMP, "--format", "json", env={"LC_ALL": "de_DE.UTF-8"})
        self.assertEqual(done.stdout, plain.stdout)


if __name__ == "__main__":
    unittest.main()
