// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/run_begins.h"

#include "src/runtime/heap/heap_check.h"
#include "src/runtime/interpose/descriptor/bound_port.h"
#include "src/runtime/interpose/descriptor/event_loop.h"
#include "src/runtime/interpose/time/interval_timer.h"
#include "src/runtime/memory/callbacks.h"
#include "src/runtime/memory/location_name.h"
#include "src/runtime/oracle/lock_order.h"
#include "src/runtime/oracle/race_reports.h"
#include "src/runtime/oracle/result_end.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

void run_begins(channel::Channel& channel, const channel::Schedule* followed) {
  begin_location_names();
  begin_heap_check(channel);
  begin_callbacks();
  begin_race_reports(channel);
  begin_lock_order(channel);
  begin_event_loops(channel.config, followed);
  begin_ports_run();
  if (g_results_wanted) begin_result();
  if (g_embedded) forget_timers();
}

}  // namespace jostle::rt
