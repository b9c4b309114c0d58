// SPDX-License-Identifier: Apache-2.0
// Which write did each read observe? For every operation that others can notice, the last write of
// the bytes it reads, across threads; the value before all writes is a write, too.
//
// Kept at the level of *abstract events*: a read or write, the stable name of what it touches, and
// the place in the program. A run's pairs of (write, read that observed it) form a set whose hash
// does not depend on their order: runs of the same set are equal as far as data flow goes.
//
// Locks, semaphores and the like are locations that an acquisition reads and writes and a release
// writes; condition variables are written by a signal and read by who is woken.
#pragma once

#include <cstdint>

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/base/probe.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/meetings.h"
#include "src/schedule/operation.h"
#include "src/schedule/run_record.h"

namespace jostle {
class Observer;
struct Event;
}  // namespace jostle

namespace jostle::rt {

class ReadsFrom {
 public:
  // A new run, whose pairs go into `record`. Every event is shown to `observer`, if there is one.
  void begin_run(channel::RunRecord& record, Observer* observer);
  // In the middle of a run: from here on to somebody else, or to nobody.
  void show_to(Observer* observer);
  void stop() { active_ = false; }
  bool active() const { return active_; }

  // A new thread: what was written before is no other thread's business but its own to observe.
  void thread_created(uint32_t thread);
  // Thread `thread` executes the operation now.
  void executed(uint32_t thread, OpKind kind, uint32_t size, uintptr_t object, uintptr_t pc) {
    updated_ = nullptr;
    const bool is_word = (size == 4 || size == 0) && (object & 3) == 0 && object != 0;
    if (!is_word || !executed_on_word(thread, kind, object, pc)) [[unlikely]] {
      executed_anywhere(thread, kind, size, object, pc);
    }
  }
  // The second half of a read-modify-write, the operation executed last, which need not happen.
  void wrote(uint32_t thread, uint32_t size, uintptr_t object, uintptr_t pc) {
    Cell* const cell = updated_;
    if (!cell) [[unlikely]]
      return executed(thread, OpKind::write, size, object, pc);
    JOSTLE_CHECK(cell->key << 2 == object && cell->run == plain_run_ && updated_at_->pc == pc);
    ++time_;
    write_whole(*cell, *updated_at_, thread);
  }
  // An operation is not looked at.
  void passed_over() { updated_ = nullptr; }
  // The running operation has read an older store, that of `writer` (UINT32_MAX: what was there
  // before) at `writer_pc`. Such pairs are of a class of their own.
  void read_older(uintptr_t object, uintptr_t pc, uint32_t writer, uintptr_t writer_pc);
  // The abstract events of such a store, and of a load. `name`: of the object.
  uint64_t event_of_store(uint64_t name, uint32_t writer, uintptr_t pc);
  uint64_t event_of_load(uint64_t name, uintptr_t pc) { return read_event(name, site_of(pc)); }
  // Fresh memory: what was written there before is of no interest.
  void forget(uintptr_t begin, size_t size);

  // The name of the location, and the event that wrote it last.
  uint64_t name(uintptr_t object);
  uint64_t last_write(uintptr_t object, uint64_t name);
  // code_location, for who asks at every operation.
  uint64_t site_of(uintptr_t pc) { return known_site(pc).site; }

  // In this run: what is written goes there, word by word, up to so many.
  void list_written(EngineVector<WrittenWord>* list, size_t most) {
    listed_ = list;
    most_listed_ = most;
    plain_run_ = observer_ || listed_ ? 0 : run_ + 1;
  }

  bool is_listing() const { return listed_ != nullptr; }

  uint64_t set_so_far() const { return active_ ? record_->reads_from : 0; }

 private:
  // Four bytes of memory.
  struct Cell {
    uintptr_t key;  // address / 4
    uint64_t name;  // of the location; 0: not asked yet
    uint64_t writer;
    uint64_t noted_writer, noted_reader;  // the last pair noted
    uint32_t run;         // + 1: it is plain, named and all of it has the same writer
    uint32_t thread;      // who wrote
    uint32_t bytes;       // > 0: not all four have the same writer; index into split_
    uint32_t written_at;  // in the order of all operations of the run
    uint32_t read_at;
    uint32_t reader;  // who read last; kNobody: nobody since the last write
  };
  struct Writer {
    uint64_t event;
    uint32_t thread;
  };
  struct FourBytes {
    Writer writers[4];
  };
  struct Pair {
    uint64_t hash;
    uint64_t run;  // the last that had it
  };

  struct KnownSite {
    uintptr_t pc;
    uint64_t site;
    uint64_t name;    // of what it wrote last
    uint64_t writer;  // the event that is
  };

  static constexpr uint32_t kNobody = UINT32_MAX;  // wrote the initial value
  static constexpr uintptr_t kSites = 1 << 10;
  static constexpr uintptr_t kCells = 1 << 17;
  // Neighbours in memory are neighbours here, in groups of eight.
  static uintptr_t place_of(uintptr_t key) {
    return ((key >> 3) * 0x9E3779B97F4A7C15 >> 50 << 3 | (key & 7)) & (kCells - 1);
  }
  KnownSite& known_site(uintptr_t pc) {
    KnownSite& known = sites_[(pc >> 2) % kSites];
    if (known.pc != pc) [[unlikely]] {
      const uint64_t site = code_location(pc);
      known = {pc, site, 0, write_event(0, site)};
    }
    return known;
  }
  static uint64_t write_event_at(KnownSite& known, uint64_t name) {
    if (known.name != name) [[unlikely]] {
      known.name = name;
      known.writer = write_event(name, known.site);
    }
    return known.writer;
  }
  bool executed_on_word(uint32_t thread, OpKind kind, uintptr_t object, uintptr_t pc);
  void executed_anywhere(uint32_t thread, OpKind kind, uint32_t size, uintptr_t object,
                         uintptr_t pc);
  void write_whole(Cell& cell, KnownSite& known, uint32_t thread);
  bool is_of_run(const Cell& cell) const { return (cell.run | 1) == run_ + 1; }
  Cell* cell_of(uintptr_t address);
  void list(OpKind kind, uintptr_t object, uintptr_t end);
  void show(const Cell& cell, Event event, uint32_t thread, bool reads, bool writes);
  bool is_concurrent(const Cell& cell, uint32_t thread, bool writes) const;
  uint64_t name_of(Cell& cell);
  void read(Cell& cell, uint32_t thread, uintptr_t from, uintptr_t to, uint64_t name,
            uint64_t site);
  void write(Cell& cell, uintptr_t from, uintptr_t to, Writer writer);
  void note_pair(uint64_t write, uint64_t read, bool is_shown = true);
  // Where the pair is, or the empty place for it.
  uint64_t place_of_pair(uint64_t hash) const {
    return probe(hash >> 20, pairs_size_,
                 [&](uint64_t i) { return pairs_[i].hash == 0 || pairs_[i].hash == hash; });
  }
  void make_room_for_pairs();

  bool active_ = false;
  uint32_t run_ = 0;        // even
  uint32_t plain_run_ = 0;  // run_ + 1, or 0: somebody is shown, or keeps, more than last writes
  uint32_t used_ = 0;
  uint32_t time_ = 0;
  EngineVector<uint32_t> created_at_;  // threads by index
  channel::RunRecord* record_ = nullptr;
  Observer* observer_ = nullptr;
  EngineVector<WrittenWord>* listed_ = nullptr;
  size_t most_listed_ = 0;
  Cell* cells_ = nullptr;
  Cell* last_ = nullptr;  // the one asked for last
  // What the operation executed last has read, a plain word, and where; null: something else.
  Cell* updated_ = nullptr;
  KnownSite* updated_at_ = nullptr;
  KnownSite* sites_ = nullptr;  // code locations, by the low bits of the address
  uint32_t* pages_ = nullptr;   // the last run that had a cell in a page, by its low bits
  Pair* pairs_ = nullptr;       // those that came up in this process
  uint64_t pairs_size_ = 0;     // places for them, a power of two
  uint64_t pairs_used_ = 0;
  EngineVector<FourBytes> split_;
};

extern JOSTLE_HIDDEN ReadsFrom g_reads_from;

// What is most frequent: a word that is known already, and nobody looks on. False: it is not that.
inline bool ReadsFrom::executed_on_word(uint32_t thread, OpKind kind, uintptr_t object,
                                        uintptr_t pc) {
  const uintptr_t key = object >> 2;
  Cell& cell = cells_[place_of(key)];
  KnownSite& known = sites_[(pc >> 2) % kSites];
  if (cell.key != key || cell.run != plain_run_ || known.pc != pc || g_meetings_wanted)
      [[unlikely]] {
    return false;
  }
  JOSTLE_CHECK(cell.name != 0 && cell.bytes == 0 && !observer_ && !listed_);
  const bool reads = observes(kind), writes = may_change(kind) && kind != OpKind::atomic_rmw;
  if (!(reads || writes)) return true;
  if (reads && cell.thread != thread &&
      !(cell.noted_reader == known.site && cell.noted_writer == cell.writer)) [[unlikely]] {
    return false;
  }
  ++time_;
  if (reads) cell.read_at = time_;
  if (writes) {
    write_whole(cell, known, thread);
  } else {
    cell.reader = thread;
    updated_ = &cell;
    updated_at_ = &known;
  }
  return true;
}

inline void ReadsFrom::write_whole(Cell& cell, KnownSite& known, uint32_t thread) {
  cell.written_at = time_;
  cell.reader = kNobody;
  cell.writer = write_event_at(known, cell.name);
  cell.thread = thread;
}

}  // namespace jostle::rt
