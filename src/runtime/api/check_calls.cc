// SPDX-License-Identifier: Apache-2.0
// jostle_explore: the body of a check becomes a program of its own.
//
// In the process that calls it nothing is controlled. Targets are children of it (fork_server.cc),
// in which the calling thread is the main thread, and the body what is run. When a failure is
// replayed the whole program is started again, and controlled from the moment it gets to the check.
#include "src/runtime/api/check_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/jostle/jostle.h"
#include "src/base/kept.h"
#include "src/runtime/api/fork_server_loop.h"
#include "src/runtime/history/run_history.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/heap/heap_choice.h"
#include "src/runtime/interpose/thread/thread_keys.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/leaks.h"
#include "src/runtime/snapshot/leave.h"
#include "src/runtime/snapshot/snapshot.h"
#include "src/runtime/start/start.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

bool g_in_check = false;
char g_awaited[512];
channel::Channel* g_awaited_channel = nullptr;

// How often checks of each name have been called; names of more than there is room for count as
// one.
struct Calls {
  char name[400];
  uint32_t count;
};
constexpr int kMostNames = 256;
JOSTLE_LARGE Calls g_calls[kMostNames];

uint32_t count_call(const char* name) {
  for (Calls& calls : g_calls) {
    if (!calls.name[0]) snprintf(calls.name, sizeof calls.name, "%s", name);
    if (strncmp(calls.name, name, sizeof calls.name - 1) == 0) return ++calls.count;
  }
  return 1;
}

void end_without_check() {
  if (!g_awaited_channel) return;
  channel::Status& status = g_awaited_channel->status;
  snprintf(status.note, sizeof status.note,
           "the program ended before it came to the check %s: has the test been renamed?",
           g_awaited);
}

void run_body(void* argument) {
  const auto& check = *static_cast<const jostle_check*>(argument);
  check.body(check.argument);
  if (const uint32_t left = g_scheduler.live_threads() - 1; left != 0) {
    misuse(nullptr,
           "the body of the check returned while %u of its threads %s still running: join %s", left,
           left == 1 ? "was" : "were", left == 1 ? "it" : "them");
  }
  g_scheduler.reach(operation(OpKind::process_exit, nullptr, 0));
  record_exit(0);
  check_leaks();
  g_scheduler.close_log();
  if (!in_process_run()) {
    g_current = nullptr;
    fflush(nullptr);
  }
  end_process_or_run(0);
}

}  // namespace

namespace jostle::rt {

void await_check(const char* name, channel::Channel* channel) {
  snprintf(g_awaited, sizeof g_awaited, "%s", name);
  g_awaited_channel = channel;
  atexit(end_without_check);
}

void run_check(const jostle_check& check, channel::Channel* channel) {
  const char* now = getenv("LD_BIND_NOW");
  if (!now || !*now) note_lazy_binding();
  take_control_with(channel);
  choose_heap(Heap::adopted);
  adopt_thread_keys();
  g_in_check = true;
  say_histories(check.history != 0);
  run_program();
  jostle_check copy = check;
  run_main(run_body, &copy);
}

}  // namespace jostle::rt

JOSTLE_HOOK void jostle_explore(const jostle_check* check, jostle_result* result) {
  *result = {};
  result->report = strdup("");
  result->replay = strdup("");
  if (controlled()) {
    if (g_in_check) {
      misuse(nullptr, "a check inside the body of another: explore one thing at a time");
    }
    // The jostle command runs the whole program: this is a part of it.
    check->body(check->argument);
    return;
  }
  char name[400];
  if (check->name && check->name[0]) {
    snprintf(name, sizeof name, "%s", check->name);
  } else {
    const char* slash = check->file ? strrchr(check->file, '/') : nullptr;
    snprintf(name, sizeof name, "%s:%u",
             slash         ? slash + 1
             : check->file ? check->file
                           : "check",
             check->line);
  }
  const uint32_t number = count_call(name);
  if (number > 1) {
    const size_t used = strlen(name);
    snprintf(name + used, sizeof name - used, "#%u", number);
  }
  if (!g_awaited_channel) return serve_check(*check, name, *result);
  if (strcmp(name, g_awaited) == 0) {
    channel::Channel* channel = g_awaited_channel;
    g_awaited_channel = nullptr;
    run_check(*check, channel);
  }
  result->status = JOSTLE_SKIPPED;
}
