// SPDX-License-Identifier: Apache-2.0
// How much a campaign that found nothing may have missed: by Good and Turing, from how often each
// reads-from class came. docs/campaign.md has the formulas, and what they assume.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace jostle::cli {

struct Thoroughness {
  uint64_t runs = 0;         // whose classes were counted; 0: nothing is known
  uint64_t classes = 0;      // different ones
  uint64_t singletons = 0;   // of them, those that came once
  bool is_estimate = false;  // the last two: counted among classes that a hash picked
  // The chance that the next run has a new class.
  double new_class = 0;
  // The same, at most, with a confidence of 95 %.
  double new_class_below = 1;
  // The chance that the next run fails, at most, with a confidence of 95 %; if none has.
  double failure_below = 1;

  bool is_known() const { return runs != 0 && classes != 0; }
  // Until the next new class; 0: none is expected within as many runs as there were.
  uint64_t runs_to_new_class() const;
};

// `histogram`: so many runs, and how many classes came in exactly so many. `bits`: only one class
// in 2^bits was counted, of all `runs`.
Thoroughness thoroughness_of(uint64_t runs, const std::map<uint64_t, uint64_t>& histogram,
                             uint32_t bits = 0);

// One line for people; empty if nothing is known.
std::string describe(const Thoroughness& thoroughness);

}  // namespace jostle::cli
