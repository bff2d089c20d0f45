/*
 * Runs the opcodes of a pickle that build plain objects; nothing is imported, constructed or
 * called.
 */
#include "record/pickle.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/load.h"
#include "base/text.h"

/* Names and numbers of Python's pickletools. */
enum opcode {
    OP_MARK = '(',
    OP_STOP = '.',
    OP_POP = '0',
    OP_POP_MARK = '1',
    OP_DUP = '2',
    OP_BINBYTES = 'B',
    OP_SHORT_BINBYTES = 'C',
    OP_BINFLOAT = 'G',
    OP_BININT = 'J',
    OP_BININT1 = 'K',
    OP_BININT2 = 'M',
    OP_NONE = 'N',
    OP_BINPERSID = 'Q',
    OP_REDUCE = 'R',
    OP_BINSTRING = 'T',
    OP_SHORT_BINSTRING = 'U',
    OP_BINUNICODE = 'X',
    OP_APPEND = 'a',
    OP_BUILD = 'b',
    OP_GLOBAL = 'c',
    OP_DICT = 'd',
    OP_APPENDS = 'e',
    OP_BINGET = 'h',
    OP_LONG_BINGET = 'j',
    OP_LIST = 'l',
    OP_BINPUT = 'q',
    OP_LONG_BINPUT = 'r',
    OP_SETITEM = 's',
    OP_TUPLE = 't',
    OP_SETITEMS = 'u',
    OP_EMPTY_DICT = '}',
    OP_EMPTY_LIST = ']',
    OP_EMPTY_TUPLE = ')',
    OP_PROTO = 0x80,
    OP_NEWOBJ = 0x81,
    OP_TUPLE1 = 0x85,
    OP_TUPLE2 = 0x86,
    OP_TUPLE3 = 0x87,
    OP_NEWTRUE = 0x88,
    OP_NEWFALSE = 0x89,
    OP_LONG1 = 0x8a,
    OP_SHORT_BINUNICODE = 0x8c,
    OP_BINUNICODE8 = 0x8d,
    OP_BINBYTES8 = 0x8e,
    OP_STACK_GLOBAL = 0x93,
    OP_MEMOIZE = 0x94,
    OP_FRAME = 0x95
};

struct array {
    struct ets_pickle_object **items;
    uint32_t count, capacity;
};

struct machine {
    struct ets_bytes pickle;
    size_t at;     /* of the next byte */
    size_t opcode; /* of the running opcode */
    uint64_t offset;
    struct ets_text entry;
    struct ets_arena *arena;
    struct ets_error *error;
    struct array stack; /* NULL is a mark */
    struct array memo;
    uint64_t steps;
};

static enum ets_status fail(const struct machine *machine, enum ets_status status, const char *what)
{
    return ets_fail(machine->error, status, machine->offset + machine->opcode,
                    "%.*s: pickle opcode 0x%x at %zu: %s", ETS_TEXT(machine->entry),
                    machine->opcode < machine->pickle.size
                        ? (unsigned)machine->pickle.data[machine->opcode]
                        : 0u,
                    machine->opcode, what);
}

static enum ets_status no_memory(const struct machine *machine)
{
    return fail(machine, ETS_NO_MEMORY, "no memory");
}

/* Arenas do not move what they gave out: what is outgrown stays behind, as much again at most. */
static bool reserve(struct ets_arena *arena, struct ets_pickle_object ***items, uint32_t *capacity,
                    uint32_t used, uint32_t wanted)
{
    if (wanted <= *capacity) return true;
    uint32_t larger = *capacity == 0 ? 8 : *capacity;
    while (larger < wanted) larger *= 2;
    struct ets_pickle_object **moved = ets_arena_alloc_array(arena, larger, sizeof *moved);
    if (moved == NULL) return false;
    if (used > 0) memcpy(moved, *items, used * sizeof *moved);
    *items = moved;
    *capacity = larger;
    return true;
}

static enum ets_status push(struct machine *machine, struct ets_pickle_object *object)
{
    struct array *stack = &machine->stack;
    if (!reserve(machine->arena, &stack->items, &stack->capacity, stack->count, stack->count + 1)) {
        return no_memory(machine);
    }
    stack->items[stack->count++] = object;
    return ETS_OK;
}

static enum ets_status push_new(struct machine *machine, enum ets_pickle_kind kind,
                                struct ets_pickle_object **object_out)
{
    struct ets_pickle_object *object = ets_arena_alloc(machine->arena, sizeof *object);
    if (object == NULL) return no_memory(machine);
    object->kind = kind;
    *object_out = object;
    return push(machine, object);
}

static enum ets_status push_integer(struct machine *machine, enum ets_pickle_kind kind,
                                    int64_t value)
{
    struct ets_pickle_object *object = NULL;
    ETS_TRY(push_new(machine, kind, &object));
    object->as.integer = value;
    return ETS_OK;
}

/* Takes the top of the stack, which must not be a mark. */
static enum ets_status pop(struct machine *machine, struct ets_pickle_object **object_out)
{
    struct array *stack = &machine->stack;
    if (stack->count == 0 || stack->items[stack->count - 1] == NULL) {
        return fail(machine, ETS_MALFORMED, "the stack is empty");
    }
    *object_out = stack->items[--stack->count];
    return ETS_OK;
}

/* Takes all down to the topmost mark and the mark; the items stay valid until the next push. */
static enum ets_status pop_mark(struct machine *machine, struct array *items_out)
{
    struct array *stack = &machine->stack;
    uint32_t mark = stack->count;
    while (mark > 0 && stack->items[mark - 1] != NULL) mark--;
    if (mark == 0) return fail(machine, ETS_MALFORMED, "a mark is missing");
    *items_out = (struct array){stack->items + mark, stack->count - mark, 0};
    stack->count = mark - 1;
    return ETS_OK;
}

static enum ets_status take(struct machine *machine, uint64_t size, const uint8_t **bytes_out)
{
    if (size > machine->pickle.size - machine->at) {
        return fail(machine, ETS_TRUNCATED, "the pickle ends inside it");
    }
    *bytes_out = machine->pickle.data + machine->at;
    machine->at += (size_t)size;
    return ETS_OK;
}

static enum ets_status take_number(struct machine *machine, size_t bytes, uint64_t *value_out)
{
    const uint8_t *at = NULL;
    ETS_TRY(take(machine, bytes, &at));
    *value_out = 0;
    for (size_t i = bytes; i-- > 0;) *value_out = *value_out << 8 | at[i];
    return ETS_OK;
}

/* A text or bytes after a length of `length_bytes`. */
static enum ets_status push_text(struct machine *machine, enum ets_pickle_kind kind,
                                 size_t length_bytes)
{
    uint64_t size = 0;
    const uint8_t *at = NULL;
    struct ets_pickle_object *object = NULL;
    ETS_TRY(take_number(machine, length_bytes, &size));
    ETS_TRY(take(machine, size, &at));
    ETS_TRY(push_new(machine, kind, &object));
    object->as.text = (struct ets_text){(const char *)at, (size_t)size};
    return ETS_OK;
}

static enum ets_status push_float(struct machine *machine)
{
    const uint8_t *at = NULL;
    struct ets_pickle_object *object = NULL;
    ETS_TRY(take(machine, 8, &at));
    ETS_TRY(push_new(machine, ETS_PICKLE_DOUBLE, &object));
    uint64_t bits = 0;
    for (size_t i = 0; i < 8; i++) bits = bits << 8 | at[i]; /* the one big-endian number */
    memcpy(&object->as.number, &bits, sizeof bits);
    return ETS_OK;
}

/* Two's complement in as many bytes as needed. */
static enum ets_status push_long(struct machine *machine)
{
    uint64_t size = 0, value = 0;
    const uint8_t *at = NULL;
    struct ets_pickle_object *object = NULL;
    ETS_TRY(take_number(machine, 1, &size));
    if (size > 8) {
        ETS_TRY(take(machine, size, &at));
        return push_new(machine, ETS_PICKLE_OTHER, &object);
    }
    ETS_TRY(take_number(machine, (size_t)size, &value));
    if (size > 0 && size < 8 && (value >> (8 * size - 1)) != 0) value |= UINT64_MAX << (8 * size);
    return push_integer(machine, ETS_PICKLE_INT, (int64_t)value);
}

static enum ets_status take_line(struct machine *machine, struct ets_text *line_out)
{
    const uint8_t *at = machine->pickle.data + machine->at;
    const uint8_t *end = memchr(at, '\n', machine->pickle.size - machine->at);
    if (end == NULL) return fail(machine, ETS_TRUNCATED, "the pickle ends inside it");
    *line_out = (struct ets_text){(const char *)at, (size_t)(end - at)};
    machine->at += (size_t)(end - at) + 1;
    return ETS_OK;
}

static enum ets_status push_global(struct machine *machine, struct ets_text module,
                                   struct ets_text name)
{
    struct ets_pickle_object *object = NULL;
    ETS_TRY(push_new(machine, ETS_PICKLE_GLOBAL, &object));
    object->as.global.module = module;
    object->as.global.name = name;
    return ETS_OK;
}

static enum ets_status run_global(struct machine *machine, uint8_t opcode)
{
    struct ets_text module = {NULL, 0}, name = {NULL, 0};
    if (opcode == OP_GLOBAL) {
        ETS_TRY(take_line(machine, &module));
        ETS_TRY(take_line(machine, &name));
        return push_global(machine, module, name);
    }
    struct ets_pickle_object *first = NULL, *second = NULL;
    ETS_TRY(pop(machine, &second));
    ETS_TRY(pop(machine, &first));
    if (first->kind != ETS_PICKLE_TEXT || second->kind != ETS_PICKLE_TEXT) {
        return fail(machine, ETS_MALFORMED, "the names of a global are not strings");
    }
    return push_global(machine, first->as.text, second->as.text);
}

static enum ets_status add_items(struct machine *machine, struct ets_pickle_object *to,
                                 struct ets_pickle_object *const *items, uint32_t count)
{
    if (count > UINT32_MAX / 4 - to->as.list.count) {
        return fail(machine, ETS_LIMIT, "too many items");
    }
    if (!reserve(machine->arena, &to->as.list.items, &to->as.list.capacity, to->as.list.count,
                 to->as.list.count + count)) {
        return no_memory(machine);
    }
    if (count > 0) memcpy(to->as.list.items + to->as.list.count, items, count * sizeof *items);
    to->as.list.count += count;
    return ETS_OK;
}

static enum ets_status push_items(struct machine *machine, enum ets_pickle_kind kind,
                                  const struct array *items)
{
    struct ets_pickle_object *object = ets_arena_alloc(machine->arena, sizeof *object);
    if (object == NULL) return no_memory(machine);
    object->kind = kind;
    ETS_TRY(add_items(machine, object, items->items, items->count));
    return push(machine, object);
}

/* TUPLE1 to TUPLE3 */
static enum ets_status push_tuple(struct machine *machine, uint32_t count)
{
    struct array *stack = &machine->stack;
    if (stack->count < count) return fail(machine, ETS_MALFORMED, "the stack is empty");
    for (uint32_t i = 1; i <= count; i++) {
        if (stack->items[stack->count - i] == NULL) {
            return fail(machine, ETS_MALFORMED, "a mark is in the way");
        }
    }
    stack->count -= count;
    const struct array items = {stack->items + stack->count, count, 0};
    return push_items(machine, ETS_PICKLE_TUPLE, &items);
}

static enum ets_status push_marked(struct machine *machine, enum ets_pickle_kind kind)
{
    struct array items = {NULL, 0, 0};
    ETS_TRY(pop_mark(machine, &items));
    if (kind == ETS_PICKLE_DICT && items.count % 2 != 0) {
        return fail(machine, ETS_MALFORMED, "a key has no value");
    }
    return push_items(machine, kind, &items);
}

/* APPEND(S), SETITEM(S): into the object below the items, which stays on the stack. */
static enum ets_status add_to_top(struct machine *machine, enum ets_pickle_kind kind,
                                  const struct array *items)
{
    struct array *stack = &machine->stack;
    struct ets_pickle_object *target = stack->count > 0 ? stack->items[stack->count - 1] : NULL;
    if (target != NULL && target->kind == ETS_PICKLE_CALL) {
        /* A list or dict of a class that is not known: its content is its state. */
        if (target->as.call.state == NULL) {
            struct ets_pickle_object *state = ets_arena_alloc(machine->arena, sizeof *state);
            if (state == NULL) return no_memory(machine);
            state->kind = kind;
            target->as.call.state = state;
        }
        target = target->as.call.state;
    }
    if (target == NULL || target->kind != kind) {
        return fail(machine, ETS_MALFORMED, "there is no object to add to");
    }
    if (kind == ETS_PICKLE_DICT && items->count % 2 != 0) {
        return fail(machine, ETS_MALFORMED, "a key has no value");
    }
    return add_items(machine, target, items->items, items->count);
}

static enum ets_status add_marked(struct machine *machine, enum ets_pickle_kind kind)
{
    struct array items = {NULL, 0, 0};
    ETS_TRY(pop_mark(machine, &items));
    return add_to_top(machine, kind, &items);
}

static enum ets_status add_popped(struct machine *machine, enum ets_pickle_kind kind,
                                  uint32_t count)
{
    struct ets_pickle_object *popped[2];
    for (uint32_t i = count; i-- > 0;) ETS_TRY(pop(machine, &popped[i]));
    const struct array items = {popped, count, 0};
    return add_to_top(machine, kind, &items);
}

/* Indices are given in order by all picklers, so that none can exceed the number of steps. */
static enum ets_status put(struct machine *machine, uint64_t index)
{
    struct array *memo = &machine->memo;
    struct array *stack = &machine->stack;
    if (stack->count == 0 || stack->items[stack->count - 1] == NULL || index > machine->steps) {
        return fail(machine, ETS_MALFORMED,
                    "there is nothing to store, or the memo index is too large");
    }
    if (index >= memo->count) {
        if (!reserve(machine->arena, &memo->items, &memo->capacity, memo->count,
                     (uint32_t)index + 1)) {
            return no_memory(machine);
        }
        memo->count = (uint32_t)index + 1; /* reserve gives zeroed room */
    }
    memo->items[index] = stack->items[stack->count - 1];
    return ETS_OK;
}

static enum ets_status get(struct machine *machine, uint64_t index)
{
    if (index >= machine->memo.count || machine->memo.items[index] == NULL) {
        return fail(machine, ETS_MALFORMED, "the memo has no such entry");
    }
    return push(machine, machine->memo.items[index]);
}

/* REDUCE, NEWOBJ: remembered, never called. An empty OrderedDict is an empty dict. */
static enum ets_status push_call(struct machine *machine)
{
    struct ets_pickle_object *callable = NULL, *arguments = NULL, *object = NULL;
    ETS_TRY(pop(machine, &arguments));
    ETS_TRY(pop(machine, &callable));
    if (arguments->kind != ETS_PICKLE_TUPLE) {
        return fail(machine, ETS_MALFORMED, "the arguments of a call are not a tuple");
    }
    if (arguments->as.list.count == 0 &&
        ets_pickle_is_global(callable, "collections", "OrderedDict")) {
        return push_new(machine, ETS_PICKLE_DICT, &object);
    }
    ETS_TRY(push_new(machine, ETS_PICKLE_CALL, &object));
    object->as.call.callable = callable;
    object->as.call.arguments = arguments;
    return ETS_OK;
}

static enum ets_status run_build(struct machine *machine)
{
    struct ets_pickle_object *state = NULL, *object = NULL;
    ETS_TRY(pop(machine, &state));
    ETS_TRY(pop(machine, &object));
    if (object->kind == ETS_PICKLE_CALL && object->as.call.state == NULL) {
        object->as.call.state = state;
    }
    return push(machine, object);
}

static enum ets_status push_persistent(struct machine *machine)
{
    struct ets_pickle_object *id = NULL, *object = NULL;
    ETS_TRY(pop(machine, &id));
    ETS_TRY(push_new(machine, ETS_PICKLE_PERSISTENT, &object));
    object->as.call.arguments = id;
    return ETS_OK;
}

/* Opcodes that carry a number, a text or nothing but themselves. */
static enum ets_status run_value(struct machine *machine, uint8_t opcode, bool *known)
{
    uint64_t value = 0;
    struct ets_pickle_object *object = NULL;
    switch (opcode) {
    case OP_NONE: return push_new(machine, ETS_PICKLE_NONE, &object);
    case OP_NEWTRUE: return push_integer(machine, ETS_PICKLE_BOOL, 1);
    case OP_NEWFALSE: return push_integer(machine, ETS_PICKLE_BOOL, 0);
    case OP_BININT:
        ETS_TRY(take_number(machine, 4, &value));
        return push_integer(machine, ETS_PICKLE_INT, (int32_t)(uint32_t)value);
    case OP_BININT1:
        ETS_TRY(take_number(machine, 1, &value));
        return push_integer(machine, ETS_PICKLE_INT, (int64_t)value);
    case OP_BININT2:
        ETS_TRY(take_number(machine, 2, &value));
        return push_integer(machine, ETS_PICKLE_INT, (int64_t)value);
    case OP_LONG1: return push_long(machine);
    case OP_BINFLOAT: return push_float(machine);
    case OP_SHORT_BINUNICODE: return push_text(machine, ETS_PICKLE_TEXT, 1);
    case OP_BINUNICODE: return push_text(machine, ETS_PICKLE_TEXT, 4);
    case OP_BINUNICODE8: return push_text(machine, ETS_PICKLE_TEXT, 8);
    case OP_SHORT_BINSTRING: return push_text(machine, ETS_PICKLE_BYTES, 1);
    case OP_BINSTRING: return push_text(machine, ETS_PICKLE_BYTES, 4);
    case OP_SHORT_BINBYTES: return push_text(machine, ETS_PICKLE_BYTES, 1);
    case OP_BINBYTES: return push_text(machine, ETS_PICKLE_BYTES, 4);
    case OP_BINBYTES8: return push_text(machine, ETS_PICKLE_BYTES, 8);
    default: *known = false; return ETS_OK;
    }
}

/* Opcodes that make or fill containers. */
static enum ets_status run_container(struct machine *machine, uint8_t opcode, bool *known)
{
    struct ets_pickle_object *object = NULL;
    switch (opcode) {
    case OP_EMPTY_LIST: return push_new(machine, ETS_PICKLE_LIST, &object);
    case OP_EMPTY_DICT: return push_new(machine, ETS_PICKLE_DICT, &object);
    case OP_EMPTY_TUPLE: return push_new(machine, ETS_PICKLE_TUPLE, &object);
    case OP_LIST: return push_marked(machine, ETS_PICKLE_LIST);
    case OP_DICT: return push_marked(machine, ETS_PICKLE_DICT);
    case OP_TUPLE: return push_marked(machine, ETS_PICKLE_TUPLE);
    case OP_TUPLE1: return push_tuple(machine, 1);
    case OP_TUPLE2: return push_tuple(machine, 2);
    case OP_TUPLE3: return push_tuple(machine, 3);
    case OP_APPEND: return add_popped(machine, ETS_PICKLE_LIST, 1);
    case OP_SETITEM: return add_popped(machine, ETS_PICKLE_DICT, 2);
    case OP_APPENDS: return add_marked(machine, ETS_PICKLE_LIST);
    case OP_SETITEMS: return add_marked(machine, ETS_PICKLE_DICT);
    default: *known = false; return ETS_OK;
    }
}

/* Opcodes about the memo, the stack and objects. */
static enum ets_status run_other(struct machine *machine, uint8_t opcode)
{
    uint64_t value = 0;
    struct array items = {NULL, 0, 0};
    struct ets_pickle_object *object = NULL;
    switch (opcode) {
    case OP_MARK: return push(machine, NULL);
    case OP_POP:
        if (machine->stack.count == 0) return fail(machine, ETS_MALFORMED, "the stack is empty");
        machine->stack.count--;
        return ETS_OK;
    case OP_POP_MARK: return pop_mark(machine, &items);
    case OP_DUP:
        ETS_TRY(pop(machine, &object));
        ETS_TRY(push(machine, object));
        return push(machine, object);
    case OP_PROTO: return take_number(machine, 1, &value);
    case OP_FRAME: return take_number(machine, 8, &value);
    case OP_BINPUT: ETS_TRY(take_number(machine, 1, &value)); return put(machine, value);
    case OP_LONG_BINPUT: ETS_TRY(take_number(machine, 4, &value)); return put(machine, value);
    case OP_MEMOIZE: return put(machine, machine->memo.count);
    case OP_BINGET: ETS_TRY(take_number(machine, 1, &value)); return get(machine, value);
    case OP_LONG_BINGET: ETS_TRY(take_number(machine, 4, &value)); return get(machine, value);
    case OP_GLOBAL:
    case OP_STACK_GLOBAL: return run_global(machine, opcode);
    case OP_REDUCE:
    case OP_NEWOBJ: return push_call(machine);
    case OP_BUILD: return run_build(machine);
    case OP_BINPERSID: return push_persistent(machine);
    default: return fail(machine, ETS_UNSUPPORTED, "torch.save does not write this opcode");
    }
}

enum ets_status ets_pickle_read_first(struct ets_bytes pickle, uint64_t offset,
                                      struct ets_text entry, struct ets_arena *arena,
                                      const struct ets_pickle_object **root_out, size_t *size_out,
                                      struct ets_error *error)
{
    struct machine machine = {
        .pickle = pickle, .offset = offset, .entry = entry, .arena = arena, .error = error};
    if (pickle.size > ETS_PICKLE_MAX_BYTES) {
        return fail(&machine, ETS_LIMIT, "the pickle is too long");
    }
    for (;; machine.steps++) {
        const uint8_t *at = NULL;
        bool known = true;
        machine.opcode = machine.at;
        ETS_TRY(take(&machine, 1, &at));
        if (*at == OP_STOP) break;
        ETS_TRY(run_value(&machine, *at, &known));
        if (known) continue;
        known = true;
        ETS_TRY(run_container(&machine, *at, &known));
        if (known) continue;
        ETS_TRY(run_other(&machine, *at));
    }
    struct ets_pickle_object *root = NULL;
    ETS_TRY(pop(&machine, &root));
    *root_out = root;
    *size_out = machine.at;
    return ETS_OK;
}

enum ets_status ets_pickle_read(struct ets_bytes pickle, uint64_t offset, struct ets_text entry,
                                struct ets_arena *arena, const struct ets_pickle_object **root_out,
                                struct ets_error *error)
{
    size_t size;
    return ets_pickle_read_first(pickle, offset, entry, arena, root_out, &size, error);
}

int ets_pickle_is_global(const struct ets_pickle_object *object, const char *module,
                         const char *name)
{
    return object != NULL && object->kind == ETS_PICKLE_GLOBAL &&
           ets_text_is(object->as.global.module, module) &&
           ets_text_is(object->as.global.name, name);
}
