// SPDX-License-Identifier: Apache-2.0
// The options of the commands as keys of a configuration file: which there are, what holds, and
// where it comes from.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/options/command_table.h"
#include "src/cli/options/config_file.h"
#include "src/cli/support/error.h"

namespace jostle::cli {

// An option that a file may set.
struct ConfigOption {
  enum class Kind { value, list, flag };
  std::string key;  // the long name
  Kind kind = Kind::value;
  std::string type = {};  // as the help shows it: "TIME"
  std::string description = {};
  // What is wrong with the text, or nothing. Of a flag: "" sets it.
  std::function<std::optional<std::string>(const std::string&)> read = {};
  bool typed = false;  // it is on the command line
  std::string typed_value = {};
  const TomlEntry* from = nullptr;  // in the file
};

// The commands that read the file.
const std::vector<Command>& config_commands();
// By "jostle fuzz"; null: it reads none.
const Command* find_config_command(const std::string& full_name);

// What a CommandLine tells instead of going on, while somebody asks.
struct ConfigSurvey {
  std::vector<ConfigOption> options = {};
  ConfigFile file = {};
  bool applies_file = false;  // else only the options are wanted
  bool answered = false;

  // The survey that is under way; null: commands do what they are for.
  static ConfigSurvey* active;
};
// The command's options, and its exit code if the words are wrong.
int survey(const Command& command, const std::vector<std::string>& words, ConfigSurvey& answer);

// The text as the option gets it: paths are relative to the file.
std::string config_value(const ConfigFile& file, const ConfigOption& option,
                         const std::string& text);

// Every key and table of the file is some command's.
MaybeError check_keys(const ConfigFile& file);

// Nobody types an option and its opposite.
MaybeError check_opposites(const std::vector<ConfigOption>& options);

// Finds what the file has for the command's options that were not typed, and hands it to them, in
// their order.
MaybeError apply_config(const ConfigFile& file, const std::string& command,
                        std::vector<ConfigOption>& options);

}  // namespace jostle::cli
