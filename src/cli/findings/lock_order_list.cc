// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/lock_order_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/report/explain/lock_cycles.h"
#include "src/report/model/names/thread_names.h"
#include "src/report/symbols/block_types.h"
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

// "Account.lock"; empty: what the block is does not show.
std::string member_of_block(const LockEdge::Lock& lock, uintptr_t pc, report::Symbolizer& symbols) {
  if (pc == 0 || lock.size == 0) return {};
  channel::Stack allocated{};
  allocated.depth = 1;
  allocated.pc[0] = pc;
  const std::optional<report::BlockType> type =
      report::BlockTypes(symbols).allocated(allocated, lock.size);
  if (!type) return {};
  return report::BlockTypes::name(*type, lock.size, lock.offset, 0).name;
}

// "accounts", "a variable of main"; a function of a library says nothing to a reader.
std::string name_of_local(const LockEdge::Lock& lock, report::Symbolizer& symbols) {
  const uintptr_t pc = symbols.address_of(lock.place);
  if (pc == 0) return "a lock";
  std::string name = symbols.local(pc, lock.offset, lock.size).name;
  if (!name.empty()) return name;
  const report::Frame frame = symbols.line_that_matters(pc);
  if (frame.plumbing || frame.function.empty()) return "a lock";
  return "a variable of " + report::title_of(frame.function);
}

std::string name_of(const LockEdge::Lock& lock, report::Symbolizer& symbols) {
  if (lock.place == 0) return "a lock";
  if (lock.memory == LockEdge::Lock::kStack) return name_of_local(lock, symbols);
  if (lock.memory == LockEdge::Lock::kHeap) {
    const uintptr_t pc = symbols.address_of(lock.place);
    const std::string of =
        pc == 0 || symbols.line_that_matters(pc).plumbing ? "" : " of " + site(lock.place, symbols);
    if (const std::string member = member_of_block(lock, pc, symbols); !member.empty()) {
      return member + of;
    }
    if (of.empty() && pc != 0) return "a lock on the heap";
    const std::string offset = lock.offset == 0 ? "" : fmt::format("+{}", lock.offset);
    return fmt::format("heap block{} of {}", offset, site(lock.place, symbols));
  }
  const uintptr_t address = symbols.address_of(lock.place);
  const std::string name = address == 0 ? "" : symbols.variable(address);
  return name.empty() ? symbols.where(lock.place) : name;
}

// Variables of two parts of one function may lie in the same place: then what one thread holds is
// not what another wants.
bool is_one_variable(const LockEdge::Lock& wanted, const LockEdge::Lock& held,
                     report::Symbolizer& symbols) {
  if (wanted.memory != LockEdge::Lock::kStack || held.memory != LockEdge::Lock::kStack) return true;
  return name_of_local(wanted, symbols) == name_of_local(held, symbols);
}

bool is_one_cycle(const report::LockCycle& cycle, report::Symbolizer& symbols) {
  for (size_t i = 0; i < cycle.size(); ++i) {
    const LockEdge& next = *cycle[(i + 1) % cycle.size()];
    if (!is_one_variable(cycle[i]->wanted, next.held, symbols)) return false;
  }
  return true;
}

}  // namespace

std::vector<LockOrderWarning> lock_order_warnings(const Hub& hub, report::Symbolizer& symbols) {
  const uint32_t count = std::min(hub.lock_edges_claimed.load(), kMostLockEdges);
  std::vector<LockOrderWarning> warnings;
  for (const report::LockCycle& cycle : report::find_lock_cycles({hub.lock_edges, count})) {
    if (!is_one_cycle(cycle, symbols)) continue;
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

std::vector<TakenBefore> taken_in_deadlock(const report::TraceModel& model) {
  std::vector<TakenBefore> taken;
  for (const report::ThreadModel& thread : model.threads) {
    if (!thread.in_cycle) continue;
    for (const report::HeldLockModel& lock : thread.holds) {
      taken.push_back({{lock.place.file, lock.place.line}, {thread.at.file, thread.at.line}});
    }
  }
  return taken;
}

bool is_found(const LockOrderWarning& warning, const std::vector<TakenBefore>& deadlock) {
  return std::ranges::all_of(warning.steps, [&](const LockOrderWarning::Step& step) {
    return std::ranges::any_of(deadlock, [&](const TakenBefore& taken) {
      return step.held_line.line != 0 && taken.held == step.held_line &&
             taken.wanted == step.wanted_line;
    });
  });
}

std::string describe_lock_order(const std::vector<LockOrderWarning>& warnings, size_t columns) {
  if (warnings.empty()) return {};
  std::string text =
      fmt::format("{} (a run may deadlock there, if only locks keep the threads apart)\n",
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
