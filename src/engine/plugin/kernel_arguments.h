/* The arguments of one kernel call in the runtime's form. */
#ifndef ETSCOPE_ENGINE_PLUGIN_KERNEL_ARGUMENTS_H
#define ETSCOPE_ENGINE_PLUGIN_KERNEL_ARGUMENTS_H

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>

#include "engine/plugin/call_memory.h"
#include "etscope/engine.h"

namespace ets
{
/*
 * A kernel's stack: the schema's arguments, then the operator's return value. That is the output
 * again if there is one (a tensor or a list of tensors), and a list of all outputs if there are
 * several.
 */
class kernel_arguments
{
  public:
    /* Everything is in `memory` and borrows from the caller's arguments. */
    explicit kernel_arguments(call_memory *memory) : memory_(memory) {}

    /* INVALID_ARGUMENT: the message names the argument. Throws std::bad_alloc. */
    enum ets_status build(const struct ets_kernel_argument *arguments, size_t count,
                          struct ets_error *error);

    executorch::runtime::Span<executorch::runtime::EValue *> stack() const
    {
        return {stack_, stack_size_};
    }

    /* Writes the kernel's result back to the caller's output tensors. */
    void write_back() const;

  private:
    struct output {
        struct ets_tensor *given;
        const executorch::aten::TensorImpl *made;
        executorch::runtime::EValue *value;
    };

    enum ets_status build_value(const struct ets_kernel_argument &argument,
                                executorch::runtime::EValue *value, struct ets_error *error);
    enum ets_status build_tensor(struct ets_tensor *given, bool is_output,
                                 executorch::runtime::EValue *value, struct ets_error *error);
    template <typename T>
    enum ets_status build_tensors(const struct ets_kernel_argument &argument,
                                  executorch::runtime::EValue *value, struct ets_error *error);
    void build_ints(const struct ets_kernel_argument &argument, executorch::runtime::EValue *value);
    void build_bools(const struct ets_kernel_argument &argument,
                     executorch::runtime::EValue *value);
    executorch::runtime::EValue *returned(const struct ets_kernel_argument *arguments,
                                          size_t count);
    void *aligned_data(const struct ets_tensor &given);

    call_memory *memory_;
    executorch::runtime::EValue **stack_ = nullptr;
    size_t stack_size_ = 0;
    size_t at_ = 0; /* the current argument, for messages */
    output *outputs_ = nullptr;
    size_t output_count_ = 0;
};

}  // namespace ets

#endif
