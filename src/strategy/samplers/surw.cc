// SPDX-License-Identifier: Apache-2.0
// SURW, selectively uniform random walk (Zhao, Wolff, Mathur, Roychoudhury, ASPLOS 2025).
//
// Every run picks one *target*, an object that several threads touch and somebody writes, and
// samples the interleavings of the accesses to it uniformly: an *intended* thread is drawn in
// proportion to how many target accesses each has left, and others are held back at theirs until
// they are intended. All other steps are free; they go by random scores as in pos. When everybody
// is held back, any one of them is released: the intended thread waits for one.
//
// Who is held back stays so when the target has been accessed, and gets its new score when it is
// released. That is the same walk as releasing all at every access, but costs a crowd nothing.
//
// A thread stands for those it has yet to create, too: without that, the thread created last would
// come last.
//
// Where we differ: the counts come from all earlier runs (the largest seen) instead of one
// profiling run, and a target is drawn in proportion to its accesses. Until something is known it
// is pos.
//
// What is learned lies in memory that forked runs share. Objects are known by their names, which
// are the same in every run.
#include "src/base/check.h"
#include "src/base/hash.h"
#include "src/base/probe.h"
#include "src/strategy/samplers/sampler.h"
#include "src/strategy/samplers/scores.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

constexpr size_t kMostObjects = 1024;  // the first ones that runs touch
constexpr size_t kObjectPlaces = 4096;
constexpr uint32_t kMostThreads = 1 << 12;  // what more there are count as their parents
constexpr size_t kThreadPlaces = 1 << 14;
constexpr size_t kMostPairs = 1 << 15;
constexpr size_t kPairPlaces = 1 << 16;

struct Object {
  uint64_t name;
  uint32_t first_pair;  // place + 1 of some thread's accesses to it; 0: none
  uint64_t accesses;    // in all runs
  uint64_t run;         // the last that touched it
  uint32_t threads;     // that touched it in that run
  uint32_t most_threads;
  bool written;
};

// A thread that runs have had, by its spawn path; main is the first.
struct Known {
  uint64_t path;
  uint32_t parent;  // comes before its children
};

// A thread's accesses to an object.
struct Pair {
  uint32_t thread;  // index of Known
  uint32_t next;    // place + 1 of another thread's to the same object; 0: none
  uint64_t key;     // of the object and the thread's spawn path; 0: empty
  uint64_t run;
  uint64_t count;  // in that run
  uint64_t most;
};

struct Learned {
  uint64_t runs;
  uint64_t most_threads;
  uint64_t objects_used, pairs_used;
  uint32_t threads_used;
  Known threads[kMostThreads];
  uint32_t thread_places[kThreadPlaces];  // index + 1 into `threads`; 0: empty
  Object objects[kMostObjects];
  uint32_t object_places[kObjectPlaces];  // index + 1 into `objects`; 0: empty
  Pair pairs[kPairPlaces];

  Object* object(uint64_t name) {
    static_assert(kObjectPlaces == size_t{1} << 12);
    uint32_t& place =
        object_places[probe(name * 0x9E3779B97F4A7C15 >> 52, kObjectPlaces, [&](size_t i) {
          return object_places[i] == 0 || objects[object_places[i] - 1].name == name;
        })];
    if (place != 0) return &objects[place - 1];
    if (objects_used == kMostObjects) return nullptr;
    Object& fresh = objects[objects_used++];
    fresh = {.name = name,
             .first_pair = 0,
             .accesses = 0,
             .run = 0,
             .threads = 0,
             .most_threads = 0,
             .written = false};
    place = static_cast<uint32_t>(objects_used);
    return &fresh;
  }

  uint32_t thread(uint64_t path, uint32_t parent) {
    static_assert(kThreadPlaces == size_t{1} << 14);
    uint32_t& place =
        thread_places[probe(path * 0x9E3779B97F4A7C15 >> 50, kThreadPlaces, [&](size_t i) {
          return thread_places[i] == 0 || threads[thread_places[i] - 1].path == path;
        })];
    if (place != 0) return place - 1;
    if (threads_used == kMostThreads) return parent;
    threads[threads_used] = {path, parent};
    place = ++threads_used;
    return threads_used - 1;
  }

  // Null: no room, or not there and not to be made.
  Pair* pair(uint64_t key, bool make) {
    Pair& pair = pairs[probe(key, kPairPlaces,
                             [&](size_t i) { return pairs[i].key == 0 || pairs[i].key == key; })];
    if (pair.key == key) return &pair;
    if (!make || pairs_used == kMostPairs) return nullptr;
    ++pairs_used;
    pair.key = key;
    return &pair;
  }
};

uint64_t key_of(uint64_t object, uint64_t path) { return combine(object, path) | 1; }

class SelectiveWalk final : public Sampler {
 public:
  SelectiveWalk() : learned_(static_cast<Learned*>(map_shared_engine_memory(sizeof(Learned)))) {}

  Parts parts() override { return {.names = true}; }

  void begin(const RunStart& start) override {
    Sampler::begin(start);
    threads_.clear();
    scores_.clear();
    held_.clear();
    intended_ = kNoThread;
    if (!learned_) return;
    ++learned_->runs;
    target_ = draw_target();
    sum_up();
    sum_ = 0;
    block_sums_.clear();
    at(0) = {kMain, 0, learned_->thread(kMain, 0), 0, 0};
    endow(at(0), own_.empty() ? 0 : subtree_[0]);
    weigh(0, 0);
  }

  void thread_created(ThreadId parent, ThreadId child) override {
    const uint64_t path = combine(at(parent).path, ++at(parent).children);
    if (!learned_) return;
    const uint32_t thread = learned_->thread(path, at(parent).thread);
    const uint64_t left_over = weight(child);  // of a thread that had the slot before
    at(child) = {path, 0, thread, 0, 0};
    weigh(child, left_over);
    held_.erase(child);
    scores_.forget(child);
    if (child > learned_->most_threads) learned_->most_threads = child;
    if (thread == at(parent).thread || thread >= subtree_.size()) return;
    // The share of the child and all below it goes over to the child, and perhaps the turn does.
    const uint64_t share = subtree_[thread];
    const uint64_t before = at(parent).unborn;
    const uint64_t parents = weight(parent);
    at(parent).unborn -= share < before ? share : before;
    weigh(parent, parents);
    endow(at(child), share);
    weigh(child, 0);
    if (intended_ == parent && for_unborn_ && before && rng_.below(before) < share) {
      intend(child);
      for_unborn_ = rng_.below(share) >= at(child).left;
    }
  }

  ThreadId pick(const View& view) override {
    if (intended_ == kNoThread && held_.count() != 0) draw_intended();
    while (true) {
      const ThreadId best = scores_.best(*view.candidates, rng_, &held_);
      if (best == kNoThread) return release_one(view);
      if (!is_target(view.pending(best))) return best;
      if (intended_ == kNoThread) draw_intended();
      if (intended_ == kNoThread || best == intended_) return best;
      held_.insert(best);
    }
  }

  void executed(const View& view, ThreadId id, const Operation& op) override {
    scores_.executed(view, id, op, rng_, &held_);
    if (is_target(op)) {
      if (at(id).left) {
        --at(id).left;
        weigh(id, weight(id) + 1);
      }
      intended_ = kNoThread;
    }
    if (op.name && learned_) note(id, op);
  }

 private:
  static constexpr uint64_t kMain = 1;

  struct Walker {
    uint64_t path;
    uint64_t children;
    uint32_t thread;  // index of Known
    uint64_t left;    // accesses to the target
    uint64_t unborn;  // the same of threads that it, or those it creates, will create
  };

  Walker& at(ThreadId id) {
    if (id >= threads_.size()) threads_.resize(id + 1);
    return threads_[id];
  }

  bool is_target(const Operation& op) const { return target_ && op.name == target_; }

  // How often threads access the target, alone and with all they create.
  void sum_up() {
    own_.clear();
    subtree_.clear();
    const Object* object = target_ ? learned_->object(target_) : nullptr;
    if (!object) return;
    own_.resize(learned_->threads_used);
    subtree_.resize(learned_->threads_used);
    for (uint32_t at = object->first_pair; at; at = learned_->pairs[at - 1].next) {
      const Pair& pair = learned_->pairs[at - 1];
      own_[pair.thread] += pair.most;
      for (uint32_t thread = pair.thread;; thread = learned_->threads[thread].parent) {
        subtree_[thread] += pair.most;
        JOSTLE_CHECK_LE(own_[thread], subtree_[thread]);
        if (thread == 0) break;
        JOSTLE_CHECK_LT(learned_->threads[thread].parent, thread);
      }
    }
  }

  void endow(Walker& walker, uint64_t share) {
    const uint64_t own = walker.thread < own_.size() ? own_[walker.thread] : 0;
    walker.left = own < share ? own : share;
    walker.unborn = share - walker.left;
    JOSTLE_CHECK_EQ(walker.left + walker.unborn, share);
  }

  uint64_t draw_target() {
    const uint64_t enough =
        learned_->most_threads / 2 > 2 ? learned_->most_threads / 2 : uint64_t{2};
    const auto weight = [&](const Object& object) {
      return object.written && object.most_threads >= enough ? object.accesses : 0;
    };
    uint64_t sum = 0;
    for (size_t i = 0; i < learned_->objects_used; ++i) sum += weight(learned_->objects[i]);
    if (sum == 0) return 0;
    uint64_t point = rng_.below(sum);
    for (size_t i = 0; i < learned_->objects_used; ++i) {
      const uint64_t here = weight(learned_->objects[i]);
      if (point < here) return learned_->objects[i].name;
      point -= here;
    }
    return 0;
  }

  void intend(ThreadId id) {
    intended_ = id;
    if (!held_.contains(id)) return;
    held_.erase(id);
    scores_.redraw(id, rng_);
  }

  void draw_intended() {
    if (sum_ == 0) return;
    uint64_t point = rng_.below(sum_);
    ThreadId id = 0;
    for (size_t n = 0; n < block_sums_.size() && point >= block_sums_[n]; ++n, id += 64) {
      point -= block_sums_[n];
    }
    for (; id < threads_.size(); ++id) {
      const uint64_t weight = threads_[id].left + threads_[id].unborn;
      if (point < weight) {
        for_unborn_ = point >= threads_[id].left;
        return intend(id);
      }
      point -= weight;
    }
  }

  // What the thread stands for is another number now: sums are kept, because a crowd is long.
  void weigh(ThreadId id, uint64_t before) {
    const uint64_t now = at(id).left + at(id).unborn;
    if (id / 64 >= block_sums_.size()) block_sums_.resize(id / 64 + 1);
    block_sums_[id / 64] += now - before;
    sum_ += now - before;
  }
  uint64_t weight(ThreadId id) { return at(id).left + at(id).unborn; }

  // The intended thread waits for one of them: any one, because all would get new scores.
  ThreadId release_one(const View& view) {
    const auto k = static_cast<uint32_t>(rng_.below(view.candidates->count()));
    const ThreadId id = view.candidates->nth(k);
    held_.erase(id);
    intended_ = kNoThread;
    return id;
  }

  void note(ThreadId id, const Operation& op) {
    Object* object = learned_->object(op.name);
    if (!object) return;
    ++object->accesses;
    object->written |= !only_reads(op.kind);
    if (object->run != learned_->runs) {
      object->run = learned_->runs;
      object->threads = 0;
    }
    Pair* pair = learned_->pair(key_of(op.name, at(id).path), true);
    if (!pair) return;
    if (pair->run != learned_->runs) {
      if (pair->most == 0) {
        pair->thread = at(id).thread;
        pair->next = object->first_pair;
        object->first_pair = static_cast<uint32_t>(pair - learned_->pairs) + 1;
      }
      pair->run = learned_->runs;
      pair->count = 0;
      ++object->threads;
      if (object->threads > object->most_threads) object->most_threads = object->threads;
    }
    if (++pair->count > pair->most) pair->most = pair->count;
  }

  Learned* learned_;
  uint64_t target_ = 0;
  ThreadId intended_ = kNoThread;
  bool for_unborn_ = false;  // it is intended for the sake of a thread that it has yet to create
  EngineVector<uint64_t> own_, subtree_;  // by index of Known
  EngineVector<Walker> threads_;
  EngineVector<uint64_t> block_sums_;  // weights of 64 threads each
  uint64_t sum_ = 0;
  Scores scores_;
  EnabledSet held_;
};

}  // namespace

JOSTLE_STRATEGY(kSurw) = {"surw",
                          "selectively uniform: uniform over the accesses to one object per run",
                          {},
                          made<SelectiveWalk>};

}  // namespace jostle
