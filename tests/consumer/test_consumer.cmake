# Installs the build to a folder of its own, builds the consumer and the examples against it, runs
# them, and reads what they wrote with the installed etscope.
#
#   cmake -DBUILD=... -DSOURCE=... -DWORK=... -DEXECUTORCH_ROOT=... -DGENERATOR=... \
#         -DC_COMPILER=... -DCXX_COMPILER=... -DFLAGS=... -P test_consumer.cmake
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " command "${ARGV}")
    message(FATAL_ERROR "${command}: ${result}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(build_project source folder)
  run(${CMAKE_COMMAND} -S ${source} -B ${WORK}/${folder} -G ${GENERATOR}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
    -DCMAKE_C_FLAGS=${FLAGS} -DCMAKE_CXX_FLAGS=${FLAGS} -DEXECUTORCH_ROOT=${EXECUTORCH_ROOT})
  run(${CMAKE_COMMAND} --build ${WORK}/${folder})
endfunction()

# The trace must be one that etscope reads, with what is looked for in it.
function(expect_in_trace file text)
  run(${WORK}/prefix/bin/etscope inspect ${file})
  string(FIND "${output}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${file} has no ${text}:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
build_project(${SOURCE}/tests/consumer consumer)
run(${WORK}/consumer/consumer_trace ${WORK}/consumer.etdp)
expect_in_trace(${WORK}/consumer.etdp "OPERATOR_CALL")
run(${WORK}/consumer/consumer_read ${WORK}/consumer.etdp)
string(FIND "${output}" "OPERATOR_CALL" at)
if(at EQUAL -1)
  message(FATAL_ERROR "consumer_read: ${output}")
endif()
run(${WORK}/consumer/consumer_verify ${SOURCE}/tests/data/mlp_portable/model.bpte)
string(FIND "${output}" "output 0: different, worst at element 7 of 8" at)
if(at EQUAL -1)
  message(FATAL_ERROR "consumer_verify: ${output}")
endif()

if(EXECUTORCH_ROOT)
  foreach(package has no)
    run(${WORK}/consumer/etdump_${package}_package/consumer_etdump_${package} ${WORK}/${package}.etdp)
    expect_in_trace(${WORK}/${package}.etdp "by_upstreams_name")
  endforeach()
  set(model ${SOURCE}/tests/data/mlp_portable/model.pte)
  build_project(${SOURCE}/examples/tracing examples)
  run(${WORK}/examples/trace_in_thirty_lines ${SOURCE}/examples/mlp/portable.pte
    ${WORK}/thirty_lines.etdp)
  expect_in_trace(${WORK}/thirty_lines.etdp "addmm.out")
  run(${WORK}/examples/trace_load_method ${model} ${WORK}/load_method.etdp)
  expect_in_trace(${WORK}/load_method.etdp "addmm.out")
  run(${WORK}/examples/trace_module ${model} ${WORK}/module.etdp ${WORK}/module.bin)
  expect_in_trace(${WORK}/module.etdp "addmm.out")
  file(SIZE ${WORK}/module.bin debug_bytes)
  if(debug_bytes EQUAL 0)
    message(FATAL_ERROR "no tensors were captured")
  endif()
  build_project(${SOURCE}/examples/backend backend)
  run(${WORK}/prefix/bin/etscope run ${SOURCE}/examples/backend/demo.pte
    --load-library ${WORK}/backend/libdemo_backend.so -o ${WORK}/backend.etdp)
  expect_in_trace(${WORK}/backend.etdp "mul_add 0")
endif()
