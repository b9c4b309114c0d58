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
    const bool is_its_own =
        name.starts_with(kStandard) || name.starts_with("stack of") || name.starts_with("0x");
    if (!is_its_own) return name;
  }
  return {};
}

}  // namespace

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

LibraryWait library_wait(const channel::ThreadReport& thread, Names& names) {
  if (thread.pending.kind != OpKind::futex_wait) return {};
  LibraryWait wait;
  const uint32_t depth = std::min<uint32_t>(thread.stack.depth, channel::kMaxStack);
  // The last one before the program's own code.
  for (uint32_t i = 0; i < depth; ++i) {
    bool is_own = false;
    for (const Frame& frame : names.symbols().frames(thread.stack.pc[i])) {
      is_own = is_own || !frame.plumbing;
      if (is_own) break;
      if (std::string name = public_function(frame.function); !name.empty()) {
        wait.function = std::move(name);
      }
    }
    if (is_own) break;
  }
  if (wait.function.empty()) return {};
  wait.object = names.object(thread.pending.object);
  if (wait.object.starts_with(kStandard)) {
    const std::string place = source(names.symbols().line_that_matters(thread.stack));
    wait.object = looked_at(thread, place, names);
  }
  return wait;
}

}  // namespace jostle::report
