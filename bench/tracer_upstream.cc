// The same pairs through ExecuTorch's own ETDumpGen, in the same process.
#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/runtime/platform/runtime.h>

#include <cstdlib>

#include "tracer_upstream.h"

extern "C" double bench_upstream(unsigned pairs)
{
    static const char *const names[] = {"OPERATOR_CALL", "native_call_add.out", "DELEGATE_CALL",
                                        "native_call_relu.out"};
    double best = 1e9;
    executorch::runtime::runtime_init();
    for (unsigned round = 0; round < 5; round++) {
        executorch::etdump::ETDumpGen tracer;
        tracer.create_event_block("Execute");
        const uint64_t before = bench_now();
        for (unsigned i = 0; i < pairs; i++) {
            tracer.end_profiling(tracer.start_profiling(names[i & 3], 0, i));
        }
        const double each = static_cast<double>(bench_now() - before) / pairs;
        if (each < best) best = each;
        std::free(tracer.get_etdump_data().buf);
    }
    return best;
}
