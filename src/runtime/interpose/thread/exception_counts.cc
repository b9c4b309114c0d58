// SPDX-License-Identifier: Apache-2.0
// Exceptions that threads share (std::exception_ptr, futures). libstdc++ counts who has one, and
// who gives it back last destroys it: in code that is not instrumented, so its counter is announced
// here. Without that nobody would try who is last.
#include <unwind.h>

#include <cstddef>
#include <cstdint>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/tsan/library_atomics.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

// The library's headers of exceptions (libsupc++/unwind-cxx.h), with pointers of 64 bits. In front
// of the object that was thrown: the counter, and what ends in the _Unwind_Exception.
constexpr size_t kCounterToObject = 128;
// "GNUCC++\0", and the same with 1 for what was thrown again by rethrow_exception: that begins with
// a pointer to the object.
constexpr uint64_t kThrown = 0x474E5543432B2B00, kThrownAgain = kThrown + 1;
constexpr size_t kObjectToUnwind = 80;

void announce(void* object, int change, uintptr_t pc) {
  char* counter = static_cast<char*>(object) - kCounterToObject;
  library_will_add(reinterpret_cast<volatile uint32_t*>(counter), change, __ATOMIC_ACQ_REL, pc);
}

// Of a header that is the library's; null otherwise.
void* object_of(_Unwind_Exception* header) {
  if (header->exception_class == kThrown) return header + 1;
  if (header->exception_class != kThrownAgain) return nullptr;
  return *reinterpret_cast<void**>(reinterpret_cast<char*>(header) - kObjectToUnwind);
}

}  // namespace

// An std::exception_ptr is a pointer to the object.
extern "C" void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void** exception);
extern "C" void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void** exception);
extern "C" void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void** exception);

JOSTLE_HOOK void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void** exception) {
  if (controlled() && *exception) announce(*exception, 1, CALLER());
  REAL(_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv)(exception);
}

JOSTLE_HOOK void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void** exception) {
  if (controlled() && *exception) announce(*exception, -1, CALLER());
  REAL(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)(exception);
}

JOSTLE_HOOK void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void** exception) {
  if (controlled() && *exception) announce(*exception, 1, CALLER());
  REAL(_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE)(exception);
}

// At the end of the last `catch`.
JOSTLE_HOOK void _Unwind_DeleteException(_Unwind_Exception* header) {
  void* object = controlled() ? object_of(header) : nullptr;
  if (object) announce(object, -1, CALLER());
  REAL(_Unwind_DeleteException)(header);
}
