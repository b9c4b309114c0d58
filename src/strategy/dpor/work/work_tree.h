// SPDX-License-Identifier: Apache-2.0
// The part of a reduced search's tree from which several searches take their work, and into which
// they put what they find for each other.
//
// A place is a state that somebody has published: with the steps that wait to be taken from it, its
// sleep set, and a ticket for every step that is being explored. Whoever holds a ticket explores
// all that begins with the path to its place and its step, in a search of its own, and
//   - inserts the reversals that begin at a place on the path,
//   - may publish the first state below its step: then the ticket is that place's, and the search
//     has a new one for the step that it explores from there,
//   - finishes the ticket.
// A place without waiting steps and tickets is finished, and so is its own ticket.
//
// Two tickets of one place have nothing in common, because the first is in the sleep set of the
// second. But the second is not independent of the first for that: where the step q of the first is
// asleep, what begins with it is not run, and reversals of races with it are only found by the
// holder of the first, who inserts them at the place. They have to get from there to where they
// belong, below the second. So
//   (W1) work is handed out only if q is no longer asleep where it begins, for all q under tickets.
//        Reversals of races with q end at the first step that depends on q: none reaches below.
//   (W2) the states before that, where q is still asleep, are places, and
//   (W3) such a place is not finished before q is.
// Otherwise reversals are inserted as in a search alone, and steps are taken in their order. The
// step that depends on q has to be as it was planned when it is executed: `settle` says if it is
// not, and until then no other ticket of the place is handed out.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/strategy/dpor/choice_paths.h"
#include "src/strategy/dpor/footprint.h"
#include "src/strategy/dpor/wakeup_tree.h"
#include "src/strategy/dpor/work/byte_stream.h"

namespace jostle::dpor {

// No ticket: that of the whole search.
inline constexpr uint32_t kWholeSearch = 0;

// What a search is to explore.
struct Work {
  uint32_t ticket = kWholeSearch;
  EngineVector<Step> path;                    // to the state
  EngineVector<Step> asleep;                  // there
  EngineVector<WakeupTree::Planned> planned;  // the step, and what is planned behind it
  // All steps that are planned there, and those that will be: the state is no place any more.
  bool is_whole_state = false;
};

// A state on the path of a search, as it is published.
struct PublishedState {
  Step step;  // that leads to it
  EngineVector<Step> asleep;
  EngineVector<WakeupTree::Planned> waiting;  // but for the step that is being explored
  Step child = {};                            // which has been executed
};

class WorkTree {
 public:
  WorkTree(FootprintTable* footprints, ChoicePaths* paths)
      : footprints_(footprints), paths_(paths), tree_(footprints, paths) {}

  bool is_finished() const { return is_finished_; }
  // Is there work that nobody does?
  bool has_work();

  // Work that begins after more planned steps is left until who is asleep there is no longer in
  // work. Each of these steps is a place until then (W2, W3): there are only so many of them.
  uint32_t most_steps() const;
  bool claim(Work& work);
  // A place of which nobody has a ticket, as work: the opposite of `publish`, under the place's own
  // ticket. False: there is none. `claim` does so where any step is to be taken.
  bool take_back(Work& work);
  // The step has been executed, and is this. False: (W1) does not hold.
  bool settle(uint32_t ticket, const Step& step);
  bool has_ticket(uint32_t id) { return id == kWholeSearch || ticket(id); }
  // The new ticket.
  uint32_t publish(uint32_t ticket, const PublishedState& state);
  // Is a sequence that is to be run from the state at this depth on the path of the ticket among
  // what was, is or will be explored? Once it is, it remains so.
  bool covers(uint32_t ticket, uint32_t depth, const Step* sequence, size_t count);
  // Makes sure that it is. False: it was.
  bool insert(uint32_t ticket, uint32_t depth, const Step* sequence, size_t count);
  // The step of the ticket is known as it was executed.
  bool is_settled(uint32_t ticket);
  void finish(uint32_t ticket);
  // The step does not go on there: as if it had not been planned.
  void drop(uint32_t ticket);

  // The share of the search that is done, by the numbers of steps at its places; what is under
  // tickets counts as half done.
  double share_done();

  void clear();
  void write(ByteWriter& to, const ThreadNames& threads);
  // False: it is damaged; then this is empty.
  bool read(ByteReader& from, ThreadNames& threads);

 private:
  struct Place {
    uint32_t id;
    uint32_t ticket;           // its own; kWholeSearch: it is the root
    WakeupTree::Node waiting;  // its children are
    uint32_t depth;
    uint32_t tickets = 0;    // of its steps
    uint32_t unsettled = 0;  // of these
    uint32_t finished = 0;   // steps
    uint32_t first_ticket = 0, last_ticket = 0;
    uint32_t first_sleeper = kNone;
    // A planned step could not be taken, and nothing else is planned: some step is.
    bool takes_any = false;
  };
  struct Ticket {
    uint32_t id;
    uint32_t place;  // id
    Step step;
    bool is_settled;
    uint32_t below = 0;  // the place that has it; 0: somebody holds it
    uint32_t next = 0;   // of the same place
  };
  // A member of the sleep set of a place.
  struct Sleeper {
    Step step;
    uint32_t ticket;        // under which it is being explored; 0: it has been
    uint32_t next = kNone;  // of the same place
  };

  Ticket* ticket(uint32_t id);
  Place* place(uint32_t id);
  Place* place_at(uint32_t ticket, uint32_t depth);
  void look_up(uint32_t ticket);
  void remove_place(uint32_t id);
  void path_to(const Place& place, EngineVector<Step>& to);
  // Who sleeps at a place for a step that is taken from there next; and behind a step.
  void sleepers_at(const Place& place, EngineVector<Sleeper>& to);
  void keep_asleep(EngineVector<Sleeper>& sleepers, const Step& step) const;
  static bool any_in_work(const EngineVector<Sleeper>& sleepers);
  // How many planned steps from its first waiting one work could begin; 0: nowhere.
  uint32_t depth_of_work(const Place& place);
  bool is_free(const Place& place);
  bool is_open(const Place& place);
  void take_whole(const Place& place, Work& work);
  uint32_t add_place(uint32_t ticket, uint32_t depth);
  uint32_t add_ticket(uint32_t place, const Step& step, bool is_settled);
  void connect_ticket(Ticket& added, Place& to);
  void remove_ticket(uint32_t id);
  void add_sleeper(uint32_t place, const Step& step, uint32_t ticket);
  WakeupTree::Node find_gap(uint32_t ticket, uint32_t depth, const Step* sequence, size_t count);
  void take_in(uint32_t ticket);
  void close_if_finished(uint32_t place);
  bool connect();

  FootprintTable* footprints_;
  ChoicePaths* paths_;
  WakeupTree tree_;
  EngineVector<Place> places_;
  EngineVector<Ticket> tickets_;
  EngineVector<Sleeper> sleepers_;
  uint32_t free_sleeper_ = kNone;
  uint32_t looked_up_ = 0;        // ticket
  EngineVector<uint32_t> above_;  // ids of the places above it, by depth
  uint32_t last_id_ = 0;          // of places and tickets
  bool is_begun_ = false;         // somebody has the whole search, or has published its root
  bool is_finished_ = false;
  EngineVector<Part> parts_;
  EngineVector<WakeupTree::Planned> planned_;
  EngineVector<Sleeper> found_;
  EngineVector<Step> sequence_;
  EngineVector<double> weights_;
};

}  // namespace jostle::dpor
