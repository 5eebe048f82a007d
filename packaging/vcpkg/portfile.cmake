# SPDX-License-Identifier: Apache-2.0
# As an overlay port: vcpkg install bloomery --overlay-ports=FOLDER-THAT-HOLDS-bloomery. The sources lie beside this file.
vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${CMAKE_CURRENT_LIST_DIR}/bloomery-@VERSION@.tar.gz")
vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES redis BLOOMERY_REDIS keys BLOOMERY_SQL)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${options} -DBLOOMERY_TOOLS=OFF -DBLOOMERY_MODULE=OFF -DBLOOMERY_C=OFF -DBLOOMERY_POSTGRES=OFF -DBLOOMERY_MARIADB=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME bloomery CONFIG_PATH lib/cmake/bloomery)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/NOTICE" "${SOURCE_PATH}/THIRD-PARTY")
