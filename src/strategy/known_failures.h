// SPDX-License-Identifier: Apache-2.0
// Steers away from failures that are known, so that those that come in many runs do not hide the
// rare ones.
//
// What leads to a failure is guessed: the last read before it of what another thread had written.
// Such a pair of write and read is a *suspect* until a run that did not fail has it, too. In some
// of the later runs a thread that is about to complete a suspected pair is held back while there is
// somebody else: whatever writes there next makes it another pair. Nobody is kept from failing who
// is left alone, and most of what the strategy of the run would do it does.
//
// It looks at nothing before a second failure: campaigns that end with the first pay nothing.
#pragma once

#include <cstdint>

#include "src/base/rng.h"
#include "src/schedule/hub.h"
#include "src/strategy/strategy.h"

namespace jostle {

class KnownFailures final : public Observer {
 public:
  // `other` is shown everything, too.
  explicit KnownFailures(Observer* other);

  void run_begins() override;
  void observed(const Event& event, bool writes) override;
  void paired(uint64_t write, uint64_t read) override { other_->paired(write, read); }

  void after_run(const channel::RunRecord& run);
  // The decider of a run, or one that holds suspects back and leaves the rest to it.
  Decider* bend(Decider* decider, Rng& rng);
  bool any() const { return failures_ != 0; }

 private:
  static constexpr uint32_t kMostSuspects = 64;
  static constexpr uint32_t kMostLocations = 1 << 12;

  struct Pair {
    uint64_t write, read;
  };
  struct Suspect {
    Pair pair;
    bool is_cleared;  // a run that did not fail had it
    uint64_t run;     // the last that had it
  };
  // Who wrote there last, in the run that is going on.
  struct Written {
    uint64_t run, name, event, thread;
  };
  // In memory that forked runs share.
  struct Notes {
    uint64_t run;
    Pair last;  // of two threads; 0: none yet
    uint32_t suspect_count;
    Suspect suspects[kMostSuspects];
    Written written[kMostLocations];
  };

  // The decider of a run whose suspects are held back.
  class Bent final : public Decider {
   public:
    explicit Bent(const KnownFailures& known) : known_(known) {}
    void follow(Decider* decider);
    void begin(const RunStart& start) override { decider_->begin(start); }
    ThreadId pick(const View& view) override;
    uint32_t choose(const Question& question) override { return decider_->choose(question); }
    void executed(const View& view, ThreadId id, const Operation& op) override {
      decider_->executed(view, id, op);
    }
    void thread_created(ThreadId parent, ThreadId child) override {
      decider_->thread_created(parent, child);
    }
    bool is_before_running(uint32_t step) override { return decider_->is_before_running(step); }
    uint64_t stop_for(ThreadId id) const override { return decider_->stop_for(id); }

   private:
    const KnownFailures& known_;
    Decider* decider_ = nullptr;
    EnabledSet free_;
  };

  bool is_suspect(uint64_t write, uint64_t read) const;
  void note_pair(const Pair& pair);
  Written& written_at(uint64_t name);

  Observer* other_;
  Notes* notes_;
  uint64_t failures_ = 0;
  Bent bent_{*this};
};

}  // namespace jostle
