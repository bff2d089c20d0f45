/*
 * libetscope_llama_stand_ins.so: what tools/llama_operators.py puts in PyTorch's place under its
 * copy of executorch's libcustom_ops_aot_lib.so.
 *
 * That library has kernels of ExecuTorch (llama::custom_sdpa.out), and registers the same operators
 * with PyTorch, of which the kernels use nothing. Here these registrations do nothing, and what
 * else PyTorch would give ends the call with an error.
 *
 * The copy asks for all of this by names that begin with "ets" instead of "_ZN", so that neither a
 * PyTorch in the same process nor these stand-ins are ever taken for the other. The same holds for
 * register_kernels: the kernels are kept here and not registered, because the original library may
 * be loaded later, and ExecuTorch ends a process that registers a name twice.
 */
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/assert.h>

#include <cstring>
#include <string>
#include <vector>

#include "engine/llama/stand_ins.h"

namespace
{
using executorch::runtime::Kernel;

std::vector<Kernel> &kernels()
{
    static std::vector<Kernel> list;
    return list;
}

/* As large as c10::FunctionSchema, and like it returned in memory of the caller. Empty: zeros. */
struct schema {
    std::string name, overload_name;
    std::vector<int> arguments, returns;
    int64_t flags;
};

[[noreturn]] void refuse(const char *symbol)
{
    ET_CHECK_MSG(false, "PyTorch's %s was called, which is not there", symbol);
}
}  // namespace

const Kernel *ets_llama_kernels(size_t *count_out)
{
    *count_out = kernels().size();
    return kernels().data();
}

/* Functions by the names that the linker sees. */
#define EXPORT extern "C" __attribute__((visibility("default")))
#define DOES_NOTHING(symbol)        \
    EXPORT void *symbol(void *);    \
    EXPORT void *symbol(void *self) \
    {                               \
        return self;                \
    }
#define EMPTY_SCHEMA(symbol) \
    EXPORT schema symbol();  \
    EXPORT schema symbol()   \
    {                        \
        return schema();     \
    }
#define REFUSES(symbol)   \
    EXPORT void symbol(); \
    EXPORT void symbol()  \
    {                     \
        refuse(#symbol);  \
    }

/* executorch::runtime::register_kernels */
EXPORT executorch::runtime::Error
ets10executorch7runtime16register_kernelsENS0_4SpanIKNS0_6KernelEEE(
    executorch::runtime::Span<const Kernel> added);
EXPORT executorch::runtime::Error
ets10executorch7runtime16register_kernelsENS0_4SpanIKNS0_6KernelEEE(
    executorch::runtime::Span<const Kernel> added)
{
    kernels().insert(kernels().end(), added.begin(), added.end());
    return executorch::runtime::Error::Ok;
}

/*
 * libstdc++'s std::string::_M_replace_cold, which came with GCC 13: replaces `old_size` characters
 * at `at`, before `rest` more, by `size` at `text`, which may lie in the same string. It has room.
 */
EXPORT void etsSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm(
    std::string *, char *at, size_t old_size, const char *text, size_t size, size_t rest);
EXPORT void etsSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm(
    std::string *, char *at, size_t old_size, const char *text, size_t size, size_t rest)
{
    const std::string added(text, size);
    memmove(at + size, at + old_size, rest);
    memcpy(at, added.data(), size);
}

/* clang-format off */
DOES_NOTHING(ets5torch11CppFunctionD1Ev)
DOES_NOTHING(ets5torch7LibraryC1ENS0_4KindENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt8optionalIN3c1011DispatchKeyEEPKcj)
DOES_NOTHING(etsR5torch7Library4_defEON3c1014FunctionSchemaEPNS1_12OperatorNameERKSt6vectorINS_10headeronly3TagESaIS8_EENS_17_RegisterOrVerifyE)
DOES_NOTHING(etsR5torch7Library5_implEPKcONS_11CppFunctionENS_17_RegisterOrVerifyE)
EMPTY_SCHEMA(ets3c106detail12infer_schema20make_function_schemaENS_8ArrayRefINS1_11ArgumentDefEEES4_)
EMPTY_SCHEMA(ets5torch3jit11parseSchemaERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEb)
extern "C" {
__attribute__((visibility("default"))) char ets3c1019UndefinedTensorImpl10_singletonE[1024];
}
REFUSES(ets2at11TensorMaker11make_tensorEv)
REFUSES(ets2at4_ops10empty_like4callERKNS_6TensorESt8optionalIN3c1010ScalarTypeEES5_INS6_6LayoutEES5_INS6_6DeviceEES5_IbES5_INS6_12MemoryFormatEE)
REFUSES(ets2at4_ops19empty_memory_format4callEN3c108ArrayRefINS2_6SymIntEEESt8optionalINS2_10ScalarTypeEES6_INS2_6LayoutEES6_INS2_6DeviceEES6_IbES6_INS2_12MemoryFormatEE)
REFUSES(ets2at4_ops5copy_4callERNS_6TensorERKS2_b)
REFUSES(ets2at6native13resize_outputERKNS_6TensorEN3c108ArrayRefIlEE)
REFUSES(ets3c1010StringType3getEv)
REFUSES(ets3c1010TensorType3getEv)
REFUSES(ets3c1012OptionalType3getENS_4Type24SingletonOrSharedTypePtrIS1_EE)
REFUSES(ets3c1020isSharedStorageAliasERKNS_7StorageES2_)
REFUSES(ets3c1021throwNullDataPtrErrorEv)
REFUSES(ets3c1021warnDeprecatedDataPtrEv)
REFUSES(ets3c106SymInt19promote_to_negativeEv)
REFUSES(ets3c106SymIntC1ENS_13intrusive_ptrINS_11SymNodeImplENS_6detail34intrusive_target_default_null_typeIS2_EEEE)
REFUSES(ets3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)
REFUSES(ets3c106detail14torchCheckFailEPKcS2_jS2_)
REFUSES(ets3c106detail19maybe_wrap_dim_slowIlEET_S2_S2_b)
REFUSES(ets3c106detail23torchInternalAssertFailEPKcS2_jS2_RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)
REFUSES(ets3c106detail23torchInternalAssertFailEPKcS2_jS2_S2_)
REFUSES(ets3c107IntType3getEv)
REFUSES(ets3c108BoolType3getEv)
REFUSES(ets3c109FloatType3getEv)
REFUSES(ets6caffe28TypeMeta13typeMetaDatasEv)
REFUSES(ets6caffe28TypeMeta26error_unsupported_typemetaES0_)
REFUSES(etsK2at10TensorBase21__dispatch_contiguousEN3c1012MemoryFormatE)
REFUSES(etsK3c1010TensorImpl15decref_pyobjectEv)
REFUSES(etsK3c1010TensorImpl15incref_pyobjectEv)
REFUSES(etsK3c1010TensorImpl26throw_storage_access_errorEv)
REFUSES(etsK3c1010TensorImpl27throw_data_ptr_access_errorEv)
REFUSES(etsK3c1011StorageImpl27throw_data_ptr_access_errorEv)
REFUSES(etsK3c1017SymbolicShapeMeta18init_is_contiguousEv)
REFUSES(etsK3c106IValue23reportToTensorTypeErrorEv)
REFUSES(etsK3c106SymInt9guard_intEPKcl)
REFUSES(etsK3c107SymBool10guard_boolEPKcl)
REFUSES(etsK3c107SymBool14guard_or_falseEPKcl)
REFUSES(etsK3c108SymFloat11guard_floatEPKcl)
/* clang-format on */
