// SPDX-License-Identifier: Apache-2.0
// The part of a run that a reader has to see to understand its failure, as data: which lines of the
// program which thread executed in which order, what they read and wrote, where a thread was
// preempted or had to wait, and how much was left out in between.
//
// Renderers turn it into columns of text (columns.h) or something else. Nothing here knows how wide
// a line is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/report/explain/explain.h"
#include "src/report/words/source_lines.h"

namespace jostle::report {

struct InterleavingRow {
  enum class Kind {
    line,       // of the program
    left_out,   // `count` steps of the thread that are of no interest
    folded,     // `text` says how much of the run, of several threads, is not shown here
    preempted,  // the thread could have gone on, but another one did
    waits,      // the thread has to wait: `text` says for what
    failed,     // the run ends here: `text` says how
  };
  Kind kind;
  uint32_t thread;
  std::string file = {};  // of a line, without folders
  int line = 0;
  std::string text = {};         // of a line, its source; the operation when there is no source
  std::string object = {};       // whose value the note tells, when the source does not
  bool is_unsaid = false;        // the source does not have any of its name
  std::string note = {};         // values: "reads 50", "0 → 1"; "x is 5, y = 7"
  std::string brief = {};        // the same with less: where there is no room for all of it
  uint64_t count = 0;            // steps
  uint64_t first = 0, last = 0;  // among those of the run, from 1; 0: it is no step
  bool decisive = false;         // what the explanation is about
};

struct Interleaving {
  std::vector<uint32_t> threads = {};  // that appear, in the order of their creation
  std::vector<InterleavingRow> rows = {};
  uint64_t preemptions = 0;
};

struct InterleavingLimits {
  size_t most = SIZE_MAX;  // about so many lines of the program: the most telling ones
  // Leaves out what belongs to every program, locks and the creation of threads, unless the failure
  // is about it.
  bool essential = false;
};
// Fills in `threads` from the rows.
void list_threads(Interleaving& interleaving);

// Threads that take turns without anything to show, and threads that are stuck in the same place,
// become a row each: "… 1,204 steps, 881 preemptions", "… 61 threads stuck".
Interleaving sum_up(Interleaving whole);
// At most `most` rows: the end, what the explanation names and what is around it. What was between
// them becomes a row, as above.
Interleaving fold(Interleaving whole, size_t most);

Interleaving make_interleaving(const NamedRun& run, const Explanation& why, SourceLines& sources,
                               const InterleavingLimits& limits);

}  // namespace jostle::report
