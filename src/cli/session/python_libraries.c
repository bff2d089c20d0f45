/* Asks a Python for its executorch's libraries. */
#include "cli/session/python_libraries.h"

#include "cli/session/ask_python.h"

#define MARK "etscope-library="

/* Imports neither: torch takes seconds. Other output of Python, such as warnings, has no mark. */
static const char question[] =
    "import sys\n"
    "sys.path = [path for path in sys.path if path]\n" /* not the working directory's modules */
    "import glob, importlib.util, os, sysconfig\n"
    "def folder(name):\n"
    "    found = importlib.util.find_spec(name)\n"
    "    places = found and found.submodule_search_locations\n"
    "    return list(places)[0] if places else sys.exit(name + ' is not installed in it')\n"
    "folder('torch')\n"
    "place = os.path.join(folder('executorch'), 'extension', 'llm', 'custom_ops')\n"
    "operators = glob.glob(os.path.join(place, 'libcustom_ops_aot_lib.*'))\n"
    "operators or sys.exit('its executorch has no libcustom_ops_aot_lib')\n"
    "v = sysconfig.get_config_var\n"
    "names = [name for name in (v('INSTSONAME'), v('LDLIBRARY')) if name]\n"
    "places = (v('LIBDIR') or '', os.path.join(sys.base_prefix, 'lib'))\n"
    "paths = [os.path.join(p, n) for p in places for n in names if not n.endswith('.a')]\n"
    "python = [path for path in paths if os.path.exists(path)]\n"
    "python or sys.exit('it has no shared libpython: ' + (' '.join(paths) or 'it is static'))\n"
    "print('\\n" MARK "' + python[0] + '\\n" MARK "' + operators[0])\n";

static bool take_path(void *context, const char *path)
{
    struct cli_python_libraries *found = context;
    if (found->count == CLI_PYTHON_LIBRARIES) return true;
    snprintf(found->paths[found->count++], CLI_PATH_BYTES, "%.*s", CLI_PATH_BYTES - 1, path);
    return true;
}

int cli_python_libraries(const struct cli_arguments *arguments, struct cli_python_libraries *found)
{
    static const char none[] = "it names no library";
    const char *python = cli_value(arguments, "--python");
    char blamed[CLI_PATH_BYTES];
    found->count = 0;
    if (python == NULL) return CLI_OK;
    snprintf(blamed, sizeof blamed, "--python %.4000s", python);
    const struct cli_question asked = {.python = python,
                                       .script = question,
                                       .mark = MARK,
                                       .take = take_path,
                                       .context = found,
                                       .usual_reason = none};
    const int code = cli_ask_python(&asked, blamed);
    if (code != CLI_OK || found->count > 0) return code;
    return cli_complain(CLI_RUNTIME, "%s: %s", blamed, none);
}
