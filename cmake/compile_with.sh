#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: compile_with.sh COMPILER… -- ANOTHER_COMPILER ARGUMENT…
# A compiler launcher of CMake that runs another compiler than the project's, for one target.
set -e
compiler=
while [ "$1" != -- ]; do
  compiler="$compiler $1"
  shift
done
shift 2
# What is precompiled includes itself for gcc's sake; clang would read the old one then, and make one that is out of date.
for argument; do
  case $argument in
    *.gch) rm -f "$argument" ;;
  esac
done
exec $compiler "$@" -Wno-unknown-warning-option -Wno-unused-command-line-argument
