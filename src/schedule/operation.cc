// SPDX-License-Identifier: Apache-2.0
#include "src/schedule/operation.h"

namespace jostle {
namespace {

constexpr std::string_view kOpNames[] = {
    "none",          "read",        "write",        "atomic_load",   "atomic_store",
    "atomic_rmw",    "fence",       "thread_begin", "thread_create", "join",
    "thread_exit",   "cancel",      "signal",       "yield",         "lock",
    "trylock",       "unlock",      "cond_wait",    "cond_signal",   "cond_broadcast",
    "read_lock",     "write_lock",  "rw_unlock",    "barrier_wait",  "sem_wait",
    "sem_post",      "spin_lock",   "spin_unlock",  "once",          "futex_wait",
    "futex_wake",    "sleep",       "clock",        "io_read",       "io_write",
    "io_wait",       "signal_wait", "process_wait", "process_exit",  "operation_begin",
    "operation_end", "look_at",     "change",       "free",
};
static_assert(sizeof(kOpNames) / sizeof(kOpNames[0]) == kOpKinds);

}  // namespace

std::string_view name(OpKind kind) { return kOpNames[static_cast<int>(kind)]; }

OpKind op_kind_from_name(std::string_view text) {
  for (int i = 0; i < kOpKinds; ++i) {
    if (kOpNames[i] == text) return static_cast<OpKind>(i);
  }
  return OpKind::none;
}

std::string_view name(ChoiceKind kind) {
  switch (kind) {
    case ChoiceKind::wake:
      return "wake";
    case ChoiceKind::time:
      return "time";
    case ChoiceKind::sleep:
      return "sleep";
    case ChoiceKind::target:
      return "target";
    case ChoiceKind::ready:
      return "ready";
    case ChoiceKind::late:
      return "late";
    case ChoiceKind::held_up:
      return "held-up";
    case ChoiceKind::spurious:
      return "spurious";
    case ChoiceKind::fault:
      return "fault";
    case ChoiceKind::stale:
      return "stale";
    case ChoiceKind::place:
      return "place";
    case ChoiceKind::clock:
      return "clock";
    case ChoiceKind::fails:
      return "fails";
  }
  return "?";
}

}  // namespace jostle
