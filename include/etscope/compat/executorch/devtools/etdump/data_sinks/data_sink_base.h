/* What keeps the bytes of tensors for a tracer: ExecuTorch's interface, under its own name. */
#ifndef ETSCOPE_COMPAT_DATA_SINK_BASE_H
#define ETSCOPE_COMPAT_DATA_SINK_BASE_H

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>

#include <cstddef>

namespace executorch
{
namespace etdump
{
class DataSinkBase
{
  public:
    virtual ~DataSinkBase() = default;
    /* The offset at which `length` bytes are kept now, or why they are not. */
    virtual ::executorch::runtime::Result<size_t> write(const void *ptr, size_t length) = 0;
    /* Padding between what was kept included. */
    virtual size_t get_used_bytes() const = 0;
};
}  // namespace etdump
}  // namespace executorch

#endif
