/*
 * Pairs captured tensors with the arrays of another trace: by name, or by order among tensors of
 * the same operator and shape.
 */
#include "cli/tensors/array_pairs.h"
#include "record/numpy.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"

/* "run1-event00014-addmm.out" */
struct cli_pair_name {
    char text[CLI_CAPTURED_NAME_BYTES];
    uint8_t run_size, rest; /* "run1"; where "addmm.out" begins. 0: another kind of name */
    uint32_t hash;          /* of these two and the shape */
};

static size_t skip_digits(const char *text, size_t at)
{
    while (isdigit((unsigned char)text[at])) at++;
    return at;
}

static uint32_t hash_of(uint32_t hash, const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)data[i]) * 16777619U;
    return hash;
}

static void read_name(struct cli_pair_name *name, struct ets_text text,
                      const struct ets_tensor *tensor)
{
    static const char event[] = "-event";
    *name = (struct cli_pair_name){.run_size = 0};
    if (text.size >= sizeof name->text) return;
    memcpy(name->text, text.data, text.size);
    if (strncmp(name->text, "run", 3) != 0) return;
    const size_t run_end = skip_digits(name->text, 3);
    if (strncmp(name->text + run_end, event, sizeof event - 1) != 0) return;
    const size_t event_end = skip_digits(name->text, run_end + sizeof event - 1);
    if (name->text[event_end] != '-') return;
    name->run_size = (uint8_t)run_end;
    name->rest = (uint8_t)(event_end + 1);
    name->hash = hash_of(2166136261U, name->text, run_end);
    name->hash = hash_of(name->hash, name->text + name->rest, strlen(name->text + name->rest));
    name->hash =
        hash_of(name->hash, (const char *)tensor->sizes, tensor->rank * sizeof *tensor->sizes);
}

/* Tensors of one operator and shape in one run. */
static bool are_alike(const struct cli_pair_name *a, const struct cli_pair_name *b)
{
    return a->hash == b->hash && a->run_size == b->run_size && a->run_size > 0 &&
           memcmp(a->text, b->text, a->run_size) == 0 &&
           strcmp(a->text + a->rest, b->text + b->rest) == 0;
}

static void name_tensors(const struct cli_captured *captured, struct cli_array_pairs *pairs)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    cli_captured_begin_all(captured, &values);
    for (size_t i = 0; i < pairs->tensor_count && cli_captured_next(NULL, &values, &value); i++) {
        char name[CLI_CAPTURED_NAME_BYTES];
        cli_captured_name(captured->inspection, &value, name);
        read_name(&pairs->of_tensors[i], cli_text(name), &value.tensor);
    }
}

static void name_arrays(const struct cli_arrays *arrays, struct cli_array_pairs *pairs)
{
    struct ets_tensor array;
    for (size_t i = 0; i < arrays->count; i++) {
        const struct ets_text name = cli_arrays_name(arrays, i);
        if (name.size < 3 || memcmp(name.data, "run", 3) != 0) continue;
        if (ets_npz_read(arrays->npz, arrays->order[i], &array, NULL) != ETS_OK) continue;
        read_name(&pairs->of_arrays[i], name, &array);
    }
}

int cli_array_pairs_open(const struct cli_captured *captured, const struct cli_arrays *arrays,
                         struct cli_array_pairs *pairs_out)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    *pairs_out = (struct cli_array_pairs){.arrays = arrays};
    if (arrays->npz == NULL) return CLI_OK;
    cli_captured_begin_all(captured, &values);
    while (cli_captured_next(NULL, &values, &value)) pairs_out->tensor_count++;
    pairs_out->of_tensors = calloc(pairs_out->tensor_count + 1, sizeof *pairs_out->of_tensors);
    pairs_out->of_arrays = calloc(arrays->count + 1, sizeof *pairs_out->of_arrays);
    if (pairs_out->of_tensors == NULL || pairs_out->of_arrays == NULL) {
        return cli_complain(CLI_INTERNAL, "no memory to compare with %s", arrays->path);
    }
    name_arrays(arrays, pairs_out);
    name_tensors(captured, pairs_out);
    return CLI_OK;
}

void cli_array_pairs_close(struct cli_array_pairs *pairs)
{
    free(pairs->of_arrays);
    free(pairs->of_tensors);
}

size_t cli_array_pairs_find(const struct cli_array_pairs *pairs, const char *name,
                            const struct ets_tensor *tensor)
{
    const size_t array_count = pairs->arrays->count;
    struct cli_pair_name wanted;
    size_t before = 0, of_tensors = 0, of_arrays = 0, found = array_count;
    if (pairs->of_arrays == NULL) return array_count;
    read_name(&wanted, cli_text(name), tensor);
    for (size_t i = 0; i < pairs->tensor_count; i++) {
        if (!are_alike(&pairs->of_tensors[i], &wanted)) continue;
        if (strcmp(pairs->of_tensors[i].text, name) == 0) before = of_tensors;
        of_tensors++;
    }
    for (size_t i = 0; i < array_count; i++) {
        if (!are_alike(&pairs->of_arrays[i], &wanted)) continue;
        if (of_arrays++ == before) found = i;
    }
    return of_arrays == of_tensors ? found : cli_arrays_find(pairs->arrays, cli_text(name));
}
