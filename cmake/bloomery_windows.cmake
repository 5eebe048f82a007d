# SPDX-License-Identifier: Apache-2.0
# What else a build for Windows needs.
# Headers that are the same on all systems come from this one, whose own must not come before the compiler's.
if(NOT CMAKE_CROSSCOMPILING)
  return()
endif()
set(headers xxhash.h)
if(BLOOMERY_TESTS)
  list(APPEND headers nlohmann)
endif()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
foreach(header ${headers})
  find_file(bloomery_${header} ${header} PATHS /usr/include /usr/local/include REQUIRED NO_CMAKE_FIND_ROOT_PATH)
  file(CREATE_LINK ${bloomery_${header}} ${PROJECT_BINARY_DIR}/include/${header} SYMBOLIC)
endforeach()
set(XXHASH_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
if(BLOOMERY_TESTS)
  target_include_directories(bloomery_build SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/include)
endif()
