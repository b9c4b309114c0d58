# SPDX-License-Identifier: Apache-2.0
# The functions in which runs spend their time lie side by side in the library: a run goes through two hundred of them, and
# scattered over a megabyte they cost the processor more to fetch. src/hot_functions.txt has their names; one that does not exist any
# more does no harm. bench/throughput/hot_functions.py remakes it. Only GNU ld is known to take such a script besides its own.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -Wl,--version OUTPUT_VARIABLE jostle_linker ERROR_QUIET)
set(hot_functions ${CMAKE_SOURCE_DIR}/src/hot_functions.txt)
set(hot_functions_script ${CMAKE_BINARY_DIR}/hot_functions.ld)
if(jostle_linker MATCHES "GNU ld")
  file(STRINGS ${hot_functions} names)
  list(TRANSFORM names REPLACE "(.+)" "    *(.text.\\1 .text.\\1.*)")
  list(JOIN names "\n" names)
  file(CONFIGURE OUTPUT ${hot_functions_script} CONTENT "SECTIONS {\n  .text.frequent : {\n${names}\n  }\n} INSERT BEFORE .text;\n")
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${hot_functions})
endif()

function(has_hot_functions_together target)
  if(NOT jostle_linker MATCHES "GNU ld")
    return()
  endif()
  target_link_options(${target} PRIVATE -Wl,-T,${hot_functions_script})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${hot_functions_script})
endfunction()
