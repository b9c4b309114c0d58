# SPDX-License-Identifier: Apache-2.0
# Writes several sources as one, for the compiler to read headers and to make what templates make once. A
# script for cmake -P, run by the build: -DSOURCES=<list> -DOUTPUT=…
# What a source has in its unnamed namespace is in one of the source's own name there: two of them may use
# the same words.
set(unit "")
foreach(source IN LISTS SOURCES)
  file(READ "${source}" text)
  cmake_path(GET source STEM name)
  string(FIND "${text}" "\nnamespace {\n" position)
  if(NOT position EQUAL -1)
    string(SUBSTRING "${text}" 0 ${position} before)
    math(EXPR position "${position} + 12")
    string(SUBSTRING "${text}" ${position} -1 after)
    set(text "${before}\nnamespace in_${name} {${after}")
  endif()
  string(APPEND unit "#line 1 \"${source}\"\n${text}\n")
endforeach()
file(WRITE "${OUTPUT}" "${unit}")
