// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/switch_places.h"

#include <algorithm>

#include "src/report/model/identity.h"
#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

// Threads and places are fewer than 2^24 (channel::kMaxThreads), kinds than 2^8.
uint64_t key_of(uint32_t thread, uint32_t place, OpKind kind) {
  return uint64_t{thread} << 40 | uint64_t{place} << 8 | static_cast<uint64_t>(kind);
}
uint64_t key_of(uint32_t thread, uint32_t what) { return uint64_t{thread} << 32 | what; }

// The event behind `after` that is nearest to `near`.
std::optional<uint64_t> nearest(const std::vector<uint64_t>& events, uint64_t near,
                                uint64_t after) {
  auto next = std::lower_bound(events.begin(), events.end(), std::max(near, after + 1));
  const bool has_before = next != events.begin() && *std::prev(next) > after;
  if (next == events.end()) {
    return has_before ? std::optional(*std::prev(next)) : std::nullopt;
  }
  const bool before_is_nearer = has_before && near - *std::prev(next) < *next - near;
  return before_is_nearer ? *std::prev(next) : *next;
}

}  // namespace

uint32_t PlaceNames::at(uintptr_t pc) {
  const auto known = by_pc_.find(pc);
  if (known != by_pc_.end()) return known->second;
  const Frame frame = symbols_.line_that_matters(pc);
  // An address would be a name of this build only.
  Place place{0, frame.function.empty() ? "" : readable_function(frame.function),
              sources_.text(frame.file, frame.line)};
  const auto next_function = static_cast<uint32_t>(functions_.size());
  place.function = functions_.emplace(place.name, next_function).first->second;
  const auto next = static_cast<uint32_t>(places_.size());
  const auto [entry, added] =
      by_name_.emplace(std::pair(place.name, normal_text(place.line)), next);
  if (added) places_.push_back(std::move(place));
  return by_pc_[pc] = entry->second;
}

std::optional<uint32_t> PlaceNames::find(const std::string& function,
                                         const std::string& line) const {
  const auto found = by_name_.find({function, normal_text(line)});
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<uint32_t> PlaceNames::find_function(const std::string& name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<SwitchName> name_switches(std::span<const channel::Segment> segments,
                                      const channel::RunRecord& record, Symbolizer& symbols) {
  std::vector<SwitchName> names(segments.size());
  PlaceNames places(symbols);
  std::map<std::pair<uint32_t, uint64_t>, size_t> wanted;  // by thread and event
  for (size_t i = 0; i < segments.size(); ++i) {
    if (!is_preemption(segments[i])) continue;
    wanted.emplace(std::pair(segments[i].thread, segments[i].until), i);
    const uintptr_t pc = symbols.address_of(segments[i].location);
    if (pc == 0) continue;
    const PlaceNames::Place& place = places[places.at(pc)];
    names[i] = {place.name, place.line};
  }
  if (wanted.empty()) return names;
  std::unordered_map<uint64_t, uint64_t> seen;
  for (const channel::TraceEvent& event : trace(record)) {
    const uint32_t at = places.at(event.pc);
    const uint64_t nth = ++seen[key_of(event.thread, at, event.kind)];
    const auto segment = wanted.find({event.thread, event.event});
    if (segment == wanted.end()) continue;
    names[segment->second] = {places[at].name, places[at].line, nth};
  }
  return names;
}

SwitchPlaces::SwitchPlaces(const channel::RunRecord& record, Symbolizer& symbols)
    : names_(symbols) {
  for (const channel::TraceEvent& event : trace(record)) {
    const uint32_t place = names_.at(event.pc);
    of_kind_[key_of(event.thread, place, event.kind)].push_back(event.event);
    of_line_[key_of(event.thread, place)].push_back(event.event);
    of_function_[key_of(event.thread, names_[place].function)].push_back(event.event);
  }
}

std::optional<uint64_t> SwitchPlaces::find(uint32_t thread, OpKind kind, const SwitchName& name,
                                           uint64_t near, uint64_t after) const {
  if (const auto place = names_.find(name.function, name.line)) {
    const auto alike = of_kind_.find(key_of(thread, *place, kind));
    if (alike != of_kind_.end()) {
      const Events& events = alike->second;
      const bool has_it = name.nth != 0 && name.nth <= events.size();
      if (has_it && events[name.nth - 1] > after) return events[name.nth - 1];
      if (const auto event = nearest(events, near, after)) return event;
    }
    const auto line = of_line_.find(key_of(thread, *place));
    if (line != of_line_.end()) {
      if (const auto event = nearest(line->second, near, after)) return event;
    }
  }
  const auto function = names_.find_function(name.function);
  if (!function) return std::nullopt;
  const auto inside = of_function_.find(key_of(thread, *function));
  return inside == of_function_.end() ? std::nullopt : nearest(inside->second, near, after);
}

}  // namespace jostle::report
