// Which events of a long run a report keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace jostle::report {

struct SelectableEvent {
  bool at_switch = false;  // first or last in its thread's stretch
  bool milestone = false;  // a thread is created, begins, ends
  size_t reads_from = SIZE_MAX;  // position of the event it observed; SIZE_MAX: none
};

// At most about `most` of `events`, as marks: the end of the run, because the failure is there;
// before that switches and milestones, the latest first; and what kept events observed.
std::vector<bool> select_events(const std::vector<SelectableEvent>& events, size_t most);

}  // namespace jostle::report
