// SPDX-License-Identifier: Apache-2.0
// The program and the processes that it has forked, which share memory and objects in it.
//
// Each of them is one kernel thread under a scheduler of its own, so that the state machines of
// src/runtime/sync need no locks among the threads of one. An object that is shared with another
// process (PTHREAD_PROCESS_SHARED) is looked at and changed by one process at a time: see
// AmongProcesses. Nothing wakes who waits for it: it looks again and again.
#pragma once

#include <cstdint>

#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/sync/owner.h"

namespace jostle::rt {

// Before the first fork, and in every child.
void found_family();
// A fork is about to be made; it failed.
void expect_member();
void expect_no_member();
void join_family();
// Has the program forked, or was it?
bool has_family();

// Around the execution of another program.
void leave_family();
void return_to_family();

// The running thread as the owner of an object that is shared: no thread of another process is the
// same.
sync::Owner me_among_processes();
sync::Owner among_processes(uint32_t thread_index);
// The process that the owner is a thread of has ended.
bool is_bereft_of(sync::Owner owner);

// Nobody in this process can go on, and nothing but another process of the family could change
// that; to be called whenever that was looked at in vain. True for the program itself when it is so
// in every process of the family, and will stay so: the record says who waits for what.
bool is_family_stuck();

// While it lives no other process of the family changes an object that is shared.
class AmongProcesses {
 public:
  explicit AmongProcesses(bool is_shared);
  ~AmongProcesses();
  AmongProcesses(const AmongProcesses&) = delete;
  AmongProcesses& operator=(const AmongProcesses&) = delete;

 private:
  bool held_;
};

}  // namespace jostle::rt
