// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/reads_from.h"

#include "src/base/check.h"
#include "src/base/hash.h"
#include "src/base/probe.h"
#include "src/runtime/memory/location_name.h"
#include "src/runtime/memory/target_hub.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/meetings.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/strategy/observer.h"

namespace jostle::rt {

JOSTLE_KEPT constinit ReadsFrom g_reads_from;

namespace {

constexpr uint32_t kMostCells = (1 << 17) / 4 * 3;
constexpr uintptr_t kPages = 1 << 12;
// Few at first: what is spread over a large table costs a page fault each.
constexpr uint64_t kFirstPairs = 1 << 8;
constexpr uint64_t kPairs = 1 << 18;
constexpr uint64_t kMostPairs = kPairs / 4 * 3;
// Of a copy of more memory only so much is looked at.
constexpr uintptr_t kLongest = 4096;

}  // namespace

void ReadsFrom::show_to(Observer* observer) {
  observer_ = observer;
  plain_run_ = observer_ || listed_ ? 0 : run_ + 1;
  if (observer_) observer_->run_begins();
}

void ReadsFrom::begin_run(channel::RunRecord& record, Observer* observer) {
  record_ = &record;
  run_ += 2;
  updated_ = nullptr;
  show_to(observer);
  if (!cells_) {
    cells_ = static_cast<Cell*>(engine_allocate(kCells * sizeof(Cell)));
    pages_ = static_cast<uint32_t*>(engine_allocate(kPages * sizeof(uint32_t)));
    sites_ = static_cast<KnownSite*>(engine_allocate(kSites * sizeof(KnownSite)));
    pairs_size_ = kFirstPairs;
    pairs_ = static_cast<Pair*>(engine_allocate(pairs_size_ * sizeof(Pair)));
    split_.push_back({});  // 0 means none
  }
  JOSTLE_CHECK_EQ(record.reads_from + record.new_reads_from, 0);
  active_ = true;
  used_ = 0;
  time_ = 0;
  created_at_.clear();
  split_.resize(1);
}

inline ReadsFrom::Cell* ReadsFrom::cell_of(uintptr_t address) {
  const uintptr_t key = address >> 2;
  if (last_ && last_->key == key && is_of_run(*last_)) return last_;
  static_assert(kMostCells == kCells / 4 * 3);
  Cell* cell = nullptr;
  bool is_free = false;
  probe(place_of(key), kCells, [&](uintptr_t i) {
    cell = &cells_[i];
    is_free = !is_of_run(*cell);
    return is_free || cell->key == key;
  });
  if (!is_free) return last_ = cell;
  if (used_ == kMostCells) return nullptr;
  ++used_;
  JOSTLE_CHECK_LE(used_, kMostCells);
  *cell = {key, 0, 0, 0, 0, run_, kNobody, 0, 0, 0, kNobody};
  pages_[(address >> 12) % kPages] = run_;
  return cell;
}

inline uint64_t ReadsFrom::name_of(Cell& cell) {
  if (!cell.name) {
    cell.name = location_name(cell.key << 2);
    cell.run = run_ + (cell.name != 0 && cell.bytes == 0);
  }
  return cell.name;
}

__attribute__((noinline)) void ReadsFrom::executed_anywhere(uint32_t thread, OpKind kind,
                                                            uint32_t size, uintptr_t object,
                                                            uintptr_t pc) {
  // Whether a read-modify-write has written shows when it has executed: see `wrote`.
  const bool reads = observes(kind), writes = may_change(kind) && kind != OpKind::atomic_rmw;
  if (object == 0 || !(reads || writes)) return;
  // A synchronisation object has no size: its first word stands for it.
  const uintptr_t length = size == 0 ? 4 - (object & 3) : size < kLongest ? size : kLongest;
  Cell* cell = cell_of(object);
  if (!cell) return;
  // The event is named by where it begins, also the part of it that is in the next cell.
  const uint64_t name = name_of(*cell) + (object & 3);
  KnownSite& known = known_site(pc);
  const uint64_t site = known.site;
  ++time_;
  if (observer_) show(*cell, {name, site, 0, object, pc, kind, false}, thread, reads, writes);
  const uintptr_t end = object + length;
  if (listed_ && writes) [[unlikely]]
    list(kind, object, end);
  for (uintptr_t from = object;;) {
    const uintptr_t next = (from | 3) + 1;
    const uintptr_t to = next < end ? next : end;
    if (reads) read(*cell, thread, from, to, name, site);
    if (writes) write(*cell, from, to, {write_event_at(known, name), thread});
    if (next >= end) return;
    from = next;
    cell = cell_of(from);
    if (!cell) return;
  }
}

void ReadsFrom::list(OpKind kind, uintptr_t object, uintptr_t end) {
  if (!is_memory(kind)) return;
  for (uintptr_t word = object & ~uintptr_t{7}; word < end; word += 8) {
    if (listed_->size() == most_listed_) return;
    const uintptr_t from = object > word ? object - word : 0, to = end - word < 8 ? end - word : 8;
    listed_->push_back({word, (uint64_t{1} << to) - (uint64_t{1} << from)});
  }
}

void ReadsFrom::show(const Cell& cell, Event event, uint32_t thread, bool reads, bool writes) {
  event.thread = thread_path(thread);
  event.concurrent = is_concurrent(cell, thread, false);
  event.alone = g_scheduler.is_alone();
  if (reads) observer_->observed(event, false);
  event.concurrent |= is_concurrent(cell, thread, true);
  if (writes) observer_->observed(event, true);
}

void ReadsFrom::read(Cell& cell, uint32_t thread, uintptr_t from, uintptr_t to, uint64_t name,
                     uint64_t site) {
  JOSTLE_CHECK(from < to && to - from <= 4 && from >> 2 == cell.key);
  JOSTLE_CHECK(is_of_run(cell));
  JOSTLE_CHECK(cell.written_at <= time_ && cell.read_at <= time_);
  cell.reader = thread;
  cell.read_at = time_;
  if (g_meetings_wanted && cell.thread != thread && cell.thread != kNobody) {
    note_meeting(cell.thread, cell.written_at);
  }
  if (!cell.bytes) {
    // Mostly it is the same pair as before.
    if (cell.thread == thread) return;
    if (cell.noted_reader == site && cell.noted_writer == cell.writer) return;
    cell.noted_reader = site;
    cell.noted_writer = cell.writer;
    const uint64_t writer = cell.thread == kNobody ? initial_write(name) : cell.writer;
    return note_pair(writer, read_event(name, site));
  }
  for (uintptr_t p = from; p < to; ++p) {
    const Writer& writer = split_[cell.bytes].writers[p & 3];
    if (writer.thread == thread) continue;
    const uint64_t wrote = writer.thread == kNobody ? initial_write(name) : writer.event;
    note_pair(wrote, read_event(name, site));
  }
}

void ReadsFrom::thread_created(uint32_t thread) {
  if (!active_) return;
  if (thread >= created_at_.size()) created_at_.resize(thread + 1);
  created_at_[thread] = time_ + 1;
}

// Could the access have come before the last one of another thread to the same place? Not if that
// was over before the thread existed.
bool ReadsFrom::is_concurrent(const Cell& cell, uint32_t thread, bool writes) const {
  const auto created_at = [&](uint32_t index) {
    return index < created_at_.size() ? created_at_[index] : 0;
  };
  if (cell.thread != kNobody && cell.thread != thread && cell.written_at >= created_at(thread)) {
    return true;
  }
  return writes && cell.reader != kNobody && cell.reader != thread &&
         cell.read_at >= created_at(thread);
}

uint64_t ReadsFrom::name(uintptr_t object) {
  Cell* cell = active_ && object ? cell_of(object) : nullptr;
  return cell ? name_of(*cell) + (object & 3) : 0;
}

uint64_t ReadsFrom::last_write(uintptr_t object, uint64_t name) {
  Cell* cell = active_ && object ? cell_of(object) : nullptr;
  if (!cell) return 0;
  const Writer last =
      cell->bytes ? split_[cell->bytes].writers[object & 3] : Writer{cell->writer, cell->thread};
  return last.thread == kNobody ? initial_write(name) : last.event;
}

void ReadsFrom::write(Cell& cell, uintptr_t from, uintptr_t to, Writer writer) {
  JOSTLE_CHECK(from < to && to - from <= 4 && from >> 2 == cell.key);
  JOSTLE_CHECK_NE(writer.thread, kNobody);
  cell.written_at = time_;
  if (g_meetings_wanted) note_write(time_);
  cell.reader = kNobody;
  if (to - from == 4) {
    cell.writer = writer.event;
    cell.thread = writer.thread;
    cell.bytes = 0;
    cell.run = run_ + (cell.name != 0);
    return;
  }
  cell.run = run_;
  if (!cell.bytes) {
    const Writer whole = {cell.writer, cell.thread};
    cell.bytes = static_cast<uint32_t>(split_.size());
    split_.push_back({{whole, whole, whole, whole}});
  }
  for (uintptr_t p = from; p < to; ++p) split_[cell.bytes].writers[p & 3] = writer;
  cell.thread = writer.thread;  // of the last write, whichever bytes it was
}

void ReadsFrom::read_older(uintptr_t object, uintptr_t pc, uint32_t writer, uintptr_t writer_pc) {
  const uint64_t named = name(object);
  if (named == 0) return;
  constexpr uint64_t kOlder = 19;
  const uint64_t write = event_of_store(named, writer, writer_pc);
  // No order of threads leads to it: who looks for those is not shown it.
  note_pair(combine(kOlder, write), event_of_load(named, pc), false);
}

uint64_t ReadsFrom::event_of_store(uint64_t name, uint32_t writer, uintptr_t pc) {
  return writer == kNobody ? initial_write(name) : write_event(name, site_of(pc));
}

void ReadsFrom::note_pair(uint64_t write, uint64_t read, bool is_shown) {
  const uint64_t pair = combine(write, read) | 1;
  Pair& known = pairs_[place_of_pair(pair)];
  const bool is_known = known.hash != 0;
  if (is_known && known.run == run_) return;
  if (g_meetings_wanted) note_observed(write, read);
  record_->reads_from += combine(pair, pair >> 32);
  if (is_known) known.run = run_;
  if (is_known || pairs_used_ == kMostPairs) return;
  ++pairs_used_;
  JOSTLE_CHECK_LE(pairs_used_, kMostPairs);
  known = {pair, run_};
  if (pairs_used_ > pairs_size_ / 2 && pairs_size_ < kPairs) make_room_for_pairs();
  // New here; but is it for the whole campaign?
  if (g_hub && !g_hub->reads_from_pairs.insert(pair)) return;
  ++record_->new_reads_from;
  if (observer_ && is_shown) observer_->paired(write, read);
}

void ReadsFrom::make_room_for_pairs() {
  Pair* const old = pairs_;
  const uint64_t old_size = pairs_size_;
  pairs_size_ *= 4;
  pairs_ = static_cast<Pair*>(engine_allocate(pairs_size_ * sizeof(Pair)));
  for (const Pair* pair = old; pair != old + old_size; ++pair) {
    if (pair->hash == 0) continue;
    pairs_[place_of_pair(pair->hash)] = *pair;
  }
  engine_release(old, old_size * sizeof(Pair));
}

void ReadsFrom::forget(uintptr_t begin, size_t size) {
  if (!active_ || used_ == 0) return;
  const uintptr_t end = begin + (size < kLongest ? size : kLongest);
  for (uintptr_t page = begin >> 12; page <= (end - 1) >> 12; ++page) {
    if (pages_[page % kPages] != run_) continue;
    const uintptr_t from = page << 12 > begin ? page << 12 : begin;
    const uintptr_t to = (page + 1) << 12 < end ? (page + 1) << 12 : end;
    for (uintptr_t p = from & ~uintptr_t{3}; p < to; p += 4) {
      if (Cell* cell = cell_of(p)) *cell = {p >> 2, 0, 0, 0, 0, run_, kNobody, 0, 0, 0, kNobody};
    }
  }
}

}  // namespace jostle::rt
