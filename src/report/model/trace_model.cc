// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/trace_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "src/base/check.h"
#include "src/report/model/data_flow.h"
#include "src/report/model/execution_order.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/model/freed_block.h"
#include "src/report/model/library_wait.h"
#include "src/report/model/lock_holds.h"
#include "src/report/model/trace_selection.h"
#include "src/report/text/early_text.h"
#include "src/report/text/heap_text.h"
#include "src/report/text/race_text.h"
#include "src/report/text/stack_text.h"
#include "src/report/text/waiting_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"
#include "src/report/words/verdict.h"

namespace jostle::report {
namespace {

using channel::Outcome;
using channel::ThreadState;

// Threads that did nothing that is shown are named only up to here.
constexpr size_t kMostThreads = 4096;

class Builder {
 public:
  Builder(const channel::RunRecord& record, Symbolizer& symbols, Names& names)
      : record_(record), trace_(trace(record)), symbols_(symbols), names_(names) {}

  TraceModel build(const TraceLimits& limits) {
    order_ = execution_order(record_);
    flow_ = data_flow(record_, order_);
    // Threads in the order of creation.
    std::set<uint32_t> present;
    for (const channel::TraceEvent& event : trace_) present.insert(event.thread);
    for (const channel::ThreadReport& report : reports(record_)) present.insert(report.thread);
    for (const uint32_t thread : present) {
      if (thread < channel::kMaxThreads && model_.threads.size() < kMostThreads) add(thread);
    }
    describe_failure();
    describe_heap();
    describe_race();
    add_events(with_race(limits));
    add_stretches();
    add_holds();
    add_waits();
    describe_threads();
    add_callbacks();
    add_modification_orders();
    JOSTLE_CHECKED(check());
    return std::move(model_);
  }

 private:
  // Of stores that are shown.
  void add_modification_orders() {
    for (const ModificationOrder& order : flow_.modification_orders) {
      StoreOrder shown;
      for (const uint32_t store : order.stores) {
        if (event_at_[store] != kNoIndex) shown.stores.push_back(event_at_[store]);
      }
      if (shown.stores.empty()) continue;
      shown.object = model_.events[shown.stores.front()].object;
      if (shown.object != kNoIndex) model_.modification_orders.push_back(std::move(shown));
    }
  }

  void add_callbacks() {
    for (Callback& callback : callbacks_of(record_, symbols_)) {
      callback.thread = thread_index(callback.thread);
      if (callback.thread != kNoIndex) model_.callbacks.push_back(std::move(callback));
    }
  }

  void add(uint32_t thread) {
    threads_[thread] = static_cast<uint32_t>(model_.threads.size());
    ThreadModel model;
    model.label = names_.label(thread);
    model.title = names_.title(thread);
    model.path = names_.path(thread);
    model_.threads.push_back(std::move(model));
  }

  uint32_t thread_index(uint32_t thread) const {
    const auto found = threads_.find(thread);
    return found == threads_.end() ? kNoIndex : found->second;
  }

  uint32_t object_index(uintptr_t address, bool is_memory) {
    if (address == 0) return kNoIndex;
    const auto [entry, added] =
        objects_.try_emplace(address, static_cast<uint32_t>(model_.objects.size()));
    if (added) model_.objects.push_back({names_.object(address), is_memory, 0, 0});
    return entry->second;
  }

  Place place_of(const Frame& frame) {
    Place place{escape(frame.where), readable_function(frame.function), frame.file, frame.line, "",
                frame.plumbing};
    if (frame.line != 0) place.text = sources_.text(frame.file, frame.line);
    return place;
  }

  uint32_t place_index(uintptr_t pc) {
    if (pc == 0) return kNoIndex;
    const auto [entry, added] = places_.try_emplace(pc, kNoIndex);
    if (!added) return entry->second;
    Place place = place_of(symbols_.line_that_matters(pc));
    // Many addresses are one line.
    const auto [same, is_new] =
        known_places_.try_emplace({place.file, place.line, place.function, place.where},
                                  static_cast<uint32_t>(model_.places.size()));
    if (is_new) model_.places.push_back(std::move(place));
    return entry->second = same->second;
  }

  uint32_t place_index(const channel::Stack& stack) {
    if (stack.depth == 0) return kNoIndex;
    Place place = place_of(symbols_.line_that_matters(stack));
    const auto [same, is_new] =
        known_places_.try_emplace({place.file, place.line, place.function, place.where},
                                  static_cast<uint32_t>(model_.places.size()));
    if (is_new) model_.places.push_back(std::move(place));
    return same->second;
  }

  std::vector<Place> stack(const channel::Stack& stack, bool exact) {
    std::vector<Place> places;
    for (const Frame& frame : stack_frames(stack, exact, symbols_)) {
      places.push_back(place_of(frame));
    }
    return places;
  }

  void describe_failure() {
    const channel::Failure& end = record_.end;
    const bool exact = end.outcome == Outcome::signalled;
    model_.kind = kind(end);
    model_.verdict = verdict(end);
    model_.summary = summary(record_, symbols_, names_);
    model_.message = escape(bounded(end.message));
    model_.steps = order_.events.size();
    model_.values = shown_values(record_);
    model_.history = history_of(record_);
    model_.result = result_of(record_, names_);
    model_.left_out.not_recorded = record_.trace_truncated != 0;
    for (const channel::Segment& segment : segments(record_.schedule)) {
      model_.preemptions += segment.forced == 0;
      ++model_.switches;
    }
    if (model_.switches != 0) --model_.switches;  // the last one is the end
    if (end.outcome == Outcome::deadlock) return;
    model_.failing_thread = thread_index(end.thread);
    if (end.stack.depth == 0) return;
    model_.failing_stack = stack(end.stack, exact);
    model_.failing_place = place_of(symbols_.line_that_matters(end.stack, exact));
    const Place& place = *model_.failing_place;
    if (end.line != 0 && (place.library || place.line == 0)) model_.failing_place = place_said(end);
  }

  // An assertion says its line itself: without debug information nobody else does.
  Place place_said(const channel::Failure& end) {
    const std::string file(bounded(end.file));
    const int line = static_cast<int>(end.line);
    return {fmt::format("{}:{}", escape(base_name(file)), line),
            readable_function(std::string(bounded(end.function))),
            file,
            line,
            sources_.text(file, line),
            false};
  }

  void describe_heap() {
    if (record_.end.outcome != Outcome::heap_error) return;
    for (const channel::LeakRecord& leak : leaks(record_)) {
      model_.leaks.push_back(
          {leak.blocks, leak.bytes, thread_index(leak.thread), stack(leak.allocated_at, false)});
    }
    if (!model_.leaks.empty()) return;
    for (const channel::ObjectRecord& object : objects(record_)) {
      if (object.address != record_.end.address || object.region != channel::Region::heap) continue;
      BlockModel& block = model_.block.emplace();
      block.place = place_in_block(object);
      block.allocated_by = thread_index(object.thread);
      block.allocated_at = stack(object.allocated_at, false);
      if (object.freed == 0) return;
      block.freed_by = thread_index(object.freed_by);
      block.freed_at = stack(object.freed_at, false);
      return;
    }
  }

  void describe_race() {
    if (record_.end.outcome != Outcome::race || races(record_).empty()) return;
    const channel::RaceRecord& race = races(record_).back();
    for (const channel::RaceAccess* side : {&race.earlier, &race.later}) {
      model_.race.push_back(
          {thread_index(side->thread), race_access_kind(*side), stack(side->stack, false)});
    }
  }

  // A race is its own explanation: the two accesses.
  TraceLimits with_race(TraceLimits limits) const {
    if (model_.race.empty()) return limits;
    const channel::RaceRecord& race = races(record_).back();
    for (const channel::RaceAccess* side : {&race.earlier, &race.later}) {
      for (size_t i = trace_.size(); i-- > 0;) {
        if (trace_[i].thread != side->thread || trace_[i].pc != side->pc) continue;
        if (trace_[i].object > race.address) continue;
        if (race.address - trace_[i].object >= std::max<uint64_t>(trace_[i].size, 1)) continue;
        limits.explained.insert(static_cast<uint32_t>(i));
        break;
      }
    }
    return limits;
  }

  // ---- events ----

  void add_events(const TraceLimits& limits) {
    std::vector<uint32_t> candidates;  // positions in the order
    for (uint32_t i = 0; i < order_.events.size(); ++i) {
      const channel::TraceEvent& event = trace_[order_.events[i].entry];
      const uint32_t entry = order_.events[i].entry;
      const bool matters = flow_.shared[entry] || limits.explained.contains(entry);
      if (!matters || thread_index(event.thread) == kNoIndex) {
        ++model_.left_out.unshared;
      } else {
        candidates.push_back(i);
      }
    }
    const std::vector<bool> kept = select(candidates, limits);
    event_at_.assign(order_.events.size(), kNoIndex);
    const uint32_t freed_behind = position_of_free();
    uint64_t left_out = 0;
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (freed_at_ == kNoIndex && candidates[i] > freed_behind) add_free(freed_behind);
      if (!kept[i]) {
        ++left_out;
        ++model_.left_out.for_length;
        continue;
      }
      const ExecutedEvent& executed = order_.events[candidates[i]];
      event_at_[candidates[i]] = static_cast<uint32_t>(model_.events.size());
      if (limits.explained.contains(executed.entry)) {
        model_.explained.push_back(event_at_[candidates[i]]);
      }
      EventModel& event = add_event(executed.entry);
      event.step = candidates[i] + uint64_t{1};
      event.preempted = executed.preempted;
      event.left_out_before = std::exchange(left_out, 0);
    }
    if (freed_at_ == kNoIndex && freed_behind != kNoIndex) add_free(freed_behind);
    find_waits();
    for (uint32_t i = 0; i < order_.events.size(); ++i) {
      if (event_at_[i] == kNoIndex || flow_.reads_from[i] == UINT32_MAX) continue;
      if (!may_observe(i, flow_.reads_from[i])) continue;
      model_.events[event_at_[i]].reads_from = event_at_[flow_.reads_from[i]];
    }
    for (const uint32_t entry : order_.pending) {
      if (thread_index(trace_[entry].thread) == kNoIndex) continue;
      EventModel& event = add_event(entry);
      event.executed = false;
      event.step = model_.steps + 1;
    }
  }

  // Of the last event before the block was freed that the failure is about, in the order.
  uint32_t position_of_free() const {
    const channel::ObjectRecord* block = freed_block(record_);
    uint32_t found = kNoIndex;
    for (uint32_t i = 0; block != nullptr && i < order_.events.size(); ++i) {
      if (is_before_free(trace_[order_.events[i].entry], block)) found = i;
    }
    return found;
  }

  // An event of its own, as if it had come with the one before.
  void add_free(uint32_t behind) {
    const channel::ObjectRecord& block = *freed_block(record_);
    const uint32_t thread = thread_index(block.freed_by);
    if (thread == kNoIndex) return;
    freed_at_ = static_cast<uint32_t>(model_.events.size());
    freed_behind_ = behind;
    model_.explained.push_back(freed_at_);
    EventModel event;
    event.thread = thread;
    event.kind = OpKind::free;
    event.object = object_index(block.address, true);
    event.place = place_index(block.freed_at);
    event.step = behind + uint64_t{1};
    count_access(event);
    model_.events.push_back(std::move(event));
  }

  void find_waits() {
    uint32_t position = 0;
    for (uint32_t k = 0; k < order_.segments.size(); ++k) {
      while (position < order_.events.size() && order_.events[position].segment <= k) ++position;
      const ExecutedSegment& segment = order_.segments[k];
      if (segment.forced && segment.stopped_at != UINT32_MAX) {
        waits_since_[segment.stopped_at] = position;
      }
    }
  }

  // A signal wakes only who waited when it came. One that came before is lost, and neither is it
  // what the entry to a wait observes.
  bool may_observe(uint32_t at, uint32_t source) const {
    const OpKind kind = trace_[order_.events[at].entry].kind;
    if (kind != OpKind::cond_wait && kind != OpKind::futex_wait) return true;
    const auto since = waits_since_.find(order_.events[at].entry);
    return since != waits_since_.end() && since->second <= source;
  }

  std::vector<bool> select(const std::vector<uint32_t>& candidates, const TraceLimits& limits) {
    std::vector<uint32_t> position(order_.events.size(), kNoIndex);
    for (uint32_t i = 0; i < candidates.size(); ++i) position[candidates[i]] = i;
    std::vector<SelectableEvent> events(candidates.size());
    const auto segment = [&](size_t i) { return order_.events[candidates[i]].segment; };
    for (size_t i = 0; i < events.size(); ++i) {
      const uint32_t entry = order_.events[candidates[i]].entry;
      const OpKind kind = trace_[entry].kind;
      events[i].explained = limits.explained.contains(entry);
      events[i].begins_stretch = i == 0 || segment(i) != segment(i - 1);
      events[i].ends_stretch = i + 1 == events.size() || segment(i) != segment(i + 1);
      stretches_ += events[i].begins_stretch;
      events[i].milestone = kind == OpKind::thread_create || kind == OpKind::thread_begin ||
                            kind == OpKind::thread_exit;
      const uint32_t source = flow_.reads_from[candidates[i]];
      if (source != UINT32_MAX && position[source] != kNoIndex) {
        events[i].reads_from = position[source];
      }
    }
    return select_events(events, limits.most_events);
  }

  EventModel& add_event(uint32_t entry) {
    const channel::TraceEvent& raw = trace_[entry];
    const bool memory = is_memory(raw.kind);
    const bool has_object =
        memory || (raw.kind >= OpKind::mutex_lock && raw.kind <= OpKind::futex_wake);
    EventModel event;
    event.thread = thread_index(raw.thread);
    event.kind = static_cast<int>(raw.kind) < kOpKinds ? raw.kind : OpKind::none;
    if (has_object) event.object = object_index(raw.object, memory);
    event.place = place_index(raw.pc);
    event.size = raw.size;
    event.value = names_.value(raw);
    event.spurious = raw.spurious != 0;
    event.stale = raw.stale != 0;
    event.in_vain = is_in_vain(raw);
    if (event.object != kNoIndex) count_access(event);
    return model_.events.emplace_back(event);
  }

  void count_access(const EventModel& event) {
    ObjectModel& object = model_.objects[event.object];
    ++object.accesses;
    if (accessed_by_.insert({event.object, event.thread}).second) ++object.threads;
  }

  // ---- what follows from them ----

  void add_stretches() {
    uint32_t segment = kNoIndex;
    const auto extend = [&](uint32_t position, uint32_t event) {
      if (order_.events[position].segment == segment) {
        model_.stretches.back().last = event;
        return;
      }
      segment = order_.events[position].segment;
      const ExecutedSegment& run = order_.segments[segment];
      const StretchEnd end = run.ended    ? StretchEnd::ended
                             : run.forced ? StretchEnd::blocked
                                          : StretchEnd::preempted;
      model_.stretches.push_back({thread_index(run.thread), event, event, end});
    };
    for (uint32_t i = 0; i < order_.events.size(); ++i) {
      if (event_at_[i] != kNoIndex) extend(i, event_at_[i]);
      if (freed_at_ != kNoIndex && i == freed_behind_) extend(i, freed_at_);
    }
    stretches_ = std::max<uint64_t>(stretches_, model_.stretches.size());
    model_.left_out.stretches = stretches_ - model_.stretches.size();
    if (!model_.stretches.empty() && model_.failing_thread != kNoIndex &&
        model_.stretches.back().thread == model_.failing_thread) {
      model_.stretches.back().end = StretchEnd::failed;
    }
  }

  // The kept events in positions [from, to] of the order; false when there is none.
  bool kept_range(uint32_t from, uint32_t to, uint32_t& first, uint32_t& last) {
    if (kept_positions_.empty()) {
      for (uint32_t i = 0; i < event_at_.size(); ++i) {
        if (event_at_[i] != kNoIndex) kept_positions_.push_back(i);
      }
    }
    const auto begin = std::lower_bound(kept_positions_.begin(), kept_positions_.end(), from);
    const auto end = std::upper_bound(kept_positions_.begin(), kept_positions_.end(), to);
    if (begin >= end) return false;
    first = event_at_[*begin];
    last = event_at_[*std::prev(end)];
    return true;
  }

  void add_holds() {
    for (const LockHold& lock : lock_holds(record_, order_)) {
      Hold hold;
      hold.thread = thread_index(lock.thread);
      hold.shared = lock.shared;
      hold.released = lock.released != UINT32_MAX;
      if (hold.thread == kNoIndex) continue;
      if (!kept_range(lock.acquired, lock.released, hold.first, hold.last)) continue;
      hold.object = object_index(lock.object, false);
      model_.holds.push_back(hold);
    }
  }

  // A thread that could not go on waits until it executes what it stopped at.
  void add_waits() {
    std::unordered_map<uint32_t, uint32_t> executed_at;  // trace entry → position, of resumed ones
    std::vector<uint32_t> ends(order_.segments.size());  // the last position of each segment
    for (uint32_t i = 0; i < order_.events.size(); ++i) {
      ends[order_.events[i].segment] = i;
      if (order_.events[i].resumed) executed_at[order_.events[i].entry] = i;
    }
    for (size_t k = 0; k < order_.segments.size(); ++k) {
      const ExecutedSegment& segment = order_.segments[k];
      if (!segment.forced || segment.ended || segment.stopped_at == UINT32_MAX) continue;
      const channel::TraceEvent& raw = trace_[segment.stopped_at];
      const auto over = executed_at.find(segment.stopped_at);
      Wait wait;
      wait.thread = thread_index(segment.thread);
      wait.kind = static_cast<int>(raw.kind) < kOpKinds ? raw.kind : OpKind::none;
      wait.ended = over != executed_at.end();
      const uint32_t until = wait.ended ? over->second : UINT32_MAX;
      if (wait.thread == kNoIndex || ends[k] + 1 >= until) continue;
      if (!kept_range(ends[k] + 1, wait.ended ? until - 1 : until, wait.first, wait.last)) continue;
      if (raw.kind >= OpKind::mutex_lock && raw.kind <= OpKind::futex_wake) {
        wait.object = object_index(raw.object, false);
      }
      model_.waits.push_back(wait);
    }
  }

  void describe_threads() {
    for (const channel::ThreadReport& report : reports(record_)) {
      const uint32_t index = thread_index(report.thread);
      if (index == kNoIndex) continue;
      ThreadModel& thread = model_.threads[index];
      thread.live = report.state != ThreadState::finished;
      thread.blocked = report.state == ThreadState::blocked;
      thread.in_cycle = report.in_cycle != 0;
      thread.doing = waiting_text(report, names_);
      thread.joins = report.pending.kind == OpKind::thread_join;
      if (thread.blocked && !thread.joins)
        thread.wanted = object_index(report.pending.object, false);
      if (thread.blocked) thread.waits_for_thread = thread_index(report.waits_for_thread);
      Frame at = symbols_.line_that_matters(report.stack);
      if (at.where.empty() && report.pending.pc != 0) {
        at = symbols_.line_that_matters(report.pending.pc);
      }
      thread.at = place_of(at);
      for (const channel::HeldLock& lock : held(report)) {
        if (is_nobodys_business(lock, names_)) continue;
        thread.holds.push_back({object_index(lock.object, false), std::string(noun(lock.kind)),
                                place_of(symbols_.line_that_matters(lock.acquired_at))});
      }
      thread.stack = stack(report.stack, false);
    }
  }

#ifdef JOSTLE_CHECKS
  // Indices lead somewhere, and what was executed is in its order: formats rely on both.
  void check() const {
    const auto is_thread = [&](uint32_t i) { return i < model_.threads.size(); };
    const auto is_event = [&](uint32_t i) { return i < model_.events.size(); };
    const EventModel* before = nullptr;
    for (const EventModel& event : model_.events) {
      JOSTLE_CHECK(is_thread(event.thread));
      JOSTLE_CHECK(event.object == kNoIndex || event.object < model_.objects.size());
      JOSTLE_CHECK(event.place == kNoIndex || event.place < model_.places.size());
      JOSTLE_CHECK(event.reads_from == kNoIndex || is_event(event.reads_from));
      JOSTLE_CHECK(!before || before->executed || !event.executed);
      const bool is_with_it = event.kind == OpKind::free;
      if (before && event.executed && !is_with_it) JOSTLE_CHECK_LT(before->step, event.step);
      before = &event;
    }
    for (const Stretch& stretch : model_.stretches) {
      JOSTLE_CHECK(is_thread(stretch.thread) && is_event(stretch.last));
      JOSTLE_CHECK_LE(stretch.first, stretch.last);
    }
    for (const Hold& hold : model_.holds) {
      JOSTLE_CHECK(is_thread(hold.thread) && hold.object < model_.objects.size());
      JOSTLE_CHECK_LE(hold.first, hold.last);
    }
    for (const Wait& wait : model_.waits) {
      JOSTLE_CHECK(is_thread(wait.thread));
      JOSTLE_CHECK(wait.object == kNoIndex || wait.object < model_.objects.size());
    }
    for (const ThreadModel& thread : model_.threads) {
      JOSTLE_CHECK(thread.waits_for_thread == kNoIndex || is_thread(thread.waits_for_thread));
      JOSTLE_CHECK(thread.wanted == kNoIndex || thread.wanted < model_.objects.size());
    }
    for (const StoreOrder& order : model_.modification_orders) {
      JOSTLE_CHECK_LT(order.object, model_.objects.size());
      for (const uint32_t store : order.stores) JOSTLE_CHECK(is_event(store));
    }
    JOSTLE_CHECK(model_.failing_thread == kNoIndex || is_thread(model_.failing_thread));
  }
#endif

  const channel::RunRecord& record_;
  std::span<const channel::TraceEvent> trace_;
  Symbolizer& symbols_;
  Names& names_;
  SourceLines sources_;
  ExecutionOrder order_;
  DataFlow flow_;
  TraceModel model_;
  std::unordered_map<uint32_t, uint32_t> threads_;   // of the record → of the model
  std::unordered_map<uintptr_t, uint32_t> objects_;  // address → index
  std::unordered_map<uintptr_t, uint32_t> places_;   // pc → index
  std::map<std::tuple<std::string, int, std::string, std::string>, uint32_t> known_places_;
  std::set<std::pair<uint32_t, uint32_t>> accessed_by_;  // object, thread
  std::unordered_map<uint32_t, uint32_t> waits_since_;   // trace entry → position behind
  std::vector<uint32_t> event_at_;                       // position in the order → event
  std::vector<uint32_t> kept_positions_;
  uint64_t stretches_ = 0;            // before any were left out
  uint32_t freed_at_ = kNoIndex;      // the event of the free
  uint32_t freed_behind_ = kNoIndex;  // position in the order
};

}  // namespace

TraceModel build_trace_model(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                             const TraceLimits& limits) {
  TraceModel model = Builder(record, symbols, names).build(limits);
  model.early = early_sentences(record, symbols, names);
  return model;
}

std::string headline(const TraceModel& model) {
  std::string text = model.verdict;
  if (!model.test.empty()) text += " in test " + model.test;
  if (model.schedule_number != 0) {
    text += fmt::format(" after {} ({})", count(model.schedule_number, "schedule"), model.strategy);
  }
  return fmt::format("{}: {}", text, model.summary);
}

}  // namespace jostle::report
