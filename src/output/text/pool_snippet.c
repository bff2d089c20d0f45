/* Writes the pools of a program's methods as C. */
#include "output/text/pool_snippet.h"

#include <inttypes.h>

#include "host/text_builder.h"

enum { LINE_BYTES = 512, NAME_BYTES = 96 };

static void write_line(struct ets_output *output, struct ets_text_builder *line)
{
    ets_output_write(output, line->text, line->used);
    ets_output_write(output, "\n", 1);
    line->used = 0;
}

/* Of a method's name what an identifier may have; others become '_'. */
static void add_identifier(struct ets_text_builder *line, struct ets_text name)
{
    const size_t size = name.size < NAME_BYTES ? name.size : NAME_BYTES;
    if (size == 0 || (name.data[0] >= '0' && name.data[0] <= '9')) ets_add_text(line, "_");
    for (size_t i = 0; i < size; i++) {
        const char c = name.data[i];
        const bool is_kept =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        ets_add_text(line, "%c", is_kept ? c : '_');
    }
}

/* A name in a comment, which it must not end. */
static void add_comment(struct ets_text_builder *line, struct ets_text name)
{
    for (size_t i = 0; i < name.size && i < NAME_BYTES; i++) {
        const char c = name.data[i];
        const bool is_kept = c > ' ' && c < 127 && c != '*' && c != '/' && c != '\\' && c != '?';
        ets_add_text(line, "%c", is_kept ? c : '_');
    }
}

static void add_array_name(struct ets_text_builder *line, const struct ets_allocation_pool *pool)
{
    switch (pool->owner) {
    case ETS_MEMORY_PLANNED:
        ets_add_text(line, "_planned_%" PRIu64, (uint64_t)pool->index + 1);
        break;
    case ETS_MEMORY_METHOD: ets_add_text(line, "_method_pool"); break;
    case ETS_MEMORY_TEMPORARY: ets_add_text(line, "_temporary_pool"); break;
    case ETS_MEMORY_INPUTS: ets_add_text(line, "_inputs"); break;
    case ETS_MEMORY_OUTPUTS: ets_add_text(line, "_outputs"); break;
    case ETS_MEMORY_PROGRAM:
    case ETS_MEMORY_DATA:
    case ETS_MEMORY_HEAP:
    case ETS_MEMORY_STACK: break;
    }
}

static void add_purpose(struct ets_text_builder *line, const struct ets_allocation_pool *pool)
{
    switch (pool->owner) {
    case ETS_MEMORY_PLANNED:
        ets_add_text(line, "memory id %" PRIu64 "%s", (uint64_t)pool->index + 1,
                     pool->is_shared ? ", the same for all methods" : "");
        break;
    case ETS_MEMORY_METHOD:
        ets_add_text(line, "MemoryManager's method_allocator, %" PRIu64 " allocations",
                     pool->count);
        break;
    case ETS_MEMORY_TEMPORARY:
        ets_add_text(line, "MemoryManager's temp_allocator, %" PRIu64 " allocations", pool->count);
        break;
    case ETS_MEMORY_INPUTS:
    case ETS_MEMORY_OUTPUTS:
        ets_add_text(line, "%" PRIu64 " tensors outside of the planned buffers", pool->count);
        break;
    case ETS_MEMORY_PROGRAM:
    case ETS_MEMORY_DATA:
    case ETS_MEMORY_HEAP:
    case ETS_MEMORY_STACK: break;
    }
}

static void write_pool(struct ets_output *output, struct ets_text method,
                       const struct ets_allocation_pool *pool)
{
    char text[LINE_BYTES];
    struct ets_text_builder line = {text, sizeof text, 0};
    if (pool->bytes == ETS_MEMORY_UNKNOWN) {
        ets_add_text(&line, "/* not known: ");
    } else {
        ets_add_text(&line, "alignas(%" PRIu64 ") static uint8_t ", pool->alignment);
        add_identifier(&line, method);
        add_array_name(&line, pool);
        ets_add_text(&line, "[%" PRIu64 "]; /* ", pool->bytes);
    }
    add_purpose(&line, pool);
    ets_add_text(&line, " */");
    write_line(output, &line);
}

static void add_stack(struct ets_text_builder *line, const struct ets_held_memory *held,
                      const char *before)
{
    ets_add_text(line, "%s", before);
    if (held == NULL || held->bytes == ETS_MEMORY_UNKNOWN) ets_add_text(line, "not known");
    else ets_add_text(line, "%" PRIu64 " bytes", held->bytes);
}

static void write_stack(struct ets_output *output, const struct ets_allocation_method *method)
{
    char text[LINE_BYTES];
    struct ets_text_builder line = {text, sizeof text, 0};
    const struct ets_held_memory *told =
        method->run_stack != NULL ? method->run_stack : method->load_stack;
    if (told == NULL) {
        ets_add_text(&line, "/* stack: not measured */");
        write_line(output, &line);
        return;
    }
    add_stack(&line, method->load_stack, "/* stack of the calling thread: load ");
    add_stack(&line, method->run_stack, ", run ");
    ets_add_text(&line, "; measured on this ");
    if (told->processor.data != NULL) add_comment(&line, told->processor);
    else ets_add_text(&line, "unknown");
    ets_add_text(&line, " host, kernels of other processors differ */");
    write_line(output, &line);
}

/* What is in none of the pools. */
static void write_rest(struct ets_output *output, const struct ets_allocation_method *method)
{
    char text[LINE_BYTES];
    struct ets_text_builder line = {text, sizeof text, 0};
    if (method->temporary == 0) {
        ets_add_text(&line, "/* temp_allocator: nothing was taken of it */");
        write_line(output, &line);
    }
    ets_add_text(&line, "/* heap outside of the pools: ");
    if (method->heap == ETS_MEMORY_UNKNOWN) ets_add_text(&line, "not known");
    else {
        ets_add_text(&line, "about ");
        ets_add_bytes(&line, method->heap);
    }
    ets_add_text(&line, " */");
    write_line(output, &line);
    write_stack(output, method);
}

void ets_pool_snippet_write(const struct ets_allocation_owners *owners,
                            const struct ets_allocation_pools *pools, struct ets_output *output)
{
    static const char *const head[] = {
        "#include <stdalign.h>",
        "#include <stdint.h>",
        "",
        "/* Counted by etscope while the program ran: for the inputs of that run, and for",
        " * pointers of 8 bytes. */",
    };
    char text[LINE_BYTES];
    struct ets_text_builder line = {text, sizeof text, 0};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
        ets_add_text(&line, "%s", head[i]);
        write_line(output, &line);
    }
    for (uint32_t m = 0, i = 0; m < owners->method_count; m++) {
        const struct ets_allocation_method *method = &owners->methods[m];
        ets_add_text(&line, "\n/* method ");
        add_comment(&line, method->name);
        ets_add_text(&line, " */");
        write_line(output, &line);
        for (; i < pools->count && pools->items[i].method == m; i++) {
            write_pool(output, method->name, &pools->items[i]);
        }
        write_rest(output, method);
    }
}
