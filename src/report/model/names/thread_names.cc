// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/names/thread_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "src/report/symbols/function_names.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

constexpr size_t kLongestPath = 64;

// A function of a library that we know only by its exported names says nothing about a thread.
bool is_foreign(const Symbolizer& symbols, uintptr_t pc) {
  const Module* module = symbols.module_at(pc);
  return module != nullptr && !module->instrumented &&
         base_name(module->path).find(".so") != std::string_view::npos;
}

// One of the threads of a test's scenario, which are all alike: what it does is in the scenario.
bool plays_scenario(const History& history, uint32_t thread) {
  for (uint32_t i = 0; i < std::min(history.count, kMostOperations); ++i) {
    const HistoryOperation& one = history.operations[i];
    if (one.slot != 0 && one.call_at != 0 && one.thread == thread) return true;
  }
  return false;
}

bool is_openmp(std::string_view library) {
  return library.starts_with("libgomp.") || library.starts_with("libomp.") ||
         library.starts_with("libiomp");
}

// What a thread's function is never: the end of what it was given.
bool is_destructor(std::string_view function) {
  return function.find("::~") != function.npos || function.starts_with('~');
}

// The lambda that a std::thread runs, of which it is an argument: "lambda in main" from
// "std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#1}> > >::_M_run()".
std::string lambda_of_thread(std::string_view function) {
  constexpr std::string_view kInvoker = "std::thread::_Invoker<std::tuple<";
  // The innermost: std::async has a lambda of its own around it.
  const size_t begin = function.rfind(kInvoker);
  if (begin == function.npos) return {};
  function.remove_prefix(begin + kInvoker.size());
  for (const std::string_view lambda : {"::{lambda(", "::$_", "::'lambda"}) {
    const size_t at = function.find(lambda);
    // The first argument of the tuple is what is called.
    const std::string_view scope = function.substr(0, at);
    if (at == function.npos || scope.starts_with("std::") || scope.find('>') != scope.npos)
      continue;
    return "lambda in " + title_of(scope);
  }
  return {};
}

}  // namespace

std::string title_of(std::string_view function) {
  constexpr std::string_view kLambda = "lambda in ";
  const std::string name = readable_function(function);
  if (!name.starts_with(kLambda)) return test_name(name);
  return std::string(kLambda) + test_name(std::string_view(name).substr(kLambda.size()));
}

std::string spawn_path(std::span<const channel::ThreadRecord> threads, uint32_t index) {
  std::string path;
  uint32_t at = index;
  while (at != 0) {
    if (at >= threads.size() || threads[at].parent >= at) return fmt::format("#{}", index);
    path.insert(0, fmt::format(".{}", threads[at].ordinal));
    if (path.size() > kLongestPath) return fmt::format("#{}", index);
    at = threads[at].parent;
  }
  return "0" + path;
}

std::string ThreadNames::path(uint32_t thread) const {
  return spawn_path(threads(record_.schedule), thread);
}

std::string ThreadNames::label(uint32_t thread) const {
  if (thread == kNoThread) return "nobody";
  return thread == 0 ? "main" : fmt::format("T{}", thread);
}

const std::string& ThreadNames::start(uint32_t thread) {
  auto [entry, added] = starts_.try_emplace(thread);
  if (added && thread != 0) entry->second = find_start(thread);
  return entry->second;
}

std::string ThreadNames::title(uint32_t thread) {
  const std::string& routine = start(thread);
  return routine.empty() ? label(thread) : fmt::format("{} {}", label(thread), routine);
}

// A worker of OpenMP is known by the parallel region that it takes part in, if it is always one of
// the same function.
std::string ThreadNames::region_of_worker(uint32_t thread) {
  std::set<std::string> regions;
  const auto look = [&](uintptr_t pc) {
    for (const Frame& frame : symbols_.frames(pc)) {
      const std::optional<std::string> around = function_of_region(frame.function);
      if (!around) continue;
      // clang's have no name: what they begin with is the directive.
      const Frame& whole = symbols_.frames(pc).back();
      regions.insert(!around->empty()  ? "parallel region in " + title_of(*around)
                     : whole.line != 0 ? "parallel region at " + source(whole)
                                       : std::string("parallel region"));
      return;
    }
  };
  if (thread < channel::kMaxFirstStacks) {
    const channel::Stack& stack = record_.first_stacks[thread];
    for (uint32_t i = 0; i < std::min<uint32_t>(stack.depth, channel::kMaxStack); ++i) {
      look(stack.pc[i]);
    }
  }
  std::set<uintptr_t> seen;
  for (const channel::TraceEvent& event : trace(record_)) {
    if (event.thread == thread && seen.insert(event.pc).second) look(event.pc);
  }
  return regions.size() == 1 ? *regions.begin() : "OpenMP worker";
}

std::string ThreadNames::find_start(uint32_t thread) {
  if (plays_scenario(record_.history, thread)) return {};
  const auto table = threads(record_.schedule);
  if (thread >= table.size()) return {};
  const std::string_view given = bounded(table[thread].name);
  if (!given.empty()) return escape(given);
  const uintptr_t routine = table[thread].start_routine;
  if (routine == 0) return {};
  // A worker of a pool does whatever comes: what it did first is not what it is.
  if (is_foreign(symbols_, routine)) {
    const std::string_view library = base_name(symbols_.module_at(routine)->path);
    if (is_openmp(library)) return region_of_worker(thread);
    const Frame& frame = symbols_.frames(routine, PcKind::exact).back();
    if (!frame.plumbing) {
      return frame.function.empty() ? escape(library) : title_of(frame.function);
    }
  }
  const Frame& frame = symbols_.frames(routine, PcKind::exact).back();
  if (!frame.plumbing && !frame.function.empty()) return title_of(frame.function);
  if (thread < channel::kMaxFirstStacks) {
    std::string name = outermost_of(record_.first_stacks[thread]);
    if (!name.empty()) return name;
  }
  std::string name = start_from_stack(thread);
  return name.empty() ? start_from_trace(thread) : name;
}

// The outermost function of the program's own.
std::string ThreadNames::outermost_of(const channel::Stack& stack) {
  for (uint32_t i = std::min<uint32_t>(stack.depth, channel::kMaxStack); i-- > 0;) {
    const std::vector<Frame>& frames = symbols_.frames(stack.pc[i]);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      if (frame->plumbing || frame->function.empty() || is_destructor(frame->function)) continue;
      return title_of(frame->function);
    }
  }
  for (uint32_t i = std::min<uint32_t>(stack.depth, channel::kMaxStack); i-- > 0;) {
    for (const Frame& frame : symbols_.frames(stack.pc[i])) {
      if (std::string name = lambda_of_thread(frame.function); !name.empty()) return name;
    }
  }
  return {};
}

std::string ThreadNames::start_from_stack(uint32_t thread) {
  for (const channel::ThreadReport& report : reports(record_)) {
    if (report.thread == thread) return outermost_of(report.stack);
  }
  return {};
}

// The function of its first event: for a thread that is gone, the best there is.
std::string ThreadNames::start_from_trace(uint32_t thread) {
  if (!first_pcs_known_) {
    first_pcs_known_ = true;
    for (const channel::TraceEvent& event : trace(record_)) {
      if (first_pcs_.contains(event.thread)) continue;
      for (const Frame& frame : symbols_.frames(event.pc)) {
        if (frame.plumbing || frame.function.empty() || is_destructor(frame.function)) continue;
        first_pcs_[event.thread] = event.pc;
      }
    }
  }
  const auto first = first_pcs_.find(thread);
  if (first == first_pcs_.end()) return {};
  const std::vector<Frame>& frames = symbols_.frames(first->second);
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (!frame->plumbing && !frame->function.empty()) return title_of(frame->function);
  }
  return {};
}

}  // namespace jostle::report
