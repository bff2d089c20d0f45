/* The value of a cell, whoever shows it. */
#ifndef ETSCOPE_CATALOGUE_DATUM_H
#define ETSCOPE_CATALOGUE_DATUM_H

#include "etscope/base.h"
#include "host/arena.h"

enum ets_datum_kind {
    ETS_DATUM_NOTHING = 0,
    ETS_DATUM_INTEGER = 1,
    ETS_DATUM_REAL = 2,
    ETS_DATUM_TEXT = 3,
    ETS_DATUM_TEXTS = 4,
    ETS_DATUM_NUMBERS = 5,
    ETS_DATUM_NO_MEMORY = 6
};

struct ets_datum {
    enum ets_datum_kind kind;
    union {
        int64_t integer;
        struct {
            double real, upper; /* at least `real`, and below `upper`; equal: exact */
        };
        struct ets_text text;
        struct {
            union {
                const struct ets_text *texts;
                const int64_t *numbers;
            };
            size_t count;
        };
    };
};

struct ets_datum ets_datum_nothing(void);
struct ets_datum ets_datum_integer(int64_t value);
struct ets_datum ets_datum_count(uint64_t value);                 /* at most INT64_MAX */
struct ets_datum ets_datum_index(uint32_t index, uint32_t first); /* ETS_NO_INDEX: nothing */
struct ets_datum ets_datum_unless_negative(int64_t value);        /* negative: nothing */
struct ets_datum ets_datum_real(double value);                    /* NaN: nothing */
struct ets_datum ets_datum_bounds(double lower, double upper);    /* NaN above: nothing */
struct ets_datum ets_datum_text(struct ets_text text);            /* absent: nothing */
struct ets_datum ets_datum_string(const char *text);              /* NULL: nothing */
struct ets_datum ets_datum_texts(const struct ets_text *texts, size_t count); /* NULL: no memory */
/* The same of a list that has no items where there are none. */
struct ets_datum ets_datum_list(const struct ets_text *items, size_t count);
/* Of a cell that memory ran out for. */
struct ets_datum ets_datum_no_memory(void);
/* Copied into the arena. */
struct ets_datum ets_datum_numbers(struct ets_arena *arena, const uint32_t *numbers, size_t count);

/* Lists as one text: "[2,3]", as SQLite's json_each reads it; texts joined by ", ". */
struct ets_datum ets_datum_print_numbers(struct ets_arena *arena, const int64_t *numbers,
                                         size_t count);
struct ets_datum ets_datum_join(struct ets_arena *arena, const struct ets_text *texts,
                                size_t count);

#endif
