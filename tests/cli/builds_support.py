"""What builds for other systems and processors are compared by: commands that read files, and need no engine."""

import re

# Names of a fixture's files stand for words; a command that lacks one is left out.
COMMANDS = [
    ("info", "profile.etdp"),
    ("info", "model.etrecord", "--format", "json"),
    ("info", "model.pte"),
    ("info", "model.bpte"),
    ("inspect", "profile.etdp"),
    ("inspect", "profile.etdp", "--etrecord", "model.etrecord", "--program", "model.pte", "--width", "80"),
    ("inspect", "profile.etdp", "--etrecord", "model.etrecord", "--format", "upstream"),
    ("inspect", "profile.etdp", "--etrecord", "model.etrecord", "--format", "json", "--all"),
    ("inspect", "profile.etdp", "--etrecord", "model.etrecord", "--format", "tsv", "--group-by", "op"),
    ("inspect", "profile.etdp", "--etrecord", "model.etrecord", "--tree", "--color", "always"),
    ("inspect", "profile.etdp", "--etrecord", "model.etrecord", "--cost"),
    ("summary", "profile.etdp"),
    ("cost", "model.pte", "--etrecord", "model.etrecord"),
    ("memory", "model.pte", "--etrecord", "model.etrecord"),
    ("size", "model.pte", "--etrecord", "model.etrecord"),
    ("delegates", "model.pte", "--etrecord", "model.etrecord"),
    ("annotate", "profile.etdp", "--etrecord", "model.etrecord"),
    ("advise", "profile.etdp", "--etrecord", "model.etrecord", "--program", "model.pte"),
    ("tensors", "debug.etdp", "--debug-buffer", "debug.bin"),
    ("tensors", "debug.etdp", "--debug-buffer", "debug.bin", "--format", "csv"),
    ("dump", "profile.etdp"),
    ("dump", "model.pte"),
    ("diff", "profile.etdp", "debug.etdp"),
    ("diff", "profile.etdp", "debug.etdp", "--allow-mismatch"),
    ("sql", "select * from operators", "profile.etdp"),
    ("sql", "select * from memory_arenas", "model.pte", "--format", "json"),
    ("gap", "debug.etdp", "--debug-buffer", "debug.bin", "--etrecord", "model.etrecord", "--alignment"),
    ("summary", "profile.etdp", "profile.etdp", "--etrecord", "model.etrecord"),
    ("cost", "model.pte", "--etrecord", "model.etrecord", "--format", "json"),
    ("memory", "model.pte", "--etrecord", "model.etrecord", "--format", "json"),
    ("size", "model.pte", "--etrecord", "model.etrecord", "--format", "json"),
    ("delegates", "model.pte", "--format", "json"),
    ("advise", "profile.etdp", "--etrecord", "model.etrecord", "--format", "json"),
    ("tensors", "debug.etdp", "--debug-buffer", "debug.bin", "--format", "json"),
    ("diff", "profile.etdp", "profile.etdp", "--format", "json"),
    ("sql", "select * from tensors", "debug.etdp", "--debug-buffer", "debug.bin", "--format", "json"),
]

MISMATCHED = ("diff", "profile.etdp", "debug.etdp")  # of them, what is refused for all fixtures


def commands_of(folder):
    """Those whose files the folder of a fixture has."""
    for words in COMMANDS:
        files = [word for word in words if re.fullmatch(r"\w+\.(etdp|etrecord|b?pte|bin)", word)]
        if all((folder / name).exists() for name in files):
            yield words
