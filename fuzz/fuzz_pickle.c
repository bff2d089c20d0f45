/* Reads any bytes as a bare pickle and as a torch.save payload, and every byte of its tensors. */
#include <stdint.h>

#include "record/torch_save.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Keeps the reads from being optimized away. */
static volatile size_t sink;

enum { MEMORY_LIMIT = 256 << 20 };

static unsigned sum_of(const struct ets_tensor *tensor)
{
    const uint8_t *bytes = tensor->data;
    unsigned sum = 0;
    for (size_t i = 0; i < tensor->data_bytes; i++) sum += bytes[i];
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ets_bytes bytes = {data, size};
    const struct ets_text name = {"input", 5};
    struct ets_arena arena;
    struct ets_error error;
    const struct ets_pickle_object *root;
    ets_arena_init(&arena, NULL, MEMORY_LIMIT);
    (void)ets_pickle_read(bytes, 0, name, &arena, &root, &error);
    ets_arena_reset(&arena);

    struct ets_torch_save save;
    struct ets_value_list list = {NULL, 0, 0};
    if (ets_torch_save_open(&save, name, bytes, 0, &arena, &error) == ETS_OK) {
        (void)ets_torch_save_collect(&save, name, save.root, 0, &list);
        for (size_t i = 0; i < list.count; i++) {
            if (list.values[i].value.kind != ETS_VALUE_TENSOR) continue;
            sink += sum_of(&list.values[i].value.as.tensor);
        }
    }
    ets_arena_reset(&arena);
    return 0;
}
