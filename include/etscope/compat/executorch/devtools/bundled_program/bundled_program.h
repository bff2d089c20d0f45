/*
 * ExecuTorch's functions for bundled programs, implemented with etscope's reader.
 *
 * They take a pointer without a length, so nothing can be checked against the end of the file. Pass
 * only files that you trust. The functions of etscope/bundled.hpp take the length.
 */
#ifndef ETSCOPE_COMPAT_BUNDLED_PROGRAM_H
#define ETSCOPE_COMPAT_BUNDLED_PROGRAM_H

#include "etscope/bundled.hpp"

#define BUNDLED_PROGRAM_NAMESPACE bundled_program

namespace executorch
{
namespace bundled_program
{
using SerializedBundledProgram = const void;
using ::etscope::ErrorStats;
using ::executorch::runtime::Error;
using ::executorch::runtime::Method;

/* A bundle of unknown length. */
inline struct ets_bytes bytes_at(SerializedBundledProgram *bundle)
{
    return {static_cast<const uint8_t *>(bundle), bundle == nullptr ? 0 : size_t{INT32_MAX}};
}

inline Error load_bundled_input(Method &method, SerializedBundledProgram *bundle, size_t test_case)
{
    return ::etscope::load_bundled_input(method, bytes_at(bundle), test_case);
}

inline Error verify_method_outputs(Method &method, SerializedBundledProgram *bundle,
                                   size_t test_case, double rtol = 1e-5, double atol = 1e-8)
{
    return ::etscope::verify_method_outputs(method, bytes_at(bundle), test_case, rtol, atol);
}

inline ErrorStats compute_method_output_error_stats(Method &method,
                                                    SerializedBundledProgram *bundle,
                                                    size_t test_case)
{
    return ::etscope::compute_method_output_error_stats(method, bytes_at(bundle), test_case);
}

inline bool is_bundled_program(void *file_data, size_t file_bytes)
{
    return ets_bundle_sniff({static_cast<const uint8_t *>(file_data), file_bytes}) != 0;
}

/* The program in the bundle. NotSupported: not a bundle. */
inline Error get_program_data(void *file_data, size_t file_bytes, const void **program_out,
                              size_t *program_bytes_out)
{
    struct ets_bundle bundle;
    if (ets_bundle_init(&bundle, {static_cast<const uint8_t *>(file_data), file_bytes}, nullptr) !=
        ETS_OK) {
        return Error::NotSupported;
    }
    *program_out = bundle.program.data;
    *program_bytes_out = bundle.program.size;
    return Error::Ok;
}
}  // namespace bundled_program
}  // namespace executorch

/* The former names. */
namespace torch
{
namespace executor
{
namespace bundled_program
{
using serialized_bundled_program = const void;

inline ::executorch::runtime::Error LoadBundledInput(::executorch::runtime::Method &method,
                                                     serialized_bundled_program *bundle,
                                                     size_t test_case)
{
    return ::executorch::bundled_program::load_bundled_input(method, bundle, test_case);
}

inline ::executorch::runtime::Error VerifyResultWithBundledExpectedOutput(
    ::executorch::runtime::Method &method, serialized_bundled_program *bundle, size_t test_case,
    double rtol = 1e-5, double atol = 1e-8)
{
    return ::executorch::bundled_program::verify_method_outputs(method, bundle, test_case, rtol,
                                                                atol);
}

inline ::executorch::runtime::Error GetProgramData(void *file_data, size_t file_bytes,
                                                   const void **program_out,
                                                   size_t *program_bytes_out)
{
    return ::executorch::bundled_program::get_program_data(file_data, file_bytes, program_out,
                                                           program_bytes_out);
}
}  // namespace bundled_program
}  // namespace executor
}  // namespace torch

#endif
