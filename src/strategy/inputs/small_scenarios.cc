// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/inputs/small_scenarios.h"

namespace jostle {
namespace {

using channel::DrawKind;

}  // namespace

bool SmallScenarios::next() {
  part_ = Part::before;
  thread_ = operation_ = 0;
  if (finished_) return false;
  finished_ = !plan(number_);
  // Of the first it is not known yet how many there are: all workers begin with it.
  if (kinds_ != 0) number_ += workers_;
  return !finished_;
}

bool SmallScenarios::plan(uint64_t number) {
  const uint64_t kinds = kinds_ == 0 ? 1 : kinds_;
  if (kinds_ == 0) number = 0;
  const uint64_t pairs = kinds * kinds, triples = pairs * kinds;
  is_alone_ = number < pairs;
  if (number < 2 * pairs) {
    number %= pairs;
    threads_ = 2;
    lengths_[0] = lengths_[1] = 1;
    planned_[0][0] = static_cast<uint32_t>(number / kinds);
    planned_[1][0] = static_cast<uint32_t>(number % kinds);
    return true;
  }
  number -= 2 * pairs;
  if (kinds > kMostKindsForTriples || number >= 2 * triples) return false;
  const auto first = static_cast<uint32_t>(number % triples / pairs);
  const auto second = static_cast<uint32_t>(number / kinds % kinds);
  const auto third = static_cast<uint32_t>(number % kinds);
  const bool is_of_two = number < triples;
  threads_ = is_of_two ? 2 : 3;
  lengths_[0] = is_of_two ? 2 : 1;
  lengths_[1] = lengths_[2] = 1;
  planned_[0][0] = first;
  planned_[0][1] = second;
  planned_[1][0] = is_of_two ? third : second;
  planned_[2][0] = third;
  return true;
}

bool SmallScenarios::answer(const channel::Draw& asked, uint64_t& value) {
  switch (asked.kind) {
    case DrawKind::more_threads:
      part_ = Part::threads;
      value = thread_ < threads_;
      if (value != 0) {
        ++thread_;
        operation_ = 0;
      } else {
        part_ = Part::after;
      }
      return true;
    case DrawKind::more_operations:
      if (part_ != Part::threads) {
        value = 0;
        return is_alone_;
      }
      value = operation_ < lengths_[thread_ - 1];
      return true;
    case DrawKind::operation:
      if (kinds_ == 0) kinds_ = asked.high + 1;
      if (part_ != Part::threads) return false;
      if (operation_ >= lengths_[thread_ - 1]) return false;
      value = planned_[thread_ - 1][operation_++];
      return true;
    default:
      return false;
  }
}

}  // namespace jostle
