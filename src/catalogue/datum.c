/* Makes the values of cells. */
#include "catalogue/datum.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "etscope/inspect.h"

static const struct ets_datum no_memory = {.kind = ETS_DATUM_NO_MEMORY};

struct ets_datum ets_datum_nothing(void)
{
    return (struct ets_datum){.kind = ETS_DATUM_NOTHING};
}

struct ets_datum ets_datum_integer(int64_t value)
{
    return (struct ets_datum){.kind = ETS_DATUM_INTEGER, .integer = value};
}

struct ets_datum ets_datum_count(uint64_t value)
{
    return ets_datum_integer(value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

struct ets_datum ets_datum_index(uint32_t index, uint32_t first)
{
    return index == ETS_NO_INDEX ? ets_datum_nothing() : ets_datum_integer((int64_t)first + index);
}

struct ets_datum ets_datum_unless_negative(int64_t value)
{
    return value < 0 ? ets_datum_nothing() : ets_datum_integer(value);
}

struct ets_datum ets_datum_real(double value)
{
    return ets_datum_bounds(value, value);
}

struct ets_datum ets_datum_bounds(double lower, double upper)
{
    if (isnan(upper)) return ets_datum_nothing();
    return (struct ets_datum){.kind = ETS_DATUM_REAL, .real = lower, .upper = upper};
}

struct ets_datum ets_datum_text(struct ets_text text)
{
    if (text.data == NULL) return ets_datum_nothing();
    return (struct ets_datum){.kind = ETS_DATUM_TEXT, .text = text};
}

struct ets_datum ets_datum_string(const char *text)
{
    return ets_datum_text((struct ets_text){text, text == NULL ? 0 : strlen(text)});
}

struct ets_datum ets_datum_texts(const struct ets_text *texts, size_t count)
{
    if (texts == NULL) return no_memory;
    return (struct ets_datum){.kind = ETS_DATUM_TEXTS, .texts = texts, .count = count};
}

struct ets_datum ets_datum_list(const struct ets_text *items, size_t count)
{
    static const struct ets_text none[1];
    return ets_datum_texts(count == 0 ? none : items, count);
}

struct ets_datum ets_datum_no_memory(void)
{
    return no_memory;
}

struct ets_datum ets_datum_numbers(struct ets_arena *arena, const uint32_t *numbers, size_t count)
{
    int64_t *copy = ets_arena_alloc_array(arena, count + 1, sizeof *copy);
    if (copy == NULL) return no_memory;
    for (size_t i = 0; i < count; i++) copy[i] = numbers[i];
    return (struct ets_datum){.kind = ETS_DATUM_NUMBERS, .numbers = copy, .count = count};
}

struct ets_datum ets_datum_print_numbers(struct ets_arena *arena, const int64_t *numbers,
                                         size_t count)
{
    enum { NUMBER_CHARS = 24 };
    char *text = ets_arena_alloc_array(arena, count + 1, NUMBER_CHARS);
    if (text == NULL) return no_memory;
    size_t used = 0;
    text[used++] = '[';
    for (size_t i = 0; i < count; i++) {
        used += ets_print_text(text + used, NUMBER_CHARS, i > 0 ? ",%lld" : "%lld",
                               (long long)numbers[i]);
    }
    text[used++] = ']';
    return ets_datum_text((struct ets_text){text, used});
}

struct ets_datum ets_datum_join(struct ets_arena *arena, const struct ets_text *texts, size_t count)
{
    size_t room = 1, used = 0;
    if (count == 0) return ets_datum_nothing();
    if (count == 1) return ets_datum_text(texts[0]);
    for (size_t i = 0; i < count; i++) room += texts[i].size + 2;
    char *text = ets_arena_alloc(arena, room);
    if (text == NULL) return no_memory;
    for (size_t i = 0; i < count; i++) {
        if (i > 0) used += ets_print_text(text + used, room - used, ", ");
        memcpy(text + used, texts[i].data, texts[i].size);
        used += texts[i].size;
    }
    return ets_datum_text((struct ets_text){text, used});
}
