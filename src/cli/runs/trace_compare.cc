// SPDX-License-Identifier: Apache-2.0
#include "src/cli/runs/trace_compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/model/failure_kinds.h"
#include "src/report/model/names/names.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using channel::TraceEvent;

struct TracePlace {
  uint64_t module = 0;
  uint64_t offset = 0;
  bool operator==(const TracePlace&) const = default;
};

// One run with what it takes to name its addresses. Traces are long and mostly stay in one module.
class ComparedRun {
 public:
  explicit ComparedRun(const channel::Channel& channel)
      : symbols(report::modules(channel)), names(channel.record, symbols) {}

  TracePlace place(uintptr_t address) {
    if (last_ == nullptr || address < last_->begin || address >= last_->end) {
      last_ = symbols.module_at(address);
    }
    return last_ == nullptr ? TracePlace{} : TracePlace{last_->name_hash, address - last_->bias};
  }

  std::string describe(const TraceEvent& event) {
    return fmt::format("{} {} ({})", names.title(event.thread), report::op_name(event.kind),
                       report::source(symbols.line_that_matters(event.pc)));
  }

  report::Symbolizer symbols;
  report::Names names;

 private:
  const report::Module* last_ = nullptr;
};

bool same_event(ComparedRun& a, const TraceEvent& x, ComparedRun& b, const TraceEvent& y) {
  return x.thread == y.thread && x.kind == y.kind && x.event == y.event && x.size == y.size &&
         a.place(x.pc) == b.place(y.pc) && a.place(x.object) == b.place(y.object);
}

// Of an operation that a signal's handler has delayed, and that never came, there is none.
std::string number_of(const TraceEvent& event) {
  if (event.event == channel::kNotExecuted) return ", which was not executed";
  return fmt::format(", operation {} of its thread", report::thousands(event.event));
}

// Two events that are not the same, in words that are not either: what shows at their lines, and
// else what the traces tell them apart by.
std::string describe_both(ComparedRun& a, const TraceEvent& x, ComparedRun& b,
                          const TraceEvent& y) {
  const std::string first = a.describe(x), then = b.describe(y);
  const auto both = [&](const std::string& of_first, const std::string& of_then) {
    return fmt::format("first {}{}, then {}{}", first, of_first, then, of_then);
  };
  if (first != then) return both("", "");
  const std::string object = a.names.object(x.object), other = b.names.object(y.object);
  if (object != other) return both(" on " + object, " on " + other);
  if (is_memory(x.kind) && x.size != y.size) {
    return both(" of " + report::count(x.size, "byte"), " of " + report::count(y.size, "byte"));
  }
  if (x.event != y.event) return both(number_of(x), number_of(y));
  return fmt::format("both times {}, which is not the same operation of that line", first);
}

}  // namespace

std::optional<std::string> first_difference(const channel::Channel& a, const channel::Channel& b) {
  ComparedRun left(a), right(b);
  const auto x = report::trace(a.record), y = report::trace(b.record);
  const size_t common = std::min(x.size(), y.size());
  for (size_t i = 0; i < common; ++i) {
    if (same_event(left, x[i], right, y[i])) continue;
    return fmt::format("at event {}: {}", report::thousands(i + 1),
                       describe_both(left, x[i], right, y[i]));
  }
  if (x.size() != y.size()) {
    const bool left_longer = x.size() > y.size();
    const std::string more = left_longer ? left.describe(x[common]) : right.describe(y[common]);
    return fmt::format("at event {}: one run goes on with {}, the other ends",
                       report::thousands(common + 1), more);
  }
  const channel::Failure &end = a.record.end, &other = b.record.end;
  if (!report::same_failure(end, other)) {
    const std::string first = report::summary(end), then = report::summary(other);
    if (first == then) return fmt::format("at the end: {}, but not at the same place", first);
    return fmt::format("at the end: first {}, then {}", first, then);
  }
  if (a.record.schedule.digest != b.record.schedule.digest) return "in their schedules";
  return std::nullopt;
}

}  // namespace jostle::cli
