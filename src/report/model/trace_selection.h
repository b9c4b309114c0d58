// SPDX-License-Identifier: Apache-2.0
// Which events of a long run a report keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace jostle::report {

struct SelectableEvent {
  bool explained = false;        // the explanation is about it
  bool begins_stretch = false;   // another thread ran before it
  bool ends_stretch = false;     // another thread runs after it
  bool milestone = false;        // a thread is created, begins, ends
  size_t reads_from = SIZE_MAX;  // position of the event it observed; SIZE_MAX: none
};

// At most about `most` of `events`, as marks: what the explanation is about; the end of the run,
// because the failure is there; before that milestones and switches, the latest first; and what
// kept events observed.
std::vector<bool> select_events(const std::vector<SelectableEvent>& events, size_t most);

}  // namespace jostle::report
