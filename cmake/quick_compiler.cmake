# SPDX-License-Identifier: Apache-2.0
# compiled_quickly(TARGET…): what is compiled once, to be tested, is compiled by clang and not optimised, which
# takes half of gcc's time. With all tests, and for who only builds, the compiler is the project's.
set(quick_compiler)
if(JOSTLE_LARGE_UNITS AND NOT JOSTLE_LONG_TESTS AND NOT JOSTLE_ASAN AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_program(JOSTLE_QUICK_COMPILER clang++ DOC "Compiles the command when JOSTLE_LARGE_UNITS is on")
  if(JOSTLE_QUICK_COMPILER)
    set(quick_compiler ${CMAKE_CURRENT_LIST_DIR}/compile_with.sh ${CMAKE_CXX_COMPILER_LAUNCHER}
        ${JOSTLE_QUICK_COMPILER} --)
  endif()
endif()

function(compiled_quickly)
  if(quick_compiler)
    set_target_properties(${ARGN} PROPERTIES CXX_COMPILER_LAUNCHER "${quick_compiler}")
  endif()
endfunction()
