// SPDX-License-Identifier: Apache-2.0
// The pieces of source files that a report needs: the lines that occur in it and those around them.
#pragma once

#include <string>
#include <vector>

#include "src/report/model/trace_model.h"

namespace jostle::report {

struct SourceExcerpt {
  std::string file;  // as in Place
  int first = 1;     // number of the first line
  std::vector<std::string> lines;
};

// By file and line. Files that are not there are missing.
std::vector<SourceExcerpt> source_excerpts(const TraceModel& model);

}  // namespace jostle::report
