/*
 * ExecuTorch's BundledModule, implemented with etscope's reader. The constructor takes the bytes
 * with their length (struct ets_bytes), where ExecuTorch's takes a pointer. from_file is the same.
 */
#ifndef ETSCOPE_COMPAT_BUNDLED_MODULE_H
#define ETSCOPE_COMPAT_BUNDLED_MODULE_H

#include <executorch/devtools/bundled_program/bundled_program.h>

#define ET_BUNDLED_MODULE_NAMESPACE bundled_module

namespace executorch
{
namespace extension
{
namespace bundled_module
{
using ::etscope::BundledModule;
}  // namespace bundled_module
}  // namespace extension
}  // namespace executorch

#endif
