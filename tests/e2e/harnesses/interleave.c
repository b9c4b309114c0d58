// subjects/pthreads/interleave.c under a fuzzer that chooses the schedule.
#define JOSTLE_FUZZER_NO_INPUT
#include <jostle/fuzzer.h>

#define main interleave_main
#include "subjects/pthreads/interleave.c"
#undef main

static void body(const uint8_t* input, size_t size) {
  (void)input, (void)size;
  counter = 0;
  interleave_main();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  jostle_fuzz_one(data, size, body);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
