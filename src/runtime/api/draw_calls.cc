// SPDX-License-Identifier: Apache-2.0
// The C functions behind generators: drawing, giving an input up, naming what was drawn.
#include "src/runtime/api/draw_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/jostle/jostle.h"
#include "src/runtime/heap/showing.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/scheduler/end_of_run.h"

using namespace jostle;
using namespace jostle::rt;

namespace jostle::rt {

JOSTLE_KEPT InputSource* g_inputs = nullptr;

void copy_draws(const channel::Draws& from, channel::Draws& to) {
  to.count = from.count;
  to.overflow = from.overflow;
  memcpy(to.list, from.list, from.count * sizeof(channel::Draw));
}

}  // namespace jostle::rt

namespace {

Thread* g_shows = nullptr;  // who makes a text now

[[noreturn]] void outside(const char* what) {
  fprintf(stderr, "jostle: %s outside of a property: call it in the body of jostle::check\n", what);
  abort();
}

// Where all schedules are explored so are all values, if there are not too many.
uint64_t draw_each(const channel::Draw& asked) {
  constexpr uint64_t kMostValues = 1024;
  const uint64_t more = asked.high - asked.low;
  if (more >= kMostValues) {
    g_actions.gap(TrailGap::inputs);
    return simplest(asked);
  }
  return asked.low + g_scheduler.choose_draw(static_cast<uint32_t>(more) + 1);
}

uint64_t draw(DrawKind kind, uint64_t low, uint64_t high) {
  if (!controlled()) outside("a value is drawn");
  channel::Draw asked{kind, {}, low, high, 0};
  channel::Draws& draws = g_scheduler.record().draws;
  if (draws.count == channel::kMaxDraws) {
    draws.overflow = 1;
    return simplest(asked);
  }
  asked.value = g_actions.active() ? draw_each(asked)
                : g_inputs         ? g_inputs->draw(asked, draws.count)
                                   : simplest(asked);
  draws.list[draws.count++] = asked;
  return asked.value;
}

}  // namespace

bool jostle::rt::is_showing() { return g_shows != nullptr; }

JOSTLE_HOOK int jostle_in_run() { return controlled(); }

JOSTLE_HOOK uint64_t jostle_draw_unsigned(uint64_t low, uint64_t high) {
  return draw(DrawKind::unsigned_number, low, high);
}

JOSTLE_HOOK int64_t jostle_draw_signed(int64_t low, int64_t high) {
  return static_cast<int64_t>(
      draw(DrawKind::signed_number, static_cast<uint64_t>(low), static_cast<uint64_t>(high)));
}

JOSTLE_HOOK uint64_t jostle_draw_example(uint64_t count) {
  return draw(DrawKind::example, 0, count);
}

JOSTLE_HOOK int jostle_draw_more_operations(int least, int most) {
  return draw(DrawKind::more_operations, least != 0, most != 0) != 0;
}

JOSTLE_HOOK int jostle_draw_more_threads(int least, int most) {
  return draw(DrawKind::more_threads, least != 0, most != 0) != 0;
}

JOSTLE_HOOK unsigned jostle_draw_operation(unsigned count) {
  return static_cast<unsigned>(draw(DrawKind::operation, 0, count - 1));
}

JOSTLE_HOOK void jostle_reject(const char* why) {
  if (!controlled()) outside("an input is rejected");
  g_scheduler.record().rejected = 1;
  end_run(channel::Outcome::stopped, why);
}

// Texts are made only when a run is recorded, and a recorded run must not differ from the others:
// what happens between the two is not the program's, and its memory is not of the program's heap.
JOSTLE_HOOK int jostle_begin_showing() {
  if (!controlled() || !g_scheduler.recording()) return 0;
  g_shows = g_current;
  g_current = nullptr;
  return 1;
}

JOSTLE_HOOK int jostle_begin_aside() {
  if (!controlled()) return 0;
  g_shows = g_current;
  g_current = nullptr;
  return 1;
}

JOSTLE_HOOK void jostle_show_value(const char* label, const char* text) {
  if (!g_shows) return;
  char* shown = g_scheduler.record().shown;
  const size_t used = strlen(shown);
  snprintf(shown + used, channel::kMaxShown - used, "%s%s = %s", used ? "\n" : "", label, text);
}

JOSTLE_HOOK void jostle_end_showing() {
  if (!g_shows) return;
  g_current = g_shows;
  g_shows = nullptr;
}

JOSTLE_HOOK void jostle_classify(const char* name) {
  if (!controlled()) return;
  for (channel::ClassCount& known : g_scheduler.channel().classes) {
    if (!known.name[0]) snprintf(known.name, sizeof known.name, "%s", name);
    if (strncmp(known.name, name, sizeof known.name - 1) != 0) continue;
    known.runs.fetch_add(1, std::memory_order_relaxed);
    return;
  }
}

JOSTLE_HOOK void jostle_fail(const char* message, const char* file, unsigned line) {
  if (!controlled()) {
    fprintf(stderr, "%s:%u: %s\n", file ? file : "?", line, message);
    abort();
  }
  // On one line: frameworks write several.
  char line_of_text[sizeof(channel::Failure::message)];
  size_t used = 0;
  for (const char* c = message; *c && used + 1 < sizeof line_of_text; ++c) {
    const bool space = *c == '\n' || *c == ' ';
    if (space && (used == 0 || line_of_text[used - 1] == ' ')) continue;
    line_of_text[used++] = space ? ' ' : *c;
  }
  line_of_text[used] = '\0';
  record_abort(line_of_text, file ? file : "?", line, nullptr, CALLER());
  end_failed_run();
}
