// subjects/pthreads/checkpoints.c under a fuzzer that chooses the schedule.
#define JOSTLE_FUZZER_NO_INPUT
#include <jostle/fuzzer.h>

#define main checkpoints_main
#include "subjects/pthreads/checkpoints.c"
#undef main

static void body(const uint8_t* input, size_t size) {
  (void)input, (void)size;
  reached = lost = 0;
  checkpoints_main();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  jostle_fuzz_one(data, size, body);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
