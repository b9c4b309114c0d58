// SPDX-License-Identifier: Apache-2.0
// How a run came out whose functions do not look atomic, beside the nearest in which they do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/report/model/names/names.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

struct ResultModel {
  // A thing that came out otherwise.
  struct Row {
    std::string what;  // "exit status", "output", a variable
    std::string here, there;
  };
  std::vector<Row> rows;
  uint32_t more = 0;  // that are not in `rows`
  uint32_t runs = 0;  // that change threads only outside of the functions
  bool empty() const { return rows.empty(); }
};

// Empty: the run does not fail like that.
ResultModel result_of(const channel::RunRecord& record, Names& names);

}  // namespace jostle::report
