// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/event_text.h"

#include <fmt/format.h>

#include "src/report/text/spurious_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {

std::string operation_text(const TraceModel& model, const EventModel& event) {
  std::string text(op_name(event.kind));
  if (event.object != kNoIndex) text += " " + model.objects[event.object].name;
  if (event.spurious) text += fmt::format(": {}", spurious_text(event.kind));
  if (!event.value.empty()) text += " = " + event.value;
  if (event.stale) text += ", stale";
  if (event.in_vain) text += ", in vain";
  return text;
}

std::string place_text(const Place& place) {
  if (place.line == 0 || place.file.empty()) return place.where;
  return fmt::format("{}:{}", escape(base_name(place.file)), place.line);
}

std::string_view segment_end(const channel::Segment& segment) {
  if (is_preemption(segment)) return "preempted";
  if (segment.forced == channel::kGaveWay) return "gave way";
  if (segment.forced == channel::kTimePassed) return "time passed";
  const bool ended =
      segment.stopped_at == OpKind::thread_exit || segment.stopped_at == OpKind::process_exit;
  return ended ? "ended" : "blocked";
}

std::string left_out_text(const TraceModel& model) {
  std::string text;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  if (model.left_out.for_length != 0) {
    add(fmt::format(
        "The run is long: {} left out. Kept are the end of the run, {} switches between "
        "threads before that, and what these read.",
        count(model.left_out.for_length, "event"),
        model.left_out.stretches == 0
            ? std::string("all")
            : fmt::format("the last {}", thousands(model.stretches.size()))));
  }
  if (model.left_out.unshared != 0) {
    add(fmt::format("Not shown: {} to memory that only one thread uses or that does not change.",
                    model.left_out.unshared == 1
                        ? std::string("1 access")
                        : fmt::format("{} accesses", thousands(model.left_out.unshared))));
  }
  if (model.left_out.not_recorded) add("The run was too long to be recorded to its end.");
  return text;
}

}  // namespace jostle::report
