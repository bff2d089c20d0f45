#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "etscope/file.h"

struct ets_output {
    FILE *stream;
    char *path;           /* NULL: written straight to `stream` (standard output, a device) */
    char *temporary_path; /* what takes the place of `path` at commit */
    int failed_errno;     /* first failure, 0 for none */
};

static void release(struct ets_output *output)
{
    if (output == NULL) return;
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

/* Opens path.XXXXXX, with the permissions that a plain creation would have given. */
static int open_temporary(struct ets_output *output, const char *path)
{
    const size_t length = strlen(path);
    output->path = strdup(path);
    output->temporary_path = malloc(length + sizeof ".XXXXXX");
    if (output->path == NULL || output->temporary_path == NULL) return ENOMEM;
    memcpy(output->temporary_path, path, length);
    memcpy(output->temporary_path + length, ".XXXXXX", sizeof ".XXXXXX");
    const int descriptor = mkstemp(output->temporary_path);
    if (descriptor < 0) {
        const int code = errno;
        free(output->temporary_path);
        output->temporary_path = NULL;
        return code;
    }
    const mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(descriptor, 0666 & ~mask);
    output->stream = fdopen(descriptor, "wb");
    if (output->stream == NULL) {
        const int code = errno;
        close(descriptor);
        return code;
    }
    return 0;
}

enum ets_status ets_output_open(const char *path, struct ets_output **output_out,
                                struct ets_error *error)
{
    struct ets_output *output = calloc(1, sizeof *output);
    if (output == NULL) return fail_errno(error, ENOMEM);
    int code = 0;
    struct stat info;
    if (strcmp(path, "-") == 0) {
        output->stream = stdout;
    } else if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
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

void ets_output_write(struct ets_output *output, const void *data, size_t size)
{
    if (size == 0 || output->failed_errno != 0) return;
    if (fwrite(data, 1, size, output->stream) != size) output->failed_errno = errno;
}

enum ets_status ets_output_commit(struct ets_output *output, struct ets_error *error)
{
    int code = output->failed_errno;
    if (output->stream == stdout) {
        if (fflush(stdout) != 0 && code == 0) code = errno;
    } else {
        if (fclose(output->stream) != 0 && code == 0) code = errno;
        output->stream = NULL;
    }
    if (code == 0 && output->temporary_path != NULL &&
        rename(output->temporary_path, output->path) != 0) {
        code = errno;
    }
    if (code != 0) {
        ets_output_discard(output);
        return fail_errno(error, code);
    }
    release(output);
    return ETS_OK;
}

void ets_output_discard(struct ets_output *output)
{
    if (output == NULL) return;
    if (output->temporary_path != NULL) (void)unlink(output->temporary_path);
    release(output);
}
