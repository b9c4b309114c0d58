// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats/chrome_trace.h"

#include <fmt/format.h>

#include "src/report/formats/failure_json.h"
#include "src/report/text/event_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

constexpr uint64_t kEvent = 10;  // microseconds from one event to the next
constexpr int kProcess = 1;

// Slices of one track must nest: an event begins after its stretch and ends before it.
uint64_t begin_of(uint32_t event) { return event * kEvent + 1; }
uint64_t end_of(uint32_t event) { return event * kEvent + kEvent - 1; }
constexpr uint64_t kDuration = kEvent - 2;

class ChromeTraceWriter {
 public:
  explicit ChromeTraceWriter(const TraceModel& model) : model_(model) {}

  std::string text() {
    name_tracks();
    for (const Stretch& stretch : model_.stretches) add_stretch(stretch);
    for (uint32_t i = 0; i < model_.events.size(); ++i) add_event(i);
    for (const Hold& hold : model_.holds) {
      add_async("lock", fmt::format("{} held by {}", object(hold.object), label(hold.thread)),
                hold.first, hold.last);
    }
    for (const Wait& wait : model_.waits) {
      const std::string what =
          wait.object == kNoIndex ? std::string(op_name(wait.kind)) : object(wait.object);
      add_async("wait", fmt::format("{} waits: {}", label(wait.thread), what), wait.first,
                wait.last);
    }
    add_switches();
    add_failure();
    Json json;
    json["displayTimeUnit"] = "ns";
    json["otherData"] = {{"jostle", headline(model_)}, {"program", model_.program}};
    json["traceEvents"] = std::move(events_);
    return json_text(json);
  }

 private:
  const std::string& label(uint32_t thread) const { return model_.threads[thread].label; }
  const std::string& object(uint32_t index) const { return model_.objects[index].name; }

  // `phase` first: that is how these files are read.
  Json& add(std::string_view phase, uint32_t thread, std::string_view name) {
    events_.push_back({{"ph", phase}, {"pid", kProcess}, {"tid", thread + 1}, {"name", name}});
    return events_.back();
  }

  void name_tracks() {
    add("M", 0,
        "process_name")["args"] = {{"name", model_.program.empty() ? "jostle" : model_.program}};
    for (uint32_t t = 0; t < model_.threads.size(); ++t) {
      add("M", t, "thread_name")["args"] = {{"name", model_.threads[t].title}};
      add("M", t, "thread_sort_index")["args"] = {{"sort_index", t}};
    }
  }

  void add_stretch(const Stretch& stretch) {
    Json& json = add("X", stretch.thread, fmt::format("runs, then {}", name(stretch.end)));
    json["cat"] = "run";
    json["ts"] = stretch.first * kEvent;
    json["dur"] = (stretch.last - stretch.first + 1) * kEvent;
  }

  void add_event(uint32_t index) {
    const EventModel& event = model_.events[index];
    if (!event.executed) {
      Json& json = add("i", event.thread, "was about to " + operation_text(model_, event));
      json["cat"] = "pending";
      json["ts"] = begin_of(index);
      json["s"] = "t";
      json["args"] = arguments(event);
      return;
    }
    Json& json = add("X", event.thread, operation_text(model_, event));
    json["cat"] = is_memory(event.kind) ? "memory" : "sync";
    json["ts"] = begin_of(index);
    json["dur"] = kDuration;
    json["args"] = arguments(event);
    if (event.reads_from == kNoIndex) return;
    if (model_.events[event.reads_from].thread == event.thread) return;
    add_flow(is_memory(event.kind) ? "reads from" : "follows", event.reads_from, index);
  }

  Json arguments(const EventModel& event) const {
    Json json = {{"step", event.step}};
    if (event.place != kNoIndex) {
      const Place& place = model_.places[event.place];
      json["source"] = place_text(place);
      if (!place.function.empty()) json["function"] = place.function;
      if (!place.text.empty()) json["code"] = place.text;
    }
    if (!event.value.empty()) json["value"] = event.value;
    if (event.left_out_before != 0) json["events left out before"] = event.left_out_before;
    return json;
  }

  void add_async(std::string_view category, const std::string& name, uint32_t first,
                 uint32_t last) {
    const uint64_t id = ++last_id_;
    for (const bool begins : {true, false}) {
      Json& json = add(begins ? "b" : "e", 0, name);
      json["cat"] = category;
      json["id"] = id;
      json["ts"] = begins ? begin_of(first) : end_of(last);
    }
  }

  void add_flow(std::string_view name, uint32_t from, uint32_t to) {
    const uint64_t id = ++last_id_;
    for (const bool begins : {true, false}) {
      const uint32_t event = begins ? from : to;
      Json& json = add(begins ? "s" : "f", model_.events[event].thread, name);
      json["cat"] = "flow";
      json["id"] = id;
      json["ts"] = begin_of(event) + 1;
      if (!begins) json["bp"] = "e";
    }
  }

  void add_switches() {
    for (size_t i = 0; i + 1 < model_.stretches.size(); ++i) {
      const Stretch& from = model_.stretches[i];
      if (from.end != StretchEnd::preempted) continue;
      Json& json = add("i", from.thread, "preempted");
      json["cat"] = "switch";
      json["ts"] = end_of(from.last);
      json["s"] = "t";
      add_flow("switch", from.last, model_.stretches[i + 1].first);
    }
  }

  void add_failure() {
    const bool somebody = model_.failing_thread != kNoIndex;
    Json& json = add("i", somebody ? model_.failing_thread : 0, headline(model_));
    json["cat"] = "failure";
    json["ts"] = model_.events.size() * kEvent;
    json["s"] = somebody ? "t" : "g";
  }

  const TraceModel& model_;
  Json events_ = Json::array();
  uint64_t last_id_ = 0;
};

}  // namespace

std::string chrome_trace_text(const TraceModel& model) { return ChromeTraceWriter(model).text(); }

}  // namespace jostle::report
