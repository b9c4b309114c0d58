// SPDX-License-Identifier: Apache-2.0
// What the processes of a family know of each other, in memory that they share.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "src/base/kept.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

// Owners have 30 bits: 10 of them for the process. A family of more has members of one number.
inline constexpr uint32_t kMostProcesses = 1024;

// What a process waits for that looks in vain.
struct FamilyWaits {
  uint32_t thread;
  Operation pending;
  channel::FamilyHolder held;
  uint32_t holder;  // the index of the owner, among processes
};

// Where a process is in the time that all share: see family_time.cc.
struct FamilyMoment {
  std::atomic<Nanoseconds> now;
  std::atomic<Nanoseconds> sleeps_until;  // it goes on by itself then; 0: it may act now
  std::atomic<uint64_t> seen;             // Family::actions, before it last looked for news in vain
};

struct Family {
  std::atomic<pid_t> busy;  // who changes a shared object; 0: nobody
  std::atomic<uint32_t> forks;
  std::atomic<uint32_t> expected, members;       // forked; those that have begun
  std::atomic<uint32_t> executions;              // of other programs, by members
  std::atomic<pid_t> processes[kMostProcesses];  // by number
  // How often some process has run on between two looks.
  std::atomic<uint64_t> runs;
  std::atomic<uint32_t> looks[kMostProcesses];  // in vain, of each
  FamilyWaits waits[kMostProcesses];            // at the last of them
  // How often some process has done something and come to wait.
  std::atomic<uint64_t> actions;
  FamilyMoment moments[kMostProcesses];
};

extern JOSTLE_HIDDEN Family* g_family;          // null: there is none
extern JOSTLE_HIDDEN uint32_t g_family_number;  // of this process

// Ended, waited for by its parent or not.
bool has_ended(pid_t process);

}  // namespace jostle::rt
