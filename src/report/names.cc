#include "src/report/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/report/record_view.h"
#include "src/report/text.h"

namespace jostle::report {
namespace {

constexpr size_t kLongestPath = 64;

// A function of a library that we know only by its exported names says nothing about a thread.
bool is_foreign(const Symbolizer& symbols, uintptr_t pc) {
  const Module* module = symbols.module_at(pc);
  return module != nullptr && !module->instrumented &&
         base_name(module->path).find(".so") != std::string_view::npos;
}

}  // namespace

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

std::string Names::path(uint32_t thread) const {
  return spawn_path(threads(record_.schedule), thread);
}

std::string Names::label(uint32_t thread) const {
  if (thread == kNoThread) return "nobody";
  return thread == 0 ? "main" : fmt::format("T{}", thread);
}

const std::string& Names::start(uint32_t thread) {
  auto [entry, added] = starts_.try_emplace(thread);
  if (added && thread != 0) entry->second = find_start(thread);
  return entry->second;
}

std::string Names::title(uint32_t thread) {
  const std::string& routine = start(thread);
  return routine.empty() ? label(thread) : fmt::format("{} {}", label(thread), routine);
}

std::string Names::find_start(uint32_t thread) {
  const auto table = threads(record_.schedule);
  if (thread >= table.size()) return {};
  const std::string_view given = bounded(table[thread].name);
  if (!given.empty()) return escape(given);
  const uintptr_t routine = table[thread].start_routine;
  if (routine == 0) return {};
  // A worker of a pool does whatever comes: what it did first is not what it is.
  if (is_foreign(symbols_, routine)) {
    const Frame& frame = symbols_.frames(routine, PcKind::exact).back();
    if (!frame.plumbing) {
      return frame.function.empty() ? escape(base_name(symbols_.module_at(routine)->path))
                                    : readable_function(frame.function);
    }
  }
  const Frame& frame = symbols_.frames(routine, PcKind::exact).back();
  if (!frame.plumbing && !frame.function.empty()) return readable_function(frame.function);
  if (thread < channel::kMaxFirstStacks) {
    std::string name = outermost_of(record_.first_stacks[thread]);
    if (!name.empty()) return name;
  }
  std::string name = start_from_stack(thread);
  return name.empty() ? start_from_trace(thread) : name;
}

// The outermost function of the program's own.
std::string Names::outermost_of(const channel::Stack& stack) {
  for (uint32_t i = std::min<uint32_t>(stack.depth, channel::kMaxStack); i-- > 0;) {
    const std::vector<Frame>& frames = symbols_.frames(stack.pc[i]);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      if (!frame->plumbing && !frame->function.empty()) return readable_function(frame->function);
    }
  }
  return {};
}

std::string Names::start_from_stack(uint32_t thread) {
  for (const channel::ThreadReport& report : reports(record_)) {
    if (report.thread == thread) return outermost_of(report.stack);
  }
  return {};
}

// The function of its first event: for a thread that is gone, the best there is.
std::string Names::start_from_trace(uint32_t thread) {
  if (!first_pcs_known_) {
    first_pcs_known_ = true;
    for (const channel::TraceEvent& event : trace(record_)) {
      if (first_pcs_.contains(event.thread)) continue;
      for (const Frame& frame : symbols_.frames(event.pc)) {
        if (!frame.plumbing && !frame.function.empty()) first_pcs_[event.thread] = event.pc;
      }
    }
  }
  const auto first = first_pcs_.find(thread);
  if (first == first_pcs_.end()) return {};
  const std::vector<Frame>& frames = symbols_.frames(first->second);
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (!frame->plumbing && !frame->function.empty()) return readable_function(frame->function);
  }
  return {};
}

std::string Names::local(const channel::ObjectRecord& object) {
  for (const channel::ThreadReport& report : reports(record_)) {
    if (report.thread == object.thread) return symbols_.local(report.stack, object.address);
  }
  return {};
}

// Of what the run did to each address: the first few places that did it.
const std::vector<Names::Access>& Names::accesses_to(uintptr_t address) {
  constexpr size_t kMostPlaces = 16;
  if (!accesses_known_) {
    accesses_known_ = true;
    for (const channel::TraceEvent& event : trace(record_)) {
      std::vector<Access>& list = accesses_[event.object];
      const bool known = std::ranges::find(list, event.pc, &Access::pc) != list.end();
      const uint32_t size = is_memory(event.kind) ? std::max<uint32_t>(event.size, 1) : 1;
      if (!known && list.size() < kMostPlaces) list.push_back({event.pc, size});
    }
  }
  return accesses_[address];
}

// By the types that those work on who access the block. Where these do not agree it is not known.
std::string Names::heap_member(const channel::ObjectRecord& object) {
  std::set<std::string> names;
  for (const Access& access : accesses_to(object.address)) {
    const std::set<std::string> here =
        symbols_.members_of_block(access.pc, object.size, object.offset, access.size);
    if (here.empty()) continue;
    if (here.size() == 1 && names.size() == 1 && here != names) return {};
    if (names.size() != 1) names = here;
  }
  return names.size() == 1 ? *names.begin() : std::string();
}

std::string Names::object(uintptr_t address) {
  if (address == 0) return "?";
  const auto [entry, is_new] = objects_.try_emplace(address);
  if (is_new) entry->second = find_object(address);
  return entry->second;
}

std::string Names::find_object(uintptr_t address) {
  if (std::string name = symbols_.variable(address); !name.empty()) return name;
  for (const channel::ObjectRecord& object : objects(record_)) {
    if (object.address != address) continue;
    const std::string offset = object.offset == 0 ? "" : fmt::format("+{}", object.offset);
    switch (object.region) {
      case channel::Region::heap: {
        const Frame site = symbols_.line_that_matters(object.allocated_at);
        if (const std::string member = heap_member(object); !member.empty()) {
          return site.where.empty() ? member : fmt::format("{} of {}", member, source(site));
        }
        if (site.where.empty()) return fmt::format("heap block{}", offset);
        return fmt::format("heap block{} of {}", offset, source(site));
      }
      case channel::Region::stack:
        if (std::string name = local(object); !name.empty()) return name;
        return fmt::format("stack of {}{}", label(object.thread), offset);
      case channel::Region::thread_local_storage:
        return fmt::format("thread_local of {}{}", label(object.thread), offset);
      case channel::Region::unknown:
        break;
    }
  }
  if (const Module* module = symbols_.module_at(address)) {
    return fmt::format("{}+{:#x}", escape(base_name(module->path)), address - module->bias);
  }
  return fmt::format("{:#x}", address);
}

}  // namespace jostle::report
