# libetscope (static and shared) from the host components; from those for devices libetscope_trace,
# and libetscope_verify, which judges outputs by a bundled program (verify.h).

set(ets_host_components base trace host format numerics verify dump record reference inspect compare gap
    engine views arrow)
set(ets_host_objects)
foreach(component ${ets_host_components})
  if(TARGET ets_${component})
    list(APPEND ets_host_objects $<TARGET_OBJECTS:ets_${component}>)
  endif()
endforeach()

# ets_library(<target> STATIC|SHARED [<more objects>...])
function(ets_library target kind)
  add_library(${target} ${kind} ${ets_host_objects} ${ARGN})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE ets_compile_options PUBLIC m ${CMAKE_DL_LIBS})
  if(ETS_WITH_RECORD)
    target_link_libraries(${target} PUBLIC ZLIB::ZLIB)
  endif()
  if(kind STREQUAL SHARED)
    set_target_properties(${target} PROPERTIES
      LINKER_LANGUAGE C # as for the program: nothing of the C++ runtime is used
      LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map)
    target_link_options(${target} PRIVATE
      -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)
  endif()
endfunction()

ets_library(etscope_static STATIC)
ets_library(etscope_shared SHARED)
set_target_properties(etscope_static etscope_shared PROPERTIES OUTPUT_NAME etscope)
set_target_properties(etscope_shared PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

if(TARGET ets_trace)
  add_library(etscope_trace STATIC $<TARGET_OBJECTS:ets_trace> $<TARGET_OBJECTS:ets_base>
    $<TARGET_OBJECTS:ets_numerics>)
  target_include_directories(etscope_trace PUBLIC ${PROJECT_SOURCE_DIR}/include)
endif()

add_library(etscope_verify STATIC $<TARGET_OBJECTS:ets_verify> $<TARGET_OBJECTS:ets_format>
  $<TARGET_OBJECTS:ets_numerics> $<TARGET_OBJECTS:ets_base>)
target_include_directories(etscope_verify PUBLIC ${PROJECT_SOURCE_DIR}/include)

# Tables, pictures, text and SQL: not for users of the library, whose interface would never settle.
add_library(etscope_output STATIC $<TARGET_OBJECTS:ets_output>)
target_include_directories(etscope_output PUBLIC ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(etscope_output PUBLIC etscope_static)
