# Writes OUTPUT, a file for CTest: each case of the GoogleTest program PROGRAM as the test <concept>.Suite.Case, where
# <concept>_test.cpp is the source that the case stands in. CMake's own gtest_discover_tests knows no sources, by which
# names and labels go here.
#
# cmake -DPROGRAM=search_tests -DOUTPUT=... -DFOLDER=<where tests run> -DLONG=<concepts> -DPARALLEL=<concepts>
#       -DENVIRONMENT=<of the tests> -P cmake/DiscoverTests.cmake
cmake_minimum_required(VERSION 3.25)
set(list ${OUTPUT}.xml)
execute_process(COMMAND ${PROGRAM} --gtest_list_tests --gtest_output=xml:${list} WORKING_DIRECTORY ${FOLDER} TIMEOUT 60
                OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} cannot list its tests: ${result}\n${output}")
endif()

set(tests "")
set(suite "")
file(STRINGS ${list} lines REGEX "<test(suite|case) ")
foreach(line IN LISTS lines)
  string(REGEX MATCH " name=\"([^\"]+)\"" _ "${line}")
  set(name "${CMAKE_MATCH_1}")
  if(line MATCHES "<testsuite ")
    set(suite "${name}")
    continue()
  endif()
  if(NOT line MATCHES " file=\"[^\"]*/([^/\"]+)_test\\.cpp\"")
    message(FATAL_ERROR "${PROGRAM}: in which source stands ${suite}.${name}?\n${line}")
  endif()
  set(concept ${CMAKE_MATCH_1})
  set(labels fast)
  if(concept IN_LIST LONG)
    set(labels long)
  endif()
  if(concept IN_LIST PARALLEL)
    string(APPEND labels ";parallel")
  endif()
  set(test "[=[${concept}.${suite}.${name}]=]")
  string(APPEND tests
         "add_test(${test} [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.${name}]=])\n"
         "set_tests_properties(${test} PROPERTIES LABELS \"${labels}\" TIMEOUT 300 WORKING_DIRECTORY [=[${FOLDER}]=]\n"
         "  SKIP_REGULAR_EXPRESSION [=[\\[  SKIPPED \\]]=] ENVIRONMENT [=[${ENVIRONMENT}]=])\n")
endforeach()
if(tests STREQUAL "")
  message(FATAL_ERROR "${PROGRAM} has no tests")
endif()
file(WRITE ${OUTPUT} "${tests}")
