# One folder under src/ is one component: an object library named ets_<folder>, made of all the C and
# C++ files in it and in its rooms. tools/check_layers.py says which folder may use which.

add_library(ets_compile_options INTERFACE)
target_compile_options(ets_compile_options INTERFACE
  -Wall -Wextra -Wshadow -Wvla -Wpointer-arith -Wcast-align -Wformat=2
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings>
  # Newer ones of Clang warn of {"x", .y = 1}; GCC warns where fields were forgotten.
  $<$<COMPILE_LANG_AND_ID:C,Clang,AppleClang>:-Wno-missing-field-initializers>
  $<$<BOOL:${ETS_WERROR}>:-Werror>)
# 32-bit x86: the x87's 80 bits would round numbers otherwise than every other processor does.
include(CheckCSourceCompiles)
check_c_source_compiles("#include <float.h>
  #if defined(__i386__) && FLT_EVAL_METHOD == 2
  int main(void) { return 0; }
  #else
  #error no
  #endif" ETS_X87)
if(ETS_X87)
  target_compile_options(ets_compile_options INTERFACE -msse2 -mfpmath=sse)
endif()
if(ETS_SANITIZE)
  target_compile_options(ets_compile_options INTERFACE
    -fsanitize=${ETS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # GCC sees less of the flow through instrumented code, and warns where nothing is wrong.
    $<$<OR:$<C_COMPILER_ID:GNU>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
  target_link_options(ets_compile_options INTERFACE -fsanitize=${ETS_SANITIZE})
endif()
if(ETS_FUZZ)
  target_compile_options(ets_compile_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# ets_component(<name> [WITHOUT <room>...])
function(ets_component name)
  cmake_parse_arguments(arg "" "" "WITHOUT" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.c *.cc */*.c)
  foreach(room ${arg_WITHOUT})
    list(FILTER sources EXCLUDE REGEX "/${room}/")
  endforeach()
  add_library(ets_${name} OBJECT ${sources})
  target_include_directories(ets_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(ets_${name} PRIVATE ets_compile_options)
endfunction()
