// SPDX-License-Identifier: Apache-2.0
#include "src/cli/orders/order_places.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "src/base/memory_order.h"
#include "src/report/words/order_name.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using channel::OrderSite;

// What calls of std::atomic and std::atomic_ref consist of.
bool is_of_atomic(const std::string& file) {
  const std::string_view name = report::base_name(file);
  return name == "atomic" || name == "atomic_base.h" || name == "stdatomic.h";
}

// The innermost line of the program's own; null when something else of the library is between it
// and the operation.
const report::Frame* own_line(const OrderSite& site, report::Symbolizer& symbols) {
  if (site.depth == 0 || site.depth > OrderSite::kMostCallers) return nullptr;
  for (const uintptr_t pc : std::span(site.code, site.depth)) {
    for (const report::Frame& frame : symbols.frames(pc)) {
      if (frame.line == 0) return nullptr;
      if (!frame.plumbing) return &frame;
      if (!is_of_atomic(frame.file)) return nullptr;
    }
  }
  return nullptr;
}

auto key(const OrderPlace& place) {
  return std::tuple(place.file, place.line, place.operation.kind, place.operation.now.success,
                    place.operation.now.failure);
}

std::vector<OrderPlace>::iterator find(std::vector<OrderPlace>& places, const OrderPlace& place) {
  return std::ranges::find_if(places,
                              [&](const OrderPlace& other) { return key(other) == key(place); });
}

// One for each piece of machine code.
std::vector<OrderPlace> places_of(const channel::OrderWatch& watch, report::Symbolizer& symbols) {
  std::vector<OrderPlace> places;
  for (const OrderSite& site :
       std::span(watch.sites, std::min(watch.site_count, channel::kMaxOrderSites))) {
    const report::Frame* line = own_line(site, symbols);
    if (line == nullptr) continue;
    places.push_back({line->file,
                      line->line,
                      report::source(*line),
                      {site.kind, {site.order, site.failure}},
                      {site.location}});
  }
  return places;
}

}  // namespace

void add_places(const channel::OrderWatch& watch, report::Symbolizer& symbols,
                std::vector<OrderPlace>& places) {
  for (const OrderPlace& seen : places_of(watch, symbols)) {
    if (find(places, seen) == places.end()) places.push_back(seen);
  }
  add_locations(watch, symbols, places);
  std::ranges::sort(places, {}, key);
}

bool add_locations(const channel::OrderWatch& watch, report::Symbolizer& symbols,
                   std::vector<OrderPlace>& places) {
  bool added = false;
  for (const OrderPlace& seen : places_of(watch, symbols)) {
    const auto known = find(places, seen);
    if (known == places.end()) continue;
    const uint64_t location = seen.locations.front();
    if (std::ranges::find(known->locations, location) != known->locations.end()) continue;
    known->locations.push_back(location);
    added = true;
  }
  return added;
}

std::string_view operation_name(const Ordered& operation) {
  switch (operation.kind) {
    case OpKind::atomic_load:
      return "load";
    case OpKind::atomic_store:
      return "store";
    case OpKind::fence:
      return "fence";
    default:
      return operation.now.failure == channel::kNoOrder ? "read-modify-write" : "compare-exchange";
  }
}

std::string orders_text(OpKind kind, Orders orders) {
  if (kind == OpKind::fence && orders.success == __ATOMIC_RELAXED) return "none";
  std::string text(report::order_name(orders.success));
  if (orders.failure != channel::kNoOrder) {
    text += ", " + std::string(report::order_name(orders.failure));
  }
  return text;
}

std::vector<channel::OrderChange> order_changes(const std::vector<OrderPlace>& places,
                                                const std::vector<Orders>& orders) {
  std::vector<channel::OrderChange> changes;
  for (size_t i = 0; i < places.size(); ++i) {
    const Orders now = places[i].operation.now;
    if (orders[i] == now) continue;
    for (const uint64_t location : places[i].locations) {
      changes.push_back({.location = location,
                         .order = orders[i].success,
                         .fence = 0,
                         .rule = channel::OrderChange::Rule::exactly,
                         .was = now.success,
                         .failure = orders[i].failure,
                         .failure_was = now.failure});
    }
  }
  return changes;
}

}  // namespace jostle::cli
