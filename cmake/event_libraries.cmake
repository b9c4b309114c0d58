# SPDX-License-Identifier: Apache-2.0
# A program on an event library names what it links and includes:
#   // libraries: uv
#   // headers: asio.hpp
# Sets `event_flags`, and `event_missing` to what is not installed.
function(read_event_libraries source)
  set(flags "")
  set(missing "")
  file(STRINGS ${source} lines REGEX "^// (libraries|headers): ")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^// [a-z]+: " "" names "${line}")
    separate_arguments(names UNIX_COMMAND "${names}")
    foreach(name IN LISTS names)
      string(MAKE_C_IDENTIFIER "JOSTLE_FOUND_${name}" found)
      if(line MATCHES "^// headers")
        find_file(${found} ${name})
      else()
        find_library(${found} ${name})
        list(APPEND flags -l${name})
      endif()
      mark_as_advanced(${found})
      if(NOT ${found})
        list(APPEND missing ${name})
      endif()
    endforeach()
  endforeach()
  set(event_flags ${flags} PARENT_SCOPE)
  set(event_missing ${missing} PARENT_SCOPE)
endfunction()
