// SPDX-License-Identifier: Apache-2.0
#include "src/engine/reference/reference_process.h"

#include <unistd.h>

#include "src/engine/fork_executor.h"
#include "src/engine/reference/history_reference.h"
#include "src/engine/reference/question_loop.h"
#include "src/engine/reference/result_reference.h"
#include "src/engine/run_start.h"
#include "src/runtime/api/draw_calls.h"
#include "src/runtime/fiber/clean_stack.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/history/atomic_calls.h"
#include "src/runtime/history/run_history.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/state/file_changes.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/memory/target_hub.h"
#include "src/runtime/oracle/result_end.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/snapshot/kernel_state.h"
#include "src/runtime/snapshot/leave.h"
#include "src/strategy/strategies.h"

namespace jostle::engine {
namespace {

using namespace jostle::rt;

constexpr uint64_t kLongestSerialRun = 2'000'000'000;
constexpr uint64_t kMostSerialSteps = 100'000;

JOSTLE_KEPT ReferenceExchange* g_exchange = nullptr;

class Reference {
 public:
  explicit Reference(channel::Channel* channel) : runs_(*channel) {
    g_inputs = make_in_engine_memory<GivenInputs>(exchange_.draws);
  }

  [[noreturn]] void serve() {
    for (;;) {
      while (!await_question(exchange_)) {
      }
      if (g_results_wanted) {
        answer_about_results();
      } else {
        histories_.answer();
      }
    }
  }

 private:
  void answer_about_results() {
    if (exchange_.question != ReferenceExchange::which_words) {
      return answer_question(exchange_, results_.judge());
    }
    results_.list_words();
    answer_question(exchange_, Judgement::unknown);
  }

  ReferenceExchange& exchange_ = *g_exchange;
  ReferenceRuns runs_;
  HistoryReference histories_{runs_, exchange_};
  ResultReference results_{runs_, exchange_};
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
  // Operations do not meet in plain memory outside of them; what other code does may.
  config.points = g_results_wanted ? channel::Points::all : channel::Points::synchronisation;
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
  open_files_anew();
}

}  // namespace

bool become_reference_or_start_it() {
  g_results_wanted = g_scheduler.channel().config.atomic_count != 0 && !has_histories();
  if (!has_histories() && !g_results_wanted) return false;
  if (g_results_wanted) {
    g_compares_memory = true;
  } else {
    reuse_heap_at_once();
  }
  g_exchange = static_cast<ReferenceExchange*>(map_shared_engine_memory(sizeof(ReferenceExchange)));
  if (!g_exchange) return false;
  keep_open_files();
  const int pid = fork_aside();
  if (pid != 0) {
    g_exchange->pid = pid;
    if (pid > 0) g_reference = g_exchange;
    return false;
  }
  become_reference();
  if (g_results_wanted) watch_atomic_calls(g_scheduler.channel());
  come_loose();
  start_engine(serve_reference);
  return true;
}

}  // namespace jostle::engine
