// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/same_operation.h"

#include <algorithm>

namespace jostle::report {
namespace {

bool is_library_file(std::string_view file) {
  constexpr std::string_view kFolders[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/"};
  return std::ranges::any_of(kFolders, [&](std::string_view f) { return file.starts_with(f); });
}

}  // namespace

bool is_own(const NamedRun& run, uint32_t step) {
  const Frame frame = run.symbols.line_that_matters(run.trace.steps()[step].event->pc);
  return !frame.plumbing && !is_library_file(frame.file);
}

uint32_t find_exactly(const NamedRun& run, const Suspicion::Operation& wanted) {
  const auto steps = run.trace.steps();
  for (uint32_t i = 0; i < steps.size(); ++i) {
    const channel::TraceEvent& event = *steps[i].event;
    if (event.event == wanted.event && run.trace.path(event.thread) == wanted.path) return i;
  }
  return kNoStep;
}

bool touches(const channel::TraceEvent& event, const Suspicion::Operation& wanted) {
  channel::TraceEvent like{};
  like.kind = wanted.kind;
  like.object = wanted.object;
  like.size = wanted.size;
  return same_place(event, like);
}

uint32_t find_same(const NamedRun& run, const Suspicion::Operation& wanted) {
  const uint32_t found = find_exactly(run, wanted);
  if (found == kNoStep) return kNoStep;
  const channel::TraceEvent& event = *run.trace.steps()[found].event;
  const bool same = operation_kind(event) == wanted.kind && touches(event, wanted) &&
                    run.symbols.location_of(event.pc) == wanted.place;
  return same ? found : kNoStep;
}

uint32_t times_before(const NamedRun& run, const Suspicion::Operation& wanted, uint32_t before) {
  const auto steps = run.trace.steps();
  uint32_t times = 0;
  for (uint32_t i = 0; i < std::min<size_t>(before, steps.size()); ++i) {
    const channel::TraceEvent& event = *steps[i].event;
    times += run.trace.path(event.thread) == wanted.path && touches(event, wanted) &&
             run.symbols.location_of(event.pc) == wanted.place;
  }
  return times;
}

Suspicion::Operation operation_of(const NamedRun& run, uint32_t step) {
  const channel::TraceEvent& event = *run.trace.steps()[step].event;
  return {run.trace.path(event.thread),      event.event,  operation_kind(event),
          run.symbols.location_of(event.pc), event.object, event.size};
}

}  // namespace jostle::report
