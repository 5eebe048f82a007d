# SPDX-License-Identifier: Apache-2.0
# What else a build by emscripten needs: bindings/javascript/CMakeLists.txt says what comes of it.

# Exceptions of the engine's own, which cost nothing where none is thrown. The library's headers use more of C++20 than
# emscripten 3.1.6 has: bindings/javascript/library completes its headers.
add_compile_options(-fwasm-exceptions "SHELL:-isystem ${PROJECT_SOURCE_DIR}/bindings/javascript/library")
add_link_options(-fwasm-exceptions)
# Sizes have 32 bits here and 64 elsewhere. One that would be cut ends the call, rather than deny keys.
add_compile_options(-fsanitize=implicit-unsigned-integer-truncation
  -fsanitize-trap=implicit-unsigned-integer-truncation)
target_compile_options(bloomery_build INTERFACE -Wno-shorten-64-to-32)

# The machine's own headers must not come before emscripten's; but this one is needed.
find_file(bloomery_xxhash xxhash.h PATHS /usr/include /usr/local/include REQUIRED NO_CMAKE_FIND_ROOT_PATH)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${bloomery_xxhash} ${PROJECT_BINARY_DIR}/include/xxhash.h SYMBOLIC)
set(XXHASH_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
