// SPDX-License-Identifier: Apache-2.0
// A fuzzer's artifact: a file that makes a harness fail whose threads Jostle scheduled
// (include/jostle/fuzzer.h). The schedule is in the file; so the harness under the command, with
// the file as its argument, does the same again, and this time there is a report.
#pragma once

#include <string>
#include <vector>

#include "src/cli/support/error.h"

namespace jostle::cli {

// The words behind `jostle run` that run the harness once with the artifact. A harness of
// libFuzzer's leaves failures to us.
Result<std::vector<std::string>> harness_words(const std::string& harness,
                                               const std::string& artifact);

// Exit codes of the run as those of a replay.
int harness_result(int run_code, const std::string& artifact);

}  // namespace jostle::cli
