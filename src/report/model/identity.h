// SPDX-License-Identifier: Apache-2.0
// What a failure is called, so that it has the same name tomorrow: the kind of failure, the
// program's own functions it came by, and what it says.
//
// Two campaigns, or the same one after an edit elsewhere in the program, give a failure the same
// name: line numbers, addresses, folders and numbers in messages do not count. The text of the
// failing line does, which tells two calls of abort() in one function apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/report/model/names/names.h"
#include "src/report/symbols/symbolizer.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

// As a text, for tests. `said`: what the program said before it exited, see
// cli/findings/last_words.h.
std::string identity_text(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                          std::string_view program, std::string_view said);
// Of a failure by its exit status, of which nothing else need be known. Some test frameworks count
// there what failed: of a test it does not matter.
std::string exit_identity_text(const channel::Failure& end, std::string_view program,
                               std::string_view said, bool is_test);

// The same failure in two tests is two: who mends one test need not have mended the other.
std::string identity_in_test(std::string_view test, std::string text);

// Never 0.
uint64_t identity(std::string_view text);

// "got 0 of 0" of "got 3 of 20", see base/normal_text.h.
std::string normal_text(std::string_view text);

}  // namespace jostle::report
