// SPDX-License-Identifier: Apache-2.0
// The command line of one sub-command: its options, its help, and where the program begins.
//
// CLI11 describes and parses the options. What belongs to the program is cut off first: everything
// behind `--`, or from the first word that is neither an option nor an option's value. So the
// program's own options never meet ours. What a configuration file says is handed to the options
// first (config_options.h), and what is typed after it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/options/command_help.h"
#include "src/cli/options/config_options.h"
#include "src/cli/support/error.h"
#include "src/schedule/config.h"
#include "src/strategy/parameters.h"

namespace jostle::cli {

// Of a configuration whose strategy has been checked.
const StrategyInfo& strategy_info(const channel::Config& config);

class CommandLine {
 public:
  // `usage`: what follows the name, for example "[options] -- program [arguments]".
  CommandLine(const std::string& name, const std::string& usage, const std::string& description,
              const std::string& examples);

  // Reads the option's value; the answer is what is wrong with it ("expected a number").
  using ReadValue = std::function<std::optional<std::string>(const std::string&)>;
  void value(const std::string& names, const std::string& type, const std::string& description,
             ReadValue read);
  // For those who start us, not for people: not in the help.
  void hidden_value(const std::string& name, ReadValue read);
  // As `value`, for an option that may be given several times.
  using ReadItem = std::function<MaybeError(const std::string&)>;
  void list(const std::string& names, const std::string& type, const std::string& description,
            ReadItem read);
  void flag(const std::string& names, const std::string& description, bool& out);
  void number(const std::string& names, const std::string& description, uint64_t& out,
              uint64_t least = 0);
  void duration(const std::string& names, const std::string& description, uint64_t& nanoseconds);
  // The same for limits of a search: with 0 nothing would be searched, and that is a slip.
  void limit(const std::string& names, const std::string& description, uint64_t& out) {
    number(names, description, out, 1);
  }
  void time_limit(const std::string& names, const std::string& description, uint64_t& nanoseconds);

  // Options that all commands running a schedule share: --strategy, --max-steps, --timeout,
  // --clock.
  void schedule_options(channel::Config& config);
  // Of them, those that are about a run and not about which.
  void run_options(channel::Config& config);
  // --from: what the strategy begins with.
  void schedule_file(std::string& path);

  // Takes the words behind the sub-command's name. An exit code: the command is done (help was
  // printed, or an error).
  std::optional<int> parse(const std::vector<std::string>& words);

  // The words from the first that is not ours, without a leading `--`.
  const std::vector<std::string>& rest() const { return rest_; }

  // The configuration file that something was taken from; empty: none.
  std::string config_file() const;

  // For commands that take no program: options may follow the other words, which `operands` gives;
  // rest() is what stands behind `--`.
  void allow_options_everywhere() { everywhere_ = true; }
  const std::vector<std::string>& operands() const { return operands_; }

 private:
  CommandHelp help() const;
  std::optional<Error> split(const std::vector<std::string>& words);
  Error unknown(const std::string& option) const;
  void flag(const std::string& names, const std::string& description, std::function<void()> set);
  void remember(const std::string& names, ConfigOption::Kind kind, const std::string& type,
                const std::string& description,
                std::function<std::optional<std::string>(const std::string&)> read);
  void add_config_options();
  // Asks the file, and notes which options were typed.
  MaybeError use_config();
  void note_typed(const std::string& word);

  std::string name_;
  std::string usage_;
  std::string examples_;
  CLI::App app_;
  std::vector<std::string> own_;
  std::vector<std::string> operands_;
  std::vector<std::string> rest_;
  bool everywhere_ = false;
  std::optional<std::string> problem_;
  std::vector<ConfigOption> config_options_;
  ConfigFile config_file_;
  std::map<std::string, std::vector<std::string>> typed_;  // values by long name
};

// Makes `text` ("pct:d=5") the strategy of `config`; the answer is what is wrong with it.
std::optional<std::string> read_strategy(const std::string& text, channel::Config& config);

}  // namespace jostle::cli
