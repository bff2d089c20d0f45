"""The first lines of `etscope inspect`."""

from etscope._library import NO_INDEX, ffi, lib, text
from etscope.inspector._arena import Arena


def headline(view, steady=False):
    """One sentence for each line."""
    handle = view.handle
    with view.lock, Arena() as arena:
        chosen = {"block": NO_INDEX, "run": NO_INDEX, "steady": int(steady)}
        options = ffi.new("struct ets_headline_options *", {**chosen, "program": view.program})
        sentences = ffi.new("struct ets_sentences *")
        if not lib.ets_headline_make(arena, handle.pointer, options, sentences):
            raise MemoryError("out of memory for the headline of the trace")
        return [text(sentences.items[i]) for i in range(sentences.count)]
