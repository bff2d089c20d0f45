"""Memory of the library's views."""

from etscope._library import NULL, ffi, lib


class Arena:
    """Memory of a view of the library's, for the time of a `with`."""

    def __enter__(self):
        self.pointer = ffi.new("struct ets_arena *")
        lib.ets_arena_init(self.pointer, NULL, 0)
        return self.pointer

    def __exit__(self, *_):
        lib.ets_arena_reset(self.pointer)
