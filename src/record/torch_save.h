/*
 * Reads files of torch.save: a zip with one pickle (data.pkl) and one entry per storage; and plain
 * pickles of tensors, which records of ExecuTorch 1.0 to 1.2 have instead (pickled_storage.h).
 * Tensors point into the payload. An object that is neither a tensor nor a number is
 * ETS_VALUE_OTHER; the tensors inside it are kept if they can be named.
 */
#ifndef ETSCOPE_RECORD_TORCH_SAVE_H
#define ETSCOPE_RECORD_TORCH_SAVE_H

#include "etscope/etrecord.h"
#include "record/pickled_storage.h"
#include "record/zip.h"

struct ets_torch_save {
    struct ets_zip zip;
    struct ets_text entry;  /* name of the payload in the record, for messages */
    struct ets_text folder; /* "archive/": prefix of all names inside */
    struct ets_arena *arena;
    const struct ets_pickle_object *root;
    uint64_t pickle_offset; /* of the pickle in the file */
    uint64_t value_count;   /* number of values so far */
    struct ets_pickled_storages storages;
    struct ets_error *error;
};

/* A growing list of values. */
struct ets_value_list {
    struct ets_named_value *values;
    size_t count, capacity;
};

/*
 * Opens `payload`, which is at `offset` in the file. `save`'s memory is in `arena`. Statuses:
 * TRUNCATED, MALFORMED, UNSUPPORTED (big-endian), LIMIT, NO_MEMORY.
 */
enum ets_status ets_torch_save_open(struct ets_torch_save *save, struct ets_text entry,
                                    struct ets_bytes payload, uint64_t offset,
                                    struct ets_arena *arena, struct ets_error *error);

/*
 * Counts values before they are made, because objects can contain each other and a short pickle can
 * describe any number of values. Status: LIMIT.
 */
enum ets_status ets_torch_save_count(struct ets_torch_save *save, uint64_t count);

/* Converts one object to a value. MALFORMED: a tensor that extends past its storage. */
enum ets_status ets_torch_save_value(struct ets_torch_save *save,
                                     const struct ets_pickle_object *object,
                                     struct ets_value *value_out);

/*
 * Appends `object` under `name`. If it holds others (a dict, a list, an object of an unknown
 * class), these follow as "name.key" or "name.0".
 */
enum ets_status ets_torch_save_collect(struct ets_torch_save *save, struct ets_text name,
                                       const struct ets_pickle_object *object, int depth,
                                       struct ets_value_list *list);

/* The key of a dict as text: the text itself, or a number as text. LIMIT: it is too long. */
enum ets_status ets_torch_save_key(struct ets_torch_save *save, const struct ets_pickle_object *key,
                                   uint32_t place, struct ets_text *text_out);

enum ets_status ets_torch_save_fail(const struct ets_torch_save *save, enum ets_status status,
                                    const char *what);

#endif
