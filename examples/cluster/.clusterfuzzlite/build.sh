#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0
# A harness for libFuzzer with jostle inside: the data that the fuzzer mutates is an input and a schedule, so that a crash
# of a concurrent program shows again each of the hundred times that ClusterFuzzLite tries it.
#
# Harnesses: every *_fuzzer.cc of the project. Nothing outside of $OUT is there when they run: the library goes along.
: "${JOSTLE:=/opt/jostle}"
for harness in *_fuzzer.cc; do
  name=$(basename "$harness" .cc)
  JOSTLE_CXX=$CXX "$JOSTLE/bin/jostle" c++ $CXXFLAGS -fsanitize=fuzzer "$harness" -o "$OUT/$name" -Wl,-rpath,'$ORIGIN'
done
cp "$JOSTLE"/lib*/libjostle.so "$OUT/"
