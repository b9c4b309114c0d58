// SPDX-License-Identifier: Apache-2.0
// How large a search tree is, by the share of it that is finished on the present path.
//
// The branches of a state are taken to be of the same size, those of its own kind, however many
// runs each has turned out to have: a factor that is wrong stays within its own level. (What the
// finished branches had, taken for what the waiting ones will have, is multiplied from level to
// level, and was wrong by ten thousand for a program with 2,048 executions.)
#pragma once

#include <cstdint>

namespace jostle::dpor {

class FinishedShare {
 public:
  // From the first state on. `open`: the branches that wait, and the one that leads to the next.
  void add_level(uint64_t finished, uint64_t open) {
    if (finished + open == 0) return;
    const double each = of_level_ / static_cast<double>(finished + open);
    finished_ += each * static_cast<double>(finished);
    of_level_ = each;
  }

  // Of all, if so many were in what is finished.
  double estimate(uint64_t found) const {
    const auto least = static_cast<double>(found);
    return finished_ > 0 && finished_ < 1 ? least / finished_ : least;
  }

 private:
  double finished_ = 0;
  double of_level_ = 1;  // the part that lies below the present level
};

}  // namespace jostle::dpor
