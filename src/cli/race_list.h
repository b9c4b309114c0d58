// The data races of a campaign that are no failures: each once, replayed in a fresh process for its
// stacks, listed at the end.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/cli/confirm.h"
#include "src/cli/fuzz_inputs.h"
#include "src/cli/suppressions.h"

namespace jostle::cli {

struct RaceEntry {
  uint64_t key = 0;
  uint64_t schedule_number = 0;
  std::string line;    // for the list
  std::string text;    // both stacks
  std::string object;  // what it is about
  struct Side {
    std::string what, thread, function, place;
  } earlier, later;
};

class RaceList {
 public:
  void add(Finding finding);
  // Replays them all, as long as there is time, each with its own of `inputs` (null: these are not
  // searched for). Those that are suppressed are left out, and those that do not show again:
  // nothing is said that was not seen twice.
  MaybeError resolve(const ConfirmSetup& setup, const FuzzInputs* inputs);

  const std::vector<RaceEntry>& entries() const { return entries_; }
  size_t suppressed() const { return suppressed_; }
  // How many were not looked at, for there was no time.
  size_t left() const { return left_; }
  // For the terminal, a line or two each.
  std::string brief(const std::string& file) const;
  // For races.txt.
  std::string text() const;

 private:
  std::set<uint64_t> keys_;
  std::vector<Finding> findings_;  // several of a key: one may show again where another does not
  std::vector<RaceEntry> entries_;
  size_t suppressed_ = 0;
  size_t left_ = 0;
};

// The races of one run that are not suppressed, in full; "" when there are none.
std::string describe_races(const channel::Channel& channel, const Suppressions& suppressions);

}  // namespace jostle::cli
