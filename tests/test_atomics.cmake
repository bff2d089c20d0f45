# The recorder's tests once more for each other way of src/trace/atomic.h: C11's atomics, and a
# critical section, as on processors without atomic operations. The section is for one processor:
# where several see each other's stores in another order (all but x86), or to the thread sanitizer,
# its plain loads and stores are races.
set(ets_ways c11)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT ETS_SANITIZE MATCHES "thread")
  list(APPEND ets_ways section)
endif()
set(ets_define_c11 ETS_C11_ATOMICS)
set(ets_define_section ETS_NO_ATOMICS)
file(GLOB trace_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/trace/*.c)
foreach(way ${ets_ways})
  add_library(trace_${way} OBJECT ${trace_sources})
  target_compile_definitions(trace_${way} PRIVATE ${ets_define_${way}})
  target_include_directories(trace_${way} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(trace_${way} PRIVATE ets_compile_options)
  foreach(name test_recorder test_recorder_threads test_trace_dump test_trace_stream
      test_trace_tensors)
    add_executable(${name}_${way} unit/trace/${name}.c $<TARGET_OBJECTS:trace_${way}>)
    target_compile_definitions(${name}_${way} PRIVATE ${ets_define_${way}}
      TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/data" EXAMPLES="${PROJECT_SOURCE_DIR}/examples")
    target_include_directories(${name}_${way} PRIVATE
      ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/unit/support)
    target_link_libraries(${name}_${way} PRIVATE
      ets_compile_options etscope_static PkgConfig::CMOCKA Threads::Threads)
    ets_add_test(${name}_${way} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${name}_${way}>)
  endforeach()
endforeach()
