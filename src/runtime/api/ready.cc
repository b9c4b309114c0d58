// SPDX-License-Identifier: Apache-2.0
// jostle_ready(): the program says from where on its runs differ.

#include <stdio.h>

#include "include/jostle/jostle.h"
#include "src/base/kept.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/oracle/end_without_ready.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/start/start.h"

using namespace jostle;
using namespace jostle::rt;

namespace {
JOSTLE_KEPT bool g_called = false;
}

JOSTLE_HOOK void jostle_ready() {
  if (!controlled() || g_called) return;
  g_called = true;
  if (g_current->index != 0 || g_scheduler.live_threads() != 1) {
    unsupported("jostle_ready() has to be called by the main thread while it is the only one");
  }
  run_program();
}

namespace jostle::rt {

void note_end_without_ready() {
  if (g_called || !program_says_when_ready()) return;
  channel::Status& status = g_scheduler.channel().status;
  snprintf(status.note, sizeof status.note, "the program ended before it called jostle_ready()");
  status.stop_reason.store(channel::StopReason::error);
  status.phase.store(channel::Phase::finished);
}

}  // namespace jostle::rt
