/*
 * Reads the storage of a tensor that was pickled without torch.save, as records of ExecuTorch 1.0
 * to 1.2 keep inputs and outputs: a call of torch.storage._load_from_bytes. Its bytes are what
 * torch.save wrote before it wrote zips: five pickles (a magic number, a version, the machine, the
 * storage, the keys of storages), then for each key a count of elements and the elements.
 */
#ifndef ETSCOPE_RECORD_PICKLED_STORAGE_H
#define ETSCOPE_RECORD_PICKLED_STORAGE_H

#include "record/pickle.h"

/* 1 if `object` (NULL allowed) is such a call. */
int ets_is_pickled_storage(const struct ets_pickle_object *object);

/* The pickle that holds storages. */
struct ets_pickled_storages {
    struct ets_text entry; /* its name, for messages */
    struct ets_bytes pickle;
    uint64_t offset;           /* in the file */
    uint64_t header_bytes;     /* of storages so far */
    struct ets_arena *headers; /* memory of one storage's pickles */
    struct ets_error *error;
};

/*
 * The persistent id of the storage of `call`, for which ets_is_pickled_storage, in
 * storages->headers, and the bytes from its first element to the end. Statuses: TRUNCATED,
 * MALFORMED, UNSUPPORTED (big-endian; a later version), LIMIT, NO_MEMORY.
 */
enum ets_status ets_pickled_storage_open(struct ets_pickled_storages *storages,
                                         const struct ets_pickle_object *call,
                                         const struct ets_pickle_object **persistent_out,
                                         struct ets_bytes *bytes_out);

#endif
