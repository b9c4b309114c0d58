// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/work/step_bytes.h"

namespace jostle::dpor {

namespace {

// An act whose mode this is.
Act act_of_mode(Mode mode) {
  return mode == Mode::read ? Act::read : mode == Mode::add ? Act::post : Act::write;
}

}  // namespace

void StepBytes::write(ByteWriter& to, const ThreadNames& threads, const Step& step) const {
  to.name(threads.name_of(step.thread));
  to.number(step.is_uncertain);
  const uint32_t choices = paths_->length(step.path);
  to.number(choices);
  for (uint32_t i = 0; i < choices; ++i) {
    to.number(paths_->taken(step.path, i));
    to.number(paths_->alternatives(paths_->beginning(step.path, i + 1)));
  }
  const uint32_t touches = footprints_->touch_count(step.footprint);
  to.number(touches);
  for (uint32_t i = 0; i < touches; ++i) {
    const Touch& touch = footprints_->touches(step.footprint)[i];
    to.name(footprints_->object_name(touch.object));
    to.number(static_cast<uint8_t>(touch.mode));
  }
}

Step StepBytes::read(ByteReader& from, ThreadNames& threads, EngineVector<Part>& parts) const {
  Step step = {};
  const uint64_t name = from.name();
  if (from.is_good()) step.thread = threads.thread_of(name);
  step.is_uncertain = from.number(1) != 0;
  step.path = kNoChoice;
  for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
    const auto taken = static_cast<uint32_t>(from.number(UINT32_MAX));
    const auto alternatives = static_cast<uint32_t>(from.number(UINT32_MAX));
    step.path = paths_->extended(step.path, taken, alternatives);
  }
  parts.clear();
  for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
    const uint64_t object = from.name();
    const auto mode = static_cast<Mode>(from.number(static_cast<uint8_t>(Mode::write)));
    parts.push_back({object, act_of_mode(mode)});
  }
  step.footprint = footprints_->of(parts.begin(), static_cast<uint32_t>(parts.size()));
  return step;
}

void StepBytes::write(ByteWriter& to, const ThreadNames& threads,
                      const EngineVector<WakeupTree::Planned>& planned) const {
  to.number(planned.size());
  for (const WakeupTree::Planned& each : planned) {
    to.number(each.depth);
    write(to, threads, each.step);
  }
}

bool StepBytes::read(ByteReader& from, ThreadNames& threads, EngineVector<Part>& parts,
                     EngineVector<WakeupTree::Planned>& planned) const {
  planned.clear();
  uint64_t deepest = 1;
  for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
    const auto depth = static_cast<uint32_t>(from.number(deepest));
    if (depth == 0) return false;
    deepest = depth + uint64_t{1};
    planned.push_back({read(from, threads, parts), depth});
  }
  return from.is_good();
}

}  // namespace jostle::dpor
