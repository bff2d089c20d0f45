/*
 * Reads pickles as data: the opcodes that torch.save writes, into plain objects.
 *
 * Nothing is imported, constructed or called: a global is two names, and a call (REDUCE, NEWOBJ) is
 * an object with the callable and its arguments. Opcodes of pickle protocols 2 to 5 that write
 * plain values are supported; all others are refused.
 */
#ifndef ETSCOPE_RECORD_PICKLE_H
#define ETSCOPE_RECORD_PICKLE_H

#include "etscope/base.h"
#include "host/arena.h"

/* Size limit: data.pkl holds no tensor bytes, so a thousand tensors need about 100 kB. */
#define ETS_PICKLE_MAX_BYTES ((size_t)64 << 20)

enum ets_pickle_kind {
    ETS_PICKLE_NONE,
    ETS_PICKLE_BOOL,       /* integer: 0 or 1 */
    ETS_PICKLE_INT,        /* integer */
    ETS_PICKLE_DOUBLE,     /* number */
    ETS_PICKLE_TEXT,       /* text */
    ETS_PICKLE_BYTES,      /* text */
    ETS_PICKLE_LIST,       /* items */
    ETS_PICKLE_TUPLE,      /* items */
    ETS_PICKLE_DICT,       /* items: key, value, key, value... */
    ETS_PICKLE_GLOBAL,     /* global */
    ETS_PICKLE_PERSISTENT, /* call.arguments: the id that was pickled */
    ETS_PICKLE_CALL,       /* call */
    ETS_PICKLE_OTHER       /* integers beyond 64 bits */
};

struct ets_pickle_object {
    enum ets_pickle_kind kind;
    union {
        int64_t integer;
        double number;
        struct ets_text text; /* in the pickle: not terminated */
        struct {
            struct ets_pickle_object **items;
            uint32_t count, capacity;
        } list;
        struct {
            struct ets_text module, name; /* "torch._utils", "_rebuild_tensor_v2" */
        } global;
        struct {
            struct ets_pickle_object *callable, *arguments;
            struct ets_pickle_object *state; /* BUILD's, or NULL */
        } call;
    } as;
};

/*
 * Reads `pickle`, which is at `offset` in the file and is called `entry` in messages. Objects are
 * in `arena`, their texts in the pickle. Lists and dicts may contain themselves. Statuses:
 * TRUNCATED, MALFORMED, UNSUPPORTED (opcode), LIMIT, NO_MEMORY.
 */
enum ets_status ets_pickle_read(struct ets_bytes pickle, uint64_t offset, struct ets_text entry,
                                struct ets_arena *arena, const struct ets_pickle_object **root_out,
                                struct ets_error *error);

/* The same for bytes that go on behind the pickle, whose size is `*size_out`. */
enum ets_status ets_pickle_read_first(struct ets_bytes pickle, uint64_t offset,
                                      struct ets_text entry, struct ets_arena *arena,
                                      const struct ets_pickle_object **root_out, size_t *size_out,
                                      struct ets_error *error);

/* 1 if `object` (NULL allowed) is the global `module`.`name`. */
int ets_pickle_is_global(const struct ets_pickle_object *object, const char *module,
                         const char *name);

#endif
