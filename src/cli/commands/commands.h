// SPDX-License-Identifier: Apache-2.0
// The sub-commands. Each takes the words behind its name and gives the exit code of the process.
#pragma once

#include <string>
#include <vector>

namespace jostle::cli {

int run_command(const std::vector<std::string>& words);
int fuzz_command(const std::vector<std::string>& words);
int verify_command(const std::vector<std::string>& words);
int replay_command(const std::vector<std::string>& words);
int minimize_command(const std::vector<std::string>& words);
int step_command(const std::vector<std::string>& words);
int doctor_command(const std::vector<std::string>& words);
int stops_command(const std::vector<std::string>& words);
int orders_command(const std::vector<std::string>& words);
int merge_command(const std::vector<std::string>& words);
int report_command(const std::vector<std::string>& words);
int status_command(const std::vector<std::string>& words);
int stop_command(const std::vector<std::string>& words);
int config_command(const std::vector<std::string>& words);
int strategies_command(const std::vector<std::string>& words);
int help_command(const std::vector<std::string>& words);

// The error of a word that is no command.
int unknown_command(const std::string& word);

}  // namespace jostle::cli
