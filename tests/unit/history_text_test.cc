// SPDX-License-Identifier: Apache-2.0
// Operations side by side, as wide as the terminal.
#include "src/report/explain/history_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jostle::report {
namespace {

using testing::HasSubstr;

HistoryModel four_threads(const std::string& long_result) {
  HistoryModel history;
  for (uint32_t column = 0; column < 4; ++column) {
    HistoryModel::Operation one;
    one.thread = column == 0 ? "main" : "T" + std::to_string(column);
    one.call = "push(1)";
    one.column = column;
    one.called = true;
    one.returned = column != 3;
    if (column == 2) one.result = long_result;
    history.operations.push_back(one);
  }
  return history;
}

TEST(HistoryText, ShortensNothingWhereThereIsRoom) {
  const std::string text = history_block(four_threads("1"), 100);
  EXPECT_THAT(text, HasSubstr("push(1)   push(1)   push(1) = 1   push(1) waits for ever\n"));
}

TEST(HistoryText, ShortensWhatIsWidest) {
  const std::string text = history_block(four_threads(std::string(100, 'x')), 80);
  EXPECT_THAT(text, HasSubstr("push(1) waits for ever\n"));
  EXPECT_THAT(text, HasSubstr("…"));
}

}  // namespace
}  // namespace jostle::report
