// SPDX-License-Identifier: Apache-2.0
// The history of a run, and whether it is right: schedule/history/operation_history.h.
#pragma once

#include <cstdint>

#include "include/jostle/jostle.h"
#include "src/base/kept.h"
#include "src/schedule/history/reference_exchange.h"

namespace jostle::rt {

// The process that knows; null: there is none, and histories are not judged.
extern JOSTLE_HIDDEN ReferenceExchange* g_reference;

void begin_history(uint32_t count, const unsigned char* slots, uintptr_t pc);
void begin_operation(uint32_t number, uintptr_t pc);
void end_operation(uint32_t number, uint64_t result, bool is_address, uintptr_t pc);
// Nobody is in an operation.
bool is_quiescent();
// Between the beginning of the history and that of the operation.
void plan_standstill(const Standstill& test);
bool stands_still();
// Fails the run unless its history is right.
void end_history(const char* file, unsigned line, uintptr_t pc);
// Whether runs have histories: what a check says; otherwise what the program's symbols say.
void say_histories(bool has);
bool has_histories();
// This process is the one that knows.
void become_reference();
bool is_reference();
void set_history_order(jostle_consistency order);
// Of the histories that begin from here on.
void set_history_slack(uint32_t places);

}  // namespace jostle::rt
