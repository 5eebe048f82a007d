# cmake --install: headers, one archive a layer, the command, find_package(bloomery) and pkg-config.
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY BLOOMERY_LAYERS)

# What a program links that wants it all.
add_library(bloomery_all INTERFACE)
add_library(bloomery::bloomery ALIAS bloomery_all)
set_target_properties(bloomery_all PROPERTIES EXPORT_NAME bloomery)
target_link_libraries(bloomery_all INTERFACE ${layers})

install(TARGETS ${layers} bloomery_all EXPORT bloomery-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bloomery DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bloomery)
install(EXPORT bloomery-targets NAMESPACE bloomery:: DESTINATION ${package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/bloomery-config.cmake.in ${PROJECT_BINARY_DIR}/bloomery-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bloomery-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bloomery-config.cmake
              ${PROJECT_BINARY_DIR}/bloomery-config-version.cmake
  DESTINATION ${package_dir})

# Static archives are searched in order: those that use come before those that are used.
set(bloomery_archives "")
foreach(layer ${layers})
  set(bloomery_archives "-l${layer} ${bloomery_archives}")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/bloomery.pc.in ${PROJECT_BINARY_DIR}/bloomery.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/bloomery.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
