// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/lock_holds.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

// Events do not say which mutex a condition variable gives back: it is taken to be the one that was
// taken last. An attempt on a lock that another thread holds is not over yet, or failed.
class Locks {
 public:
  void event(const channel::TraceEvent& event, uint32_t now) {
    if (is_in_vain(event)) return;
    switch (event.kind) {
      case OpKind::mutex_lock:
      case OpKind::mutex_trylock:
      case OpKind::spin_lock:
      case OpKind::rwlock_write:
        return acquire(event.thread, event.object, event.pc, now, false);
      case OpKind::rwlock_read:
        return acquire(event.thread, event.object, event.pc, now, true);
      case OpKind::mutex_unlock:
      case OpKind::spin_unlock:
      case OpKind::rwlock_unlock:
        return release(event.thread, event.object, now);
      case OpKind::cond_wait:
        return wait(event, now);
      default:
        return;
    }
  }

  std::vector<LockHold> take() {
    std::sort(holds_.begin(), holds_.end(), [](const LockHold& a, const LockHold& b) {
      return a.acquired != b.acquired ? a.acquired < b.acquired : a.object < b.object;
    });
    return std::move(holds_);
  }

 private:
  struct Open {
    size_t hold;  // index into holds_
    uint32_t depth;
  };
  struct ByThread {
    std::vector<uintptr_t> objects;  // in the order in which they were taken
    uintptr_t given_back = 0;        // by a condition variable's wait
    uint32_t depth = 0;              // of that
    uintptr_t taken_back_at = 0;     // pc of the wait that has just ended
  };

  std::vector<Open>& holders(uintptr_t object) { return open_[object]; }

  Open* held_by(uintptr_t object, uint32_t thread) {
    for (Open& open : holders(object)) {
      if (holds_[open.hold].thread == thread) return &open;
    }
    return nullptr;
  }

  bool is_taken(uintptr_t object, uint32_t thread, bool shared) {
    const std::vector<Open>& all = holders(object);
    return std::any_of(all.begin(), all.end(), [&](const Open& open) {
      const LockHold& hold = holds_[open.hold];
      return hold.thread != thread && !(shared && hold.shared);
    });
  }

  void acquire(uint32_t thread, uintptr_t object, uintptr_t pc, uint32_t now, bool shared) {
    if (object == 0) return;
    ByThread& own = threads_[thread];
    // A timed wait whose time was up announces that it wants its mutex: it has been counted.
    const bool again = own.taken_back_at != 0 && own.taken_back_at == pc;
    own.taken_back_at = 0;
    if (is_taken(object, thread, shared)) return;
    if (Open* open = held_by(object, thread)) {
      if (!again) ++open->depth;
      return;
    }
    holders(object).push_back({holds_.size(), 1});
    holds_.push_back({thread, object, now, UINT32_MAX, shared});
    own.objects.push_back(object);
  }

  void release(uint32_t thread, uintptr_t object, uint32_t now) {
    Open* open = held_by(object, thread);
    threads_[thread].taken_back_at = 0;
    if (open == nullptr || --open->depth > 0) return;
    close(thread, object, now);
  }

  void close(uint32_t thread, uintptr_t object, uint32_t now) {
    std::erase_if(holders(object), [&](const Open& open) {
      LockHold& hold = holds_[open.hold];
      if (hold.thread != thread) return false;
      hold.released = now;
      return true;
    });
    auto& objects = threads_[thread].objects;
    const auto last = std::find(objects.rbegin(), objects.rend(), object);
    if (last != objects.rend()) objects.erase(std::next(last).base());
  }

  // A wait is two events: the first gives the mutex back, the second is over when it has it again.
  void wait(const channel::TraceEvent& event, uint32_t now) {
    ByThread& own = threads_[event.thread];
    if (own.given_back != 0) {
      const uintptr_t mutex = std::exchange(own.given_back, 0);
      acquire(event.thread, mutex, 0, now, false);
      if (Open* open = held_by(mutex, event.thread)) open->depth = own.depth;
      own.taken_back_at = event.pc;
      return;
    }
    if (own.objects.empty()) return;
    own.given_back = own.objects.back();
    const Open* open = held_by(own.given_back, event.thread);
    own.depth = open != nullptr ? open->depth : 1;
    close(event.thread, own.given_back, now);
  }

  std::vector<LockHold> holds_;
  std::unordered_map<uintptr_t, std::vector<Open>> open_;
  std::unordered_map<uint32_t, ByThread> threads_;
};

}  // namespace

std::vector<LockHold> lock_holds(const channel::RunRecord& record, const ExecutionOrder& order) {
  Locks locks;
  const auto all = trace(record);
  for (uint32_t i = 0; i < order.events.size(); ++i) locks.event(all[order.events[i].entry], i);
  return locks.take();
}

}  // namespace jostle::report
