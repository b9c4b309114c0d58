// SPDX-License-Identifier: Apache-2.0
#include "src/engine/reference_process.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/engine/executor.h"
#include "src/engine/fork_executor.h"
#include "src/engine/run_start.h"
#include "src/runtime/api/draw_calls.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/history/run_history.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/process/file_changes.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/memory/target_hub.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/snapshot/leave.h"
#include "src/strategy/serial/serial_decider.h"
#include "src/strategy/strategies.h"
#include "src/strategy/strategy.h"

namespace jostle::engine {
namespace {

using namespace jostle::rt;

// Orders that are tried before a history counts as too large to judge, and to say what is nearest.
constexpr uint32_t kMostRuns = 20'000;
constexpr uint32_t kMostRunsForNearest = 4'000;
// Trees of this many nodes in all are kept.
constexpr size_t kMostNodes = 1 << 20;
constexpr uint64_t kLongestSerialRun = 2'000'000'000;
constexpr uint64_t kMostSerialSteps = 100'000;

JOSTLE_KEPT ReferenceExchange* g_exchange = nullptr;

class SerialRuns final : public Strategy {
 public:
  Turn begin_run(const RunStart& start) override {
    decider.begin(start);
    return {&decider};
  }
  SerialDecider decider;
};

// Not so of runs that were ended from outside, by a limit: what they would have returned nobody
// knows.
bool shows_results(channel::Outcome outcome) {
  using channel::Outcome;
  return outcome != Outcome::running && outcome != Outcome::step_limit &&
         outcome != Outcome::timed_out && outcome != Outcome::cut_off &&
         outcome != Outcome::stopped && outcome != Outcome::unsupported;
}

struct Known {
  uint64_t scenario;
  SerialTree* tree;
};

class Reference {
 public:
  explicit Reference(channel::Channel* channel) : channel_(*channel), executor_(*channel) {
    g_inputs = make_in_engine_memory<GivenInputs>(exchange_.draws);
    executor_.start();
  }

  [[noreturn]] void serve() {
    for (;;) {
      while (exchange_.state.load() != ReferenceExchange::asked) {
        REAL(syscall)
        (SYS_futex, &exchange_.state, FUTEX_WAIT, exchange_.state.load(), nullptr, nullptr, 0);
      }
      exchange_.judgement = judge();
      exchange_.state.store(ReferenceExchange::answered);
      REAL(syscall)(SYS_futex, &exchange_.state, FUTEX_WAKE, 1, nullptr, nullptr, 0);
    }
  }

 private:
  Judgement judge() {
    SerialTree& tree = tree_of(exchange_.history.scenario);
    for (;;) {
      const SerialTree::Answer answer = tree.judge(exchange_.history);
      if (answer.kind == SerialTree::Answer::right) return Judgement::right;
      if (answer.kind == SerialTree::Answer::wrong) break;
      if (tree.runs() >= kMostRuns || !run(tree)) return Judgement::unknown;
    }
    explain(tree);
    return Judgement::wrong;
  }

  // The order that is nearest to what was seen.
  void explain(SerialTree& tree) {
    HistoryVerdict& verdict = exchange_.verdict;
    verdict.orders = verdict.nearest_count = 0;
    verdict.differs = verdict.returns_there = 0;
    if (!exchange_.explain) return;
    SerialTree::Answer answer;
    while ((answer = tree.nearest(exchange_.history, kMostRunsForNearest)).kind ==
           SerialTree::Answer::run) {
      if (!run(tree)) return;
    }
    if (answer.kind != SerialTree::Answer::right) return;
    verdict.differs = tree.differing();
    channel_.config.record = 1;
    const bool done = run(tree);
    channel_.config.record = 0;
    if (!done) return;
    const channel::RunRecord& shown = channel_.record;
    const History& history = shown.history;
    verdict.orders = tree.runs() - 1;  // one of them twice, for its texts
    verdict.returns_there = history.returned();
    for (uint32_t at = 1; at <= history.position; ++at) {
      for (uint32_t i = 0; i < history.count; ++i) {
        if (history.operations[i].call_at != at) continue;
        verdict.there[i] = shown.operation_texts[i];
        verdict.nearest[verdict.nearest_count++] = i;
      }
    }
  }

  // As the tree wants it. False: the program does not do the same twice, or does not end.
  bool run(SerialTree& tree) {
    strategy_.decider.prepare(tree.plan(), exchange_.history, channel_.record.history);
    Executor::Result result;
    do {
      begin_schedule(channel_, &strategy_, ++number_);
      result = executor_.run(number_);
    } while (result == Executor::Result::again);
    if (result != Executor::Result::done || strategy_.decider.has_failed()) return false;
    History& history = channel_.record.history;
    if (history.scenario != exchange_.history.scenario ||
        history.count != exchange_.history.count) {
      return false;
    }
    history.number_addresses();
    const channel::Failure& end = channel_.record.end;
    if (!shows_results(end.outcome)) return false;
    const bool ended = (end.outcome == channel::Outcome::exited && end.code == 0) ||
                       end.outcome == channel::Outcome::deadlock ||
                       end.outcome == channel::Outcome::livelock;
    return tree.add(strategy_.decider.run(), history, ended);
  }

  SerialTree& tree_of(uint64_t scenario) {
    size_t nodes = 0;
    for (const Known& known : known_) {
      if (known.scenario == scenario) return *known.tree;
      nodes += known.tree->size();
    }
    if (nodes > kMostNodes || known_.size() == kMostTrees) forget();
    exchange_.scenarios.fetch_add(1);
    SerialTree* tree = spare_.empty() ? make_in_engine_memory<SerialTree>() : spare_.pop_back();
    known_.push_back({scenario, tree});
    return *tree;
  }

  void forget() {
    for (const Known& known : known_) {
      known.tree->clear();
      spare_.push_back(known.tree);
    }
    known_.clear();
  }

  static constexpr size_t kMostTrees = 256;

  channel::Channel& channel_;
  ReferenceExchange& exchange_ = *g_exchange;
  Executor executor_;
  SerialRuns strategy_;
  EngineVector<Known> known_;
  EngineVector<SerialTree*> spare_;
  uint64_t number_ = 0;
};

[[noreturn]] void serve_reference() {
  g_current = nullptr;
  auto* reference = make_in_engine_memory<Reference>(&g_scheduler.channel());
  reference->serve();
}

// In the child: nothing that it does is seen by the command.
void come_loose() {
  g_scheduler.detach_from_channel();
  g_hub = nullptr;
  g_file_journal = nullptr;
  if (SharingCell* const own = map_sharing_table()) g_sharing = own;
  channel::Config& config = g_scheduler.channel().config;
  config.mode = channel::Mode::fuzz;
  config.executor = channel::Executor::automatic;
  config.points = channel::Points::synchronisation;
  config.stop_only = config.stop_count = 0;
  config.record = config.keep_graph = config.minimize = config.has_input = 0;
  config.workers = 1;
  config.worker = 0;
  config.first_schedule = 1;
  config.checks = config.fail_on = 0;
  config.patient = 0;  // whether a time-out strikes is one of the decisions
  config.spurious = channel::SpuriousWakeups::never;
  config.memory = channel::MemoryModel::sequential;
  config.io_faults = 0;
  config.max_steps = kMostSerialSteps;
  config.run_nanoseconds = kLongestSerialRun;
  silence_output();
}

}  // namespace

bool become_reference_or_start_it() {
  if (!has_histories()) return false;
  reuse_heap_at_once();
  g_exchange = static_cast<ReferenceExchange*>(map_shared_engine_memory(sizeof(ReferenceExchange)));
  if (!g_exchange) return false;
  const int pid = fork_aside();
  if (pid != 0) {
    g_exchange->pid = pid;
    if (pid > 0) g_reference = g_exchange;
    return false;
  }
  become_reference();
  come_loose();
  start_engine(serve_reference);
  return true;
}

}  // namespace jostle::engine
