# cmake --install: headers, one archive a layer, the command, find_package(bloomery) and pkg-config.
