// SPDX-License-Identifier: Apache-2.0
// Who has to do with a run: all that the scheduler knows of the search.
#pragma once

#include <string_view>

namespace jostle {

class Decider;
class Observer;

struct RunRoles {
  Decider* decider = nullptr;    // has begun; null: nobody decides
  Observer* observer = nullptr;  // null: nobody wants to see the events
  bool names = false;            // locations and places have names (Operation::name, site)
  std::string_view name = {};    // of the run in reports; empty: as the user called the strategy
};

}  // namespace jostle
