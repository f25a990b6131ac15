# `cpack -G DEB` in the build folder: all that `cmake --install` installs, as a Debian package for the release it was
# built on. What the program and the Python module load is found by dpkg-shlibdeps.
set(CPACK_PACKAGE_NAME heliolite)
set(CPACK_PACKAGE_VENDOR "The Heliolite authors")
set(CPACK_PACKAGE_DESCRIPTION
    "Finds the best way to run convolutions, GEMMs and other Einsums on an accelerator: tile sizes, loop orders, spatial
unrolling, what each memory keeps. It proves its answers, or says how far from the best they can be. It reads the files
of Timeloop, and ONNX models. With the program come a C++ library and a Python package.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB)

# heliolite_packages(RESULT section...): the packages of these sections of packages.txt.
function(heliolite_packages result)
  file(STRINGS ${PROJECT_SOURCE_DIR}/packages.txt lines REGEX "^[^#]")
  set(packages "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^\\[(.*)\\]")
      set(section ${CMAKE_MATCH_1})
    elseif(section IN_LIST ARGN)
      string(REGEX REPLACE " .*" "" package "${line}")
      list(APPEND packages ${package})
    endif()
  endforeach()
  set(${result} ${packages} PARENT_SCOPE)
endfunction()

# Two installations in one package: the usual one, and what only a Debian package has.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright
        COMPONENT debian EXCLUDE_FROM_ALL)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};heliolite;ALL;/"
                                 "${PROJECT_BINARY_DIR};heliolite;debian;/")

set(HELIOLITE_PACKAGER "The Heliolite authors <heliolite@localhost>" CACHE STRING
    "Maintainer of the Debian package: name and address")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${HELIOLITE_PACKAGER})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(HELIOLITE_PYTHON_FOUND)
  # The module loads into the interpreter of one minor version.
  math(EXPR next "${Python3_VERSION_MINOR} + 1")
  set(python ${Python3_VERSION_MAJOR})
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3 (>= ${python}.${Python3_VERSION_MINOR}), python3 (<< ${python}.${next})")
  set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/postinst
                                         ${PROJECT_SOURCE_DIR}/cmake/debian/prerm)
  set(CPACK_HELIOLITE_MODULE "${PROJECT_BINARY_DIR}/python/heliolite/_core*.so")  # for PackageCheck.cmake
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
endif()
# Only programs that link the library need what it is built with.
heliolite_packages(suggested build cosa affine)
list(JOIN suggested ", " CPACK_DEBIAN_PACKAGE_SUGGESTS)

set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PackageCheck.cmake)
include(CPack)
