# ets_command_under_test(<target> <variable>): the path by which tests start a program. One of another
# processor is started by a script that starts it in the emulator.
function(ets_command_under_test target variable)
  set(command $<TARGET_FILE:${target}>)
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    set(words "")
    foreach(word ${CMAKE_CROSSCOMPILING_EMULATOR} ${command})
      string(APPEND words " '${word}'")
    endforeach()
    set(command ${CMAKE_BINARY_DIR}/bin/emulated_${target})
    file(GENERATE OUTPUT ${command} CONTENT "#!/bin/sh\nexec${words} \"$@\"\n"
         FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endif()
  set(${variable} ${command} PARENT_SCOPE)
endfunction()
