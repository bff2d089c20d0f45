/* Records an event by ExecuTorch's own names, in a program that only CMake turned to etscope's
 * tracer. */
#include <executorch/devtools/etdump/etdump_flatcc.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    executorch::etdump::ETDumpGen tracer;
    tracer.create_event_block("Execute");
    const auto event = tracer.start_profiling("by_upstreams_name", 0, 0);
    tracer.end_profiling(event);
    const executorch::etdump::ETDumpResult dump = tracer.get_etdump_data();
    FILE *file = std::fopen(argv[1], "wb");
    if (file == nullptr || dump.buf == nullptr) return 1;
    const bool is_written = std::fwrite(dump.buf, 1, dump.size, file) == dump.size;
    std::free(dump.buf);
    return std::fclose(file) == 0 && is_written ? 0 : 1;
}
