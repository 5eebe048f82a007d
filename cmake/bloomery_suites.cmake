# SPDX-License-Identifier: Apache-2.0
# Read by ctest when it starts, for a test program with SUITES (bloomery_tests.cmake): makes each suite of `program` a case.
# `emulator`: a command that runs it, or nothing. `but`: patterns of tests to leave out. `folder`: what names begin with;
# `directory`: where they run.
if(NOT EXISTS "${program}")
  add_test("${name}_NOT_BUILT" "${name}_NOT_BUILT")
  return()
endif()
execute_process(COMMAND ${emulator} ${program} --gtest_list_tests --gtest_filter=-${but} OUTPUT_VARIABLE listed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${program} does not list its tests: ${status}")
endif()
string(REPLACE "\r" "" listed "${listed}") # Windows ends lines with it
# A suite is a line that a dot ends, or a dot and a remark; its tests follow, indented.
string(REGEX MATCHALL "\n[^ \n]+\\.[ \n]" suites "\n${listed}")
if(NOT suites)
  message(FATAL_ERROR "${program} has no tests")
endif()
foreach(suite ${suites})
  string(REGEX REPLACE "\n(.*)\\.[ \n]" "\\1" suite "${suite}")
  add_test("${folder}/${suite}" ${emulator} ${program} --gtest_brief=1 "--gtest_filter=${suite}.*-${but}")
  set_tests_properties("${folder}/${suite}" PROPERTIES TIMEOUT 300 WORKING_DIRECTORY "${directory}")
endforeach()
