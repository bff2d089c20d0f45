/* ExecuTorch's interface of sinks for the bytes of tensors. */
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
    /* Stores `length` bytes. Returns their offset, or an error. */
    virtual ::executorch::runtime::Result<size_t> write(const void *ptr, size_t length) = 0;
    /* The number of bytes stored, padding included. */
    virtual size_t get_used_bytes() const = 0;
};
}  // namespace etdump
}  // namespace executorch

#endif
