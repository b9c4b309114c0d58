// SPDX-License-Identifier: Apache-2.0
// An exhaustive search that was interrupted, on disk: `jostle verify --resume` goes on with it.
//
// One line of JSON says of which program and with which options; what follows are the bytes that
// the search itself has written, with their number and hash.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "src/cli/campaign/fuzz_options.h"
#include "src/cli/support/error.h"
#include "src/cli/target/target.h"
#include "src/schedule/hub.h"

namespace jostle::cli {

inline constexpr char kInterruptedSearchName[] = "interrupted-search";

class InterruptedSearch {
 public:
  // `folder`: of the campaign.
  InterruptedSearch(const std::string& folder, const FuzzOptions& options, const Target& target);

  // Hands it to the target that will be started. An error if there is none, or it is of another
  // program.
  MaybeError load(Hub& hub);
  // Keeps what the target has left. Nothing if that is nothing: what was there before stays.
  // `seconds`: all in all.
  MaybeError save(const Hub& hub, double seconds, uint64_t executions);
  // There is no need for it any more.
  void remove() const;

  // That those took which came before.
  double seconds_before() const { return seconds_before_; }

 private:
  std::string path_;
  std::string arguments_;  // of the program, as one types them
  std::string name_;
  std::string settings_;
  const Target& target_;
  double seconds_before_ = 0;
};

}  // namespace jostle::cli
