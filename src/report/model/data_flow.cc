// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/data_flow.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

constexpr uintptr_t kBytes = 8;
constexpr uint32_t kNobody = UINT32_MAX;
// A larger access (memset of a big buffer) is followed only this far: reports are about variables.
constexpr uintptr_t kLongestAccess = 4096;

// Eight bytes of memory; nearly always they are written together.
struct Granule {
  uint32_t writer[kBytes] = {kNobody, kNobody, kNobody, kNobody,
                             kNobody, kNobody, kNobody, kNobody};
  uint32_t first_thread = kNobody;
  uint32_t owner = kNobody;  // on whose stack it is
  bool several = false;      // threads
  bool changes = false;      // while there is more than one thread
};

bool writes_memory(OpKind kind) {
  return kind == OpKind::write || kind == OpKind::atomic_store || kind == OpKind::atomic_rmw;
}

// Whoever waits for it to happen observes it.
bool is_effect(OpKind kind) { return may_change(kind) && !is_memory(kind); }
bool is_waiting_for_effect(OpKind kind) { return observes(kind) && !is_memory(kind); }

class Flow {
 public:
  Flow(const channel::RunRecord& record, const ExecutionOrder& order)
      : trace_(trace(record)), order_(order) {
    const auto all = threads(record.schedule);
    for (uint32_t i = 1; i < all.size(); ++i) children_[{all[i].parent, all[i].ordinal}] = i;
  }

  DataFlow follow() {
    flow_.reads_from.assign(order_.events.size(), kNobody);
    for (uint32_t i = 0; i < order_.events.size(); ++i) {
      const channel::TraceEvent& event = trace_[order_.events[i].entry];
      if (event.kind == OpKind::thread_create) {
        several_threads_ = true;
        const auto child = children_.find({event.thread, created_[event.thread]++});
        if (child != children_.end()) creation_[child->second] = i;
      } else if (event.kind == OpKind::thread_begin) {
        const auto creation = creation_.find(event.thread);
        if (creation != creation_.end()) flow_.reads_from[i] = creation->second;
      } else if (is_access(event)) {
        access(event, i);
      } else if (event.object != 0) {
        synchronise(event, i);
      }
    }
    flow_.shared.resize(trace_.size());
    for (size_t i = 0; i < trace_.size(); ++i) flow_.shared[i] = is_shared(trace_[i]);
    return std::move(flow_);
  }

 private:
  static bool is_access(const channel::TraceEvent& event) {
    return event.object != 0 && is_memory(event.kind) && event.kind != OpKind::fence;
  }

  template <typename Visit>
  void for_each_granule(const channel::TraceEvent& event, Visit&& visit) {
    const uintptr_t size = std::min<uintptr_t>(event.size ? event.size : 1, kLongestAccess);
    const uintptr_t end = event.object + size < event.object ? UINTPTR_MAX : event.object + size;
    for (uintptr_t at = event.object; at < end;) {
      const uintptr_t granule_end = (at / kBytes + 1) * kBytes;
      const uintptr_t to = granule_end > at && granule_end < end ? granule_end : end;
      visit(granules_[at / kBytes], at % kBytes, at % kBytes + (to - at));
      at = to;
    }
  }

  // The stack of a thread that has ended is that of another one now: they share nothing.
  static void begin_life(Granule& granule, uint32_t owner) {
    if (granule.owner != kNobody && granule.owner != owner) {
      std::ranges::fill(granule.writer, kNobody);
      granule.first_thread = kNobody;
    }
    granule.owner = owner;
  }

  void access(const channel::TraceEvent& event, uint32_t now) {
    const bool writes = writes_memory(event.kind);
    uint32_t latest = kNobody;
    for_each_granule(event, [&](Granule& granule, uintptr_t from, uintptr_t to) {
      if (event.own_stack != 0) begin_life(granule, event.thread);
      if (granule.first_thread == kNobody) granule.first_thread = event.thread;
      granule.several |= granule.first_thread != event.thread;
      granule.changes |= writes && several_threads_;
      for (uintptr_t byte = from; byte < to; ++byte) {
        uint32_t& writer = granule.writer[byte];
        if (writer != kNobody && (latest == kNobody || writer > latest)) latest = writer;
        if (writes) writer = now;
      }
    });
    if (observes(event.kind)) flow_.reads_from[now] = latest;
  }

  void synchronise(const channel::TraceEvent& event, uint32_t now) {
    const auto last = effects_.find(event.object);
    if (is_waiting_for_effect(event.kind) && last != effects_.end()) {
      flow_.reads_from[now] = last->second;
    }
    if (is_effect(event.kind)) effects_[event.object] = now;
  }

  bool is_shared(const channel::TraceEvent& event) {
    if (!is_access(event) || event.visible != 0) return true;
    bool shared = false;
    for_each_granule(event, [&](Granule& granule, uintptr_t, uintptr_t) {
      shared |= granule.several && granule.changes;
    });
    return shared;
  }

  std::span<const channel::TraceEvent> trace_;
  const ExecutionOrder& order_;
  DataFlow flow_;
  std::unordered_map<uintptr_t, Granule> granules_;
  std::unordered_map<uintptr_t, uint32_t> effects_;  // object → the last event that changed it
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> children_;  // parent, ordinal → thread
  std::unordered_map<uint32_t, uint32_t> created_;              // by this thread so far
  std::unordered_map<uint32_t, uint32_t> creation_;             // of this thread
  bool several_threads_ = false;
};

}  // namespace

DataFlow data_flow(const channel::RunRecord& record, const ExecutionOrder& order) {
  DataFlow flow = Flow(record, order).follow();
  ModificationOrders weak = modification_orders(record, order);
  for (const auto& [reader, store] : weak.reads_from) flow.reads_from[reader] = store;
  flow.modification_orders = std::move(weak.orders);
  return flow;
}

}  // namespace jostle::report
