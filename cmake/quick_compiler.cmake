# SPDX-License-Identifier: Apache-2.0
# compiled_quickly(TARGET…): tests that are compiled once, to run once, are compiled by clang, which takes two thirds of
# gcc's time where nothing is optimised. With all tests the compiler is the project's. (The command is gcc's in any case:
# clang takes half of the time without optimisation, and the tests lose as much by a slower command.)
set(quick_compiler)
if(JOSTLE_LARGE_UNITS AND NOT JOSTLE_LONG_TESTS AND NOT JOSTLE_ASAN AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_program(JOSTLE_QUICK_COMPILER clang++ DOC "Compiles tests when JOSTLE_LARGE_UNITS is on")
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
