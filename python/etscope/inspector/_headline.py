"""The first lines of `etscope inspect`."""

from etscope._library import NO_INDEX, ffi, lib, text
from etscope.inspector._arena import Arena


def headline(view):
    """One sentence for each line."""
    handle = view.handle
    with view.lock, Arena() as arena:
        options = ffi.new("struct ets_headline_options *",
                          {"block": NO_INDEX, "run": NO_INDEX, "program": view.program})  # fmt: skip
        sentences = ffi.new("struct ets_sentences *")
        if not lib.ets_headline_make(arena, handle.pointer, options, sentences):
            raise MemoryError("out of memory for the headline of the trace")
        return [text(sentences.items[i]) for i in range(sentences.count)]
