/* Who takes a method's memory, and the sentence that says it. */
#include "views/allocation_owners.h"

#include <math.h>

#include "base/text.h"
#include "host/strings.h"
#include "host/text_builder.h"
#include "views/instruction_rows.h"

struct collector {
    struct ets_arena *arena;
    struct ets_instruction_rows rows;
    struct ets_strings names; /* of methods; a number less one is the method's place */
    struct ets_allocation_owners *view;
};

static uint64_t sum(uint64_t left, uint64_t right)
{
    const bool is_known = left != ETS_MEMORY_UNKNOWN && right != ETS_MEMORY_UNKNOWN;
    return is_known && left <= INT64_MAX - right ? left + right : ETS_MEMORY_UNKNOWN;
}

/* ETS_NO_INDEX: no memory. An absent name is a method's as well: the empty one. */
static uint32_t method_of(struct collector *c, struct ets_text name)
{
    const struct ets_text known = name.data == NULL ? (struct ets_text){"", 0} : name;
    const uint32_t number = ets_strings_add(&c->names, known);
    if (number == UINT32_MAX) return ETS_NO_INDEX;
    if (number - 1 == c->view->method_count) c->view->methods[c->view->method_count++].name = known;
    return number - 1;
}

static bool is_of_files(const struct ets_held_memory *held)
{
    return held->owner == ETS_MEMORY_PROGRAM || held->owner == ETS_MEMORY_DATA;
}

/* Names of all methods, in order of appearance. */
static bool find_methods(struct collector *c)
{
    struct ets_allocation_owners *view = c->view;
    const struct ets_recorded_memory *memory = &view->memory;
    const size_t most = (size_t)memory->held_count + memory->process_count;
    view->methods = ets_arena_alloc_array(c->arena, most, sizeof *view->methods);
    view->items = ets_arena_alloc_array(c->arena, memory->held_count, sizeof *view->items);
    if (view->methods == NULL || view->items == NULL) return false;
    if (ets_strings_init(&c->names, c->arena) != 0) return false;
    for (uint32_t i = 0; i < memory->held_count; i++) {
        if (is_of_files(&memory->held[i])) continue;
        const uint32_t method = method_of(c, memory->held[i].method);
        if (method == ETS_NO_INDEX) return false;
        view->methods[method].count++;
    }
    for (uint32_t i = 0; i < memory->process_count; i++) {
        const uint32_t method = method_of(c, memory->process[i].method);
        if (method == ETS_NO_INDEX) return false;
        view->methods[method].process[memory->process[i].moment] = &memory->process[i];
    }
    return true;
}

static void place(struct collector *c)
{
    struct ets_allocation_owners *view = c->view;
    uint32_t next = 0;
    for (uint32_t i = 0; i < view->memory.held_count; i++) {
        if (is_of_files(&view->memory.held[i])) next++;
    }
    for (uint32_t m = 0; m < view->method_count; m++) {
        view->methods[m].first = next;
        next += view->methods[m].count;
        view->methods[m].count = 0;
    }
    for (uint32_t i = 0; i < view->memory.held_count; i++) {
        const struct ets_held_memory *held = &view->memory.held[i];
        uint32_t method = ETS_NO_INDEX, at = view->count;
        if (is_of_files(held)) {
            view->count++;
        } else {
            method = method_of(c, held->method);
            at = view->methods[method].first + view->methods[method].count++;
        }
        view->items[at] = (struct ets_allocation_owner){
            .held = held,
            .method = method,
            .share = NAN,
            .row =
                ets_instruction_rows_find(&c->rows, held->method, held->chain, held->instruction)};
    }
    view->count = view->memory.held_count;
}

static void add_to_method(struct ets_allocation_method *method, const struct ets_held_memory *held)
{
    switch (held->owner) {
    case ETS_MEMORY_PLANNED: method->planned = sum(method->planned, held->bytes); break;
    case ETS_MEMORY_METHOD:
        if (held->pool_bytes > method->method) method->method = held->pool_bytes;
        if (held->backend.data == NULL) break;
        method->delegates = sum(method->delegates, held->bytes);
        break;
    case ETS_MEMORY_TEMPORARY:
        if (held->pool_bytes > method->temporary) method->temporary = held->pool_bytes;
        break;
    case ETS_MEMORY_INPUTS: method->inputs = sum(method->inputs, held->bytes); break;
    case ETS_MEMORY_OUTPUTS: method->outputs = sum(method->outputs, held->bytes); break;
    case ETS_MEMORY_HEAP: method->heap = sum(method->heap, held->bytes); break;
    case ETS_MEMORY_STACK:
        if (held->index > 0) break;
        *(held->phase == ETS_MEMORY_LOAD ? &method->load_stack : &method->run_stack) = held;
        break;
    case ETS_MEMORY_PROGRAM:
    case ETS_MEMORY_DATA: break;
    }
}

static void add_up(struct ets_allocation_owners *view, struct ets_allocation_method *method)
{
    for (uint32_t i = 0; i < method->count; i++) {
        add_to_method(method, view->items[method->first + i].held);
    }
    method->total = sum(sum(method->planned, method->method),
                        sum(method->temporary, sum(method->inputs, method->outputs)));
    if (method->heap != ETS_MEMORY_UNKNOWN) method->total = sum(method->total, method->heap);
    for (uint32_t i = 0; i < method->count; i++) {
        struct ets_allocation_owner *item = &view->items[method->first + i];
        if (method->total == 0 || method->total == ETS_MEMORY_UNKNOWN) continue;
        if (item->held->bytes == ETS_MEMORY_UNKNOWN) continue;
        if (item->held->owner == ETS_MEMORY_STACK) continue;
        item->share = (double)item->held->bytes / (double)method->total;
    }
}

bool ets_allocation_owners_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                                   struct ets_allocation_owners *out)
{
    struct collector c = {.arena = arena, .view = out};
    *out =
        (struct ets_allocation_owners){.program = ETS_MEMORY_UNKNOWN, .data = ETS_MEMORY_UNKNOWN};
    if (ets_recorded_memory_read(arena, inspection, &out->memory, NULL) != ETS_OK) return false;
    if (!find_methods(&c) || !ets_instruction_rows_build(arena, inspection, &c.rows)) return false;
    place(&c);
    for (uint32_t i = 0; i < out->count; i++) {
        const struct ets_held_memory *held = out->items[i].held;
        if (held->owner == ETS_MEMORY_PROGRAM) out->program = held->bytes;
        if (held->owner == ETS_MEMORY_DATA) out->data = held->bytes;
    }
    for (uint32_t m = 0; m < out->method_count; m++) add_up(out, &out->methods[m]);
    return true;
}

static void say_bytes(struct ets_text_builder *line, const char *before, uint64_t bytes)
{
    ets_add_text(line, "%s ", before);
    if (bytes == ETS_MEMORY_UNKNOWN) ets_add_text(line, "not known");
    else ets_add_bytes(line, bytes);
}

/* Of loading and running; 0: not told. */
static uint64_t larger_stack(const struct ets_allocation_method *method)
{
    const uint64_t load = method->load_stack == NULL ? 0 : method->load_stack->bytes;
    const uint64_t run = method->run_stack == NULL ? 0 : method->run_stack->bytes;
    return load > run ? load : run;
}

size_t ets_allocation_headline(const struct ets_allocation_owners *owners, uint32_t index,
                               char *text, size_t room)
{
    const struct ets_allocation_method *method = &owners->methods[index];
    struct ets_text_builder line = {text, room, 0};
    ets_add_plain_text(&line, "%.*s", ETS_TEXT(method->name));
    say_bytes(&line, " takes", method->total);
    say_bytes(&line, ": planned", method->planned);
    say_bytes(&line, ", method allocator", method->method);
    if (method->delegates > 0) {
        say_bytes(&line, " (delegates", method->delegates);
        ets_add_text(&line, ")");
    }
    say_bytes(&line, ", temporary", method->temporary);
    if (method->inputs > 0) say_bytes(&line, ", inputs", method->inputs);
    if (method->outputs > 0) say_bytes(&line, ", outputs", method->outputs);
    say_bytes(&line, method->heap == ETS_MEMORY_UNKNOWN ? ", other heap" : ", other heap about",
              method->heap);
    if (larger_stack(method) > 0) say_bytes(&line, "; stack", larger_stack(method));
    if (owners->program != ETS_MEMORY_UNKNOWN) {
        say_bytes(&line, "; the program file has", owners->program);
    }
    return line.used;
}

const char *ets_memory_owner_name(enum ets_memory_owner owner)
{
    switch (owner) {
    case ETS_MEMORY_PROGRAM: return "program";
    case ETS_MEMORY_DATA: return "data files";
    case ETS_MEMORY_METHOD: return "method";
    case ETS_MEMORY_PLANNED: return "planned";
    case ETS_MEMORY_TEMPORARY: return "temporary";
    case ETS_MEMORY_INPUTS: return "inputs";
    case ETS_MEMORY_OUTPUTS: return "outputs";
    case ETS_MEMORY_HEAP: return "heap";
    case ETS_MEMORY_STACK: return "stack";
    }
    return "unknown";
}

const char *ets_stack_threads_name(const struct ets_held_memory *held)
{
    if (held->owner != ETS_MEMORY_STACK) return NULL;
    return held->index == 0 ? "calling thread" : "pool's threads";
}

const char *ets_memory_moment_name(enum ets_memory_moment moment)
{
    static const char *const names[] = {"before load",      "after load", "before runs",
                                        "after first run",  "at the end", "peak of load",
                                        "peak of first run"};
    return (unsigned)moment < ETS_MOMENT_COUNT ? names[moment] : "unknown";
}
