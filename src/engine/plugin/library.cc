/* Loads libraries with the user's kernels and backends. */
#include <dlfcn.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "engine/plugin/library.h"
#include "engine/plugin/runtime.h"

namespace ets
{
namespace
{
/* Reads the probe's standard error as one line, cut to the buffer. */
void read_reason(int from, char *reason, size_t capacity)
{
    size_t used = 0;
    char byte = 0;
    while (read(from, &byte, 1) == 1) {
        if (byte != '\n' && used + 1 < capacity) reason[used++] = byte;
    }
    reason[used] = '\0';
}

[[noreturn]] void probe(const char *path, int report)
{
    dup2(report, STDERR_FILENO);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    _exit(library == nullptr ? 1 : 0); /* the parent finds the loader's reason itself */
}

/*
 * First loads the library in a copy of this process. If it registers a kernel twice, ExecuTorch
 * ends the process from inside the dynamic loader, where nothing can be caught.
 */
enum ets_status check_survives(const char *path, struct ets_error *error)
{
    int ends[2];
    int status = 0;
    char reason[512] = "";
    if (pipe(ends) != 0) return ETS_OK; /* without a probe, just load it */
    const pid_t child = fork();
    if (child == 0) probe(path, ends[1]);
    close(ends[1]);
    if (child > 0) {
        read_reason(ends[0], reason, sizeof reason);
        waitpid(child, &status, 0);
    }
    close(ends[0]);
    if (child < 0 || WIFEXITED(status)) return ETS_OK;
    const char *twice = strstr(reason, "Re-registering");
    return ets_fail(error, ETS_RUNTIME, ETS_NO_OFFSET,
                    "the library would end the process on loading: %s",
                    twice == nullptr ? reason : twice);
}
}  // namespace

enum ets_status load_library(const char *path, size_t *kernels_added_out,
                             size_t *backends_added_out, struct ets_error *error)
{
    const size_t kernels = et::get_registered_kernels().size();
    const size_t backends = et::get_num_registered_backends();
    if (strchr(path, '/') != nullptr && access(path, F_OK) != 0) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "%s does not exist", path);
    }
    ETS_TRY(check_survives(path, error));
    if (dlopen(path, RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        const char *reason = dlerror();
        if (reason == nullptr) reason = path;
        const bool needs_python = strstr(reason, "undefined symbol: Py") != nullptr;
        return ets_fail(error, ETS_RUNTIME, ETS_NO_OFFSET, "cannot load the library: %s%s", reason,
                        needs_python ? "; load the libpython3.N.so of its Python first" : "");
    }
    if (kernels_added_out != nullptr) {
        *kernels_added_out = et::get_registered_kernels().size() - kernels;
    }
    if (backends_added_out != nullptr) {
        *backends_added_out = et::get_num_registered_backends() - backends;
    }
    return ETS_OK;
}

}  // namespace ets
