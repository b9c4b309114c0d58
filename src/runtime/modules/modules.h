// SPDX-License-Identifier: Apache-2.0
// The modules (program and shared libraries) of the process, and code locations that are the same
// in every process whatever the load addresses are.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "src/base/kept.h"
#include "src/schedule/channel.h"

namespace jostle::rt {

// Looks at what is loaded now and writes the channel's module table. Called again after dlopen.
void refresh_modules(channel::Channel& channel);

// The module in which code was found last, mostly that of the next one, too; null: none so far.
extern JOSTLE_HIDDEN const channel::ModuleRecord* g_last_module;
channel::CodeLocation find_code_location(uintptr_t pc);
// 0 when the address is in no module.
inline channel::CodeLocation code_location(uintptr_t pc) {
  const channel::ModuleRecord* const module = g_last_module;
  if (!module || pc < module->begin || pc >= module->end) [[unlikely]]
    return find_code_location(pc);
  return module->name_hash << 48 | ((pc - module->bias) & 0xFFFF'FFFF'FFFF);
}

// What .eh_frame has of the function; 0: nothing, or it is in no module.
uintptr_t function_description(uintptr_t pc);

// Where the function begins; 0: not known.
uintptr_t function_begin(uintptr_t pc);

bool is_instrumented_code(uintptr_t pc);

// Of a library that is neither instrumented nor part of the system (libc, the C++ runtime, us).
bool is_library_code(uintptr_t pc);

// Has such a library atomics of its own, or the program or one of its libraries some in inline
// assembly? They may order threads (locks of GLib, Qt, Abseil), which nobody sees as long as no
// thread has to wait. Where they are watched: has one of them run?
bool is_order_unseen();
// From now on it is: the program has memory at two addresses.
void order_gets_unseen();
// Runs begin: whatever such atomics have done until now orders nothing in them. From here on those
// that do not run do not count, if that can be watched.
void watch_unseen_orders();
// For the handler of SIGILL: true when the first of them is about to run. Orders are unseen from
// now on, in this process and in those that it was forked from and will fork.
bool unseen_order_begins(const ucontext_t& context);

// Of gcc's OpenMP library.
bool is_openmp_library(uintptr_t pc);

// In a part of a module that nobody can write: constants, tables.
bool is_read_only(uintptr_t address);

// The program calls jostle_ready(): runs start there.
bool program_says_when_ready();

// The program's own code, if it is instrumented: calls from there are no library's.
extern JOSTLE_HIDDEN uintptr_t g_program_begin, g_program_size;

// Inside libgcc_s.so, which unwinds stacks for exceptions and cancellation.
extern JOSTLE_HIDDEN uintptr_t g_unwinder_begin, g_unwinder_size;
inline bool is_unwinder(uintptr_t pc) { return pc - g_unwinder_begin < g_unwinder_size; }

// Inside libstdc++ or libc++; inside libc++.
bool is_cxx_library(uintptr_t pc);
bool is_libcxx(uintptr_t pc);

// Inside a library that runs tasks of the program on threads of its own (TBB, LLVM's OpenMP), and
// orders them by atomics that nobody sees.
bool is_task_library(uintptr_t pc);

// Inside libjostle.so itself.
bool is_own_code(uintptr_t pc);

}  // namespace jostle::rt
