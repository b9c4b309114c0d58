// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/waiting_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/model/library_wait.h"
#include "src/report/words/record_view.h"

namespace jostle::report {

std::string_view noun(OpKind kind) {
  switch (kind) {
    case OpKind::mutex_lock:
    case OpKind::mutex_trylock:
      return "mutex";
    case OpKind::rwlock_read:
      return "read lock";
    case OpKind::rwlock_write:
      return "write lock";
    case OpKind::spin_lock:
      return "spin lock";
    case OpKind::once:
      return "initialisation";
    case OpKind::cond_wait:
      return "condition";
    case OpKind::sem_wait:
      return "semaphore";
    case OpKind::barrier_wait:
      return "barrier";
    case OpKind::futex_wait:
      return "futex";
    case OpKind::atomic_load:
    case OpKind::atomic_rmw:
    case OpKind::atomic_store:
      return "atomic";
    default:
      return "";
  }
}

std::string with_noun(OpKind kind, Names& names, uintptr_t object) {
  const std::string_view what = noun(kind);
  const std::string name = names.object(object);
  return what.empty() ? name : fmt::format("{} {}", what, name);
}

std::string waiting_text(const channel::ThreadReport& thread, Names& names) {
  const Operation& op = thread.pending;
  if (thread.state != channel::ThreadState::blocked && op.kind == OpKind::none) return "runs";
  if (thread.state != channel::ThreadState::blocked) {
    const std::string object = op.object == 0 ? ""
                               : op.kind == OpKind::thread_join
                                   ? names.label(thread.waits_for_thread)
                                   : names.object(op.object);
    const std::string call = library_call(thread.stack, names);
    if (!call.empty() && is_memory(op.kind)) {
      return fmt::format("could go on: in {}{}{}", call, is_of_library(object) ? "" : " on ",
                         is_of_library(object) ? "" : object);
    }
    const bool is_stopped = thread.state == channel::ThreadState::stopped;
    return fmt::format("{}: {}{}{}", is_stopped ? "stopped at" : "could go on", op_name(op.kind),
                       object.empty() ? "" : " ", object);
  }
  switch (op.kind) {
    case OpKind::thread_join:
      return fmt::format("waits for {} to finish", names.title(thread.waits_for_thread));
    case OpKind::sleep:
      return "sleeps";
    case OpKind::io_read:
      return "waits to read from a descriptor";
    case OpKind::io_write:
      return "waits to write to a descriptor";
    case OpKind::io_wait:
      return "waits for descriptors";
    case OpKind::signal_wait:
      return "waits for a signal to the process";
    case OpKind::process_wait:
      return "waits for a process";
    case OpKind::cond_wait:
      return fmt::format("waits for a signal on {}", with_noun(op.kind, names, op.object));
    case OpKind::futex_wait:
    case OpKind::once:
      if (const LibraryWait wait = library_wait(thread, names); !wait.function.empty()) {
        return fmt::format("waits in {}{}{}", wait.function, wait.object.empty() ? "" : " on ",
                           wait.object);
      }
      [[fallthrough]];
    default:
      return fmt::format("waits for {}", with_noun(op.kind, names, op.object));
  }
}

std::string waiting_text(const channel::FamilyWait& wait, Names& names) {
  const Operation& op = wait.pending;
  if (op.kind == OpKind::process_wait) return "waits for a child process";
  if (op.kind == OpKind::thread_join) return "waits for a thread of its own";
  if (op.object == 0) return fmt::format("waits in {}", op_name(op.kind));
  return "waits for " + with_noun(op.kind, names, op.object);
}

std::string family_member(uint32_t process, uint32_t thread, Names& names) {
  if (process == 0) return names.title(thread);
  const auto is_child = [](const channel::FamilyWait& wait) { return wait.process != 0; };
  const bool is_only = std::ranges::count_if(family_waits(names.record()), is_child) == 1;
  return is_only ? "the forked process" : fmt::format("forked process {}", process);
}

}  // namespace jostle::report
