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

}  // namespace

std::optional<std::string> first_difference(const channel::Channel& a, const channel::Channel& b) {
  ComparedRun left(a), right(b);
  const auto x = report::trace(a.record), y = report::trace(b.record);
  const size_t common = std::min(x.size(), y.size());
  for (size_t i = 0; i < common; ++i) {
    if (same_event(left, x[i], right, y[i])) continue;
    std::string first = left.describe(x[i]), then = right.describe(y[i]);
    if (first == then) {  // the same line, another object
      first += " on " + left.names.object(x[i].object);
      then += " on " + right.names.object(y[i].object);
    }
    return fmt::format("at event {}: first {}, then {}", report::thousands(i + 1), first, then);
  }
  if (x.size() != y.size()) {
    const bool left_longer = x.size() > y.size();
    const std::string more = left_longer ? left.describe(x[common]) : right.describe(y[common]);
    return fmt::format("at event {}: one run goes on with {}, the other ends",
                       report::thousands(common + 1), more);
  }
  const channel::Failure &end = a.record.end, &other = b.record.end;
  if (!report::same_failure(end, other)) {
    return fmt::format("at the end: first {}, then {}", report::summary(end),
                       report::summary(other));
  }
  if (a.record.schedule.digest != b.record.schedule.digest) return "in their schedules";
  return std::nullopt;
}

}  // namespace jostle::cli
