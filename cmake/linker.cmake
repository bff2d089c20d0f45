# What linkers of different systems are told in different words. Flags of one of them stand in this file
# alone: ets_check_linker_flags fails the configuration for macOS where another has some.

# Where a library finds what is installed in its own folder.
if(APPLE)
  set(ETS_OWN_FOLDER "@loader_path")
else()
  set(ETS_OWN_FOLDER "$ORIGIN")
endif()

# ets_export(<target> <version script, or a module definition on Windows>): the script is for GNU's
# linker; Apple's takes a list of names.
function(ets_export target script)
  if(APPLE)
    set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}.exports)
    add_custom_command(OUTPUT ${list}
      COMMAND ${CMAKE_COMMAND} -DSCRIPT=${script} -DOUTPUT=${list}
              -P ${PROJECT_SOURCE_DIR}/cmake/apple_exports.cmake
      DEPENDS ${script} ${PROJECT_SOURCE_DIR}/cmake/apple_exports.cmake
      VERBATIM)
    target_sources(${target} PRIVATE ${list})
    target_link_options(${target} PRIVATE -Wl,-exported_symbols_list,${list})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${list})
  else()
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
    if(script MATCHES "[.]def$")
      target_link_options(${target} PRIVATE ${script})
    elseif(NOT WIN32) # there a library without a definition exports all
      target_link_options(${target} PRIVATE -Wl,--version-script=${script})
    endif()
  endif()
endfunction()

# ets_keep_libraries(<target>): libraries that nothing names stay linked, as on macOS they do anyhow.
function(ets_keep_libraries target)
  if(NOT APPLE)
    target_link_options(${target} PRIVATE -Wl,--no-as-needed)
  endif()
endfunction()

# ets_link_whole(<target> <archive>): with objects that nothing names.
function(ets_link_whole target archive)
  if(APPLE)
    target_link_libraries(${target} PRIVATE "-Wl,-force_load,${archive}")
  else()
    target_link_libraries(${target} PRIVATE "-Wl,--whole-archive,${archive},--no-whole-archive")
  endif()
endfunction()

# ets_link_together(<target> <archives>...): archives that need each other.
function(ets_link_together target)
  if(APPLE)
    target_link_libraries(${target} PRIVATE ${ARGN})
  else()
    target_link_libraries(${target} PRIVATE -Wl,--start-group ${ARGN} -Wl,--end-group)
  endif()
endfunction()

# ets_check_linker_flags(<folder>): for macOS, all targets below it.
function(ets_check_linker_flags folder)
  if(NOT APPLE)
    return()
  endif()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    foreach(property LINK_OPTIONS INTERFACE_LINK_OPTIONS LINK_LIBRARIES INTERFACE_LINK_LIBRARIES
            LINK_FLAGS BUILD_RPATH INSTALL_RPATH)
      get_property(flags TARGET ${target} PROPERTY ${property})
      if("${flags}" MATCHES "-Wl,(--[a-z-]+|-soname|-z,|-rpath-link|-Bsymbolic)|-static-lib|[$]ORIGIN")
        message(FATAL_ERROR "${target}: ${CMAKE_MATCH_0} is not for macOS (cmake/linker.cmake)")
      endif()
    endforeach()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    ets_check_linker_flags(${below})
  endforeach()
endfunction()
