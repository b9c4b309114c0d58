// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/serial/serial_plans.h"

namespace jostle {

bool SerialPlans::add(const EngineVector<Decision>& decisions) {
  if (decisions.size() < plan_.size()) return false;
  for (size_t i = 0; i < plan_.size(); ++i) {
    const bool is_new = last_.empty();
    if (decisions[i].taken != plan_[i]) return false;
    if (!is_new && decisions[i].count != last_[i].count) return false;
  }
  last_.clear();
  size_t length = 0;
  for (size_t i = 0; i < decisions.size(); ++i) {
    last_.push_back(decisions[i]);
    if (decisions[i].taken + 1 < decisions[i].count) length = i + 1;
  }
  finished_ = length == 0;
  plan_.clear();
  for (size_t i = 0; i < length; ++i) plan_.push_back(last_[i].taken);
  if (!finished_) ++plan_[length - 1];
  return true;
}

void SerialPlans::restart() {
  last_.clear();
  plan_.clear();
  finished_ = false;
}

}  // namespace jostle
