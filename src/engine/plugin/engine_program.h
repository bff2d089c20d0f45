/* The definition of ets_engine_program. */
#ifndef ETSCOPE_ENGINE_PLUGIN_ENGINE_PROGRAM_H
#define ETSCOPE_ENGINE_PLUGIN_ENGINE_PROGRAM_H

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/executor/program.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/plugin/memory.h"
#include "engine/plugin/memory_report.h"
#include "engine/plugin/runtime.h"
#include "engine/plugin/tracer.h"
#include "etscope/engine.h"

namespace ets
{
/* One .ptd file. Not movable, because the map points to the loader. */
struct data_file {
    explicit data_file(struct ets_bytes bytes) : file(bytes), loader(file.data(), file.size()) {}

    aligned_file file;
    executorch::extension::BufferDataLoader loader;
    std::unique_ptr<executorch::extension::FlatTensorDataMap> map;
};

/*
 * Planned buffers that all methods of a program share. If methods share mutable state
 * (MemoryPlanningPass with share_mutable_buffers), it is in the second buffer of each. Each method
 * has its own other buffers, for its own values and state.
 */
class shared_memory
{
  public:
    static constexpr size_t buffer = 1; /* memory id 2; id 0 is for constants and is not counted */

    /* Finds the shared buffers. A method with a damaged description shares nothing. */
    void find(const executorch::runtime::Program &program);
    /* The shared memory for planned buffer `index` of `method`; empty: the method needs its own. */
    executorch::runtime::Span<uint8_t> get(const executorch::runtime::MethodMeta &method,
                                           size_t index);

  private:
    size_t bytes_ = 0; /* 0: nothing is shared */
    aligned_block block_;
};

/* The functions of the interface that concern programs and methods. */
enum ets_status program_open(const struct ets_engine_program_options *options,
                             struct ets_engine_program **program_out, struct ets_error *error);
void program_close(struct ets_engine_program *program);
size_t method_count(const struct ets_engine_program *program);
const char *method_name(const struct ets_engine_program *program, size_t index);
enum ets_status method_info(const struct ets_engine_program *program, const char *method,
                            struct ets_engine_method_info *info_out, struct ets_error *error);
enum ets_status input_info(const struct ets_engine_program *program, const char *method,
                           size_t index, struct ets_engine_value_info *info_out,
                           struct ets_error *error);
enum ets_status output_info(const struct ets_engine_program *program, const char *method,
                            size_t index, struct ets_engine_value_info *info_out,
                            struct ets_error *error);
const char *method_backend(const struct ets_engine_program *program, const char *method,
                           size_t index);
enum ets_status trace_finish(struct ets_engine_program *program, struct ets_bytes *etdump_out,
                             struct ets_bytes *debug_out, struct ets_error *error);
void trace_enable(struct ets_engine_program *program, int enabled);
void trace_set_case(struct ets_engine_program *program, int32_t bundled_input_index);
void trace_statistics(const struct ets_engine_program *program,
                      struct ets_engine_trace_statistics *statistics_out);

enum ets_status method_open(struct ets_engine_program *program, const char *method,
                            struct ets_engine_method **method_out, struct ets_error *error);
void method_close(struct ets_engine_method *method);
enum ets_status method_set_input(struct ets_engine_method *method, size_t index,
                                 const struct ets_value *value, struct ets_error *error);
enum ets_status method_execute(struct ets_engine_method *method, struct ets_error *error);
void current_place(struct ets_engine_place *place_out);
enum ets_status method_get_output(struct ets_engine_method *method, size_t index,
                                  struct ets_value *value_out, struct ets_error *error);
enum ets_status method_get_attribute(struct ets_engine_method *method, const char *name,
                                     struct ets_value *value_out, struct ets_error *error);

/* Describes one input or output of a method. */
enum ets_status describe_value(const et::MethodMeta &meta, bool is_input, size_t index,
                               struct ets_engine_value_info *info_out, struct ets_error *error);

/* NOT_FOUND if the program has no such `method`; the message lists its methods. */
enum ets_status check_method_exists(const struct ets_engine_program *program, const char *method,
                                    struct ets_error *error);

}  // namespace ets

struct ets_engine_program {
    explicit ets_engine_program(struct ets_bytes bytes)
        : file(bytes), loader(file.data(), file.size())
    {
    }

    ets::aligned_file file;
    executorch::extension::BufferDataLoader loader;
    std::vector<std::unique_ptr<ets::data_file>> data_files;
    std::unique_ptr<executorch::extension::merged_data_map::MergedDataMap> merged_map;
    const executorch::runtime::NamedDataMap *data_map = nullptr;
    std::unique_ptr<executorch::runtime::Program> program;
    ets::shared_memory shared;
    std::vector<std::string> llama;      /* kernels of llama_kernels.h that the program names */
    std::unique_ptr<ets::tracer> tracer; /* NULL: none */
    uint64_t traced_since = 0;           /* nanoseconds since 1970 */
    uint32_t threads = 0;                /* of the runtime's pool, the calling one included */
    std::unique_ptr<ets::memory_report> memory; /* NULL: memory is not counted */
    ets::tracer_dump dump;
    bool is_finished = false; /* the trace is finished */
    bool is_broken = false;   /* the runtime aborted in it, so it must not be used again */
};

#endif
