// SPDX-License-Identifier: Apache-2.0
// Waits inside the standard library: which of its functions the program called, and on what.
//
// A semaphore, a latch or a future sleeps on a word of its own, sometimes one that lies in a table
// of the library. A reader wants to know of the call: std::latch::wait on `ready`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/report/model/names/names.h"
#include "src/schedule/run_end.h"

namespace jostle::report {

struct LibraryWait {
  std::string function;  // "std::latch::wait"; empty: it does not wait inside the library
  std::string object;    // "gate.latch"; empty: not known
};
LibraryWait library_wait(const channel::ThreadReport& thread, Names& names);

// An initialisation that is the library's own: a future computes its value, or joins its thread,
// once. Nobody knows it as something to hold.
bool is_inside_library(OpKind kind, uintptr_t object, Names& names);
// … and nobody waits for it either.
bool is_nobodys_business(const channel::HeldLock& lock, Names& names);

// The function of the library that the program called and that has come to this stack or place in
// the code. Empty: it is the program's own, or reads and writes what any variable could be.
std::string library_call(const channel::Stack& stack, Names& names);
std::string library_call(uintptr_t pc, Names& names);

// Memory by whose name nobody would look for it: a variable of the library on the way ("__old"), a
// table of its own, or what has no name.
bool is_of_library(std::string_view object);

// "std::counting_semaphore::acquire", from what is demangled: without arguments of templates and
// functions. Empty: no function that programs call.
std::string public_function(const std::string& function);

}  // namespace jostle::report
