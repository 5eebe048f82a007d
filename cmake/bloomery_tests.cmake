# SPDX-License-Identifier: Apache-2.0
# bloomery_test(NAME [COMPUTES_LITTLE] [SUITES] [TOGETHER] [SHARING suite...] [FIGURES pattern...] [ALONE pattern...]
# [POSIX pattern...] SOURCES file... [POSIX_SOURCES file...] USES library...) makes the test program NAME and gives each of
# its cases to ctest, which runs them side by side; their names begin with the folder of theirs in tests/. Working
# directory: tests/, so golden files have short names.
# COMPUTES_LITTLE: the tests themselves are not optimised, as compiling them takes longer than running them. The library that
# they ask is.
# SUITES: a case of ctest is a suite, as most of its tests take less than a process does. For tests that leave nothing behind.
# FIGURES: tests that repeat one thing many times to count; a sanitizer learns nothing of them, and an emulator takes too long:
# they are left out.
# TOGETHER: its cases share what is dear to start, such as a database's server: they are one case of ctest.
# SHARING: the same for these suites alone.
# POSIX, POSIX_SOURCES: tests, and files of tests, of what Windows does not have: it is left out there.
# ALONE: tests of one thread that the thread sanitizer would need minutes for; under it they are left out too.
if(WIN32 AND CMAKE_CROSSCOMPILING) # Debian has the libraries for its own systems, and the sources for others
  set(INSTALL_GTEST OFF)
  add_subdirectory(/usr/src/googletest ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
else()
  find_package(GTest REQUIRED)
endif()
include(GoogleTest)

# A fuzzer looks which branches of the layers are taken; of tests they would only be more to compile.
set(test_options "")
if(BLOOMERY_FUZZ)
  set(test_options -fno-sanitize=fuzzer-no-link)
endif()
set(test_headers ${standard_headers} <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>)
bloomery_precompile(bloomery_test_headers OPTIONS ${bloomery_pie} ${test_options} USES GTest::gmock HEADERS ${test_headers})
bloomery_precompile(bloomery_test_headers_little OPTIONS ${bloomery_pie} ${test_options} -O0 USES GTest::gmock HEADERS ${test_headers})

# bloomery_archives_of(VARIABLE LIBRARY...): these archives of ours and all that they use.
function(bloomery_archives_of variable)
  set(found "")
  set(left ${ARGN})
  while(left)
    list(POP_FRONT left library)
    if(NOT TARGET "${library}")
      continue()
    endif()
    get_target_property(target ${library} ALIASED_TARGET)
    if(NOT target)
      set(target ${library})
    endif()
    get_target_property(type ${target} TYPE)
    if(target IN_LIST found OR NOT target MATCHES "^bloomery_" OR NOT type STREQUAL STATIC_LIBRARY)
      continue()
    endif()
    list(APPEND found ${target})
    get_target_property(used ${target} LINK_LIBRARIES)
    list(APPEND left ${used})
  endwhile()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

function(bloomery_test name)
  cmake_parse_arguments(TEST "COMPUTES_LITTLE;SUITES;TOGETHER" "" "SHARING;FIGURES;ALONE;POSIX;SOURCES;POSIX_SOURCES;USES" ${ARGN})
  if(NOT WIN32)
    list(APPEND TEST_SOURCES ${TEST_POSIX_SOURCES})
  endif()
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE bloomery_build ${TEST_USES} GTest::gmock GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${test_options})
  # As one file, where builds are by the batch: what files have in common, headers and templates, is most of each.
  set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
  set(sort "")
  if(TEST_COMPUTES_LITTLE)
    target_compile_options(${name} PRIVATE -O0)
    set(sort _little)
    # Of a function of a header that both have, the linker takes the first: that of the library, as users have it.
    bloomery_archives_of(archives ${TEST_USES})
    list(TRANSFORM archives REPLACE "(.+)" "$<TARGET_FILE:\\1>")
    target_link_options(${name} PRIVATE -Wl,--whole-archive ${archives} -Wl,--no-whole-archive)
  endif()
  bloomery_precompiled(${name} bloomery_test_headers${sort})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE folder)
  set(left_out "")
  if(BLOOMERY_SANITIZE OR CMAKE_CROSSCOMPILING)
    list(APPEND left_out ${TEST_FIGURES})
  endif()
  if(BLOOMERY_SANITIZE MATCHES "thread")
    list(APPEND left_out ${TEST_ALONE})
  endif()
  if(WIN32)
    list(APPEND left_out ${TEST_POSIX})
  endif()
  if(TEST_SUITES)
    list(JOIN left_out ":" but)
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake CONTENT "\
set(name ${name})
set(program \"$<TARGET_FILE:${name}>\")
set(emulator \"${CMAKE_CROSSCOMPILING_EMULATOR}\")
set(but \"${but}\")
set(folder ${folder})
set(directory \"${PROJECT_SOURCE_DIR}/tests\")
include(\"${PROJECT_SOURCE_DIR}/cmake/bloomery_suites.cmake\")
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake)
    return()
  endif()
  foreach(suite ${TEST_SHARING})
    list(JOIN left_out ":" but)
    add_test(NAME ${folder}/${suite} COMMAND ${name} --gtest_filter=${suite}.*-${but}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests)
    set_tests_properties(${folder}/${suite} PROPERTIES TIMEOUT 300 COST 20) # the longest begin first
  endforeach()
  list(TRANSFORM TEST_SHARING APPEND .* OUTPUT_VARIABLE sharing)
  list(APPEND left_out ${sharing})
  set(filter "")
  if(left_out)
    list(JOIN left_out ":" left_out)
    set(filter TEST_FILTER "-${left_out}")
  endif()
  if(TEST_TOGETHER)
    list(TRANSFORM filter REPLACE "^-" "--gtest_filter=-")
    list(REMOVE_ITEM filter TEST_FILTER)
    # Each test of it is printed as it begins: one that does not end is the last.
    add_test(NAME ${folder}/${name} COMMAND ${name} ${filter} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests)
    set_tests_properties(${folder}/${name} PROPERTIES TIMEOUT 300 COST 20)
    return()
  endif()
  gtest_discover_tests(${name} ${filter}
    TEST_PREFIX "${folder}/"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests
    PROPERTIES TIMEOUT 300
    DISCOVERY_MODE PRE_TEST)
endfunction()
