// SPDX-License-Identifier: Apache-2.0
// What a function of libc, which is not instrumented, reads and writes of the program's memory.
//
// Each range is a scheduling point of its own, as the program's own accesses are. The function runs
// after the last one, so what it read at the earlier ones is read once more there, in the same
// step: all that it does is done in one go, at the turn of its last access.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/backtrace.h"

namespace jostle::rt {

// For as long as a function of a library runs: who comes to the same memory once more in the same
// call has not gone round a loop of the program's.
class LibraryPlaces {
 public:
  LibraryPlaces() { forget(); }
  ~LibraryPlaces() { forget(); }
  LibraryPlaces(const LibraryPlaces&) = delete;
  LibraryPlaces& operator=(const LibraryPlaces&) = delete;

  void next() const {
    Thread* const t = g_current;
    if (t && t->loop.library_accesses < LoopState::kMostLibraryAccesses) ++t->loop.library_accesses;
  }

 private:
  static void forget() {
    if (Thread* const t = g_current) t->loop.library_accesses = 0;
  }
};

// A range of memory that a function of libc reads or writes: true when it was a scheduling point.
template <bool kWrites>
inline bool library_access(const void* p, size_t n, uintptr_t pc) {
  const auto address = reinterpret_cast<uintptr_t>(p);
  const auto size = n < UINT32_MAX ? static_cast<uint32_t>(n) : UINT32_MAX;
  const Asks what = asks<kWrites, false>(address, size);
  return what != Asks::nothing &&
         answer(what, kWrites ? OpKind::write : OpKind::read, address, size, place_in_program(pc));
}

class LibraryCall {
 public:
  // Not looked at are calls by the engine itself, and what the unwinder copies: that depends on our
  // own frames, which are not the same in a run and its replay.
  explicit LibraryCall(uintptr_t pc)
      : pc_(pc), seen_(controlled() && !is_unwinder(pc) && !is_own_code(pc)) {}
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

  bool seen() const { return seen_; }

  // True when others may have run.
  bool reads(const void* p, size_t n) {
    if (!seen_ || !p || n == 0) return false;
    places_.next();
    const bool was_point = library_access<false>(p, n, pc_);
    if (was_point) read_again();
    if (count_ < kMost) read_[count_++] = {p, n};
    return was_point;
  }
  void writes(void* p, size_t n) {
    if (!seen_ || !p || n == 0) return;
    places_.next();
    if (library_access<true>(p, n, pc_)) read_again();
    g_current->loop.changed_something();  // it writes later
  }
  template <typename Value>
  void writes(Value* value) {
    writes(value, sizeof *value);
  }

  // What it wrote is known only now, or when it could write, because it waited: part of the step in
  // which it ended.
  void has_written(void* p, size_t n) const {
    if (seen_) kernel_access(true, p, n, pc_);
  }

  // As many bytes as `size` says: others may run before they are read, so it is asked again.
  template <typename Size>
  void reads_as_far(const void* p, Size size) {
    if (!seen_ || !p) return;
    const auto* bytes = static_cast<const char*>(p);
    for (size_t done = 0, n; (n = size()) > done && reads(bytes + done, n - done); done = n) {
    }
  }
  template <typename Size>
  void reads_both_as_far(const void* a, const void* b, Size size) {
    if (!seen_) return;
    const auto* p = static_cast<const char*>(a);
    const auto* q = static_cast<const char*>(b);
    for (size_t done = 0, n; (n = size()) > done; done = n) {
      const bool was_point = reads(p + done, n - done);
      if (!reads(q + done, n - done) && !was_point) return;
    }
  }
  // A string with its end, or so many bytes of it.
  void reads_string(const char* text, size_t most = SIZE_MAX) {
    reads_as_far(text, [&] { return string_size(text, most); });
  }
  void reads_string(const wchar_t* text, size_t most = SIZE_MAX) {
    reads_as_far(text, [&] { return string_size(text, most) * sizeof *text; });
  }

  // One string behind another: at most so many elements of it.
  template <typename Char>
  void appends(Char* to, const Char* from, size_t most) {
    if (!seen_) return;
    reads_string(to);
    reads_string(from, most);
    const size_t n = string_size(from, most);
    const bool has_end = n && !from[n - 1];
    writes(to + string_size(to, SIZE_MAX) - 1, (has_end ? n : n + 1) * sizeof *to);
  }

  // How many elements are looked at to find the end, which is the last of them.
  template <typename Char>
  static size_t string_size(const Char* text, size_t most) {
    size_t n = 0;
    while (n < most && text[n]) ++n;
    return n < most ? n + 1 : most;
  }

 private:
  // More than any function has texts, but for a format with many.
  static constexpr int kMost = 8;

  void read_again() {
    for (int i = 0; i < count_; ++i) kernel_access(false, read_[i].begin, read_[i].size, pc_);
  }

  struct Range {
    const void* begin;
    size_t size;
  };

  LibraryPlaces places_;
  uintptr_t pc_;
  bool seen_;
  int count_ = 0;
  Range read_[kMost];
};

}  // namespace jostle::rt

// A hook of that name whatever <string.h>, <stdlib.h> and <wchar.h> declare or define inline for
// it, and the definition behind it.
#define JOSTLE_NAMED_HOOK(result, name, parameters) \
  extern "C" __attribute__((visibility("default"))) \
  result jostle_hook_##name parameters asm(#name);  \
  result jostle_hook_##name parameters
#define NEXT(name)                                                                                \
  (*[] {                                                                                          \
    static decltype(&jostle_hook_##name) next JOSTLE_KEPT;                                        \
    if (!next)                                                                                    \
      next = reinterpret_cast<decltype(&jostle_hook_##name)>(jostle::rt::next_definition(#name)); \
    return next;                                                                                  \
  }())
