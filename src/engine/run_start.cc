// SPDX-License-Identifier: Apache-2.0
#include "src/engine/run_start.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "src/base/hash.h"
#include "src/base/rng.h"
#include "src/runtime/api/draw_calls.h"
#include "src/runtime/history/run_results.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/memory/weak_atomics.h"
#include "src/runtime/oracle/result_end.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/waits/spurious.h"

namespace jostle::engine {

using namespace jostle::rt;

namespace {

// The first runs are patient, and three of four later ones: a time-out that strikes although others
// could run is legal, but what most programs do on most days comes first.
bool is_patient(const channel::Config& config, uint64_t number, uint64_t seed) {
  return config.patient || number <= kPatientRuns || combine(0x70617469, seed) % 4 != 0;
}

}  // namespace

void begin_schedule(channel::Channel& channel, Strategy* strategy, uint64_t number) {
  begin_sharing_run(number);
  // The two streams do not know of each other.
  constexpr uint64_t kInputs = 0x696E7075747321;
  if (g_inputs) g_inputs->begin(mix_seeds(channel.config.seed ^ kInputs, number));
  g_spurious.next_run(number);
  g_weak.next_run();
  const uint64_t seed = mix_seeds(channel.config.seed, number);
  const RunRoles roles = begin_run_of(*strategy, {seed, is_patient(channel.config, number, seed)});
  g_scheduler.begin_run(roles, seed);
  g_scheduler.touch_memory_anew();
  if (number == channel.config.first_schedule) g_scheduler.presume_sharing();
  const std::string_view name = roles.name;
  char* to = channel.record.strategy;
  const size_t length = name.size() < sizeof channel.record.strategy ? name.size() : 0;
  memcpy(to, name.data(), length);
  to[length] = '\0';
}

void silence_output() {
  if (g_results_wanted) return keep_output(false);
  const int null = REAL(open)("/dev/null", O_RDWR);
  if (null < 0) return;
  REAL(dup2)(null, 1);
  REAL(dup2)(null, 2);
  if (null > 2) REAL(close)(null);
}

void finish_campaign(channel::Channel& channel, channel::StopReason why) {
  channel.status.stop_reason.store(why);
  channel.status.phase.store(channel::Phase::finished);
  REAL(_exit)(0);
  __builtin_unreachable();
}

}  // namespace jostle::engine
