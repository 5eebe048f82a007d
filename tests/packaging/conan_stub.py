# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of a recipe as Conan does, for machines that do not have it, with the libraries of the system:
run.py RECIPE-FOLDER WORK-FOLDER [OPTION...]. What the recipe packages is in WORK-FOLDER/package."""

import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tarfile
import types

recipe_folder, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])


class ConanFile:
    def __init__(self):
        self.options = types.SimpleNamespace(**{**self.default_options, **{name: True for name in sys.argv[3:]}})
        self.export_sources_folder = str(recipe_folder)
        self.source_folder, self.build_folder, self.package_folder = (str(work / name) for name in ("source", "build", "package"))
        self.required, self.cache_variables, self.cpp_info = [], {}, types.SimpleNamespace(set_property=lambda name, value: None)

    def requires(self, reference, **_):
        self.required.append(reference)


class Toolchain:
    def __init__(self, recipe):
        self.cache_variables = recipe.cache_variables

    def generate(self):
        pass


class CMake:
    def __init__(self, recipe):
        self.recipe = recipe

    def run(self, *words):
        subprocess.run(["cmake", *words], check=True, stdout=subprocess.DEVNULL)

    def configure(self):
        variables = {**self.recipe.cache_variables, "CMAKE_BUILD_TYPE": "Release", "CMAKE_INSTALL_LIBDIR": "lib"}
        words = [f"-D{name}={value}" for name, value in variables.items()]
        self.run("-S", self.recipe.source_folder, "-B", self.recipe.build_folder, "-G", "Ninja", *words)

    def build(self):
        self.run("--build", self.recipe.build_folder)

    def install(self):
        self.run("--install", self.recipe.build_folder, "--prefix", self.recipe.package_folder)


def unzip(recipe, archive, strip_root):
    assert strip_root
    with tarfile.open(archive) as sources:
        for member in sources.getmembers():
            if "/" in member.name:
                member.name = member.name.split("/", 1)[1]
                sources.extract(member, recipe.source_folder)


def copy(recipe, pattern, source, destination):
    pathlib.Path(destination).mkdir(parents=True, exist_ok=True)
    for path in pathlib.Path(source).glob(pattern):
        shutil.copy(path, destination)


def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)


module("conan", ConanFile=ConanFile)
module("conan.tools")
module("conan.tools.cmake", CMake=CMake, CMakeDeps=Toolchain, CMakeToolchain=Toolchain, cmake_layout=lambda recipe: None)
module("conan.tools.files", copy=copy, unzip=unzip)
spec = importlib.util.spec_from_file_location("conanfile", recipe_folder / "conanfile.py")
conanfile = importlib.util.module_from_spec(spec)
spec.loader.exec_module(conanfile)
recipe = conanfile.BloomeryRecipe()
for step in ("requirements", "layout", "generate", "source", "build", "package", "package_info"):
    getattr(recipe, step)()
