# SPDX-License-Identifier: Apache-2.0
# The headers of others that most files include, parsed once for all targets of a sort: an eighth of what a layer takes to
# compile, and half of a small test. For builds of ours; with them, a file can live on what it does not include
# (tools/check_includes finds that). Ours are not among them, so a change of one rebuilds only who includes it.
option(BLOOMERY_PRECOMPILE "Parse the standard library's headers once" OFF)

# bloomery_precompile(NAME [OPTIONS option...] [USES library...] HEADERS header...) makes NAME, whose headers
# bloomery_precompiled(TARGET NAME) gives to targets that are compiled with the same options.
function(bloomery_precompile name)
  if(NOT BLOOMERY_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(PCH "" "" "OPTIONS;USES;HEADERS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "// It is there for the headers that it is compiled with.\n")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE bloomery_build ${PCH_USES})
  if("-fPIE" IN_LIST PCH_OPTIONS)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF) # which would be -fPIC
  endif()
  target_compile_options(${name} PRIVATE ${PCH_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${PCH_HEADERS})
endfunction()

function(bloomery_precompiled target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # g++ 12 forgets that these headers are the system's, and warns of what string does there. Without them it does not,
      # and these warnings are errors in tools/check_includes.
      target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
    endif()
  endif()
endfunction()

# As CMake compiles programs. Windows places all code anywhere.
set(bloomery_pie -fPIE)
if(WIN32)
  set(bloomery_pie "")
endif()
set(standard_headers
  <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <concepts> <condition_variable> <cstdint> <cstdio> <cstdlib>
  <cstring> <exception> <filesystem> <functional> <limits> <map> <memory> <mutex> <optional> <random> <span> <stdexcept>
  <string> <string_view> <system_error> <thread> <utility> <vector>)
bloomery_precompile(bloomery_library_headers HEADERS ${standard_headers})
# From g++ 13 on, headers are those of one -O only.
if(BLOOMERY_LIGHT AND NOT BLOOMERY_SANITIZE)
  bloomery_precompile(bloomery_light_headers OPTIONS -O1 HEADERS ${standard_headers})
endif()

# For programs that tests only run: examples, benchmarks, replayed inputs. They are not optimised.
if(BLOOMERY_TESTS)
  bloomery_precompile(bloomery_little_headers OPTIONS ${bloomery_pie} -O0 HEADERS ${standard_headers})
endif()
