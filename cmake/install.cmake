# SPDX-License-Identifier: Apache-2.0
# `cmake --install` gives
#   bin/jostle, with jostle-cc and jostle-c++ beside it
#   lib/libjostle.so, and lib/jostle/tsan/ where it goes by the name of libtsan
#   include/jostle/, which lib/jostle/include/ leads to: what the wrapper adds, with nothing else in it
#   lib/cmake/Jostle/: find_package(Jostle), Jostle::jostle, jostle_instrument(target)
#   lib/pkgconfig/jostle.pc
#   share/: manual pages, completion for bash and zsh, the documents
# Some presets build only a part of this; what is not built is not installed. The target `installed`
# builds all that is.
if(NOT TARGET jostle)
  return()
endif()
include(CMakePackageConfigHelpers)
set(jostle_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Jostle)

install(TARGETS jostle EXPORT JostleTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/jostle/tsan DESTINATION ${CMAKE_INSTALL_LIBDIR}/jostle)
install(TARGETS jostle_afl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/jostle)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/jostle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
add_custom_target(installed DEPENDS jostle jostle_afl)

# The build tree has the folder of the headers where the installed tree has it, see compiler_wrapper.h.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib/jostle ${CMAKE_BINARY_DIR}/install/include)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/lib/jostle/include SYMBOLIC)
file(RELATIVE_PATH headers /${CMAKE_INSTALL_LIBDIR}/jostle/include /${CMAKE_INSTALL_INCLUDEDIR}/jostle)
file(CREATE_LINK ${headers} ${CMAKE_BINARY_DIR}/install/include/jostle SYMBOLIC)
install(DIRECTORY ${CMAKE_BINARY_DIR}/install/include DESTINATION ${CMAKE_INSTALL_LIBDIR}/jostle)
if(TARGET jostle_cli)
  set_target_properties(jostle_cli PROPERTIES EXPORT_NAME command)
  install(TARGETS jostle_cli EXPORT JostleTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(PROGRAMS ${CMAKE_BINARY_DIR}/bin/jostle-cc ${CMAKE_BINARY_DIR}/bin/jostle-c++
          DESTINATION ${CMAKE_INSTALL_BINDIR})
  add_dependencies(installed jostle_cli)
endif()
install(EXPORT JostleTargets NAMESPACE Jostle:: DESTINATION ${jostle_package_dir})

# The package adds the very options that the compiler wrapper adds.
function(read_wrapper_option constant result)
  set(header ${CMAKE_SOURCE_DIR}/src/cli/compiler/compiler_options.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(STRINGS ${header} line REGEX " ${constant} = \"[^\"]+\";$")
  if(NOT line MATCHES "\"([^\"]+)\"")
    message(FATAL_ERROR "no ${constant} in ${header}")
  endif()
  set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()
read_wrapper_option(kInstrumentOption JOSTLE_INSTRUMENT_OPTION)
read_wrapper_option(kGccOptions JOSTLE_GCC_OPTIONS)
read_wrapper_option(kClangOptions JOSTLE_CLANG_OPTIONS)
read_wrapper_option(kClangNoRuntimeOption JOSTLE_CLANG_NO_RUNTIME_OPTION)
read_wrapper_option(kStringHeaders JOSTLE_STRING_HEADERS)
read_wrapper_option(kGccVolatileOption JOSTLE_GCC_VOLATILE_OPTION)
read_wrapper_option(kClangVolatileOption JOSTLE_CLANG_VOLATILE_OPTION)
read_wrapper_option(kGccCoverageOption JOSTLE_GCC_COVERAGE_OPTION)

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/JostleConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/cmake/JostleConfig.cmake
                              INSTALL_DESTINATION ${jostle_package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/JostleConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/JostleConfig.cmake
              ${CMAKE_BINARY_DIR}/cmake/JostleConfigVersion.cmake
        DESTINATION ${jostle_package_dir})

# The prefix follows from where the file is: an installed tree can be moved.
file(RELATIVE_PATH JOSTLE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" JOSTLE_PC_PREFIX "${JOSTLE_PC_PREFIX}")
configure_file(${CMAKE_SOURCE_DIR}/cmake/jostle.pc.in ${CMAKE_BINARY_DIR}/cmake/jostle.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cmake/jostle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(NOT TARGET jostle_cli)
  return()
endif()

# The manual pages are what the commands say of themselves.
set(pages ${CMAKE_BINARY_DIR}/man1)
set(pages_script ${CMAKE_SOURCE_DIR}/cmake/manual_pages.cmake)
add_custom_command(
  OUTPUT ${pages}/jostle.1
  COMMAND ${CMAKE_COMMAND} -DJOSTLE=$<TARGET_FILE:jostle_cli> -DFOLDER=${pages} -P ${pages_script}
  DEPENDS jostle_cli ${pages_script})
add_custom_target(jostle_manual ALL DEPENDS ${pages}/jostle.1)
add_dependencies(installed jostle_manual)
install(DIRECTORY ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR})

install(FILES ${CMAKE_SOURCE_DIR}/completion/jostle.bash RENAME jostle
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# zsh of Debian looks for what packages bring in a folder of its own.
install(CODE "
  set(folder site-functions)
  if(CMAKE_INSTALL_PREFIX MATCHES \"/usr/?$\")
    set(folder vendor-completions)
  endif()
  file(INSTALL \"${CMAKE_SOURCE_DIR}/completion/_jostle\"
       DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\")")

# As in the repository, so that the links between documents lead somewhere.
set(documents ${CMAKE_INSTALL_DATADIR}/doc/jostle)
install(FILES ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${documents})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE RENAME copyright DESTINATION ${documents})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs ${CMAKE_SOURCE_DIR}/examples DESTINATION ${documents})
