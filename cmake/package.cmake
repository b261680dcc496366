# SPDX-License-Identifier: BSD-3-Clause
# package.cmake - Debian packages, one for each component of the installation: ./dev package
#
#   command           cairn          the command, the preload library, what they need without an MPI; manual pages, completion
#   openmpi, mpich    cairn-openmpi  engine, tools and services for one MPI; as many of them beside each other as wanted
#   engine            cairn-add-mpi  what 'cairn add-mpi' compiles engines for other MPIs of
#   dev               cairn-dev      headers and CMake files for authors of tools
#   python            python3-cairn  results as pandas data frames
#   doc               cairn-doc      the guide and all other pages

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cairn)
set(CPACK_PACKAGE_VENDOR "The Cairn authors")
set(CPACK_PACKAGE_CONTACT "The Cairn authors <cairn@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "any number of MPI tools at once on an unmodified program")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL command ${CAIRN_MPIS} engine python dev doc)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_IGNORE_GROUPS ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
string(REPLACE ";" ", cairn-" recommended "${CAIRN_MPIS}")
string(REPLACE ", " " | " recommended "cairn-${recommended}")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME cairn)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "${recommended}")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "cairn-doc")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "The command 'cairn' and what it needs for any MPI: stacks MPI tools on unmodified programs,
reports, traces, live view, placement. Add cairn-openmpi, cairn-mpich or both.")
foreach(mpi IN LISTS CAIRN_MPIS)
  string(TOUPPER ${mpi} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME cairn-${mpi})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "cairn (= ${PROJECT_VERSION}-1)")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "Engine, tools and services of Cairn for programs that use ${mpi}.")
endforeach()
set(CPACK_DEBIAN_ENGINE_PACKAGE_NAME cairn-add-mpi)
set(CPACK_DEBIAN_ENGINE_PACKAGE_DEPENDS "cairn (= ${PROJECT_VERSION}-1), cmake (>= 3.25), make, g++, binutils")
set(CPACK_DEBIAN_ENGINE_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_ENGINE_DESCRIPTION "What 'cairn add-mpi' needs to compile engine, tools and services for an MPI that is not Debian's.")
foreach(component python dev doc)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME cairn-${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS OFF)
endforeach()
# What is built with the headers runs under the command, of the same version.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "cairn (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-cairn)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "cairn (= ${PROJECT_VERSION}-1), python3, python3-pandas")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "The Python module 'cairn': a run's results as pandas data frames, several runs side by side.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers and CMake files with which tools for Cairn are built, QMPI tools among them.")
set(CPACK_COMPONENT_DOC_DESCRIPTION "The user's guide, the tool author's guide, the formats of all files.")
include(CPack)
