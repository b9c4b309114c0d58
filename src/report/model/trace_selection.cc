// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/trace_selection.h"

namespace jostle::report {

std::vector<bool> select_events(const std::vector<SelectableEvent>& events, size_t most) {
  if (events.size() <= most) return std::vector<bool>(events.size(), true);
  std::vector<bool> kept(events.size());
  size_t room = most;
  const auto keep = [&](size_t i) {
    if (room == 0 || kept[i]) return;
    kept[i] = true;
    --room;
  };
  for (size_t i = events.size(); i-- > 0;) {
    if (events[i].explained) keep(i);
  }
  const size_t end_begins = events.size() - most / 3;
  for (size_t i = events.size(); i-- > end_begins;) keep(i);
  // A tenth is for what these observed.
  const size_t reserve = most / 10;
  const auto keep_those = [&](bool SelectableEvent::*mark) {
    for (size_t i = end_begins; i-- > 0 && room > reserve;) {
      if (events[i].*mark) keep(i);
    }
  };
  keep_those(&SelectableEvent::milestone);
  keep_those(&SelectableEvent::begins_stretch);
  keep_those(&SelectableEvent::ends_stretch);
  for (size_t i = events.size(); i-- > 0 && room > 0;) {
    if (kept[i] && events[i].reads_from < i) keep(events[i].reads_from);
  }
  return kept;
}

}  // namespace jostle::report
