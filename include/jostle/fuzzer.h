/* SPDX-License-Identifier: Apache-2.0 */
/* Jostle under libFuzzer, AFL++ and Centipede. For one source file of the harness, C or C++:

       #include <jostle/fuzzer.h>

       static void body(const uint8_t* input, size_t size) { ...threads... }

       int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
         jostle_fuzz_one(data, size, body);
         return 0;
       }

   The fuzzer's data is an input and a schedule (jostle_split); the mutator below changes either, or
   both; and what a run covers of the program's concurrency is fed back to the fuzzer. Data without
   a schedule, from a corpus that was there before, is an input and the plain schedule.

   A harness that needs no input defines JOSTLE_FUZZER_NO_INPUT before it includes this: then all of
   the data is the schedule. One with a mutator of its own defines JOSTLE_FUZZER_NO_MUTATOR, and may
   call jostle_mutate from there.

   Built without Jostle it is an ordinary harness: the schedule is left to the system. */
#ifndef JOSTLE_FUZZER_H
#define JOSTLE_FUZZER_H

#include <jostle/control.h>

#ifdef __cplusplus
extern "C" {
#endif

struct jostle_parts {
  const uint8_t* input;
  size_t input_size;
  const uint8_t* schedule;
  size_t schedule_size;
};

/* input | schedule | length of the schedule, 2 bytes, lower first | 'J' 'S'; or all input. */
static inline struct jostle_parts jostle_split(const uint8_t* data, size_t size) {
  struct jostle_parts parts = {data, size, data + size, 0};
#ifdef JOSTLE_FUZZER_NO_INPUT
  parts.input_size = 0;
  parts.schedule = data;
  parts.schedule_size = size;
#else
  if (size >= 4 && data[size - 2] == 'J' && data[size - 1] == 'S') {
    const size_t both = size - 4;
    const size_t length = (size_t)(data[both] | data[both + 1] << 8);
    parts.schedule_size = length < both ? length : both;
    parts.input_size = both - parts.schedule_size;
    parts.schedule = data + parts.input_size;
  }
#endif
  return parts;
}

/* ---- feedback: only in the program itself do fuzzers look for these sections */

#define JOSTLE_EXTRA_COUNTERS 16384
__attribute__((weak, used, section("__libfuzzer_extra_counters")))
uint8_t jostle_extra_counters[JOSTLE_EXTRA_COUNTERS];

/* Centipede: a value per feature, the domain (0) in its upper half; what is 0 does not count. The
   linker must not drop the section either. */
#if defined(__has_attribute) && __has_attribute(retain)
#define JOSTLE_RETAINED retain,
#else
#define JOSTLE_RETAINED
#endif
#define JOSTLE_EXTRA_FEATURES 4096
__attribute__((weak, used, JOSTLE_RETAINED section("__centipede_extra_features")))
uint64_t jostle_extra_features[JOSTLE_EXTRA_FEATURES];

/* AFL++ has one map, for edges; to it these are edges, too. It numbers them when it learns of
   them, which has to happen before it starts: hence the early constructor. */
#define JOSTLE_EXTRA_EDGES 16384
__attribute__((weak)) uint32_t jostle_extra_edges[JOSTLE_EXTRA_EDGES];
static void jostle_announce_edges(void) {
  if (jostle_number_edges) {
    jostle_number_edges(jostle_extra_edges, jostle_extra_edges + JOSTLE_EXTRA_EDGES);
  }
}
__attribute__((used, section(".init_array.00002"))) static void (*const jostle_announcement)(void) =
    jostle_announce_edges;

/* Where the compiler counts for the fuzzer: counters, and the numbers of edges. In assembly,
   because the compiler declares these symbols, too, and would take ours for others. */
extern __attribute__((visibility("hidden"))) const void* const jostle_sections[4];
__asm__(
    ".weak __start___sancov_cntrs\n.hidden __start___sancov_cntrs\n"
    ".weak __stop___sancov_cntrs\n.hidden __stop___sancov_cntrs\n"
    ".weak __start___sancov_guards\n.hidden __start___sancov_guards\n"
    ".weak __stop___sancov_guards\n.hidden __stop___sancov_guards\n"
    ".pushsection .data.rel.ro.jostle,\"aw\",%progbits\n"
    ".balign 8\n.weak jostle_sections\n.hidden jostle_sections\njostle_sections:\n"
    ".quad __start___sancov_cntrs, __stop___sancov_cntrs\n"
    ".quad __start___sancov_guards, __stop___sancov_guards\n"
    ".popsection\n");

static inline void jostle_feed_fuzzer(void) {
  static int done;
  struct jostle_feedback feedback = {0};
  if (done || !jostle_feed) return;
  done = 1;
  feedback.counters = jostle_extra_counters;
  feedback.counter_count = JOSTLE_EXTRA_COUNTERS;
  feedback.features = jostle_extra_features;
  feedback.feature_count = JOSTLE_EXTRA_FEATURES;
  feedback.edges = jostle_extra_edges;
  feedback.edge_count = JOSTLE_EXTRA_EDGES;
  feedback.ignored[0].begin = jostle_sections[0];
  feedback.ignored[0].end = jostle_sections[1];
  feedback.ignored[1].begin = jostle_sections[2];
  feedback.ignored[1].end = jostle_sections[3];
  jostle_feed(&feedback);
}

/* ---- one input */

typedef void (*jostle_body)(const uint8_t* input, size_t size);
struct jostle_call {
  jostle_body body;
  struct jostle_parts parts;
};
static inline void jostle_do_call(void* argument) {
  const struct jostle_call* call = (const struct jostle_call*)argument;
  call->body(call->parts.input, call->parts.input_size);
}

/* Runs body(input, size) under the schedule in the data. `options`: as for jostle_configure, but
   for the schedule; null: the usual ones. */
static inline void jostle_fuzz_one_with(const uint8_t* data, size_t size, jostle_body body,
                                        const struct jostle_options* options) {
  struct jostle_call call;
  struct jostle_options with = {0};
  call.body = body;
  call.parts = jostle_split(data, size);
  if (!jostle_run) {
    jostle_do_call(&call);
    return;
  }
  jostle_feed_fuzzer();
  if (options) with = *options;
  with.schedule = call.parts.schedule;
  with.schedule_size = call.parts.schedule_size;
  jostle_configure(&with);
  jostle_run(jostle_do_call, &call);
}
static inline void jostle_fuzz_one(const uint8_t* data, size_t size, jostle_body body) {
  jostle_fuzz_one_with(data, size, body, NULL);
}

/* ---- the mutator */

#ifndef JOSTLE_FUZZER_NO_MUTATOR
extern __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                                     unsigned int seed);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  if (!jostle_mutate) return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, max_size) : size;
#ifdef JOSTLE_FUZZER_NO_INPUT
  return jostle_mutate_schedule(data, size, max_size, seed);
#else
  return jostle_mutate(data, size, max_size, seed, LLVMFuzzerMutate);
#endif
}
#endif

#ifdef __cplusplus
}

/* The same for C++:

       jostle::FuzzBytes in(data, size);
       jostle::with_schedule(in.schedule(), [&] { parse_in_two_threads(in.input()); }); */
namespace jostle {

struct ByteView {
  const uint8_t* bytes;
  size_t count;
  const uint8_t* data() const { return bytes; }
  size_t size() const { return count; }
  const uint8_t* begin() const { return bytes; }
  const uint8_t* end() const { return bytes + count; }
  uint8_t operator[](size_t i) const { return bytes[i]; }
};

class FuzzBytes {
 public:
  FuzzBytes(const uint8_t* data, size_t size) : parts_(jostle_split(data, size)) {}
  ByteView input() const { return {parts_.input, parts_.input_size}; }
  ByteView schedule() const { return {parts_.schedule, parts_.schedule_size}; }

 private:
  jostle_parts parts_;
};

template <typename Body>
void with_schedule(ByteView schedule, Body&& body, jostle_options options = {}) {
  if (!jostle_run) {
    body();
    return;
  }
  jostle_feed_fuzzer();
  options.schedule = schedule.data();
  options.schedule_size = schedule.size();
  jostle_configure(&options);
  jostle_run([](void* b) { (*static_cast<decltype(&body)>(b))(); }, &body);
}

}  // namespace jostle
#endif

#endif
