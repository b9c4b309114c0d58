// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/library_wait.h"

#include <algorithm>
#include <string_view>

#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

constexpr std::string_view kStandard = "std::";

std::string without_template_arguments(std::string_view name) {
  std::string text;
  int depth = 0;
  for (const char c : name) {
    if (c == '<') ++depth;
    if (depth == 0) text += c;
    if (c == '>') --depth;
  }
  return text;
}

void replace(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
}

// What the library looked at before it went to sleep, in this very call.
std::string looked_at(const channel::ThreadReport& thread, const std::string& place, Names& names) {
  const auto events = trace(names.record());
  for (size_t i = events.size(); i-- > 0;) {
    const channel::TraceEvent& event = events[i];
    if (event.thread != thread.thread || event.kind == OpKind::futex_wait) continue;
    if (source(names.symbols().line_that_matters(event.pc)) != place) return {};
    if (!is_memory(event.kind) || event.object == 0) continue;
    std::string name = names.object(event.object);
    if (!is_of_library(name)) return name;
  }
  return {};
}

}  // namespace

bool is_of_library(std::string_view object) {
  return object.empty() || object.starts_with(kStandard) || object.starts_with("stack of") ||
         object.starts_with("0x") || object.starts_with("__");
}

std::string public_function(const std::string& function) {
  if (!function.starts_with(kStandard) && function.find(" std::") == std::string::npos) return {};
  std::string name = without_template_arguments(short_function(function));
  // Base classes that a program knows by the names of what is derived from them.
  replace(name, "__basic_future", "future");
  replace(name, "__atomic_base", "atomic");
  replace(name, "std::__cxx11::", "std::");
  replace(name, "std::__1::", "std::");
  if (!name.starts_with(kStandard) || name.find("::_") != std::string::npos) return {};
  return name;
}

namespace {

// The last function of the library at this place before the program's own code. False: there is
// none of the program's own.
bool outermost_call(uintptr_t pc, Names& names, std::string& function) {
  for (const Frame& frame : names.symbols().frames(pc)) {
    if (!frame.plumbing) return true;
    if (std::string name = public_function(frame.function); !name.empty()) {
      function = std::move(name);
    }
  }
  return false;
}

std::string outermost_call(const channel::Stack& stack, Names& names) {
  std::string function;
  const uint32_t depth = std::min<uint32_t>(stack.depth, channel::kMaxStack);
  for (uint32_t i = 0; i < depth && !outermost_call(stack.pc[i], names, function); ++i) {
  }
  return function;
}

// std::atomic<int>::load is as good as a read of the int.
std::string unless_plain(const std::string& function) {
  const bool is_plain = function.starts_with("std::atomic") && !function.ends_with("::wait") &&
                        function.find("::notify_") == std::string::npos;
  return is_plain ? "" : function;
}

}  // namespace

std::string library_call(const channel::Stack& stack, Names& names) {
  return unless_plain(outermost_call(stack, names));
}

std::string library_call(uintptr_t pc, Names& names) {
  std::string function;
  return outermost_call(pc, names, function) ? unless_plain(function) : "";
}

bool is_inside_library(OpKind kind, uintptr_t object, Names& names) {
  return kind == OpKind::once && names.object(object).starts_with("shared state");
}

bool is_nobodys_business(const channel::HeldLock& lock, Names& names) {
  const auto waits_for_it = [&](const channel::ThreadReport& thread) {
    return thread.state == channel::ThreadState::blocked && thread.pending.object == lock.object;
  };
  return is_inside_library(lock.kind, lock.object, names) &&
         std::ranges::none_of(reports(names.record()), waits_for_it);
}

LibraryWait library_wait(const channel::ThreadReport& thread, Names& names) {
  const Operation& op = thread.pending;
  if (op.kind != OpKind::futex_wait && !is_inside_library(op.kind, op.object, names)) return {};
  LibraryWait wait;
  wait.function = outermost_call(thread.stack, names);
  if (wait.function.empty()) return {};
  wait.object = names.object(thread.pending.object);
  if (wait.object.starts_with(kStandard)) {
    const std::string place = source(names.symbols().line_that_matters(thread.stack));
    wait.object = looked_at(thread, place, names);
  }
  return wait;
}

}  // namespace jostle::report
