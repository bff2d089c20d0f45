#include <cstdio>
#include <cstdlib>

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <etscope/executorch.hpp>

int main(int argc, char **argv)
{
    if (argc != 3) return 2;  // MODEL.pte TRACE.etdp
    auto owned = std::make_unique<etscope::ETDumpTracer>();
    etscope::ETDumpTracer &tracer = *owned;  // Module owns it later on
    tracer.set_method("forward");            // so that the trace says what ran
    executorch::extension::Module module(argv[1], executorch::extension::Module::LoadMode::File,
                                         std::move(owned));
    const auto input = executorch::extension::ones({1, 32});  // what your model takes
    int error = 0;
    for (int i = 0; i < 10 && error == 0; i++) error = int(module.forward(input).error());
    if (error != 0) fprintf(stderr, "forward: error 0x%x\n", error);  // the trace is kept
    const etscope::ETDumpResult dump = tracer.get_etdump_data();
    if (dump.buf == nullptr) {
        fprintf(stderr, "no trace: %s\n", tracer.why_empty());
        return 1;
    }
    FILE *file = fopen(argv[2], "wb");  // or a serial line, a socket, a debugger
    const bool is_written = file != nullptr && fwrite(dump.buf, 1, dump.size, file) == dump.size;
    const bool is_closed = file != nullptr && fclose(file) == 0;
    free(dump.buf);
    return error == 0 && is_written && is_closed ? 0 : 1;
}
