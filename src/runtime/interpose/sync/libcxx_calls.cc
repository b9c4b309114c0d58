// SPDX-License-Identifier: Apache-2.0
// What libc++ does by atomics in its library, which is not instrumented: counts of weak_ptr and
// arrivals at a std::barrier. Here it is done by atomics that are seen, as if it stood in a header
// as the rest of both does, so that what it orders is known, and explored.
#include <cstdint>
#include <cstdlib>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/tsan/library_atomics.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

// std::__shared_weak_count, as the library's ABI has it.
struct SharedCount {
  struct Functions {
    void* destructors[2];
    void (*on_zero_shared)(SharedCount*);
    const void* (*get_deleter)(const SharedCount*, const void* type);
    void (*on_zero_shared_weak)(SharedCount*);
  };
  const Functions* functions;
  // One less than there are.
  volatile uint64_t shared_owners;
  volatile uint64_t weak_owners;
};
constexpr uint64_t kNone = ~uint64_t{0};

// What the header keeps a pointer to.
struct Barrier {
  const long* expected;  // in the program's barrier
  volatile uint64_t arrived;
};

uint64_t one_less(uint64_t owners, uint64_t) { return owners - 1; }
uint64_t one_more_if_any(uint64_t owners, uint64_t) { return owners == kNone ? kNone : owners + 1; }
// Behind the last of a phase the next one begins.
uint64_t one_arrived(uint64_t arrived, uint64_t expected) {
  return arrived + 1 == expected ? 0 : arrived + 1;
}

}  // namespace

// std::__shared_weak_count::__release_weak()
JOSTLE_HOOK void _ZNSt3__119__shared_weak_count14__release_weakEv(SharedCount* count) {
  if (library_update(&count->weak_owners, one_less, 0, __ATOMIC_ACQ_REL, CALLER()) == 0) {
    count->functions->on_zero_shared_weak(count);
  }
}

// std::__shared_weak_count::lock()
JOSTLE_HOOK SharedCount* _ZNSt3__119__shared_weak_count4lockEv(SharedCount* count) {
  const uint64_t owners =
      library_update(&count->shared_owners, one_more_if_any, 0, __ATOMIC_SEQ_CST, CALLER());
  return owners == kNone ? nullptr : count;
}

// std::__construct_barrier_algorithm_base(long&)
JOSTLE_HOOK Barrier* _ZNSt3__134__construct_barrier_algorithm_baseERl(const long* expected) {
  auto* barrier = static_cast<Barrier*>(malloc(sizeof(Barrier)));
  if (!barrier) abort();
  *barrier = {expected, 0};
  return barrier;
}

// std::__arrive_barrier_algorithm_base(std::__barrier_algorithm_base*, unsigned char): whether all
// have arrived. The caller then begins the next phase, which nobody arrives at before.
JOSTLE_HOOK bool _ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh(
    Barrier* barrier, unsigned char) {
  const auto expected = static_cast<uint64_t>(*barrier->expected);
  const uint64_t arrived =
      library_update(&barrier->arrived, one_arrived, expected, __ATOMIC_ACQ_REL, CALLER());
  return arrived + 1 == expected;
}

// std::__destroy_barrier_algorithm_base(std::__barrier_algorithm_base*)
JOSTLE_HOOK void _ZNSt3__132__destroy_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseE(
    Barrier* barrier) {
  free(barrier);
}
