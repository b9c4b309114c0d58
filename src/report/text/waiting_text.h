// SPDX-License-Identifier: Apache-2.0
// What a thread does or waits for at the moment of a failure, in words.
#pragma once

#include <string>
#include <string_view>

#include "src/report/model/names/names.h"
#include "src/schedule/run_end.h"

namespace jostle::report {

// What kind of thing a lock operation is about: "mutex". Empty when there is no word for it.
std::string_view noun(OpKind kind);
// "mutex audit"
std::string with_noun(OpKind kind, Names& names, uintptr_t object);

// "waits for mutex audit", "could go on: write total"
std::string waiting_text(const channel::ThreadReport& thread, Names& names);

// The same in a process of a forked family; and who that is: "main", "the forked process", "forked
// process 2".
std::string waiting_text(const channel::FamilyWait& wait, Names& names);
std::string family_member(uint32_t process, uint32_t thread, Names& names);

}  // namespace jostle::report
