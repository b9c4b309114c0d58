// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/stale_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <tuple>

#include "src/base/memory_order.h"
#include "src/report/words/order_name.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

using channel::OrderChange;
using channel::StaleRead;

std::span<const StaleRead> stale_reads(const channel::RunRecord& record) {
  return std::span(record.stale, std::min(record.stale_count, channel::kMaxStaleReads));
}

// The step of a thread's event; kNoStep: it is not in the trace.
uint32_t step_of(const RunTrace& trace, uint32_t thread, uint64_t event) {
  if (thread == UINT32_MAX) return kNoStep;
  for (const uint32_t i : trace.of_thread(thread)) {
    if (trace.steps()[i].event->event == event) return i;
  }
  return kNoStep;
}

// One stale read in words.
class StaleText {
 public:
  explicit StaleText(const NamedRun& run) : run_(run) {}

  void add(const StaleRead& stale, Explanation& to) {
    const uint32_t read = step_of(run_.trace, stale.thread, stale.event);
    const uint32_t newer = step_of(run_.trace, stale.newest_writer, stale.newest_event);
    const std::string reader = run_.names.title(stale.thread);
    const bool has_writer = stale.newest_writer != UINT32_MAX;
    const std::string writer = has_writer ? run_.names.title(stale.newest_writer) : "";
    const bool same = has_writer && stale.newest_writer == stale.thread;
    if (!has_writer || same) return;  // nobody's, or its own: then there is nothing to be missed
    const std::string object = run_.names.object(stale.object);
    const std::string value = run_.names.value(stale.object, stale.value, stale.size);
    const std::string newest = run_.names.value(stale.object, stale.newest, stale.size);
    const std::string here = place(read, stale.pc, stale.order);
    const std::string there = place(newer, stale.newest_pc, stale.newest_order);
    const std::string is = value.empty() ? "" : " = " + value;
    const std::string stored = newest.empty() ? "a newer value" : newest;
    if (stale.kind == ChoiceKind::place) {
      to.sentences.push_back(
          fmt::format("What {} stored in {}{} {} comes before what {} had stored, {} {}: nothing "
                      "orders the two.",
                      reader, object, is, here, writer, stored, there));
    } else {
      to.sentences.push_back(fmt::format(
          "{} read {}{} {} although {} had stored {} {} before: nothing makes {} see "
          "it.",
          reader, object, is, here, writer, stored, there, run_.names.label(stale.thread)));
    }
    for (const uint32_t step : {newer, read}) {
      if (step != kNoStep) to.steps.push_back(step);
    }
  }

 private:
  // "(deque.h:41, relaxed)"
  std::string place(uint32_t step, uintptr_t pc, int order) {
    const uintptr_t own = step == kNoStep ? pc : run_.trace.steps()[step].event->pc;
    return fmt::format("({}, {})", source(run_.symbols.line_that_matters(own)), order_name(order));
  }

  const NamedRun& run_;
};

// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

struct FenceWords {
  uint32_t order;
  std::string_view one, more;
};
constexpr FenceWords kFences[] = {
    {__ATOMIC_ACQUIRE, "an acquire fence", "acquire fences"},
    {__ATOMIC_RELEASE, "a release fence", "release fences"},
    {__ATOMIC_ACQ_REL, "an acq_rel fence", "acq_rel fences"},
    {__ATOMIC_SEQ_CST, "a seq_cst fence", "seq_cst fences"},
};

// Collects what may help, without what is there already.
class Candidates {
 public:
  explicit Candidates(const NamedRun& run) : run_(run) {}

  std::vector<Strengthening> find() {
    for (const StaleRead& stale : stale_reads(run_.trace.record())) {
      const uint32_t read = step_of(run_.trace, stale.thread, stale.event);
      if (read == kNoStep) continue;
      synchronisations_before(read);
      const uint32_t newer = step_of(run_.trace, stale.newest_writer, stale.newest_event);
      fences(read, newer);
      fences_of_who_saw(read, newer);
    }
    const channel::RunRecord& record = run_.trace.record();
    if (record.end.outcome == channel::Outcome::race && stale_reads(record).empty()) {
      synchronisations_before(static_cast<uint32_t>(run_.trace.steps().size()));
    }
    std::ranges::stable_sort(found_, {}, weight);
    if (found_.size() > kMost) found_.resize(kMost);
    return std::move(found_);
  }

 private:
  static constexpr size_t kMost = 40;
  static constexpr size_t kMostEdges = 12;

  const Step& step(uint32_t i) const { return run_.trace.steps()[i]; }
  static bool is_atomic(OpKind kind) {
    return kind == OpKind::atomic_load || kind == OpKind::atomic_store ||
           kind == OpKind::atomic_rmw;
  }
  bool is_atomic(uint32_t i) const { return is_atomic(step(i).event->kind); }
  // Its order in the program; relaxed when that is not known.
  int order(uint32_t i) const {
    const uint8_t order = step(i).event->order;
    return order == 0 ? __ATOMIC_RELAXED : order - 1;
  }
  OrderChange site(uint32_t i, int order, uint32_t fence = 0) const {
    return {.location = run_.symbols.location_of(step(i).event->pc),
            .order = order,
            .fence = fence,
            .rule = OrderChange::Rule::at_least,
            .was = channel::kNoOrder,
            .failure = channel::kNoOrder,
            .failure_was = channel::kNoOrder};
  }

  OrderChange fence_before(uint32_t i, uint32_t order = __ATOMIC_SEQ_CST) const {
    return site(i, __ATOMIC_RELAXED, order);
  }

  // Few places before many, orders before fences, what is cheap before what is not.
  static size_t weight(const Strengthening& what) {
    size_t sum = 0;
    for (const OrderChange& site : what) {
      sum += 10 + (site.order == __ATOMIC_ACQ_REL ? 1 : 0) +
             (site.fence == __ATOMIC_SEQ_CST ? 3
              : site.fence != 0              ? 2
                                             : 0);
    }
    return sum;
  }

  void add(const Strengthening& what) {
    const Strengthening whole = joined(what, {});
    const auto same = [&](const Strengthening& other) {
      return std::ranges::equal(whole, other, [](const OrderChange& a, const OrderChange& b) {
        return a.location == b.location && a.order == b.order && a.fence == b.fence;
      });
    };
    const bool unknown =
        std::ranges::any_of(whole, [](const OrderChange& site) { return site.location == 0; });
    if (!whole.empty() && !unknown && std::ranges::none_of(found_, same)) found_.push_back(whole);
  }

  // Who has read what another thread stored could have learned all that this one knew. The last
  // before the step first.
  void synchronisations_before(uint32_t step_behind) {
    size_t edges = 0;
    for (uint32_t load = step_behind; load-- > 0 && edges < kMostEdges;) {
      const channel::TraceEvent& event = *step(load).event;
      if (event.kind != OpKind::atomic_load && event.kind != OpKind::atomic_rmw) continue;
      const uint32_t store = source_of(load);
      if (store == kNoStep || !is_atomic(store)) continue;
      if (step(store).event->thread == event.thread) continue;
      ++edges;
      Strengthening both;
      if (!acquires(order(load))) both.push_back(site(load, __ATOMIC_ACQUIRE));
      if (!releases(order(store))) both.push_back(site(store, __ATOMIC_RELEASE));
      for (const OrderChange& one : both) add({one});
      add(both);
      if (!releases(order(store))) add({fence_before(store, __ATOMIC_RELEASE)});
    }
  }

  uint32_t source_of(uint32_t load) const {
    const channel::TraceEvent& event = *step(load).event;
    if (event.stale != 0) {
      for (const StaleRead& stale : stale_reads(run_.trace.record())) {
        if (stale.thread == event.thread && stale.event == event.event) {
          return step_of(run_.trace, stale.writer, stale.writer_event);
        }
      }
    }
    return step(load).source == kInitially ? kNoStep : step(load).source;
  }

  // Each stores and then looks at what the other stored: acquire and release do not help, only a
  // fence between the two. Operations that are sequentially consistent instead are not proposed:
  // mixed with weaker ones the model allows less than C++ does.
  // Who read several variables before, or stores several behind, needs but one fence for all.
  void fences(uint32_t read, uint32_t newer) {
    add({fence_before(read, __ATOMIC_ACQUIRE)});
    add({fence_before(read)});
    if (newer == kNoStep || !is_atomic(newer)) return;
    for (const bool any : {false, true}) {
      const uint32_t next = next_behind(newer, any);
      if (next == kNoStep) continue;
      add({fence_before(next, __ATOMIC_RELEASE)});
      add({fence_before(next)});
      add({fence_before(read, __ATOMIC_ACQUIRE), fence_before(next, __ATOMIC_RELEASE)});
      add({fence_before(read), fence_before(next)});
    }
  }

  // A third thread has seen what the reader has not, and then looked elsewhere: the two agree about
  // what came first if each has a fence between its looks.
  void fences_of_who_saw(uint32_t read, uint32_t newer) {
    if (newer == kNoStep) return;
    for (uint32_t saw = newer + 1; saw < run_.trace.steps().size(); ++saw) {
      const channel::TraceEvent& event = *step(saw).event;
      if (event.kind != OpKind::atomic_load && event.kind != OpKind::atomic_rmw) continue;
      if (event.thread == step(read).event->thread || source_of(saw) != newer) continue;
      const uint32_t next = next_behind(saw, true);
      if (next != kNoStep) add({fence_before(read), fence_before(next)});
    }
  }

  // The next atomic operation of the step's thread, or the next that reads.
  uint32_t next_behind(uint32_t before, bool any) const {
    for (const uint32_t i : run_.trace.of_thread(step(before).event->thread)) {
      if (i <= before || !is_atomic(i)) continue;
      if (any || step(i).event->kind != OpKind::atomic_store) return i;
    }
    return kNoStep;
  }

  const NamedRun& run_;
  std::vector<Strengthening> found_;
};

}  // namespace

bool is_of_weak_memory(const channel::RunRecord& record) { return record.stale_count != 0; }

Explanation explain_stale_reads(const NamedRun& failing, uint64_t sequential) {
  Explanation result;
  const auto all = stale_reads(failing.trace.record());
  if (all.empty()) return result;
  const auto reads =
      static_cast<uint64_t>(std::ranges::count(all, ChoiceKind::stale, &StaleRead::kind));
  const uint64_t places = all.size() - reads;
  std::string what = reads == 0 ? "" : count(reads, "stale read");
  if (places != 0) {
    what += fmt::format("{}{} behind others", what.empty() ? "" : " and ", count(places, "store"));
  }
  std::string first = fmt::format("{} weak memory: {}", sequential != 0 ? "Needs" : "With", what);
  if (sequential != 0) {
    first += fmt::format("; no sequentially consistent schedule of {} tried shows it",
                         thousands(sequential));
  }
  result.sentences.push_back(first + ".");
  constexpr size_t kMostTold = 3;
  StaleText text(failing);
  for (const StaleRead& stale : all) {
    if (result.sentences.size() > kMostTold) break;
    text.add(stale, result);
  }
  return result;
}

std::vector<Strengthening> strengthenings(const NamedRun& failing) {
  return failing.trace.empty() ? std::vector<Strengthening>{} : Candidates(failing).find();
}

Strengthening joined(const Strengthening& a, const Strengthening& b) {
  Strengthening both;
  for (const Strengthening* from : {&a, &b}) {
    for (const OrderChange& site : *from) {
      const auto known = std::ranges::find(both, site.location, &OrderChange::location);
      if (known == both.end()) {
        both.push_back(site);
      } else {
        known->order = stronger_of(known->order, site.order);
        known->fence = static_cast<uint32_t>(
            stronger_of(static_cast<int>(known->fence), static_cast<int>(site.fence)));
      }
    }
  }
  return both;
}

std::string strengthening_text(const Strengthening& what, Symbolizer& symbols) {
  const auto place = [&](const OrderChange& site) {
    const Frame frame = symbols.line_that_matters(symbols.address_of(site.location));
    return std::tuple(frame.file, frame.line, source(frame));
  };
  const auto places_of = [&](const auto& is_wanted) {
    std::set<std::tuple<std::string, int, std::string>> places;
    for (const OrderChange& site : what) {
      if (is_wanted(site)) places.insert(place(site));
    }
    std::vector<std::string> names;
    names.reserve(places.size());
    for (const auto& [file, line, name] : places) names.push_back(name);
    return names;
  };
  std::vector<std::string> parts;
  for (const int order : {__ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST}) {
    const auto places = places_of([&](const OrderChange& site) { return site.order == order; });
    if (!places.empty())
      parts.push_back(fmt::format("{} at {}", order_name(order), listed(places)));
  }
  for (const auto& [order, one, more] : kFences) {
    const uint32_t fence = order;  // clang captures no binding
    const auto fenced = places_of([&](const OrderChange& site) { return site.fence == fence; });
    if (fenced.empty()) continue;
    parts.push_back(fmt::format("{} before {}", fenced.size() == 1 ? one : more, listed(fenced)));
  }
  return listed(parts);
}

}  // namespace jostle::report
