/*
 * Writes output files: to a temporary file that replaces the target at commit, or directly to a
 * stream.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "host/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/utf8.h"
#include "etscope/base.h"
#include "host/json_text.h"
#include "host/memory_budget.h"
#include "host/os/os_files.h"
#include "host/os/os_output.h"
#include "host/os/os_processes.h"
#include "host/os/os_streams.h"

struct ets_output {
    FILE *stream;
    char *path;               /* NULL: written directly to `stream` (standard output, a device) */
    char *temporary_path;     /* replaces `path` at commit */
    struct ets_output *next;  /* of the outputs with a temporary file */
    char **data;              /* not NULL: written to memory, which the caller owns at the end */
    size_t *size, room;       /* of it, without the NUL that ends it */
    int failed_errno;         /* first failure, 0 for none */
    bool is_terminal;         /* control bytes are escaped */
    unsigned char pending[4]; /* terminal: the start of an incomplete character */
    size_t pending_size;
};

/*
 * The outputs with a temporary file. A signal handler reads the list without the lock, so each
 * change is one store.
 */
static struct ets_output *_Atomic first_temporary;
static atomic_flag list_lock = ATOMIC_FLAG_INIT;

static bool (*guard)(const char *path);

void ets_output_set_guard(bool (*is_input)(const char *path))
{
    guard = is_input;
}

static void lock_list(void)
{
    while (atomic_flag_test_and_set(&list_lock)) {
    }
}

static void enlist(struct ets_output *output)
{
    lock_list();
    output->next = first_temporary;
    first_temporary = output;
    atomic_flag_clear(&list_lock);
}

static void delist(struct ets_output *output)
{
    lock_list();
    struct ets_output *before = first_temporary;
    if (before == output) first_temporary = output->next;
    while (before != NULL && before->next != output) before = before->next;
    if (before != NULL) before->next = output->next;
    atomic_flag_clear(&list_lock);
}

void ets_output_remove_temporaries(void)
{
    for (const struct ets_output *at = first_temporary; at != NULL; at = at->next) {
        (void)ets_os_remove(at->temporary_path);
    }
}

static void release(struct ets_output *output)
{
    if (output == NULL) return;
    if (output->temporary_path != NULL) delist(output);
    if (output->stream != NULL && output->stream != stdout) fclose(output->stream);
    free(output->path);
    free(output->temporary_path);
    free(output);
}

static enum ets_status fail_errno(struct ets_error *error, int code)
{
    return ets_fail(error, code == ENOMEM ? ETS_NO_MEMORY : ETS_IO, ETS_NO_OFFSET,
                    "cannot write: %s", strerror(code));
}

/* SplitMix64 (Steele, Lea, Flood 2014), seeded for each output. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Also where there was no memory to know all inputs. */
static enum ets_status fail_guard(struct ets_error *error)
{
    if (ets_memory_was_refused()) return ets_fail_memory(error, "the inputs and the output");
    return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                    "is an input of this command; name another file to write");
}

/*
 * Creates a new file beside the target under an unused name. Creating guarantees that, so names
 * only need to differ. NULL: errno.
 */
static FILE *create_temporary(char *path, size_t ending_at, uint64_t state,
                              struct ets_os_permissions permissions)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    enum { MOST_TRIES = 1000 };
    FILE *stream = NULL;
    for (int i = 0; i < MOST_TRIES; i++) {
        uint64_t random = next_random(&state);
        for (char *at = path + ending_at; *at != '\0'; at++, random /= 36)
            *at = letters[random % 36];
        stream = ets_os_create_new(path, permissions);
        if (stream != NULL || errno != EEXIST) break;
    }
    return stream;
}

char *ets_output_resolve(const char *path)
{
    enum { MOST_LINKS = 40 };
    char *target = strdup(path);
    for (int i = 0; target != NULL; i++) {
        char *next = ets_os_follow_link(target);
        if (next == NULL && errno == 0) return target;
        free(target);
        target = next;
        if (i < MOST_LINKS) continue;
        free(target);
        errno = ELOOP;
        return NULL;
    }
    return NULL;
}

static int open_temporary(struct ets_output *output, const char *path)
{
    static const char ending[] = ".xxxxxx";
    struct timespec now = {0, 0};
    struct ets_os_permissions permissions;
    output->path = ets_output_resolve(path);
    if (output->path == NULL) return errno;
    const int refused = ets_os_permissions_of(output->path, &permissions);
    if (refused != 0) return refused;
    const size_t length = strlen(output->path);
    char *temporary = malloc(length + sizeof ending);
    if (temporary == NULL) return ENOMEM;
    memcpy(temporary, output->path, length);
    memcpy(temporary + length, ending, sizeof ending);
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t seed = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec +
                          ((uint64_t)ets_os_process_number() << 32) + (uint64_t)(uintptr_t)output;
    output->temporary_path = temporary;
    enlist(output); /* before the file exists: a signal must find it */
    output->stream = create_temporary(temporary, length + 1, seed, permissions);
    if (output->stream != NULL) return 0;
    const int code = errno;
    delist(output);
    output->temporary_path = NULL; /* nothing to remove */
    free(temporary);
    return code;
}

enum ets_status ets_output_open(const char *path, struct ets_output **output_out,
                                struct ets_error *error)
{
    struct ets_output *output = calloc(1, sizeof *output);
    if (output == NULL) return fail_errno(error, ENOMEM);
    int code = 0;
    if (strcmp(path, "-") != 0 && guard != NULL && guard(path)) {
        free(output);
        return fail_guard(error);
    }
    const enum ets_os_kind kind = ets_os_look(path).kind;
    if (strcmp(path, "-") == 0) {
        output->stream = stdout;
        output->is_terminal = ets_os_is_terminal(ETS_OS_OUTPUT);
    } else if (kind == ETS_OS_FOLDER) {
        code = EISDIR;
    } else if (kind == ETS_OS_OTHER) {
        output->stream = fopen(path, "wb"); /* /dev/null, a pipe: nothing to rename over */
        if (output->stream == NULL) code = errno;
    } else {
        code = open_temporary(output, path);
    }
    if (code != 0) {
        ets_output_discard(output);
        return fail_errno(error, code);
    }
    *output_out = output;
    return ETS_OK;
}

enum ets_status ets_output_open_memory(struct ets_output **output_out, char **data_out,
                                       size_t *size_out, struct ets_error *error)
{
    struct ets_output *output = calloc(1, sizeof *output);
    *data_out = NULL;
    *size_out = 0;
    if (output == NULL) return fail_errno(error, ENOMEM);
    output->data = data_out;
    output->size = size_out;
    *data_out = calloc(1, 1);
    if (*data_out == NULL) {
        release(output);
        return fail_errno(error, ENOMEM);
    }
    *output_out = output;
    return ETS_OK;
}

void ets_output_free(char *data)
{
    free(data);
}

static void keep(struct ets_output *output, const void *data, size_t size)
{
    const size_t used = *output->size;
    if (size > output->room - used) {
        const size_t room = 2 * output->room + size;
        char *grown = room < size ? NULL : realloc(*output->data, room + 1);
        if (grown == NULL) {
            output->failed_errno = ENOMEM;
            return;
        }
        *output->data = grown;
        output->room = room;
    }
    memcpy(*output->data + used, data, size);
    *output->size = used + size;
    (*output->data)[used + size] = '\0';
}

static void put(struct ets_output *output, const void *data, size_t size)
{
    if (size == 0 || output->failed_errno != 0) return;
    if (output->data != NULL) keep(output, data, size);
    else if (fwrite(data, 1, size, output->stream) != size) output->failed_errno = errno;
}

/* Writes the complete characters in `pending`; everything if `is_end`. */
static void put_pending(struct ets_output *output, bool is_end)
{
    while (output->pending_size > 0) {
        const char *at = (const char *)output->pending;
        if (!is_end && output->pending_size < ets_utf8_wanted(output->pending[0])) return;
        const bool is_layout = *at == '\n' || *at == '\t';
        const size_t length = is_layout ? 1 : ets_plain_length(at, output->pending_size);
        const size_t taken = length > 0 ? length : 1;
        char escape[8];
        if (length > 0) put(output, at, length);
        else
            put(output, escape,
                (size_t)snprintf(escape, sizeof escape, "\\x%02x", output->pending[0]));
        output->pending_size -= taken;
        memmove(output->pending, output->pending + taken, output->pending_size);
    }
}

void ets_output_write(struct ets_output *output, const void *data, size_t size)
{
    if (!output->is_terminal) {
        put(output, data, size);
        return;
    }
    for (size_t i = 0; i < size; i++) {
        output->pending[output->pending_size++] = ((const unsigned char *)data)[i];
        put_pending(output, false);
    }
}

void ets_output_print(struct ets_output *output, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ets_output_write(output, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

void ets_output_control(struct ets_output *output, const char *sequence)
{
    put_pending(output, true);
    put(output, sequence, strlen(sequence));
}

void ets_output_write_json(struct ets_output *output, const char *text, size_t size)
{
    struct ets_text left = {text, size};
    struct ets_json_piece piece;
    ets_output_write(output, "\"", 1);
    while (ets_json_next(&left, &piece)) ets_output_write(output, piece.data, piece.size);
    ets_output_write(output, "\"", 1);
}

/* Writes the rest, and closes: only the move to its place is left. */
static enum ets_status finish(struct ets_output *output, struct ets_error *error)
{
    put_pending(output, true);
    int code = output->failed_errno;
    if (output->stream == stdout) {
        if (fflush(stdout) != 0 && code == 0) code = errno;
    } else if (output->stream != NULL) {
        if (fclose(output->stream) != 0 && code == 0) code = errno;
        output->stream = NULL;
    }
    if (code != 0) return fail_errno(error, code);
    if (output->temporary_path != NULL && ets_memory_was_refused()) {
        return ets_fail_memory(error, "all of the output");
    }
    const bool is_guarded = output->temporary_path != NULL && guard != NULL;
    if (!is_guarded || !guard(output->path)) return ETS_OK;
    return fail_guard(error); /* what was opened as an input after the output */
}

static enum ets_status move(const struct ets_output *output, struct ets_error *error)
{
    if (output->temporary_path == NULL) return ETS_OK;
    const int failed = ets_os_replace(output->temporary_path, output->path);
    return failed == 0 ? ETS_OK : fail_errno(error, failed);
}

enum ets_status ets_outputs_commit(struct ets_output *const *outputs, size_t count,
                                   size_t *failed_out, struct ets_error *error)
{
    enum ets_status status = ETS_OK;
    for (size_t i = 0; i < count && status == ETS_OK; i++) {
        status = finish(outputs[i], error);
        *failed_out = i;
    }
    for (size_t i = 0; i < count && status == ETS_OK; i++) {
        status = move(outputs[i], error);
        *failed_out = i;
    }
    for (size_t i = 0; i < count; i++) {
        if (status == ETS_OK) release(outputs[i]);
        else ets_output_discard(outputs[i]);
    }
    return status;
}

enum ets_status ets_output_commit(struct ets_output *output, struct ets_error *error)
{
    size_t failed;
    return ets_outputs_commit(&output, 1, &failed, error);
}

void ets_output_discard(struct ets_output *output)
{
    if (output == NULL) return;
    char **data = output->data;
    size_t *size = output->size;
    if (output->temporary_path != NULL) (void)ets_os_remove(output->temporary_path);
    release(output);
    if (data == NULL) return;
    free(*data);
    *data = NULL;
    *size = 0;
}

const char *ets_output_temporary(const struct ets_output *output)
{
    return output->temporary_path;
}
