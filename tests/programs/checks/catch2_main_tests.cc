// The same tests with Catch2's main compiled with them: twenty seconds (long_tests.txt).
// build: -O0 -g1
#define CATCH_CONFIG_MAIN
#include "catch2_tests.cc"

// SPDX-License-Identifier: Apache-2.0
