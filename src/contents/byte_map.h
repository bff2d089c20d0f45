/*
 * byte_map.h - where the bytes of programs (.pte, .bpte) and data files (.ptd) are.
 *
 *     const struct ets_byte_source sources[] = {{"model.pte", ets_file_bytes(file), file}};
 *     const struct ets_byte_options options = {.sources = sources, .source_count = 1};
 *     struct ets_byte_map *map;
 *     if (ets_byte_map_open(&options, NULL, &map, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < map->item_count; i++) sum += map->items[i].bytes;
 *         ets_byte_map_close(map);
 *     }
 *
 * Every byte of every file is counted in exactly one item, so that an item's bytes may be fewer
 * than its size where a file lets things overlap. Constants and weights are not read, only what
 * describes them; the search for duplicates reads what may be one. Everything in the map is
 * borrowed until it is closed, and the sources and the record must live as long.
 */
#ifndef ETSCOPE_CONTENTS_BYTE_MAP_H
#define ETSCOPE_CONTENTS_BYTE_MAP_H

#include <stdbool.h>

#include "etscope/etrecord.h"
#include "etscope/file.h"
#include "etscope/program.h"
#include "host/arena.h"

/* An index that names nothing. */
#define ETS_BYTES_NONE UINT32_MAX

/* X(NAME, name, title for people) */
#define ETS_BYTE_PART_LIST(X)                                             \
    X(PROGRAM, "program", "program")                                      \
    X(CONSTANT, "constant", "constants")                                  \
    X(STATE, "state", "start values of buffers")                          \
    X(WEIGHT, "delegate_weight", "weights of delegates")                  \
    X(PAYLOAD, "delegate_payload", "payloads of delegates")               \
    X(NAMED_DATA, "named_data", "named data without a user")              \
    X(UNUSED_CONSTANT, "unused_constant", "constants that nothing reads") \
    X(TEST_CASE, "test_case", "test cases")                               \
    X(UNUSED, "unused", "unused")                                         \
    X(PADDING, "padding", "padding")                                      \
    X(OTHER, "other", "unknown fields")                                   \
    X(TRAILING, "trailing", "behind the last part of a file")

/* What bytes are for. PROGRAM: all that describes the model, and the lists of what is in a file. */
enum ets_byte_part {
#define ETS_BYTE_PART_ENUM(name, text, title) ETS_BYTES_##name,
    ETS_BYTE_PART_LIST(ETS_BYTE_PART_ENUM)
#undef ETS_BYTE_PART_ENUM
        ETS_BYTE_PART_COUNT
};

/* "constant", "constants". Static storage. */
const char *ets_byte_part_name(enum ets_byte_part part);
const char *ets_byte_part_title(enum ets_byte_part part);

/* A run of bytes with one purpose; of PROGRAM, PADDING, OTHER and UNUSED several runs. */
struct ets_byte_item {
    enum ets_byte_part part;
    uint32_t file;          /* of the sources */
    uint64_t offset;        /* in the file, of the first byte */
    uint64_t size;          /* of what it is; 0: of several runs */
    uint64_t bytes;         /* counted here, at most `size` */
    uint64_t count;         /* things in it: instructions, values; 1 for data */
    uint32_t program;       /* the source whose program uses it first; ETS_BYTES_NONE: none */
    uint32_t method;        /* of that program; ETS_BYTES_NONE: of several or none */
    struct ets_text name;   /* "linear.weight" of the model; absent: not known */
    struct ets_text key;    /* of named data; absent: it is none */
    struct ets_text module; /* of the model: "layers.0.linear", "" for itself; absent: not known */
    struct ets_text backend;
    const char *content;  /* "instructions", "XNNPACK graph", "FullyConnected"; NULL: not known */
    const char *role;     /* "weight", "bias", "scale" of a layer; NULL */
    const char *dtype;    /* "float32", of XNNPACK's weights "qcint8"; NULL: not known */
    uint32_t group_size;  /* elements that share a scale, of weights quantized so; else 0 */
    uint32_t rank;        /* with dtype */
    const int64_t *shape; /* [rank], as its user sees it */
    uint32_t delegate;    /* number of the first user's delegate in the method; ETS_BYTES_NONE */
    uint32_t node;        /* number of the first user in that delegate; ETS_BYTES_NONE */
    int64_t debug_handle; /* of the first user; -1: not known */
    uint32_t user_count;  /* tensors or nodes that refer to it */
    uint32_t same_as;     /* the first item of equal bytes; ETS_BYTES_NONE: nothing is found */
    uint64_t hash;        /* XXH64, of items that were compared as a whole; else 0 */
};

struct ets_byte_file {
    const char *path;
    enum ets_kind kind;
    uint64_t bytes;
    struct ets_program program; /* of PROGRAM and BUNDLE; else method_count is 0 */
    uint64_t program_offset;    /* in the file */
    struct ets_bundle *bundle;  /* inner */
    struct ets_data_file *data; /* inner */
};

struct ets_byte_map {
    const struct ets_byte_file *files;
    uint32_t file_count;
    struct ets_byte_item *items;
    uint32_t item_count;
    uint64_t bytes;           /* of all files */
    uint32_t duplicate_count; /* items whose bytes are elsewhere, too */
    uint64_t duplicate_bytes; /* that they take */
    uint32_t unread_count;    /* items of equal sizes that were not compared: too many bytes */
    uint64_t unread_bytes;    /* that these have */
    uint32_t absent_count;    /* tensors of programs that are in no file here: in a data file */
    struct ets_arena arena;   /* inner */
};

struct ets_byte_source {
    const char *path;
    struct ets_bytes bytes;
    const struct ets_file *file; /* whose memory is given back after reading; NULL: nothing is */
};

struct ets_byte_options {
    const struct ets_byte_source *sources; /* programs, and data files for all of them */
    uint32_t source_count;
    struct ets_etrecord *record; /* for names and modules; NULL: none */
    bool find_duplicates;        /* compare what has equal sizes, up to... */
    uint64_t most_compared;      /* ...so many bytes; 0: all */
};

/*
 * Statuses: those of ets_program_init, ets_bundle_init and ets_data_file_init, WRONG_KIND (none of
 * these files), those of ets_etrecord_edge_graph, LIMIT, NO_MEMORY. `*source_out` (may be NULL):
 * the source with the error; ETS_BYTES_NONE: the record.
 */
enum ets_status ets_byte_map_open(const struct ets_byte_options *options,
                                  const struct ets_allocator *allocator,
                                  struct ets_byte_map **map_out, uint32_t *source_out,
                                  struct ets_error *error);
void ets_byte_map_close(struct ets_byte_map *map); /* NULL is allowed */

#endif
