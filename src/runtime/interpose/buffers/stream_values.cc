// SPDX-License-Identifier: Apache-2.0
// What streams of libstdc++ write of the program's memory when they read: numbers, characters and
// lines. (Strings are the program's own code, blocks go through memcpy.)
#include <string.h>

#include <istream>

#include "src/runtime/interpose/buffers/library_call.h"

using namespace jostle::rt;

namespace {

// `in >> value`: what the library has found is written at a turn of its own. A stream that was not
// good to begin with writes nothing; one that throws writes before it does.
template <typename Char, typename Value, typename Real>
void* extract(void* stream, Value* value, uintptr_t pc, Real real) {
  LibraryCall call(pc);
  if (!call.seen()) return real(stream, value);
  const auto* const in = static_cast<const std::basic_istream<Char>*>(stream);
  if (in->exceptions() != std::ios_base::goodbit) {
    void* const result = real(stream, value);
    call.has_written(value, sizeof *value);
    return result;
  }
  Value found;
  memcpy(&found, value, sizeof found);
  void* const result = real(stream, &found);
  // Whether something was written, not whether the values are equal.
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
  if (in->fail() && memcmp(&found, value, sizeof found) == 0) return result;
  call.writes(value);
  memcpy(value, &found, sizeof found);
  return result;
}

template <typename Char>
void has_written_text(uintptr_t pc, Char* to, std::streamsize room) {
  if (room <= 0) return;
  const LibraryCall call(pc);
  if (!call.seen()) return;
  const size_t size = LibraryCall::string_size(to, static_cast<size_t>(room));
  call.has_written(to, size * sizeof *to);
}

}  // namespace

#define EXTRACT(Char, Value, name)                               \
  JOSTLE_NAMED_HOOK(void*, name, (void* stream, Value* value)) { \
    return extract<Char>(stream, value, CALLER(), NEXT(name));   \
  }
// Each number has its own instance of one template, but for the two that are cut out of a long.
#define EXTRACT_NUMBERS(Char, prefix, suffix)          \
  EXTRACT(Char, bool, prefix##b##suffix)               \
  EXTRACT(Char, unsigned short, prefix##t##suffix)     \
  EXTRACT(Char, unsigned, prefix##j##suffix)           \
  EXTRACT(Char, long, prefix##l##suffix)               \
  EXTRACT(Char, unsigned long, prefix##m##suffix)      \
  EXTRACT(Char, long long, prefix##x##suffix)          \
  EXTRACT(Char, unsigned long long, prefix##y##suffix) \
  EXTRACT(Char, float, prefix##f##suffix)              \
  EXTRACT(Char, double, prefix##d##suffix)             \
  EXTRACT(Char, long double, prefix##e##suffix)        \
  EXTRACT(Char, void*, prefix##Pv##suffix)
EXTRACT_NUMBERS(char, _ZNSi10_M_extractI, EERSiRT_)
EXTRACT_NUMBERS(wchar_t, _ZNSt13basic_istreamIwSt11char_traitsIwEE10_M_extractI, EERS2_RT_)
EXTRACT(char, short, _ZNSirsERs)
EXTRACT(char, int, _ZNSirsERi)
EXTRACT(wchar_t, short, _ZNSt13basic_istreamIwSt11char_traitsIwEErsERs)
EXTRACT(wchar_t, int, _ZNSt13basic_istreamIwSt11char_traitsIwEErsERi)
EXTRACT(char, char, _ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_)
EXTRACT(wchar_t, wchar_t, _ZStrsIwSt11char_traitsIwEERSt13basic_istreamIT_T0_ES6_RS3_)
EXTRACT(char, char, _ZNSi3getERc)
EXTRACT(wchar_t, wchar_t, _ZNSt13basic_istreamIwSt11char_traitsIwEE3getERw)

#define READ_TEXT(Char, name)                                                      \
  JOSTLE_NAMED_HOOK(void*, name, (void* stream, Char* to, std::streamsize room)) { \
    void* const after = NEXT(name)(stream, to, room);                              \
    has_written_text(CALLER(), to, room);                                          \
    return after;                                                                  \
  }
READ_TEXT(char, _ZNSi3getEPcl)
READ_TEXT(char, _ZNSi7getlineEPcl)
READ_TEXT(wchar_t, _ZNSt13basic_istreamIwSt11char_traitsIwEE3getEPwl)
READ_TEXT(wchar_t, _ZNSt13basic_istreamIwSt11char_traitsIwEE7getlineEPwl)

// `in >> text` before C++20. A stream that was not good to begin with leaves the text alone.
#define EXTRACT_TEXT(Char, name)                                                      \
  JOSTLE_NAMED_HOOK(void, name, (void* stream, Char* to, std::streamsize room)) {     \
    NEXT(name)(stream, to, room);                                                     \
    const bool failed = static_cast<const std::basic_istream<Char>*>(stream)->fail(); \
    if (!failed) has_written_text(CALLER(), to, room);                                \
  }
EXTRACT_TEXT(char, _ZSt17__istream_extractRSiPcl)
EXTRACT_TEXT(wchar_t, _ZSt17__istream_extractIwSt11char_traitsIwEEvRSt13basic_istreamIT_T0_EPS3_l)

#define READ_TEXT_UP_TO(Char, name)                                                          \
  JOSTLE_NAMED_HOOK(void*, name, (void* stream, Char* to, std::streamsize room, Char end)) { \
    void* const after = NEXT(name)(stream, to, room, end);                                   \
    has_written_text(CALLER(), to, room);                                                    \
    return after;                                                                            \
  }
READ_TEXT_UP_TO(char, _ZNSi3getEPclc)
READ_TEXT_UP_TO(char, _ZNSi7getlineEPclc)
READ_TEXT_UP_TO(wchar_t, _ZNSt13basic_istreamIwSt11char_traitsIwEE3getEPwlw)
READ_TEXT_UP_TO(wchar_t, _ZNSt13basic_istreamIwSt11char_traitsIwEE7getlineEPwlw)
