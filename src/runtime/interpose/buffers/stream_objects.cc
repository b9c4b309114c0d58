// SPDX-License-Identifier: Apache-2.0
// Streams of libstdc++: two threads may not use one at the same time. The library's own code is not
// instrumented, but each operation on a stream begins with the constructor of its sentry, which
// stands here for a write of the part that a stream's reading and writing halves have in common.
// The standard streams are made for all threads.
#include "src/runtime/interpose/buffers/library_call.h"

using namespace jostle::rt;

extern "C" {
extern char _ZSt4cout[], _ZSt3cin[], _ZSt4cerr[], _ZSt4clog[];
extern char _ZSt5wcout[], _ZSt4wcin[], _ZSt5wcerr[], _ZSt5wclog[];
}

namespace {

bool is_standard(const void* stream) {
  for (const void* one :
       {_ZSt4cout, _ZSt3cin, _ZSt4cerr, _ZSt4clog, _ZSt5wcout, _ZSt4wcin, _ZSt5wcerr, _ZSt5wclog}) {
    if (stream == one) return true;
  }
  return false;
}

// Its virtual base, which istream and ostream have in front of their tables of functions. Not their
// own beginning: code that looks for the base reads that, and in an iostream there are two.
void* common_part(void* stream) {
  const auto* table = *static_cast<const ptrdiff_t* const*>(stream);
  return static_cast<char*>(stream) + table[-3];
}

void uses(void* stream, uintptr_t pc) {
  LibraryCall call(pc);
  if (call.seen() && !is_standard(stream)) call.writes(common_part(stream), sizeof(void*));
}

}  // namespace

#define OUTPUT_SENTRY(name)                                     \
  JOSTLE_NAMED_HOOK(void, name, (void* sentry, void* stream)) { \
    uses(stream, CALLER());                                     \
    NEXT(name)(sentry, stream);                                 \
  }
#define INPUT_SENTRY(name)                                                         \
  JOSTLE_NAMED_HOOK(void, name, (void* sentry, void* stream, bool keeps_blanks)) { \
    uses(stream, CALLER());                                                        \
    NEXT(name)(sentry, stream, keeps_blanks);                                      \
  }
OUTPUT_SENTRY(_ZNSo6sentryC1ERSo)
OUTPUT_SENTRY(_ZNSt13basic_ostreamIwSt11char_traitsIwEE6sentryC1ERS2_)
INPUT_SENTRY(_ZNSi6sentryC1ERSib)
INPUT_SENTRY(_ZNSt13basic_istreamIwSt11char_traitsIwEE6sentryC1ERS2_b)
