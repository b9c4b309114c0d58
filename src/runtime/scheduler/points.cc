// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/points.h"

#include "src/runtime/fiber/clean_stack.h"
#include "src/runtime/modules/modules.h"

namespace jostle::rt {

JOSTLE_KEPT bool g_stops_at_entries = false;
JOSTLE_KEPT void (*g_watch_entry)(Thread& thread, uintptr_t pc) = nullptr;

void Points::set(const channel::Channel& channel) {
  channel_ = &channel;
  which_ = channel.config.points;
  stop_only_ = channel.config.stop_only != 0;
  g_stops_at_entries = g_watch_entry != nullptr || g_compares_memory;
  if (channel.config.stop_count == 0) return;
  for (uint32_t i = 0; i < channel.config.stop_count; ++i) {
    if (channel.stops[i].kinds & channel::kStopEntry) g_stops_at_entries = true;
  }
  if (!known_) known_ = static_cast<Known*>(engine_allocate(kKnown * sizeof(Known)));
}

uint32_t Points::look_up(uintptr_t pc) const {
  // It is a return address: the call itself may be the last instruction of the function.
  const channel::CodeLocation location = code_location(pc - 1);
  const channel::StopRange* stops = channel_->stops;
  uint32_t low = 0, high = channel_->config.stop_count;  // the first that ends behind `location`
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (stops[middle].end <= location) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool found = low < channel_->config.stop_count && stops[low].begin <= location;
  return found ? stops[low].kinds : 0;
}

uint32_t Points::stop_at(uintptr_t pc) {
  if (channel_->config.stop_count == 0) return 0;
  Known& known = known_[(pc >> 2) % kKnown];
  if (known.pc != pc) known = {pc, look_up(pc)};
  return known.kinds;
}

bool Points::is_inside(channel::StopKind kind, uintptr_t pc, const CallStack& calls) {
  if (channel_->config.stop_count == 0) return false;
  constexpr uint32_t kMostFrames = 16;
  if (stop_at(pc) & kind) return true;
  for (uint32_t i = 0; i < calls.depth() && i < kMostFrames; ++i) {
    if (stop_at(calls.caller(i)) & kind) return true;
  }
  return false;
}

uintptr_t Points::own_code(uintptr_t pc, const CallStack& calls) {
  uintptr_t own = pc;
  for (uint32_t i = 0; stop_at(own) == channel::kStopLibrary; ++i) {
    const uintptr_t caller = i < calls.depth() ? calls.caller(i) : 0;
    if (!is_instrumented_code(caller)) return pc;  // nobody's: a thread began there
    own = caller;
  }
  return own;
}

bool Points::contains(const Operation& op, const CallStack& calls) {
  const bool plain = op.kind == OpKind::read || op.kind == OpKind::write;
  if (which_ == channel::Points::all) return true;
  if (which_ == channel::Points::synchronisation) return !plain;
  if (!plain && !stop_only_) return true;
  return stop_at(own_code(op.pc, calls)) & channel::kStopInside;
}

}  // namespace jostle::rt
