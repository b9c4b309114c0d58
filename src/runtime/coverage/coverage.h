// SPDX-License-Identifier: Apache-2.0
// What a run covers of the program's concurrency, as features (schedule/feedback.h): for
// fuzzers around us and the search for inputs. Strategies learn in ways of their own.
//
//     reads-from pairs   which write a read observed (memory/reads_from.h)
//     context pairs      at a switch between two operations whose order matters: the place the one
//                        thread stops at and the place the other goes on from, with a few levels of
//                        both call stacks
//     progress pairs     as reads-from pairs, by how far the two threads had come. Loops look the
//     same
//                        to the other two however often they turn; this tells a schedule that got
//                        further from one that did not
//
// All are hashes of names that are the same in every process: code by module and offset, threads by
// their spawn path. Address space layout plays no part.
#pragma once

#include <cstdint>

#include "src/base/kept.h"
#include "src/runtime/scheduler/thread.h"
#include "src/schedule/cover_table.h"
#include "src/schedule/feedback.h"

namespace jostle::rt {

class Coverage {
 public:
  // Features go to `feedback` from now on; null: nobody wants them.
  void feed(Feedback* feedback);
  // The same for pairs with their places in the program; `descriptor` is the table's.
  void fill_table(int descriptor);

  // See scheduler/meetings.h.
  void observed(uint64_t write, uint64_t read);
  void switched(const Thread& from, const Thread& to);
  void wrote(uint32_t time);
  void met(uint32_t writer, uint32_t time);

 private:
  uint64_t context_of(const Thread& thread) const;
  void list_switch(const Thread& from, const Thread& to);

  Feedback* feedback_ = nullptr;
  CoverTable* table_ = nullptr;
  // How far the writer had come, for the last writes.
  static constexpr uint32_t kWrites = 1 << 12;
  struct Write {
    uint32_t time;
    uint32_t far;
    uintptr_t pc;
  };
  Write writes_[kWrites] = {};
};

extern JOSTLE_HIDDEN Coverage g_coverage;

}  // namespace jostle::rt
