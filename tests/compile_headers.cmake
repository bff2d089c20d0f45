# cmake -DHEADERS=... -DRUNTIME=... -DC_COMPILER=... -DCXX_COMPILER=... -DWORK=... -P ...
set(warnings -Werror -Wall -Wextra -Wshadow -Wconversion -pedantic)
set(runtime_options)
if(RUNTIME)
  set(runtime_options -isystem ${RUNTIME}/include
    -isystem ${RUNTIME}/include/executorch/runtime/core/portable_type/c10
    -DC10_USING_CUSTOM_GENERATED_MACROS -DET_EVENT_TRACER_ENABLED)
endif()

# check(<header> <language> <compiler> <option>...): compiles a file that includes it, and nothing else
function(check header language compiler)
  set(source ${WORK}/alone.${language})
  file(WRITE ${source} "#include <etscope/${header}>\n")
  execute_process(COMMAND ${compiler} ${ARGN} -fsyntax-only -I${HEADERS} ${runtime_options} ${source}
    RESULT_VARIABLE result ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "${header}, ${compiler}:\n${errors}")
  endif()
endfunction()

find_program(clang NAMES clang)
find_program(clangxx NAMES clang++)
file(GLOB headers RELATIVE ${HEADERS}/etscope ${HEADERS}/etscope/*.h ${HEADERS}/etscope/*.hpp
  ${HEADERS}/etscope/experimental/*.h)
foreach(header IN LISTS headers)
  if(header MATCHES "hpp$" AND NOT RUNTIME)
    continue()
  endif()
  check(${header} cc ${CXX_COMPILER} -std=c++17 ${warnings})
  if(clangxx)
    check(${header} cc ${clangxx} -std=c++17 ${warnings} -Wstring-conversion)
  endif()
  if(header MATCHES "h$" AND NOT header MATCHES "hpp$")
    check(${header} c ${C_COMPILER} -std=c11 ${warnings})
    if(clang)
      check(${header} c ${clang} -std=c11 ${warnings} -Wstring-conversion)
    endif()
  endif()
endforeach()
