# SPDX-License-Identifier: Apache-2.0
# Asks the built command for its manual pages. A script for cmake -P, run by the build:
#   -DJOSTLE=<the command> -DFOLDER=<where the pages go; nothing else is in it>
function(write_page name)
  execute_process(COMMAND ${JOSTLE} help --man ${ARGN} OUTPUT_FILE "${FOLDER}/${name}.1"
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

execute_process(COMMAND ${JOSTLE} help --commands OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
# A command that is gone leaves no page behind.
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
write_page(jostle)
string(REGEX MATCHALL "[^\t\n]+\t[^\n]*" commands "${commands}")
foreach(line IN LISTS commands)
  string(REGEX REPLACE "\t.*" "" command "${line}")
  write_page(jostle-${command} ${command})
endforeach()
