// SPDX-License-Identifier: Apache-2.0
// The data races of a campaign that are no failures: replayed in a fresh process for their stacks,
// put together to what a person would fix, listed at the end.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/cli/campaign/fuzz_inputs.h"
#include "src/cli/findings/confirm.h"
#include "src/cli/options/suppressions.h"
#include "src/report/text/race_groups.h"

namespace jostle::cli {

class RaceList {
 public:
  void add(Finding finding);
  // Replays them, as long as there is time, each with its own of `inputs` (null: these are not
  // searched for). Those that are suppressed are left out, and those that do not show again:
  // nothing is said that was not seen twice.
  MaybeError resolve(const ConfirmSetup& setup, const FuzzInputs* inputs);

  const std::vector<report::RaceGroup>& groups() const { return groups_; }
  size_t suppressed() const { return suppressed_; }
  // How many pairs of places were not looked at, for there was no time.
  size_t left() const { return left_; }
  // For the terminal, a line or two each.
  std::string brief(const std::string& file, size_t columns) const;
  // For races.txt.
  std::string text() const { return report::race_texts(groups_); }

 private:
  // By key; none: suppressed.
  using Shown = std::map<uint64_t, std::optional<report::SeenRace>>;

  std::vector<const Finding*> in_order_of_use() const;
  MaybeError replay(const ConfirmSetup& setup, const FuzzInputs* inputs, const Finding& finding,
                    Shown& shown, bool& out_of_time);
  void keep(const Shown& shown, const std::set<uint64_t>& untried);

  std::set<uint64_t> keys_;
  std::vector<Finding> findings_;  // several of a key: one may show again where another does not
  std::vector<report::RaceGroup> groups_;
  size_t suppressed_ = 0;
  size_t left_ = 0;
  std::optional<std::vector<std::string>>
      unseen_;  // libraries that may order threads by themselves
};

size_t entry_count(const std::vector<report::RaceGroup>& groups);

// The races of one run that are not suppressed.
std::vector<report::RaceGroup> races_of(const channel::Channel& channel,
                                        const Suppressions& suppressions);

}  // namespace jostle::cli
