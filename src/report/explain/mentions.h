// SPDX-License-Identifier: Apache-2.0
// Which operations of the run the sentences of an explanation speak of.
//
// Explanations are text for people; each operation in them ends with its place: "T2 audit read
// total = 50 (bank.cc:22)". From place, thread, verb and value follows which event is meant. Where
// that is not certain the place alone is known, and no event is named.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/report/model/trace_model.h"

namespace jostle::report {

struct Mention {
  size_t begin = 0, end = 0;  // bytes of the explanation, from the first word to the bracket
  uint32_t event = kNoIndex;
  std::string file = {};  // as in Place
  int line = 0;
};

// In the order of the text. Of model.explained if that is known, else of all events.
std::vector<Mention> mentions(const TraceModel& model);

}  // namespace jostle::report
