// SPDX-License-Identifier: Apache-2.0
// Data races as a person would fix them: what was seen, pair of addresses by pair of addresses,
// becomes a list of pairs of source lines, grouped by object.
//
// One line of the source has many places in the code (a copied struct, `++counter`, a call of the
// library that was inlined), and one missing lock shows as many pairs of them: all that have the
// same two lines are one entry. A `free` races with every access to its block that it does not wait
// for: it is one entry, too, with the accesses below it. Pure: made of texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/report/words/code_line.h"
#include "src/report/words/text.h"

namespace jostle::report {

// One of the two accesses, as it is shown.
struct RaceSide {
  std::string access;    // "atomic write of 8 bytes", "free"
  std::string bytes;     // "8 bytes"; empty for a free
  std::string past;      // "wrote", "freed"
  std::string present;   // "writes", "frees"
  std::string thread;    // "T1 worker"
  std::string function;  // the program's own, innermost
  std::string place;     // and where in it: "bank.cc:13"
  std::string line;      // the same with the whole path, to tell places apart
  std::string stack;     // lines of text: the frames and the locks held
  CodeLine at;           // as `line`, for editors
  bool frees = false, atomic = false;
};

struct SeenRace {
  uint64_t key = 0;
  uint64_t schedule_number = 0;  // 0: of a single run
  std::string object;            // "accounts[1].balance", "Server.port of pool.cc:12"
  std::string origin;            // the same with what else is known of it
  RaceSide earlier, later;
};

// What to fix.
struct RaceEntry {
  SeenRace race;                    // as it was seen first, on an object with a name if possible
  std::vector<SeenRace> accesses;   // a free's: with what else it races
  std::vector<std::string> also;    // other objects that the same lines race on
  std::vector<uint64_t> same = {};  // keys of the other pairs of places with these lines
};

struct RaceGroup {
  std::string object;  // "accounts"
  std::vector<RaceEntry> entries;
};

// In the order in which they were seen.
std::vector<RaceGroup> group_races(const std::vector<SeenRace>& seen);

// The variable or block that a member belongs to: "accounts" of "accounts[1].balance", "Server of
// pool.cc:12", "heap block of pool.cc:12".
std::string whole_object(const std::string& object);

// "account+48: T1 deposit wrote (bank.cc:13), T2 show reads (bank.cc:18)"
std::string race_line(const SeenRace& race);

// For the terminal: a line or two for each of the first `most` entries, each line indented by two.
std::string race_lines(const std::vector<RaceGroup>& groups, size_t most,
                       size_t columns = kColumns);

// All of it, with stacks. Ends in an empty line.
std::string race_texts(const std::vector<RaceGroup>& groups);

}  // namespace jostle::report
