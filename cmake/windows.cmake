# SPDX-License-Identifier: Apache-2.0
# From Linux for 64-bit Windows 10 and later, by mingw-w64 with threads as POSIX has them; programs run under wine64.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
# Programs bring g++'s libraries with them.
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
find_program(BLOOMERY_WINE wine64 PATHS /usr/lib/wine)
if(BLOOMERY_WINE)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${BLOOMERY_WINE})
endif()
