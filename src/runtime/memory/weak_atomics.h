// SPDX-License-Identifier: Apache-2.0
// Atomic operations of runs with weak memory (--memory=c11): which store a load reads is a choice
// among those that weak/weak_memory.h allows. Real memory holds the newest store always, so that
// plain accesses, the kernel and other processes see what they should.
//
// Most runs of such a campaign are sequentially consistent, and cost what they did: histories are
// kept only in a run in which something else than the newest store can be read. Who chooses:
//   explorers, replays   the decider or the log, at every operation with alternatives
//   samplers             a few operations of a run are drawn (weak/stale_draw.h)
//   guided runs          their log; where that has nothing, some are drawn
// Choices are in the log by the event of their thread; the usual one, 0, is not.
//
// Histories belong to the run. They do not depend on what is known about shared memory: every
// atomic operation is noted here once there are several threads.
#pragma once

#include <cstdint>

#include "src/base/kept.h"
#include "src/base/rng.h"
#include "src/runtime/memory/order_changes.h"
#include "src/runtime/weak/graph_identity.h"
#include "src/runtime/weak/load_buffering.h"
#include "src/runtime/weak/stale_draw.h"
#include "src/runtime/weak/weak_memory.h"
#include "src/schedule/channel.h"
#include "src/schedule/operation.h"

namespace jostle {
class Decider;
}

namespace jostle::rt {

struct AtomicAccess {
  uintptr_t address;
  uint32_t size;
  int order;  // __ATOMIC_…
  uintptr_t pc;
  uint64_t now;   // what memory holds
  bool is_point;  // others can notice it
};

class WeakAtomics {
 public:
  // Which run of the campaign comes next; before its begin.
  void next_run() { campaign_ = true; }
  // `recorded`: what the run follows, or its strategy begins with.
  void begin_run(channel::Channel& channel, channel::MemoryModel memory,
                 const channel::Schedule* recorded, const Decider* decider, uint64_t seed);
  // The detector has begun a run in which only `thread` exists.
  void start(race::Detector& detector, uint32_t thread);
  // After a run of the campaign.
  void learn(const channel::RunRecord& run);
  // Some run of the campaign had an atomic operation weaker than seq_cst, and all that orders
  // threads is seen: otherwise loads could read what they cannot.
  bool has_met_weak_orders() const { return has_met_weak_orders_; }
  // From here on something orders threads that is not seen. A run that has weak memory only because
  // the program has weaker orders reads the newest from now on, and those after it have none.
  void orders_are_unseen();
  bool active() const { return active_; }

  // The operation reads this.
  uint64_t load(const AtomicAccess& access);
  // True: the store is the newest, and belongs into memory.
  bool store(const AtomicAccess& access, uint64_t value);
  // A read-modify-write: what it reads; then, with nobody in between, what it writes.
  uint64_t begin_update(const AtomicAccess& access);
  bool end_update(const AtomicAccess& access, uint64_t value);
  // A compare-exchange, up to what it reads; it goes on as an update if that is `expected`, unless
  // it `may_fail` without a reason and does: `compare_failed`.
  uint64_t begin_compare(const AtomicAccess& access, uint64_t expected, int failure, bool may_fail);
  bool compare_failed() const { return compare_failed_; }
  // All that may be read is explored, run by run: what is left out has to be known.
  bool explores() const { return explores_; }
  // The last operation did not read the newest store.
  bool was_stale() const { return was_stale_; }
  // An operation on more than eight bytes: always the newest.
  void wide(OpKind kind, const AtomicAccess& access);
  void fence(int order);
  // Each thread has one, at which it meets the running thread's.
  __attribute__((cold)) void fence_everywhere(uintptr_t pc);

  // What if the order were another at some places?
  OrderChanges& order_changes() { return order_changes_; }
  // Before the operation at `pc`, without being one of the program's.
  void fence_before(uintptr_t pc, int order);

  // The kernel has looked at the newest store for the running thread, which reads nothing older
  // from now on.
  __attribute__((cold)) void looked(uintptr_t address, uint32_t size);
  // A plain write: what it writes begins anew.
  __attribute__((cold)) void written(uintptr_t begin, size_t size);
  // Memory that is somebody else's now.
  void forget(uintptr_t begin, size_t size) { memory_.forget(begin, size); }

 private:
  enum class Chooser { nobody, newest, asked, drawn, asked_and_drawn, blind };
  struct SiteCache {
    uintptr_t pc;
    uint64_t location;
  };
  // A thread has read the same old store at the same place again and again, or one after the other
  // of the same variable: a test-and-set that spins may read what it has stored itself.
  struct Repeated {
    uintptr_t pc, address;
    uint32_t thread, serial, times, in_a_row;
  };
  static constexpr uint32_t kCached = 256;
  static constexpr uint32_t kRepeated = 256;

  bool draw_stale_reads(uint64_t seed);
  Chooser chooser_for(channel::MemoryModel memory, const channel::Schedule* recorded,
                      const Decider* decider, uint64_t seed);
  uint32_t read_position(const weak::Alternatives& all, const weak::History& history,
                         const AtomicAccess& access);
  uint32_t choose(ChoiceKind kind, const weak::Alternatives& all, const weak::History& history,
                  const AtomicAccess& access);
  bool is_on();
  uint32_t offered(const weak::Alternatives& all, const weak::History& history, bool is_place,
                   int order) const;
  void explored(const AtomicAccess& access, bool only_reads, int order);
  void note_graph(const weak::Store* read, const weak::History* placed);
  void watch_load(const AtomicAccess& access, const weak::Store& read);
  void watch_store(const AtomicAccess& access, const weak::History& history);
  uint32_t draw(ChoiceKind kind, uint32_t alternatives, const AtomicAccess& access);
  uint32_t wanted(const weak::Alternatives& all, const weak::History& history,
                  const AtomicAccess& access);
  uint32_t passes(ChoiceKind kind, uint64_t location);
  void note(ChoiceKind kind, const AtomicAccess& access, const weak::Store* read, uint64_t value,
            const weak::Store& newest, uint32_t newer);
  uint64_t location_of(uintptr_t pc);

  bool active_ = false;
  bool campaign_ = false;
  bool has_met_weak_orders_ = false;
  bool is_asked_for_ = false;  // by the user, or by what the run follows
  Chooser chooser_ = Chooser::nobody;
  bool was_stale_ = false;
  bool compare_failed_ = false;
  bool explores_ = false;
  bool asks_wanted_ = false;  // Decider::Manner::wants_stores
  OrderChanges order_changes_;
  weak::LoadBuffering late_loads_;
  uint64_t runs_ = 0;        // of the campaign, that are over
  uint32_t blind_left_ = 0;  // stale reads of this run that nothing is known of
  race::Detector* detector_ = nullptr;
  weak::WeakMemory memory_;
  weak::StoreSites* known_ = nullptr;  // of runs before
  weak::StaleDraw draw_;
  weak::GraphIdentity graph_;
  Rng rng_;
  weak::History* updated_ = nullptr;  // between begin_update and end_update
  uint32_t position_ = 0;
  int searched_order_ = 0;
  // Made for the first such run: all that others look at is `active_`.
  SiteCache* cached_ = nullptr;
  Repeated* repeated_ = nullptr;
};

extern JOSTLE_HIDDEN WeakAtomics g_weak;

}  // namespace jostle::rt
