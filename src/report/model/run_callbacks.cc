// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/run_callbacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/report/symbols/function_names.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

constexpr size_t kMostShown = 4096;

std::string trigger_text(const channel::CallbackRecord& record) {
  switch (record.trigger) {
    case channel::Trigger::descriptor:
      return fmt::format("descriptor {}", record.descriptor);
    case channel::Trigger::timer:
      return "timer";
    default:
      return {};
  }
}

// "main::{lambda(int)#1}" out of a handler's type, with what it is defined in.
std::string lambda_in(std::string_view function) {
  const size_t lambda = function.find("::{lambda");
  if (lambda == std::string_view::npos) return {};
  // Back to where the type begins: behind the bracket or comma that is not closed before it.
  size_t begin = lambda;
  for (int depth = 0; begin > 0; --begin) {
    const char c = function[begin - 1];
    if (c == ')' || c == '>' || c == '}') ++depth;
    if (c == '(' || c == '<' || c == '{') {
      if (depth == 0) break;
      --depth;
    }
    if (depth == 0 && (c == ',' || c == ' ')) break;
  }
  const std::string_view owner = function.substr(begin, lambda - begin);
  return fmt::format("lambda in {}", readable_function(owner));
}

bool is_library(std::string_view function) {
  const std::string_view name = function.substr(0, function.find('('));
  return name.find("asio::") != std::string_view::npos || name.starts_with("std::") ||
         name.find(" std::") != std::string_view::npos;
}

// The n-th call of this name by its thread, for comparing two runs; `triggers`: and for this
// reason.
using Key = std::pair<std::string, uint32_t>;

std::vector<Key> keys_of(const std::vector<Callback>& callbacks, bool triggers) {
  std::map<std::string, uint32_t> seen;
  std::vector<Key> keys;
  for (const Callback& callback : callbacks) {
    const std::string name = triggers ? callback.name + '\n' + callback.trigger : callback.name;
    keys.emplace_back(name, seen[name]++);
  }
  return keys;
}

std::string place_text(const Callback& callback) {
  if (callback.line == 0) return {};
  return fmt::format("{}:{}", base_name(callback.file), callback.line);
}

}  // namespace

std::string callback_name(std::string_view function) {
  // A parallel region of OpenMP is no event.
  if (function.empty() || function_of_region(function)) return {};
  if (is_library(function)) {
    return function.find("do_complete") == std::string_view::npos ? "" : lambda_in(function);
  }
  return readable_function(function);
}

// The loop may have called a function of its own, and that the program's: the first that has a name
// gives it, and the place is the program's, not the library's.
static void complete(Callback& callback, const Frame& frame) {
  const std::string name = callback_name(frame.function);
  if (callback.name.empty()) callback.name = name;
  if (callback.line != 0 || name != callback.name || is_library(frame.function)) return;
  callback.file = frame.file;
  callback.line = frame.line;
}

std::string callback_text(const Callback& callback) {
  std::string details = place_text(callback);
  if (!callback.trigger.empty()) details += (details.empty() ? "" : ", ") + callback.trigger;
  return details.empty() ? callback.name : fmt::format("{} ({})", callback.name, details);
}

namespace {

// Puts together what belongs to a callback: the function that a loop called, and functions that
// this one called.
class Collector {
 public:
  Collector(const channel::RunRecord& record, Symbolizer& symbols)
      : record_(record), symbols_(symbols) {}

  std::vector<Callback> collect() {
    const size_t count = std::min(record_.callback_count, channel::kMaxCallbacks);
    calls_.resize(count);
    for (size_t i = 0; i < count && result_.size() < kMostShown; ++i) {
      const channel::CallbackRecord& one = record_.callbacks[i];
      if (one.inside > i) continue;
      const size_t outer = one.inside ? one.inside - 1 : i;
      const channel::CallbackRecord& call = record_.callbacks[outer];
      if (call.inside != 0 || call.trigger == channel::Trigger::none) continue;
      // The function itself, not what the optimiser put into it.
      const Frame& frame = symbols_.frames(one.function).back();
      if (one.inside == 0) {
        begin(calls_[i], one, frame);
      } else if (calls_[outer].is_part_of_loop) {
        go_on(calls_[outer], call, one, frame);
      } else {
        complete(result_[calls_[outer].callback], frame);
      }
    }
    std::erase_if(result_, [](const Callback& callback) { return callback.name.empty(); });
    return std::move(result_);
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;
  struct Call {
    // A function that the loop calls by its name was not handed to it: what that one calls by a
    // pointer was.
    bool is_part_of_loop = false;
    size_t callback = kNone;  // in the result: the one that runs
    uint32_t depth = 0;       // of it
  };

  void begin(Call& call, const channel::CallbackRecord& one, const Frame& frame) {
    call.is_part_of_loop = one.by_name != 0;
    if (!call.is_part_of_loop) add(call, one, one, frame);
  }

  void go_on(Call& call, const channel::CallbackRecord& outer, const channel::CallbackRecord& one,
             const Frame& frame) {
    if (call.callback != kNone && one.depth > call.depth) {
      return complete(result_[call.callback], frame);
    }
    if (call.callback != kNone) result_[call.callback].end = one.begin;
    call.callback = kNone;
    if (one.by_name != 0) return;
    add(call, outer, one, frame);
    // Its end is that of the call around it, which may not have come to one.
    if (outer.end == UINT64_MAX && !is_on_failing_stack(frame)) {
      result_[call.callback].end = one.begin;
    }
  }

  void add(Call& call, const channel::CallbackRecord& outer, const channel::CallbackRecord& one,
           const Frame& frame) {
    call.callback = result_.size();
    call.depth = one.depth;
    // What a loop in a library's templates calls first, it may call for anything.
    result_.push_back({.thread = one.thread,
                       .name = {},
                       .trigger = is_library(frame.function) ? "" : trigger_text(one),
                       .begin = one.begin,
                       .end = outer.end,
                       .clock = one.clock});
    complete(result_.back(), frame);
  }

  bool is_on_failing_stack(const Frame& function) {
    const channel::Stack& stack = record_.end.stack;
    for (uint32_t i = 0; i < std::min<uint32_t>(stack.depth, channel::kMaxStack); ++i) {
      if (symbols_.frames(stack.pc[i]).back().function == function.function) return true;
    }
    return false;
  }

  const channel::RunRecord& record_;
  Symbolizer& symbols_;
  std::vector<Callback> result_;
  std::vector<Call> calls_;  // by the index of the record
};

}  // namespace

std::vector<Callback> callbacks_of(const channel::RunRecord& record, Symbolizer& symbols) {
  return Collector(record, symbols).collect();
}

// Where there is less room the line is broken instead.
constexpr size_t kShortestCallback = 24;

std::string callbacks_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                            size_t most, size_t columns) {
  const std::vector<Callback> all = callbacks_of(record, symbols);
  if (all.size() < 2) return {};
  std::vector<uint32_t> threads;
  for (const Callback& callback : all) {
    if (std::ranges::find(threads, callback.thread) == threads.end()) {
      threads.push_back(callback.thread);
    }
  }
  std::ranges::sort(threads);
  const size_t first = all.size() > most ? all.size() - most : 0;
  size_t label_width = 0;
  for (const uint32_t thread : threads)
    label_width = std::max(label_width, width(names.label(thread)));
  const size_t rest = 8 + 2 + label_width + 2 + 12 + 2 + 3;  // number, thread, time, mark
  const size_t room = columns > rest + kShortestCallback ? columns - rest : kShortestCallback;
  std::string text = fmt::format("  the callbacks, {}\n", count(all.size(), "call"));
  if (first != 0) text += fmt::format("      … {} before these\n", thousands(first));
  for (size_t i = first; i < all.size(); ++i) {
    const bool is_last = all[i].end == UINT64_MAX && all[i].thread == record.end.thread;
    text += fmt::format("  {:>6}  {}  {:>9.3f} ms  {}{}\n", i + 1,
                        pad(names.label(all[i].thread), label_width),
                        static_cast<double>(all[i].clock) / 1e6,
                        shorten(callback_text(all[i]), room), is_last ? "  ✗" : "");
  }
  return text;
}

namespace {

std::string first_difference(const std::vector<Callback>& failing,
                             const std::vector<Callback>& passing, bool triggers) {
  const std::vector<Key> fails = keys_of(failing, triggers);
  const std::vector<Key> passes = keys_of(passing, triggers);
  size_t i = 0;
  while (i < fails.size() && i < passes.size() && fails[i] == passes[i]) ++i;
  if (i == fails.size() || i == passes.size()) return {};
  const auto later =
      std::ranges::find(passes.begin() + static_cast<std::ptrdiff_t>(i), passes.end(), fails[i]);
  if (later == passes.end()) {
    return fmt::format("Here {0} runs where {1} runs in a schedule that passes.",
                       callback_text(failing[i]), callback_text(passing[i]));
  }
  return fmt::format("Here {0} runs before {1}; a schedule in which {1} runs first passes.",
                     callback_text(failing[i]), callback_text(passing[i]));
}

}  // namespace

// Calls of one function for different descriptors have to be told apart only where nothing else is
// different.
std::string callback_difference(const std::vector<Callback>& failing,
                                const std::vector<Callback>& passing) {
  const std::string text = first_difference(failing, passing, false);
  return text.empty() ? first_difference(failing, passing, true) : text;
}

}  // namespace jostle::report
