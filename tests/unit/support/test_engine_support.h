/* What the engine's tests share: the plug-in or a skip, fixture programs and their inputs. */
#ifndef ETSCOPE_TEST_ENGINE_SUPPORT_H
#define ETSCOPE_TEST_ENGINE_SUPPORT_H

#include "etscope/engine.h"
#include "record/numpy.h"
#include "test_files_support.h"

static const struct ets_engine *engine; /* NULL: the plug-in is not built */
static struct ets_engine_library *engine_library;

static inline int open_engine(void **state)
{
    (void)state;
    struct ets_error error;
    const enum ets_status status = ets_engine_open(NULL, &engine_library, &engine, &error);
    if (status == ETS_OK) return 0;
    printf("%s\n", error.message);
    return status == ETS_UNAVAILABLE ? 0 : -1;
}

static inline int close_engine(void **state)
{
    (void)state;
    ets_engine_close(engine_library);
    return 0;
}

#define NEEDS_ENGINE()                               \
    do {                                             \
        (void)state;                                 \
        if (engine == NULL) SKIP_BECAUSE(NO_ENGINE); \
    } while (0)

static inline int has_backend(const char *name)
{
    for (size_t i = 0; i < engine->backend_count(); i++) {
        if (strcmp(engine->backend_name(i), name) == 0) return engine->backend_is_available(i);
    }
    return 0;
}

#define NEEDS_BACKEND(name)                                              \
    do {                                                                 \
        NEEDS_ENGINE();                                                  \
        if (!has_backend(name)) SKIP_BECAUSE("the engine has no " name); \
    } while (0)

/* A fixture program, open with the given tracing. */
struct opened {
    struct ets_file *file;
    struct ets_engine_program *program;
};

static inline struct opened open_model(const char *model, enum ets_engine_tracer tracer,
                                       enum ets_engine_capture capture, size_t debug_bytes)
{
    struct opened opened = {open_fixture(model, "model.pte"), NULL};
    struct ets_error error = {.status = ETS_OK};
    const struct ets_engine_program_options options = {.program = ets_file_bytes(opened.file),
                                                       .tracer = tracer,
                                                       .capture = capture,
                                                       .debug_buffer_bytes = debug_bytes};
    if (engine->program_open(&options, &opened.program, &error) != ETS_OK) {
        fail_msg("%s", error.message);
    }
    return opened;
}

static inline void close_model(struct opened opened)
{
    engine->program_close(opened.program);
    ets_file_close(opened.file);
}

/* Sets all inputs of `method` to the fixture's case `number`. */
static inline void set_inputs(struct opened opened, struct ets_engine_method *handle,
                              const char *model, const char *method, int number)
{
    struct ets_engine_method_info info;
    struct ets_error error = {.status = ETS_OK};
    assert_int_equal(engine->method_info(opened.program, method, &info, NULL), ETS_OK);
    for (size_t i = 0; i < info.input_count; i++) {
        char name[128];
        struct ets_value value = {.kind = ETS_VALUE_TENSOR};
        snprintf(name, sizeof name, "inputs/%s.%d.%zu.npy", method, number, i);
        struct ets_file *file = open_fixture(model, name);
        assert_int_equal(ets_npy_read(ets_file_bytes(file), &value.as.tensor, &error), ETS_OK);
        if (engine->method_set_input(handle, i, &value, &error) != ETS_OK) {
            fail_msg("%s", error.message);
        }
        ets_file_close(file);
    }
}

static inline struct ets_engine_method *open_method(struct opened opened, const char *method)
{
    struct ets_engine_method *handle = NULL;
    struct ets_error error = {.status = ETS_OK};
    if (engine->method_open(opened.program, method, &handle, &error) != ETS_OK) {
        fail_msg("%s", error.message);
    }
    return handle;
}

static inline void run(struct ets_engine_method *handle, int times)
{
    struct ets_error error = {.status = ETS_OK};
    for (int i = 0; i < times; i++) {
        if (engine->method_execute(handle, &error) != ETS_OK) fail_msg("%s", error.message);
    }
}

/* Copies a program and replaces the first `from` in it by `to` of the same length. */
static inline uint8_t *patch_program(struct ets_bytes program, const char *from, const char *to)
{
    const size_t length = strlen(from);
    uint8_t *copy = malloc(program.size);
    assert_non_null(copy);
    memcpy(copy, program.data, program.size);
    for (size_t i = 0; i + length <= program.size; i++) {
        if (memcmp(copy + i, from, length) != 0) continue;
        memcpy(copy + i, to, length);
        return copy;
    }
    free(copy);
    fail_msg("no %s in the program", from);
    return NULL;
}

#endif
