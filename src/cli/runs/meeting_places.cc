// SPDX-License-Identifier: Apache-2.0
#include "src/cli/runs/meeting_places.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "src/report/words/record_view.h"

namespace jostle::cli {
namespace {

constexpr uintptr_t kBytes = 8;

// One access, as the memory it went to remembers it.
struct Touch {
  uintptr_t pc = 0;
  size_t when = 0;  // index into the trace
  uint32_t thread = 0;
  bool writes = false;
};

// Eight bytes of memory. Nearly always they are touched together.
struct Granule {
  Touch last[kBytes];
  bool met[kBytes] = {};  // in this run two threads met here
};

class Memory {
 public:
  // Calls `visit(granule, byte)` for each byte of the access.
  template <typename Visit>
  void for_each_byte(const channel::TraceEvent& event, Visit&& visit) {
    const uintptr_t end = event.object + (event.size ? event.size : 1);
    for (uintptr_t at = event.object; at < end;) {
      Granule& granule = granules_[at / kBytes];
      const uintptr_t granule_end = (at / kBytes + 1) * kBytes;
      for (; at < end && at < granule_end; ++at) visit(granule, at % kBytes);
    }
  }

 private:
  std::unordered_map<uintptr_t, Granule> granules_;
};

// When threads were created, as far as the trace has got, and when they end.
class Lives {
 public:
  explicit Lives(const channel::RunRecord& record) {
    const auto threads = report::threads(record.schedule);
    lives_.resize(threads.size());
    for (uint32_t i = 1; i < threads.size(); ++i) {
      lives_[i].parent = threads[i].parent;
      children_[{threads[i].parent, threads[i].ordinal}] = i;
    }
    const auto trace = report::trace(record);
    for (size_t i = 0; i < trace.size(); ++i) {
      if (trace[i].thread < lives_.size()) lives_[trace[i].thread].ends = i;
    }
  }

  void follow(const channel::TraceEvent& event, size_t when) {
    if (event.thread >= lives_.size() || event.kind != OpKind::thread_create) return;
    const auto child = children_.find({event.thread, lives_[event.thread].created++});
    if (child != children_.end()) lives_[child->second].began = when;
  }

  // Could the access of `thread` now have come before the other one?
  bool unordered(const Touch& before, uint32_t thread, size_t now) const {
    if (before.thread >= lives_.size() || thread >= lives_.size()) return false;
    const Life& other = lives_[before.thread];
    if (other.ends < lives_[thread].began) return false;
    // What its parent did before it was created, its parent's parent before that, …
    const uint32_t child = child_towards(before.thread, thread);
    if (child != kNoThread) return before.when > lives_[child].began;
    // A thread that waits for its children.
    return !(other.ends < now && child_towards(thread, before.thread) != kNoThread);
  }

 private:
  struct Life {
    uint32_t parent = 0, created = 0;
    size_t began = 0, ends = 0;
  };

  // The child of `ancestor` that `thread` is or descends from; kNoThread: neither.
  uint32_t child_towards(uint32_t ancestor, uint32_t thread) const {
    // A thread's parent comes before it in the table.
    while (thread > ancestor) {
      if (lives_[thread].parent == ancestor) return thread;
      if (lives_[thread].parent >= thread) break;
      thread = lives_[thread].parent;
    }
    return kNoThread;
  }

  std::vector<Life> lives_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> children_;  // parent, ordinal → index
};

}  // namespace

bool Meetings::counts(const channel::TraceEvent& event) const {
  if (event.object == 0 || event.kind == OpKind::fence) return false;
  return is_memory(event.kind) ||
         (synchronisation_ && event.kind >= OpKind::mutex_lock && event.kind <= OpKind::futex_wake);
}

void Meetings::add(const channel::RunRecord& record, const NameOf& name_of) {
  const auto trace = report::trace(record);
  Memory memory;
  Lives lives(record);
  for (size_t i = 0; i < trace.size(); ++i) {
    const channel::TraceEvent& event = trace[i];
    lives.follow(event, i);
    if (!counts(event)) continue;
    const Touch touch{event.pc, i, event.thread, !only_reads(event.kind)};
    Touch other;
    memory.for_each_byte(event, [&](Granule& granule, uintptr_t byte) {
      Touch& last = granule.last[byte];
      // Heap memory that another thread had and gave back is not visible: the runtime knows.
      if (event.visible && last.pc != 0 && last.thread != touch.thread &&
          (last.writes || touch.writes) && lives.unordered(last, touch.thread, i)) {
        granule.met[byte] = true;
        other = last;
      }
      last = touch;
    });
    if (other.pc == 0) continue;
    const std::string& here = name_of(touch.pc);
    const std::string& there = name_of(other.pc);
    if (!here.empty()) ++places_[here].meetings;
    if (!there.empty() && there != here) ++places_[there].meetings;
  }
  for (const channel::TraceEvent& event : trace) {
    if (!counts(event)) continue;
    bool shared = false;
    memory.for_each_byte(
        event, [&](Granule& granule, uintptr_t byte) { shared = shared || granule.met[byte]; });
    const std::string* here = shared ? &name_of(event.pc) : nullptr;
    if (here == nullptr || here->empty()) continue;
    MeetingPlace& place = places_[*here];
    ++place.accesses;
    place.threads.insert(event.thread);
  }
}

}  // namespace jostle::cli
