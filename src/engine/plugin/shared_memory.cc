/* Memory for mutable state shared by the methods of a program. */
#include "engine/plugin/engine_program.h"

namespace ets
{
namespace
{
/* The size of a method's second and last buffer if planned with shared state; 0: none. */
size_t state_bytes(const et::MethodMeta &method)
{
    if (method.num_memory_planned_buffers() != shared_memory::buffer + 1) return 0;
    const auto size = method.memory_planned_buffer_size(shared_memory::buffer);
    const auto device = method.memory_planned_buffer_device(shared_memory::buffer);
    if (!size.ok() || size.get() < 0 || (device.ok() && !device->is_cpu())) return 0;
    return static_cast<size_t>(size.get());
}
}  // namespace

/*
 * Files do not state that state is shared. If it is, the planner appends a buffer of the same size
 * to every method that has planned memory; methods that return constants have none. A hand-made
 * plan that does the same by chance loses nothing by sharing scratch memory.
 */
void shared_memory::find(const executorch::runtime::Program &program)
{
    size_t bytes = 0, sharing = 0;
    for (size_t i = 0; i < program.num_methods(); i++) {
        const auto name = program.get_method_name(i);
        if (!name.ok()) return;
        const auto method = program.method_meta(name.get());
        if (!method.ok()) return;
        if (method->num_memory_planned_buffers() == 0) continue;
        const size_t own = state_bytes(method.get());
        if (own == 0 || (bytes != 0 && own != bytes)) return;
        bytes = own;
        sharing++;
    }
    if (sharing > 1) bytes_ = bytes;
}

executorch::runtime::Span<uint8_t> shared_memory::get(const et::MethodMeta &method, size_t index)
{
    if (index != buffer || bytes_ == 0 || state_bytes(method) != bytes_) return {};
    if (block_.size() == 0) block_ = aligned_block(bytes_);
    return {block_.data(), block_.size()};
}
}  // namespace ets
