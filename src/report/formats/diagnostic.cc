// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "src/report/formats/run_result.h"
#include "src/report/text/event_text.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

using Level = Diagnostic::Level;

// The report has all of them.
constexpr size_t kMostOfCourse = 24;
constexpr size_t kMostWaiting = 16;

CodeLine code_line(const Place& place) { return {place.file, place.line}; }

// The innermost line of the program's own code, or the innermost at all.
CodeLine code_line(const std::vector<Place>& stack) {
  CodeLine any;
  for (const Place& place : stack) {
    if (!code_line(place).known()) continue;
    if (!place.library) return code_line(place);
    if (!any.known()) any = code_line(place);
  }
  return any;
}

// "queue_test.cc:12: Failure", as test frameworks begin what they say of a check that failed.
CodeLine line_of_check(const std::string& text) {
  for (const std::string_view word : {": Failure", ": FAILED:", ": ERROR: ", ": FATAL ERROR: "}) {
    const size_t end = text.find(word);
    if (end == text.npos || end == 0) continue;
    const size_t colon = text.rfind(':', end - 1);
    if (colon == text.npos || colon == 0) continue;
    CodeLine at{text.substr(0, colon)};
    const auto [rest, error] = std::from_chars(text.data() + colon + 1, text.data() + end, at.line);
    if (error == std::errc() && rest == text.data() + end && at.known()) return at;
  }
  return {};
}

// Failures that all live threads have a part in.
bool is_of_all_threads(const TraceModel& model) {
  return model.kind == "deadlock" || model.kind == "livelock" || model.kind == "starvation" ||
         model.kind == "steps" || model.kind == "timeout";
}

class FailureWriter {
 public:
  explicit FailureWriter(const TraceModel& model) : model_(model) {}

  Diagnostics write() {
    place_error();
    if (!model_.explanation.empty()) note(at_, "why: " + model_.explanation);
    for (const std::string& sentence : model_.early) note(at_, "time: " + sentence);
    if (!model_.values.empty()) note(at_, fmt::format("with {}", fmt::join(model_.values, ", ")));
    add_race();
    add_block();
    if (is_of_all_threads(model_)) add_waiting();
    add_course();
    if (!model_.replay_command.empty()) note(at_, "to see it again: " + model_.replay_command);
    return std::move(diagnostics_);
  }

 private:
  void note(const CodeLine& at, std::string text) {
    diagnostics_.push_back({Level::note, at.known() ? at : at_, std::move(text)});
  }

  std::string title_of(uint32_t thread) const {
    return thread < model_.threads.size() ? model_.threads[thread].title : "a thread";
  }

  // Where a reader looks first, and what is said there.
  void place_error() {
    std::string text = model_.summary;
    if (model_.kind == "deadlock" || model_.kind == "livelock" || model_.kind == "starvation") {
      text = fmt::format("{}: {}", model_.kind, text);
    }
    if (!model_.test.empty()) text = fmt::format("test {}: {}", model_.test, text);
    at_ = line_of_failure();
    if (!at_.known()) {
      const EventModel* last = last_event();
      if (last != nullptr) {
        at_ = code_line(model_.places[last->place]);
        text += fmt::format(" (it has no line of its own: this is the last of {})",
                            title_of(last->thread));
      }
    }
    diagnostics_.push_back({Level::error, at_, std::move(text)});
  }

  CodeLine line_of_failure() const {
    for (const std::string& said : model_.output_tail) {
      if (model_.kind != "exit") break;
      if (CodeLine at = line_of_check(said); at.known()) return at;
    }
    if (!model_.race.empty()) {
      if (CodeLine at = code_line(model_.race.back().stack); at.known()) return at;
    }
    if (model_.failing_place && code_line(*model_.failing_place).known()) {
      return code_line(*model_.failing_place);
    }
    if (CodeLine at = code_line(model_.failing_stack); at.known()) return at;
    for (const LeakModel& leak : model_.leaks) {
      if (CodeLine at = code_line(leak.allocated_at); at.known()) return at;
    }
    if (!is_of_all_threads(model_)) return {};
    const std::vector<const ThreadModel*> waiting = in_order_of_interest();
    return waiting.empty() ? CodeLine{} : code_line(waiting.front()->at);
  }

  // The failing thread's, if it has one.
  const EventModel* last_event() const {
    const EventModel* any = nullptr;
    for (auto event = model_.events.rbegin(); event != model_.events.rend(); ++event) {
      if (event->place >= model_.places.size()) continue;
      const Place& place = model_.places[event->place];
      if (place.library || !code_line(place).known()) continue;
      if (event->thread == model_.failing_thread) return &*event;
      if (any == nullptr) any = &*event;
    }
    return any;
  }

  // Those of the cycle, then those that wait for something, then those that wait for others' end.
  std::vector<const ThreadModel*> in_order_of_interest() const {
    std::vector<const ThreadModel*> threads;
    for (const ThreadModel& thread : model_.threads) {
      if (thread.live && code_line(thread.at).known()) threads.push_back(&thread);
    }
    const auto rank = [](const ThreadModel* thread) {
      return thread->in_cycle ? 0 : thread->blocked && !thread->joins ? 1 : thread->joins ? 3 : 2;
    };
    std::stable_sort(threads.begin(), threads.end(),
                     [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
    return threads;
  }

  void add_waiting() {
    const std::vector<const ThreadModel*> threads = in_order_of_interest();
    for (size_t i = 0; i < std::min(threads.size(), kMostWaiting); ++i) {
      const ThreadModel& thread = *threads[i];
      std::string text = fmt::format("{} {}", thread.title, thread.doing);
      for (const HeldLockModel& lock : thread.holds) {
        text += fmt::format("{} {}", &lock == &thread.holds.front() ? ", holds" : " and",
                            name_of(lock));
      }
      note(code_line(thread.at), std::move(text));
      for (const HeldLockModel& lock : thread.holds) {
        if (!code_line(lock.place).known()) continue;
        note(code_line(lock.place), fmt::format("{} took {} here", thread.title, name_of(lock)));
      }
    }
    if (threads.size() > kMostWaiting) {
      note(at_, fmt::format("and {}", count(threads.size() - kMostWaiting, "more thread")));
    }
  }

  std::string name_of(const HeldLockModel& lock) const {
    const std::string name = lock.object < model_.objects.size() ? model_.objects[lock.object].name
                                                                 : std::string("a lock");
    return lock.noun.empty() ? name : fmt::format("{} {}", lock.noun, name);
  }

  void add_race() {
    for (size_t i = 0; i + 1 < model_.race.size(); ++i) {
      const RaceSideModel& side = model_.race[i];
      note(code_line(side.stack),
           fmt::format("the other access: {} by {}", side.access, title_of(side.thread)));
    }
  }

  void add_block() {
    if (model_.block) {
      const BlockModel& block = *model_.block;
      if (!block.freed_at.empty()) {
        note(code_line(block.freed_at), fmt::format("freed by {}", title_of(block.freed_by)));
      }
      if (!block.allocated_at.empty()) {
        note(code_line(block.allocated_at),
             fmt::format("allocated by {}", title_of(block.allocated_by)));
      }
    }
    for (const LeakModel& leak : model_.leaks) {
      note(code_line(leak.allocated_at),
           fmt::format("{} in {} allocated by {}", count(leak.bytes, "byte"),
                       count(leak.blocks, "block"), title_of(leak.allocated_by)));
    }
  }

  // What the explanation is about and where threads were preempted, in the order of the run.
  void add_course() {
    struct Step {
      uint32_t position;  // in the run: of this event, or behind it
      bool preempts;
      uint32_t event;
    };
    std::vector<Step> steps;
    // The threads themselves, or the two accesses, have told.
    if (!is_of_all_threads(model_) && model_.race.empty()) {
      for (const uint32_t event : model_.explained) {
        if (event < model_.events.size() && has_line(model_.events[event])) {
          steps.push_back({event, false, event});
        }
      }
    }
    for (const Stretch& stretch : model_.stretches) {
      if (stretch.end != StretchEnd::preempted) continue;
      const uint32_t next = next_of(stretch);
      if (next != kNoIndex) steps.push_back({stretch.last, true, next});
    }
    std::stable_sort(steps.begin(), steps.end(),
                     [](const Step& a, const Step& b) { return a.position < b.position; });
    size_t shown = 0;
    for (const Step& step : steps) {
      if (++shown > kMostOfCourse) continue;
      const EventModel& event = model_.events[step.event];
      note(code_line(model_.places[event.place]),
           fmt::format("{}{} {}", title_of(event.thread),
                       step.preempts ? " is preempted here, before:" : ":",
                       operation_text(model_, event)));
    }
    if (shown > kMostOfCourse) {
      note(at_, fmt::format("and {}", count(shown - kMostOfCourse, "more step")));
    }
  }

  bool has_line(const EventModel& event) const {
    return event.place < model_.places.size() && code_line(model_.places[event.place]).known();
  }

  // What the thread was about to do when it was preempted.
  uint32_t next_of(const Stretch& stretch) const {
    for (size_t i = size_t{stretch.last} + 1; i < model_.events.size(); ++i) {
      if (model_.events[i].thread != stretch.thread) continue;
      return has_line(model_.events[i]) ? static_cast<uint32_t>(i) : kNoIndex;
    }
    return kNoIndex;
  }

  const TraceModel& model_;
  CodeLine at_;
  Diagnostics diagnostics_;
};

std::string other_access(const RaceSide& side) {
  return fmt::format("the other access: {} by {}", side.access, side.thread);
}

}  // namespace

std::string_view name(Level level) {
  switch (level) {
    case Level::error:
      return "error";
    case Level::warning:
      return "warning";
    case Level::note:
      return "note";
  }
  return "note";
}

Diagnostics failure_diagnostics(const TraceModel& model) { return FailureWriter(model).write(); }

Diagnostics race_diagnostics(const std::vector<RaceGroup>& groups, bool are_failures) {
  const Level level = are_failures ? Level::error : Level::warning;
  Diagnostics diagnostics;
  for (const RaceGroup& group : groups) {
    for (const RaceEntry& entry : group.entries) {
      const CodeLine& later = entry.race.later.at;
      const CodeLine& earlier = entry.race.earlier.at;
      diagnostics.push_back(
          {level, later.known() ? later : earlier, "data race on " + race_line(entry.race)});
      const CodeLine at = diagnostics.back().at;
      diagnostics.push_back(
          {Level::note, earlier.known() ? earlier : at, other_access(entry.race.earlier)});
      for (const SeenRace& more : entry.accesses) {
        const RaceSide& side = more.later.frees ? more.earlier : more.later;
        diagnostics.push_back({Level::note, side.at.known() ? side.at : at, other_access(side)});
      }
    }
  }
  return diagnostics;
}

std::string gcc_text(const Diagnostics& diagnostics, const std::string& program) {
  std::string text;
  for (const Diagnostic& each : diagnostics) {
    const CodeLine at = each.at.known() ? each.at : CodeLine{program, 1};
    // A column is not known: gcc counts from 1.
    text += fmt::format("{}:{}:1: {}: {}\n", escape(at.file), at.line, name(each.level),
                        escape(each.text));
  }
  return text;
}

std::string gcc_text(const RunResult& result) {
  std::string text;
  for (const TraceModel& failure : result.failures) {
    text += gcc_text(failure_diagnostics(failure),
                     failure.program.empty() ? result.program : failure.program);
  }
  Diagnostics known;
  for (const KnownFinding& finding : result.known) {
    if (finding.today == KnownFinding::Today::fixed) continue;
    const bool fails = finding.today == KnownFinding::Today::fails;
    known.push_back(
        {fails ? Diagnostic::Level::error : Diagnostic::Level::warning, finding.at, finding.text});
    if (fails) {
      known.push_back({Diagnostic::Level::note, finding.at, "to see it: " + finding.replay});
    }
  }
  return text + gcc_text(known, result.program) + gcc_text(result.warnings, result.program);
}

}  // namespace jostle::report
