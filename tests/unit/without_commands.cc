// SPDX-License-Identifier: Apache-2.0
// In place of the commands themselves, which no unit test runs: only their table is tested. Linked
// where they are left out, see src/CMakeLists.txt.
#include <cstdlib>

#include "src/cli/campaign/fuzz_program.h"
#include "src/cli/commands/commands.h"
#include "src/cli/commands/cover_command.h"

namespace jostle::cli {

using Words = std::vector<std::string>;

int run_command(const Words&) { std::abort(); }
int fuzz_command(const Words&) { std::abort(); }
int verify_command(const Words&) { std::abort(); }
int replay_command(const Words&) { std::abort(); }
int minimize_command(const Words&) { std::abort(); }
int step_command(const Words&) { std::abort(); }
int doctor_command(const Words&) { std::abort(); }
int stops_command(const Words&) { std::abort(); }
int orders_command(const Words&) { std::abort(); }
int cover_command(const Words&) { std::abort(); }
int merge_command(const Words&) { std::abort(); }
int report_command(const Words&) { std::abort(); }
int status_command(const Words&) { std::abort(); }
int stop_command(const Words&) { std::abort(); }
int config_command(const Words&) { std::abort(); }
int strategies_command(const Words&) { std::abort(); }

int fuzz_program(FuzzOptions, const std::string&, TestReport*) { std::abort(); }

}  // namespace jostle::cli
