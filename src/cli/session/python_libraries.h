/* Libraries of a Python's executorch that the engine does not link: llama's operators. */
#ifndef ETSCOPE_CLI_SESSION_PYTHON_LIBRARIES_H
#define ETSCOPE_CLI_SESSION_PYTHON_LIBRARIES_H

#include "cli/session/session.h"

/*
 * Asks the Python of --python which libraries to load before those of --load-library: its
 * libpython, then executorch's custom operators. Does nothing without the option. Returns an exit
 * code.
 */
enum { CLI_PYTHON_LIBRARIES = 4 };

struct cli_python_libraries {
    unsigned count;
    char paths[CLI_PYTHON_LIBRARIES][CLI_PATH_BYTES];
};

int cli_python_libraries(const struct cli_arguments *arguments, struct cli_python_libraries *found);

#endif
