// SPDX-License-Identifier: Apache-2.0
// Replays under gdb, and gdb for a program that runs.
//
// For a replay gdb starts the target itself, through a shell (for the redirection of standard
// input) and `env` (so that the shell is not preloaded with our library). The channel's descriptor
// is inherited through all of them. There is no watchdog: a person looks at it.
#pragma once

#include <string>
#include <vector>

#include "src/cli/recording/schedule_log.h"
#include "src/cli/support/error.h"
#include "src/cli/target/launch.h"

namespace jostle::cli {

// Becomes gdb; comes back only when that fails. Without `arguments`, gdb runs the program to its
// failure at once. Before, the program runs once, unseen, so that its threads have names.
Error become_debugger(const LaunchPlan& plan, channel::Config config, const ScheduleLog& input,
                      const Installation& installation, const std::vector<std::string>& arguments);

// Attaches gdb to a process and waits until the user leaves it. gdb reads from descriptor `in`.
MaybeError attach_debugger(pid_t pid, const std::vector<std::string>& arguments, int in);

// gdb's command line. `setup`: what gdb_commands.py knows of the replay, a dictionary of Python.
std::vector<std::string> debugger_command(
    const LaunchPlan& plan, const std::vector<std::pair<std::string, std::string>>& variables,
    const std::string& setup, const std::vector<std::string>& arguments);

}  // namespace jostle::cli
