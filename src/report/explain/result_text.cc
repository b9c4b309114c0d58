// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/result_text.h"

#include <fmt/format.h>

#include "src/report/words/text.h"

namespace jostle::report {

std::string result_block(const ResultModel& result, size_t columns) {
  if (result.empty()) return {};
  std::string text =
      paragraph("  ",
                fmt::format("the nearest of {} that change threads only outside comes out with",
                            count(result.runs, "run")),
                columns);
  for (const ResultModel::Row& row : result.rows) {
    text +=
        paragraph("    ", fmt::format("{}: {} (here: {})", row.what, row.there, row.here), columns);
  }
  if (result.more != 0) text += fmt::format("    … and {} more\n", result.more);
  return text;
}

}  // namespace jostle::report
