# Stands in for Zephyr's CMake package: as much of it as zephyr/CMakeLists.txt and examples/zephyr use,
# over a kernel that prints and reads a clock (kernel.c), for the Cortex-M3 of QEMU's board AN385, with
# clang and lld. ETS_DOTCONFIG names the configuration, lines CONFIG_...=y.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_C_COMPILER clang)
set(CMAKE_AR llvm-ar)
set(CMAKE_RANLIB llvm-ranlib)
set(CMAKE_C_COMPILER_TARGET thumbv7m-none-eabi)
set(CMAKE_C_FLAGS "-mcpu=cortex-m3 -std=c11 -Os -ffreestanding -fno-builtin -ffunction-sections -fdata-sections -Wall -Wextra -Werror")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
project(Zephyr-Stand-In LANGUAGES C)

file(STRINGS ${ETS_DOTCONFIG} ets_settings REGEX "^CONFIG_")
foreach(setting IN LISTS ets_settings)
  string(REGEX MATCH "^(CONFIG_[A-Z0-9_]+)=(.*)$" match "${setting}")
  set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()

get_filename_component(ets_root ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
file(GLOB ets_kernel ${ets_root}/platforms/cortex_m/*.c ${ets_root}/platforms/no_libc/*.c)
add_library(zephyr_interface INTERFACE)
target_include_directories(zephyr_interface INTERFACE ${CMAKE_CURRENT_LIST_DIR}/../stand_ins)
add_library(app STATIC)
target_link_libraries(app PRIVATE zephyr_interface)
add_executable(zephyr.elf ${CMAKE_CURRENT_LIST_DIR}/kernel.c ${ets_kernel})
target_include_directories(zephyr.elf PRIVATE ${ets_root}/include ${ets_root}/platforms)
target_link_libraries(zephyr.elf PRIVATE zephyr_interface app)
target_link_options(zephyr.elf PRIVATE -fuse-ld=lld -nostdlib -Wl,--gc-sections
  -Wl,-T,${ets_root}/platforms/cortex_m/cortex_m.ld)

macro(zephyr_library_named name)
  set(ZEPHYR_CURRENT_LIBRARY ${name})
  add_library(${name} STATIC)
  target_link_libraries(${name} PRIVATE zephyr_interface)
  target_link_libraries(app PRIVATE ${name})
endmacro()

function(zephyr_library_sources)
  target_sources(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()

function(zephyr_library_include_directories)
  target_include_directories(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()

function(zephyr_include_directories)
  target_include_directories(zephyr_interface INTERFACE ${ARGN})
endfunction()

foreach(ets_module IN LISTS ZEPHYR_EXTRA_MODULES)
  add_subdirectory(${ets_module}/zephyr modules/etscope)
endforeach()
