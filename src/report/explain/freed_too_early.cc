// SPDX-License-Identifier: Apache-2.0
// What is used after it was freed: would it have helped to wait with freeing it?
#include <fmt/format.h>

#include <algorithm>

#include "src/report/explain/explain.h"
#include "src/report/explain/sentence.h"
#include "src/report/model/freed_block.h"
#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

// The block that the run ended with, if another thread than the failing one has freed it; or null.
const channel::ObjectRecord* freed_by_another(const channel::RunRecord& record) {
  const channel::ObjectRecord* block = freed_block(record);
  return block == nullptr || block->freed_by == record.end.thread ? nullptr : block;
}

}  // namespace

std::optional<Suspicion> freed_too_early(const NamedRun& failing) {
  const channel::ObjectRecord* block = freed_by_another(failing.trace.record());
  if (block == nullptr) return std::nullopt;
  // To free is no operation of the schedule: the thread waits with the last one before that.
  uint32_t last = kNoStep;
  for (const uint32_t i : failing.trace.of_thread(block->freed_by)) {
    if (failing.trace.steps()[i].event->event < block->freed_event) last = i;
  }
  if (last == kNoStep) return std::nullopt;
  const Step& held = failing.trace.steps()[failing.trace.before_locks(last)];
  Suspicion suspicion;
  suspicion.claim = {Claim::Kind::after, block->freed_by, held.event->event, kNoThread, UINT64_MAX};
  suspicion.says.sentences.push_back(
      fmt::format("When {} waits for the others before that, it passes.",
                  failing.names.title(block->freed_by)));
  return suspicion;
}

bool is_about_pointer_to_freed(const Suspicion& suspicion, const NamedRun& failing) {
  const channel::RunRecord& record = failing.trace.record();
  const channel::ObjectRecord* block = freed_by_another(record);
  if (block == nullptr || suspicion.held.event == 0) return false;
  const uintptr_t begin = block->address - block->offset;
  return std::ranges::any_of(failing.trace.of_thread(record.end.thread), [&](uint32_t i) {
    const channel::TraceEvent& event = *failing.trace.steps()[i].event;
    return event.event == suspicion.held.event && event.object == suspicion.held.object &&
           event.value_known != 0 && event.value - begin < block->size;
  });
}

}  // namespace jostle::report
