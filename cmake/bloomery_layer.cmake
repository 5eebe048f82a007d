# SPDX-License-Identifier: Apache-2.0
# How every target of the project is compiled, and the one way to declare a layer of the library.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG") # kernels say themselves what else they need

find_package(Threads REQUIRED)

add_library(bloomery_build INTERFACE)
target_compile_options(bloomery_build INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
# Sizes, rates and the hashes of some formats are the same on every machine only where a product is rounded before something
# is added to it. Of all files: in one with options of its own g++ takes those of the precompiled header.
target_compile_options(bloomery_build INTERFACE -ffp-contract=off)
if(BLOOMERY_WERROR)
  target_compile_options(bloomery_build INTERFACE -Werror)
endif()
if(BLOOMERY_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ looks for memory that it can reclaim each time it has taken a third more. Files of this size have it look a dozen
  # times and find little: a twentieth of its time. So it takes an eighth more memory; builds of others do not.
  target_compile_options(bloomery_build INTERFACE --param=ggc-min-expand=300 --param=ggc-min-heapsize=1048576)
endif()
if(BLOOMERY_SANITIZE)
  # Global, so that the test framework's templates are instrumented alike.
  add_compile_options(-fsanitize=${BLOOMERY_SANITIZE} -fno-omit-frame-pointer -O1 -g1)
  add_link_options(-fsanitize=${BLOOMERY_SANITIZE})
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    add_compile_options(-mfma) # as other processors have it, so that tests see what would use it
  endif()
  if(BLOOMERY_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan) # which warns of each fence; ours order what other processes do
  endif()
  if(BLOOMERY_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

if(BLOOMERY_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "BLOOMERY_FUZZ needs clang: cmake --preset clang")
  endif()
  # Global, so that libFuzzer sees which branches of the layers an input takes.
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

# For builds that are made anew more often than they run: -O2 is for what decides a filter's bits, and what waits for files,
# servers and people is compiled in two thirds of the time.
option(BLOOMERY_LIGHT "Optimise less where no filter's bits are decided" OFF)

include(bloomery_precompiled)

# Such a target.
function(bloomery_lightly target)
  if(BLOOMERY_LIGHT AND NOT BLOOMERY_SANITIZE)
    target_compile_options(${target} PRIVATE -O1)
    bloomery_precompiled(${target} bloomery_light_headers)
  else()
    bloomery_precompiled(${target} bloomery_library_headers)
  endif()
endfunction()

# bloomery_layer(NAME [LIGHT] [COMPONENT component] SOURCES file... [USES layer-or-library...] [PRIVATE_USES library...])
# makes libbloomery_NAME, which find_package gives with the component, else always; and nothing where the component is
# not wanted (BLOOMERY_REDIS, BLOOMERY_KEYS, ...). A layer links only those above it, so an arrow drawn the wrong way does not link.
function(bloomery_layer name)
  cmake_parse_arguments(LAYER "LIGHT" "COMPONENT" "SOURCES;USES;PRIVATE_USES" ${ARGN})
  if(NOT LAYER_COMPONENT)
    set(LAYER_COMPONENT core)
  endif()
  string(TOUPPER BLOOMERY_${LAYER_COMPONENT} wanted)
  if(NOT LAYER_COMPONENT STREQUAL core AND NOT ${wanted})
    return()
  endif()
  set(target bloomery_${name})
  add_library(${target} STATIC ${LAYER_SOURCES})
  add_library(bloomery::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target}
    PUBLIC ${LAYER_USES}
    PRIVATE $<BUILD_INTERFACE:bloomery_build> ${LAYER_PRIVATE_USES})
  if(LAYER_LIGHT)
    bloomery_lightly(${target})
  else()
    bloomery_precompiled(${target} bloomery_library_headers)
  endif()
  set_property(GLOBAL APPEND PROPERTY BLOOMERY_LAYERS ${target})
  set_property(GLOBAL APPEND PROPERTY BLOOMERY_LAYERS_${LAYER_COMPONENT} ${target})
endfunction()
