// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/lock_order_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/explain/lock_cycles.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr size_t kMostOrdersInBrief = 10;

std::string site(uint64_t location, report::Symbolizer& symbols) {
  const uintptr_t pc = symbols.address_of(location);
  return pc == 0 ? symbols.where(location) : report::source(symbols.line_that_matters(pc));
}

// Where the lock was taken, as far as the program's author is concerned. False: it is not known.
bool find_line(const LockEdge::Lock& lock, report::Symbolizer& symbols, report::Frame* line) {
  channel::Stack stack{};
  stack.pc[0] = symbols.address_of(lock.site);
  if (stack.pc[0] == 0) return false;
  for (const uint64_t caller : lock.callers) {
    const uintptr_t pc = caller == 0 ? 0 : symbols.address_of(caller);
    if (pc == 0) break;
    stack.pc[++stack.depth] = pc;
  }
  ++stack.depth;
  *line = symbols.line_that_matters(stack);
  return true;
}

std::string taken_at(const LockEdge::Lock& lock, report::Symbolizer& symbols) {
  report::Frame line;
  return find_line(lock, symbols, &line) ? report::source(line) : symbols.where(lock.site);
}

report::CodeLine line_of(const LockEdge::Lock& lock, report::Symbolizer& symbols) {
  report::Frame line;
  if (!find_line(lock, symbols, &line)) return {};
  return {line.file, line.line};
}

std::string name_of(const LockEdge::Lock& lock, report::Symbolizer& symbols) {
  if (lock.place == 0) return "a lock";
  if (lock.is_global == 0) {
    const std::string offset = lock.offset == 0 ? "" : fmt::format("+{}", lock.offset);
    return fmt::format("heap block{} of {}", offset, site(lock.place, symbols));
  }
  const uintptr_t address = symbols.address_of(lock.place);
  const std::string name = address == 0 ? "" : symbols.variable(address);
  return name.empty() ? symbols.where(lock.place) : name;
}

}  // namespace

std::vector<LockOrderWarning> lock_order_warnings(const Hub& hub, report::Symbolizer& symbols) {
  const uint32_t count = std::min(hub.lock_edges_claimed.load(), kMostLockEdges);
  std::vector<LockOrderWarning> warnings;
  for (const report::LockCycle& cycle : report::find_lock_cycles({hub.lock_edges, count})) {
    LockOrderWarning warning;
    for (const LockEdge* edge : cycle) {
      warning.steps.push_back({name_of(edge->held, symbols), taken_at(edge->held, symbols),
                               name_of(edge->wanted, symbols), taken_at(edge->wanted, symbols),
                               edge->schedule_number, line_of(edge->held, symbols),
                               line_of(edge->wanted, symbols)});
    }
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

std::string describe_lock_order(const std::vector<LockOrderWarning>& warnings, size_t columns) {
  if (warnings.empty()) return {};
  std::string text = fmt::format("{} (a run may deadlock there)\n",
                                 report::count(warnings.size(), "lock-order warning"));
  for (size_t i = 0; i < std::min(warnings.size(), kMostOrdersInBrief); ++i) {
    std::string line;
    for (const LockOrderWarning::Step& step : warnings[i].steps) {
      line += fmt::format("{} {} ({}), then {} ({})",
                          line.empty() ? "one thread takes" : "; another takes", step.held,
                          step.held_at, step.wanted, step.wanted_at);
    }
    text += "  " + report::wrap_words(line, columns - 2, "      ") + "\n";
  }
  if (warnings.size() > kMostOrdersInBrief) {
    text += fmt::format("  … {} more\n", warnings.size() - kMostOrdersInBrief);
  }
  return text;
}

}  // namespace jostle::cli
