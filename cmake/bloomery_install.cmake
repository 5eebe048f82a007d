# SPDX-License-Identifier: Apache-2.0
# cmake --install: headers, one archive a layer, the command, find_package(bloomery) and pkg-config; with BUILD_SHARED_LIBS
# one libbloomery++.so in place of the archives. And the C interface: libbloomery.so.0, its header, pkg-config bloomery-c.
include(CMakePackageConfigHelpers)
include(bloomery_headers)

get_property(layers GLOBAL PROPERTY BLOOMERY_LAYERS)

# Who installs a tree in which only some targets are built, as ./run leaves it, is told what to do.
set(installed ${layers})
if(BUILD_SHARED_LIBS)
  set(installed bloomery_shared)
endif()
foreach(target bloomery_c bloomery bloomery_module)
  if(TARGET ${target})
    list(APPEND installed ${target})
  endif()
endforeach()
list(TRANSFORM installed REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE installed_files)
install(CODE "foreach(file IN ITEMS ${installed_files})
  if(NOT EXISTS \"\${file}\")
    message(FATAL_ERROR \"\${file} was not built; all of it is by: cmake --build ${PROJECT_BINARY_DIR}\")
  endif()
endforeach()")

# What a program links that wants it all.
add_library(bloomery_all INTERFACE)
add_library(bloomery::bloomery ALIAS bloomery_all)
target_link_libraries(bloomery_all INTERFACE ${layers})

# It shows what is ours and nothing of what we use.
set(only_asked "")
if(NOT BUILD_SHARED_LIBS)
  set(only_asked EXCLUDE_FROM_ALL)
endif()
set(version_file ${PROJECT_SOURCE_DIR}/cmake/libbloomery++.map)
list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
add_library(bloomery_shared SHARED ${only_asked} ${objects})
set_target_properties(bloomery_shared PROPERTIES OUTPUT_NAME bloomery++ EXPORT_NAME shared LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${version_file})
target_link_libraries(bloomery_shared PRIVATE Threads::Threads
  $<TARGET_NAME_IF_EXISTS:bloomery::uses_hiredis> $<TARGET_NAME_IF_EXISTS:SQLite::SQLite3>
  $<TARGET_NAME_IF_EXISTS:bloomery::uses_zstd> $<TARGET_NAME_IF_EXISTS:bloomery::uses_lzma> $<TARGET_NAME_IF_EXISTS:ZLIB::ZLIB>)
target_link_options(bloomery_shared PRIVATE -Wl,--version-script=${version_file} -Wl,-z,defs)
target_compile_features(bloomery_shared INTERFACE cxx_std_20)
target_include_directories(bloomery_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# The contract, which bloomery.h lists, and what it needs; no other header of the library.
bloomery_headers(bloomery_contract bloomery/bloomery.h)
foreach(header ${bloomery_contract})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bloomery)
set(bloomery_components core)
if(BLOOMERY_REDIS)
  list(APPEND bloomery_components redis)
endif()
if(BLOOMERY_SQL)
  list(APPEND bloomery_components keys)
  if(BLOOMERY_POSTGRES)
    list(APPEND bloomery_components postgres)
  endif()
  if(BLOOMERY_MARIADB)
    list(APPEND bloomery_components mariadb)
  endif()
  list(APPEND bloomery_components sql)
endif()
if(BLOOMERY_FOLLOW)
  list(APPEND bloomery_components follow)
endif()
if(BUILD_SHARED_LIBS)
  install(TARGETS bloomery_shared EXPORT bloomery-core-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT bloomery-core-targets NAMESPACE bloomery:: DESTINATION ${package_dir})
  set(bloomery_layer_names shared)
else()
  foreach(component ${bloomery_components})
    get_property(of_component GLOBAL PROPERTY BLOOMERY_LAYERS_${component})
    install(TARGETS ${of_component} EXPORT bloomery-${component}-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT bloomery-${component}-targets NAMESPACE bloomery:: DESTINATION ${package_dir})
  endforeach()
  string(REPLACE "bloomery_" "" bloomery_layer_names "${layers}")
endif()
include(bloomery_pkg_config)
if(BLOOMERY_C)
  list(APPEND bloomery_components c)
endif()
string(REPLACE ";" " " bloomery_components "${bloomery_components}")
string(REPLACE ";" " " bloomery_layer_names "${bloomery_layer_names}")

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/bloomery-config.cmake.in ${PROJECT_BINARY_DIR}/bloomery-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bloomery-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bloomery-config.cmake
              ${PROJECT_BINARY_DIR}/bloomery-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/bloomery_uses.cmake
  DESTINATION ${package_dir})

if(BLOOMERY_C)
  install(TARGETS bloomery_c EXPORT bloomery-c-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT bloomery-c-targets NAMESPACE bloomery:: DESTINATION ${package_dir})
  install(FILES ${PROJECT_SOURCE_DIR}/bindings/c/include/bloomery/c/bloomery.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bloomery/c)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/bloomery-c.pc.in ${PROJECT_BINARY_DIR}/bloomery-c.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/bloomery-c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
