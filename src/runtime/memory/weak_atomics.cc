// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/weak_atomics.h"

#include <new>

#include "src/base/engine_memory.h"
#include "src/base/hash.h"
#include "src/base/memory_order.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/location_name.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/reads_from.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/waits/spurious.h"
#include "src/strategy/decider.h"

namespace jostle::rt {

JOSTLE_KEPT constinit WeakAtomics g_weak;

namespace {

// C++ wants a store to become visible in finite time: after so many reads of an older one at the
// same place of a thread, the newest is read.
constexpr uint32_t kMostRepeated = 3;
// Likewise after so many of older ones, not all the same: as many as are kept of a variable.
constexpr uint32_t kMostInARow = weak::kUsualHistory;
// The first runs of a campaign are as they always were. Then some look for places where memory is
// weak, and when there are none, one in so many.
constexpr uint64_t kStrongRuns = 2;
constexpr uint64_t kLearningRuns = 8;
constexpr uint64_t kLookAgainOneIn = 64;
// Where few places are known, runs in which all of them read old stores may never come to the
// others: one weak run in so many reads the newest everywhere.
constexpr uint64_t kFreshOneIn = 8;
// A run that is no campaign's knows no places.
constexpr uint32_t kBlindOneIn = 4;
constexpr uint32_t kMostBlind = 3;

weak::Strength strength_of(int order) { return {order_of(order), is_sequential(order)}; }

uint32_t runner() { return g_current->index; }

// Of the running thread's operation, in all runs in which it has done the same so far.
uint64_t name_of_operation() { return combine(thread_path(g_current->index), g_current->events); }

weak::Origin origin_of(const AtomicAccess& access) {
  weak::Origin origin = {g_current->index, g_current->events, access.pc, access.order};
  if (g_actions.explores_stores()) {
    origin.step = g_actions.running_step();
    origin.name = name_of_operation();
  }
  return origin;
}

TrailGap gap_of(weak::Cut cut) {
  switch (cut) {
    case weak::Cut::none:
      return TrailGap::none;
    case weak::Cut::histories:
      return TrailGap::histories;
    case weak::Cut::sizes:
      return TrailGap::sizes;
    case weak::Cut::unseen:
      return TrailGap::stale;
    case weak::Cut::room:
      return TrailGap::too_long;
  }
  return TrailGap::stale;
}

}  // namespace

// ---- which runs, and who chooses --------------------------------------------------------------

WeakAtomics::Chooser WeakAtomics::chooser_for(channel::MemoryModel memory,
                                              const channel::Schedule* recorded,
                                              const Decider* decider, uint64_t seed) {
  if (memory != channel::MemoryModel::c11) return Chooser::nobody;
  if (!known_) {
    known_ = new (engine_allocate(sizeof(weak::StoreSites))) weak::StoreSites;
    cached_ = static_cast<SiteCache*>(engine_allocate(kCached * sizeof(SiteCache)));
    repeated_ = static_cast<Repeated*>(engine_allocate(kRepeated * sizeof(Repeated)));
  }
  const Decider::Manner manner = decider ? decider->manner() : Decider::Manner{};
  if (manner.trail) return manner.chooses_stores ? Chooser::asked : Chooser::nobody;
  if (!decider || (recorded && manner.is_guided)) {
    return recorded && has_choice_of_memory(*recorded) ? Chooser::asked : Chooser::nobody;
  }
  const bool is_guided = manner.is_guided && campaign_;
  if (manner.chooses_stores && !is_guided) return Chooser::asked;
  if (!manner.lets_draw_stores && !is_guided) return Chooser::nobody;
  if (!campaign_) return Chooser::blind;
  const bool draws = draw_stale_reads(seed);
  return is_guided ? Chooser::asked_and_drawn : draws ? Chooser::drawn : Chooser::nobody;
}

// False: the run is to be sequentially consistent.
bool WeakAtomics::draw_stale_reads(uint64_t seed) {
  rng_.reseed(combine(seed, 0x7765616B));
  draw_.begin_run(0, 0, *known_);
  if (runs_ < kStrongRuns) return false;
  if (known_->count() == 0) {
    return runs_ < kStrongRuns + kLearningRuns || runs_ % kLookAgainOneIn == 0;
  }
  const uint32_t count = weak::StaleDraw::draw_count(rng_);
  const bool is_fresh = rng_.below(kFreshOneIn) == 0;
  draw_.begin_run(rng_.next(), is_fresh ? 0 : count, *known_);
  return count != 0;
}

void WeakAtomics::begin_run(channel::Channel& channel, channel::MemoryModel memory,
                            const channel::Schedule* recorded, const Decider* decider,
                            uint64_t seed) {
  order_changes_.begin_run(channel);
  chooser_ = chooser_for(memory, recorded, decider, seed);
  is_asked_for_ = channel.config.memory == channel::MemoryModel::c11 ||
                  channel.config.mode != channel::Mode::fuzz || channel.config.minimize != 0;
  // Which accesses race is decided by orders also where all loads read the newest store.
  const bool has_trail = decider && decider->manner().trail;
  if (chooser_ == Chooser::nobody && memory == channel::MemoryModel::c11 && !has_trail &&
      order_changes_.wanted()) {
    chooser_ = Chooser::newest;
  }
  active_ = chooser_ != Chooser::nobody;
  explores_ = active_ && decider && decider->manner().trail;
  asks_wanted_ = chooser_ == Chooser::drawn && decider->manner().wants_stores;
  graph_.clear();
  if (chooser_ == Chooser::blind) {
    rng_.reseed(combine(seed, 0x626C696E64));
    blind_left_ = kMostBlind;
  }
}

void WeakAtomics::orders_are_unseen() {
  has_met_weak_orders_ = false;
  if (active_ && !is_asked_for_) chooser_ = Chooser::newest;
}

void WeakAtomics::start(race::Detector& detector, uint32_t thread) {
  detector_ = &detector;
  memory_.begin_run(detector, explores_ ? weak::kLongestHistory : weak::kUsualHistory);
  if (order_changes_.watches()) late_loads_.begin_run(detector, thread);
  for (uint32_t i = 0; i < kRepeated; ++i) repeated_[i] = {};
}

void WeakAtomics::learn(const channel::RunRecord& run) {
  // Where threads are ordered unseen, loads would read what they cannot any more.
  has_met_weak_orders_ = !is_order_unseen() && (has_met_weak_orders_ || run.weak_orders);
  if (!known_) return;
  ++runs_;
  known_->learn(run.store_sites, run.store_site_count);
}

// ---- choices ----------------------------------------------------------------------------------

uint64_t WeakAtomics::location_of(uintptr_t pc) {
  SiteCache& known = cached_[(pc >> 2) % kCached];
  if (known.pc != pc) known = {pc, code_location(pc)};
  return known.location;
}

// How often the run has passed the place before; UINT32_MAX: not known.
uint32_t WeakAtomics::passes(ChoiceKind kind, uint64_t location) {
  channel::RunRecord& run = g_scheduler.record();
  uint32_t i = 0;
  for (; i < run.store_site_count; ++i) {
    channel::StoreSite& site = run.store_sites[i];
    if (site.location == location && site.kind == kind) return site.count++;
  }
  if (i == channel::kMaxStoreSites) return UINT32_MAX;
  run.store_sites[i] = {location, 1, kind};
  ++run.store_site_count;
  return 0;
}

uint32_t WeakAtomics::draw(ChoiceKind kind, uint32_t alternatives, const AtomicAccess& access) {
  if (chooser_ != Chooser::blind) {
    const uint64_t location = location_of(access.pc);
    return draw_.choose(kind, location, passes(kind, location), alternatives);
  }
  if (blind_left_ == 0 || rng_.below(kBlindOneIn) != 0) return 0;
  --blind_left_;
  return 1 + static_cast<uint32_t>(rng_.below(alternatives - 1));
}

// A store that the decider would like to be read, though it is not the newest any more.
uint32_t WeakAtomics::wanted(const weak::Alternatives& all, const weak::History& history,
                             const AtomicAccess& access) {
  const uint64_t name = g_reads_from.name(access.address);
  if (name == 0) return 0;
  uint64_t stores[weak::kLongestHistory];
  for (uint32_t i = 0; i < all.count; ++i) {
    const weak::Origin& origin = history.at(all.position[i]).origin;
    stores[i] = g_reads_from.event_of_store(name, origin.thread, origin.pc);
  }
  return g_scheduler.decider().choose({.kind = ChoiceKind::stale,
                                       .alternatives = all.count,
                                       .names = stores,
                                       .name_count = all.count,
                                       .thread = runner(),
                                       .event = g_current->events,
                                       .read = g_reads_from.event_of_load(name, access.pc)});
}

uint32_t WeakAtomics::choose(ChoiceKind kind, const weak::Alternatives& all,
                             const weak::History& history, const AtomicAccess& access) {
  if (chooser_ == Chooser::newest) return 0;
  const bool asks = chooser_ == Chooser::asked || chooser_ == Chooser::asked_and_drawn;
  const uint32_t some =
      explores_ ? offered(all, history, kind == ChoiceKind::place, access.order) : all.count;
  const uint32_t answer = asks ? g_scheduler.choose_store(kind, all.count, some) : 0;
  if (chooser_ == Chooser::asked) return answer;
  uint32_t drawn = draw(kind, all.count, access);
  if (answer != 0) return answer;
  if (drawn == 0 && asks_wanted_ && kind == ChoiceKind::stale) {
    drawn = wanted(all, history, access);
  }
  g_scheduler.log_store_choice(kind, all.count, drawn);
  return drawn;
}

// ---- where all executions are explored --------------------------------------------------------

// An operation that comes before the last store in the modification order might as well have been
// executed before it, unless that was before what its thread has done: that is another run. Not so
// if it is sequentially consistent, because then the order of execution is one by itself.
uint32_t WeakAtomics::offered(const weak::Alternatives& all, const weak::History& history,
                              bool is_place, int order) const {
  if (is_sequential(order) || !g_actions.explores_stores()) return all.count;
  uint32_t latest = 0;
  while (latest < history.last() && history.at(latest).serial != history.latest) ++latest;
  const weak::Origin& last = history.at(latest).origin;
  if (last.name == 0 || g_scheduler.decider().is_before_running(last.step)) return all.count;
  weak::Alternatives some = all;
  weak::WeakMemory::leave_out_before_latest(history, some, is_place);
  return some.count;
}

// Has the model to learn of the operation?
bool WeakAtomics::is_on() {
  if (memory_.active()) return true;
  if (g_actions.explores_stores()) g_actions.gap(TrailGap::too_long);
  return false;
}

// The operation is over.
void WeakAtomics::explored(const AtomicAccess& access, bool only_reads, int order) {
  if (!g_actions.explores_stores()) return;
  const weak::Cut cut = memory_.cut();
  if (cut != weak::Cut::none) g_actions.gap(gap_of(cut), access.pc);
  g_actions.is_graph(graph_.value());
  if (access.is_point) {
    g_actions.weak_access(access.address, access.size, is_sequential(order),
                          only_reads && memory_.has_raised());
  }
}

void WeakAtomics::note_graph(const weak::Store* read, const weak::History* placed) {
  if (!g_actions.explores_stores()) return;
  if (read) graph_.read(name_of_operation(), *read);
  if (placed && !placed->whole) graph_.placed(*placed);
}

// Which store is read.
uint32_t WeakAtomics::read_position(const weak::Alternatives& all, const weak::History& history,
                                    const AtomicAccess& access) {
  was_stale_ = false;
  if (all.count == 1) return all.position[0];
  Repeated& last = repeated_[combine(access.pc, runner()) % kRepeated];
  const bool is_its = last.pc == access.pc && last.thread == runner();
  const bool is_same_variable = is_its && last.address == access.address;
  const bool enough = !explores_ && ((is_its && last.times >= kMostRepeated) ||
                                     (is_same_variable && last.in_a_row >= kMostInARow));
  const uint32_t which = enough ? 0 : choose(ChoiceKind::stale, all, history, access);
  const uint32_t position = all.position[which];
  if (which == 0) {
    if (is_its) last.times = last.in_a_row = 0;
    return position;
  }
  was_stale_ = true;
  const weak::Store& store = history.at(position);
  const uint32_t in_a_row = is_same_variable ? last.in_a_row + 1 : 1;
  const uint32_t times = is_its && last.serial == store.serial ? last.times + 1 : 1;
  last = {access.pc, access.address, runner(), store.serial, times, in_a_row};
  // A newer store of the same value would say nothing to who reads of it.
  uint32_t newer = history.last();
  for (uint32_t i = position + 1; access.now == store.value && i < history.last(); ++i) {
    if (history.at(i).value == store.value) continue;
    newer = i;
    break;
  }
  note(ChoiceKind::stale, access, &store, store.value, history.at(newer),
       history.last() - position);
  g_reads_from.read_older(access.address, access.pc, store.origin.thread, store.origin.pc);
  return position;
}

// For reports.
void WeakAtomics::note(ChoiceKind kind, const AtomicAccess& access, const weak::Store* read,
                       uint64_t value, const weak::Store& newest, uint32_t newer) {
  channel::RunRecord& run = g_scheduler.record();
  if (run.stale_count == channel::kMaxStaleReads) return;
  const weak::Origin writer = read ? read->origin : weak::Origin{};
  run.stale[run.stale_count++] = {.thread = runner(),
                                  .writer = writer.thread,
                                  .event = g_current->events,
                                  .writer_event = writer.event,
                                  .object = access.address,
                                  .pc = access.pc,
                                  .writer_pc = writer.pc,
                                  .value = value,
                                  .newest = newest.value,
                                  .size = access.size,
                                  .order = access.order,
                                  .kind = kind,
                                  .newer = static_cast<uint8_t>(newer),
                                  .newest_writer = newest.origin.thread,
                                  .newest_order = newest.origin.order,
                                  .newest_event = newest.origin.event,
                                  .newest_pc = newest.origin.pc};
}

// ---- other orders ------------------------------------------------------------------------------

void WeakAtomics::fence_before(uintptr_t pc, int order) {
  if (g_actions.active() && order == __ATOMIC_SEQ_CST) {
    g_actions.operation(OpKind::fence, 0, 0, pc);
  }
  fence(order);
}

void WeakAtomics::watch_load(const AtomicAccess& access, const weak::Store& read) {
  if (!order_changes_.watches() || !late_loads_.active()) return;
  late_loads_.loaded(runner(), access.address, read, order_changes_.location_of(access.pc));
  if (late_loads_.is_full()) memory_.note_cut(weak::Cut::room);
}

// The store that was made last.
void WeakAtomics::watch_store(const AtomicAccess& access, const weak::History& history) {
  if (!order_changes_.watches() || !late_loads_.active() || history.whole) return;
  const auto found = [&](uint64_t load) {
    order_changes_.note_late(load, order_changes_.location_of(access.pc));
  };
  late_loads_.stored(runner(), access.address, history, found);
}

// ---- operations -------------------------------------------------------------------------------

uint64_t WeakAtomics::load(const AtomicAccess& access) {
  was_stale_ = false;
  if (!is_on()) return access.now;
  g_races.weak_atomic(Races::Atomic::load, access.address, access.size, access.order, access.pc,
                      access.is_point);
  const weak::Strength strength = strength_of(access.order);
  weak::History* history = memory_.find(access.address, access.size, access.now);
  if (!history) {
    detector_->atomic_load(runner(), access.address, strength.order);
    explored(access, true, access.order);
    return access.now;
  }
  const weak::Alternatives all = memory_.readable(runner(), *history, strength);
  const uint32_t position = read_position(all, *history, access);
  const weak::Store& store = memory_.read(runner(), *history, position, strength);
  note_graph(&store, nullptr);
  watch_load(access, store);
  explored(access, true, access.order);
  return history->whole ? access.now : store.value;
}

bool WeakAtomics::store(const AtomicAccess& access, uint64_t value) {
  if (!is_on()) return true;
  g_races.weak_atomic(Races::Atomic::store, access.address, access.size, access.order, access.pc,
                      access.is_point);
  const weak::Strength strength = strength_of(access.order);
  weak::History* history = memory_.find(access.address, access.size, access.now);
  if (!history) {
    detector_->atomic_store(runner(), access.address, strength.order);
    explored(access, false, access.order);
    return true;
  }
  const weak::Alternatives all = memory_.places(runner(), *history, strength);
  const uint32_t which = all.count > 1 ? choose(ChoiceKind::place, all, *history, access) : 0;
  const uint32_t position = all.position[which];
  if (which != 0) {
    note(ChoiceKind::place, access, nullptr, value, history->newest(), history->count - position);
  }
  const bool is_newest =
      memory_.write(runner(), *history, position, value, strength, origin_of(access));
  note_graph(nullptr, history);
  watch_store(access, *history);
  explored(access, false, access.order);
  return is_newest;
}

uint64_t WeakAtomics::begin_update(const AtomicAccess& access) {
  was_stale_ = false;
  updated_ = nullptr;
  searched_order_ = access.order;
  if (!is_on()) return access.now;
  g_races.weak_atomic(Races::Atomic::modify, access.address, access.size, access.order, access.pc,
                      access.is_point);
  updated_ = memory_.find(access.address, access.size, access.now);
  if (!updated_) return access.now;
  const weak::Alternatives all = memory_.modifiable(runner(), *updated_, strength_of(access.order));
  position_ = read_position(all, *updated_, access);
  return updated_->whole ? access.now : updated_->at(position_).value;
}

bool WeakAtomics::end_update(const AtomicAccess& access, uint64_t value) {
  if (!memory_.active()) return true;
  const weak::Strength strength = strength_of(access.order);
  if (!updated_) {
    detector_->atomic_rmw(runner(), access.address, strength.order);
    explored(access, false, searched_order_);
    return true;
  }
  note_graph(&updated_->at(position_), nullptr);
  watch_load(access, updated_->at(position_));
  const bool is_newest =
      memory_.modify(runner(), *updated_, position_, value, strength, origin_of(access));
  note_graph(nullptr, updated_);
  watch_store(access, *updated_);
  explored(access, false, searched_order_);
  return is_newest;
}

uint64_t WeakAtomics::begin_compare(const AtomicAccess& access, uint64_t expected, int failure,
                                    bool may_fail) {
  was_stale_ = compare_failed_ = false;
  updated_ = nullptr;
  // Whether it fails is not known beforehand: it counts as sequentially consistent if it may be.
  searched_order_ = is_sequential(failure) ? failure : access.order;
  if (!is_on()) return access.now;
  updated_ = memory_.find(access.address, access.size, access.now);
  const weak::Strength fails = strength_of(failure);
  uint64_t value = access.now;
  if (updated_ && updated_->whole) {
    position_ = 0;
  } else if (updated_) {
    const weak::Alternatives all =
        memory_.comparable(runner(), *updated_, expected, strength_of(access.order), fails);
    AtomicAccess either = access;
    either.order = searched_order_;
    position_ = read_position(all, *updated_, either);
    value = updated_->at(position_).value;
  }
  compare_failed_ = may_fail && value == expected && g_spurious.fails();
  const bool succeeds = value == expected && !compare_failed_;
  g_races.weak_atomic(succeeds ? Races::Atomic::modify : Races::Atomic::load, access.address,
                      access.size, succeeds ? access.order : failure, access.pc, access.is_point);
  if (succeeds) return value;
  // One that fails is a load.
  if (updated_) {
    const weak::Store& read = memory_.read(runner(), *updated_, position_, fails);
    note_graph(&read, nullptr);
    watch_load(access, read);
  } else {
    detector_->atomic_load(runner(), access.address, fails.order);
  }
  explored(access, true, searched_order_);
  return value;
}

void WeakAtomics::wide(OpKind kind, const AtomicAccess& access) {
  was_stale_ = false;
  if (!is_on()) return;
  const Races::Atomic what = kind == OpKind::atomic_load    ? Races::Atomic::load
                             : kind == OpKind::atomic_store ? Races::Atomic::store
                                                            : Races::Atomic::modify;
  g_races.weak_atomic(what, access.address, access.size, access.order, access.pc, access.is_point);
  if (g_actions.explores_stores()) g_actions.gap(TrailGap::sizes, access.pc);
  const weak::Strength strength = strength_of(access.order);
  for (uintptr_t p = access.address & ~uintptr_t{7}; p < access.address + access.size; p += 8) {
    weak::History* history = memory_.find_whole(p);
    if (!history) continue;
    if (what == Races::Atomic::load) {
      memory_.read(runner(), *history, 0, strength);
    } else if (what == Races::Atomic::store) {
      memory_.write(runner(), *history, 1, 0, strength);
    } else {
      memory_.modify(runner(), *history, 0, 0, strength);
    }
  }
}

void WeakAtomics::looked(uintptr_t address, uint32_t size) {
  if (!is_on()) return;
  uint64_t now = 0;
  __builtin_memcpy(&now, reinterpret_cast<const void*>(address), size);
  weak::History* history = memory_.find(address, size, now);
  if (history) memory_.read(runner(), *history, history->last(), {});
}

void WeakAtomics::written(uintptr_t begin, size_t size) { memory_.forget(begin, size); }

void WeakAtomics::fence(int order) {
  if (memory_.active()) memory_.fence(runner(), strength_of(order));
}

void WeakAtomics::fence_everywhere(uintptr_t pc) {
  if (!memory_.active()) return;
  // Between which operations of the others theirs is, is not explored.
  if (g_actions.explores_stores()) g_actions.gap(TrailGap::stale, pc);
  fence(__ATOMIC_SEQ_CST);
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread& other = *g_scheduler.thread_at(id);
    if (other.live) memory_.fence(other.index, strength_of(__ATOMIC_SEQ_CST));
  }
  fence(__ATOMIC_SEQ_CST);
}

}  // namespace jostle::rt
