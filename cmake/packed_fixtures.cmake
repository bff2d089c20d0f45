# Fixtures whose files repeat each other come packed. They are unpacked beside the others, where git
# ignores them, when the archive is another than the one they came from.
#
# ets_unpack_fixtures(NAME FILE...): unpacks tests/data/NAME.tar.xz, which has the files.
function(ets_unpack_fixtures name)
  set(folder ${PROJECT_SOURCE_DIR}/tests/data)
  set(archive ${folder}/${name}.tar.xz)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${archive})
  file(LOCK ${folder} DIRECTORY GUARD FUNCTION RESULT_VARIABLE locked) # of builds at the same time
  file(SHA256 ${archive} wanted)
  set(unpacked "")
  if(EXISTS ${folder}/.${name})
    file(READ ${folder}/.${name} unpacked)
  endif()
  set(is_whole TRUE)
  foreach(file ${ARGN})
    if(NOT EXISTS ${folder}/${file})
      set(is_whole FALSE)
    endif()
  endforeach()
  if(NOT is_whole OR NOT unpacked STREQUAL wanted)
    execute_process(COMMAND ${CMAKE_COMMAND} -E tar xf ${archive} WORKING_DIRECTORY ${folder}
                    RESULT_VARIABLE code ERROR_VARIABLE reason)
    if(code EQUAL 0)
      file(WRITE ${folder}/.${name} ${wanted})
    else()
      message(WARNING "Tests of ${name} will fail: ${archive} cannot be unpacked: ${reason}")
    endif()
  endif()
endfunction()

ets_unpack_fixtures(large_models conv_xnnpack_int8/model.pte gpt_portable/model.pte
                    gpt_xnnpack/model.pte linear_fp32_xnnpack/model.pte linear_int8_xnnpack/model.pte)
ets_unpack_fixtures(payload_truth payload_truth/coreml/multi/model.pte
                    payload_truth/vulkan/res/model.pte)
