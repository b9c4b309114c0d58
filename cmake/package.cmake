# SPDX-License-Identifier: Apache-2.0
# `cpack` makes a Debian package of what cmake/install.cmake installs. `./dev package` does both.
if(NOT TARGET jostle_cli)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME jostle)
set(CPACK_PACKAGE_CONTACT "The Jostle authors")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Finds concurrency bugs in C and C++ programs: it takes the thread scheduler
away from the operating system, runs the unmodified program under one
interleaving after another, replays every failure exactly, makes it small,
and says why it happens.")
# What the command links with is found by dpkg-shlibdeps. A compiler is needed for `jostle c++` only:
# programs built elsewhere run without.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++ | clang")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gdb, cmake, pkg-config")
include(CPack)
