// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/stores/modification_order.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

constexpr uint32_t kInitial = UINT32_MAX;

class Orders {
 public:
  Orders(const channel::RunRecord& record, const ExecutionOrder& order)
      : trace_(trace(record)), order_(order) {
    for (const channel::StaleRead& stale :
         std::span(record.stale, std::min(record.stale_count, channel::kMaxStaleReads))) {
      newer_[{stale.thread, stale.event}] = stale.newer;
      all_.try_emplace(stale.object, std::vector<uint32_t>{kInitial});
    }
  }

  ModificationOrders find() {
    ModificationOrders found;
    if (all_.empty()) return found;
    for (uint32_t i = 0; i < order_.events.size(); ++i) {
      const channel::TraceEvent& event = trace_[order_.events[i].entry];
      const auto location = all_.find(event.object);
      if (location == all_.end()) continue;
      std::vector<uint32_t>& stores = location->second;
      const size_t newer = newer_than(event, stores);
      if (event.kind == OpKind::atomic_load || event.kind == OpKind::atomic_rmw) {
        found.reads_from[i] = stores[stores.size() - 1 - newer];
      }
      const bool writes = event.kind == OpKind::atomic_store || event.kind == OpKind::atomic_rmw ||
                          event.kind == OpKind::write;
      if (writes) stores.insert(stores.end() - static_cast<std::ptrdiff_t>(newer), i);
    }
    for (auto& [object, stores] : all_) {
      stores.erase(stores.begin());
      found.orders.push_back({object, std::move(stores)});
    }
    return found;
  }

 private:
  // So many stores were newer than what the operation has read, or than where it stored.
  size_t newer_than(const channel::TraceEvent& event, const std::vector<uint32_t>& stores) const {
    const auto stale = newer_.find({event.thread, event.event});
    return stale == newer_.end() ? 0 : std::min<size_t>(stale->second, stores.size() - 1);
  }

  std::span<const channel::TraceEvent> trace_;
  const ExecutionOrder& order_;
  std::map<std::pair<uint32_t, uint64_t>, size_t> newer_;  // by thread and event
  std::map<uintptr_t, std::vector<uint32_t>> all_;
};

}  // namespace

ModificationOrders modification_orders(const channel::RunRecord& record,
                                       const ExecutionOrder& order) {
  return Orders(record, order).find();
}

}  // namespace jostle::report
