// SPDX-License-Identifier: Apache-2.0
// AFL++'s custom mutator, a library that afl-fuzz loads:
//
//     AFL_CUSTOM_MUTATOR_LIBRARY=…/lib/jostle/libjostle_afl.so afl-fuzz …
//
// Changes the schedule in the data, the input, or both (mutation/fuzzer_data.h). With
// JOSTLE_FUZZER_NO_INPUT=1 in the environment all of the data is the schedule, as for a harness
// that defines that. It runs in afl-fuzz itself and knows nothing of the target's runs.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "src/base/rng.h"
#include "src/mutation/fuzzer_data.h"
#include "src/mutation/parts.h"
#include "src/mutation/schedule_bytes.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// How long schedules may get: afl-fuzz does not say how many decisions a run makes.
constexpr size_t kMostSchedule = 1024;

struct Mutator {
  jostle::Rng rng;
  bool only_schedule = false;
  uint8_t* room = nullptr;
  size_t size = 0;

  uint8_t* reserve(size_t wanted) {
    if (wanted > size) {
      room = static_cast<uint8_t*>(realloc(room, wanted));
      size = room ? wanted : 0;
    }
    return room;
  }
};

}  // namespace

EXPORT void* afl_custom_init(void*, unsigned int seed) {
  auto* mutator = new Mutator;
  mutator->rng.reseed(seed);
  mutator->only_schedule = getenv("JOSTLE_FUZZER_NO_INPUT") != nullptr;
  return mutator;
}

EXPORT void afl_custom_deinit(void* data) {
  auto* mutator = static_cast<Mutator*>(data);
  free(mutator->room);
  delete mutator;
}

// Few for each: what one schedule brings the next one builds on.
EXPORT uint32_t afl_custom_fuzz_count(void*, const uint8_t*, size_t) { return 128; }

EXPORT size_t afl_custom_fuzz(void* data, uint8_t* bytes, size_t count, uint8_t** result,
                              uint8_t* other, size_t other_count, size_t max_size) {
  auto& mutator = *static_cast<Mutator*>(data);
  uint8_t* to = mutator.reserve(max_size);
  *result = bytes;
  if (!to) return count;
  const size_t given = count < max_size ? count : max_size;
  memcpy(to, bytes, given);
  *result = to;
  jostle::Rng& rng = mutator.rng;
  if (mutator.only_schedule) {
    const size_t most = max_size < kMostSchedule ? max_size : kMostSchedule;
    if (other && rng.below(8) == 0) {
      return jostle::cross_schedules(bytes, given, other, other_count, to, most, rng);
    }
    const size_t length = jostle::mutate_schedule(to, given, most, 0, rng);
    return length ? length : 1;  // afl-fuzz takes nothing for "cannot"
  }
  if (other && rng.below(8) == 0) {
    return jostle::cross_fuzzer_data(bytes, given, other, other_count, to, max_size, rng);
  }
  return jostle::mutate_fuzzer_data(to, given, max_size, 0, nullptr, rng);
}
