# SPDX-License-Identifier: Apache-2.0
"""For Conan 2: conan create FOLDER. The sources lie beside this file."""

import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, unzip


class BloomeryRecipe(ConanFile):
    name = "bloomery"
    version = "@VERSION@"
    license = "Apache-2.0"
    description = "Bloom filters that people run in production"
    settings = "os", "arch", "compiler", "build_type"
    options = {"redis": [True, False], "keys": [True, False]}
    default_options = {"redis": False, "keys": False}
    exports_sources = "bloomery-*.tar.gz"

    def requirements(self):
        self.requires("xxhash/[>=0.8.1]", transitive_headers=True)
        if self.options.redis:
            self.requires("hiredis/[>=0.14]")
            self.requires("openssl/[>=3]")
        if self.options.keys:
            for library in ("sqlite3/[>=3.40]", "zlib/[>=1.2.11]", "zstd/[>=1.5]", "xz_utils/[>=5.4]"):
                self.requires(library)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for option, is_on in self.switches().items():
            toolchain.cache_variables[option] = is_on
        toolchain.generate()

    def switches(self):
        off = ("TOOLS", "MODULE", "C", "POSTGRES", "MARIADB")
        wanted = {"BLOOMERY_REDIS": bool(self.options.redis), "BLOOMERY_SQL": bool(self.options.keys)}
        return {**{f"BLOOMERY_{name}": False for name in off}, **wanted}

    def source(self):
        unzip(self, os.path.join(self.export_sources_folder, f"bloomery-{self.version}.tar.gz"), strip_root=True)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        for notice in ("LICENSE", "NOTICE", "THIRD-PARTY"):
            copy(self, notice, self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # Programs take the targets that CMake's own files of the package define, such as bloomery::bloomery.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "bloomery")]
