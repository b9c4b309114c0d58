// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/config_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/cli/support/values.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

// Compilers' wrappers take compilers' options; these have none that are worth a file.
constexpr std::string_view kReadNone[] = {"cc", "c++", "config", "strategies"};

// One takes back what the other says.
constexpr std::pair<std::string_view, std::string_view> kOpposites[] = {
    {"resume", "fresh"},
    {"spurious", "no-spurious"},
};
// Who types one does not want what the file says about the other; so it is with opposites.
constexpr std::pair<std::string_view, std::string_view> kInstead[] = {
    {"json", "format"}, {"gdb", "format"},     {"passing", "format"},
    {"gdb", "output"},  {"passing", "output"},
};

bool is_typed(std::string_view key, const std::vector<ConfigOption>& options) {
  return std::any_of(options.begin(), options.end(),
                     [&](const ConfigOption& option) { return option.typed && option.key == key; });
}

bool is_typed_instead(const std::string& key, const std::vector<ConfigOption>& options) {
  const auto other_is_typed = [&](const auto& pair) {
    return (key == pair.first && is_typed(pair.second, options)) ||
           (key == pair.second && is_typed(pair.first, options));
  };
  return std::ranges::any_of(kInstead, other_is_typed) ||
         std::ranges::any_of(kOpposites, other_is_typed);
}

// Paths in a file are relative to it.
bool is_path(const std::string& type) {
  return type == "FILE" || type == "DIR" || type == "CORPUS" || type == "PROGRAM";
}

// Written with commas when it is typed.
bool is_comma_list(const std::string& type) { return type == "LIST" || type == "CODES"; }

// The options of every command, by its name.
using AllOptions = std::vector<std::pair<std::string, std::vector<ConfigOption>>>;

const AllOptions& all_options() {
  static const AllOptions all = [] {
    AllOptions options;
    ConfigSurvey* const before = std::exchange(ConfigSurvey::active, nullptr);
    for (const Command& command : config_commands()) {
      ConfigSurvey asked;
      survey(command, {}, asked);
      options.emplace_back(std::string(command.name), std::move(asked.options));
    }
    ConfigSurvey::active = before;
    return options;
  }();
  return all;
}

// What the key means at the top of the file: what it means to the first command that has it. A
// command where it takes something else (`output`: a folder, a file) does not take it from there.
const ConfigOption* meaning_at_top(const std::string& key) {
  for (const auto& [command, options] : all_options()) {
    for (const ConfigOption& option : options) {
      if (option.key == key) return &option;
    }
  }
  return nullptr;
}

std::string did_you_mean(const std::string& typed, const std::vector<std::string>& known) {
  const std::string guess = nearest(typed, known);
  return guess.empty() ? "" : fmt::format(": did you mean {}?", guess);
}

Error at_place(const ConfigFile& file, const TomlPosition& at, const std::string& text) {
  return {Exit::usage, fmt::format("{}: {}", file.place(at), text)};
}

const TomlEntry* find_entry(const ConfigFile& file, const std::string& table,
                            const std::string& key) {
  for (const TomlEntry& entry : file.document.entries) {
    if (entry.table == table && entry.key == key) return &entry;
  }
  return nullptr;
}

const TomlEntry* entry_for(const ConfigFile& file, const std::string& command,
                           const ConfigOption& option) {
  if (const TomlEntry* own = find_entry(file, command, option.key)) return own;
  const TomlEntry* entry = find_entry(file, "", option.key);
  if (entry == nullptr) return nullptr;
  const ConfigOption* meaning = meaning_at_top(option.key);
  const bool same = meaning != nullptr && meaning->kind == option.kind &&
                    is_path(meaning->type) == is_path(option.type) &&
                    (!is_path(option.type) || meaning->type == option.type);
  return same ? entry : nullptr;
}

std::string expected_type(const ConfigOption& option) {
  switch (option.kind) {
    case ConfigOption::Kind::flag:
      return "true or false";
    case ConfigOption::Kind::list:
      return "a text, or a list of them: [\"…\", \"…\"]";
    case ConfigOption::Kind::value:
      return is_comma_list(option.type) ? "a text, or a list of them: [\"…\", \"…\"]"
                                        : "a text in quotes or a number";
  }
  return "";
}

// The texts to hand to the option; nothing: the value has the wrong type.
std::optional<std::vector<std::string>> texts_for(const ConfigOption& option,
                                                  const TomlValue& value) {
  using Kind = TomlValue::Kind;
  if (option.kind == ConfigOption::Kind::flag) {
    if (value.kind != Kind::boolean) return std::nullopt;
    return value.text == "true" ? std::vector<std::string>{""} : std::vector<std::string>{};
  }
  if (value.kind == Kind::boolean) return std::nullopt;
  if (value.kind != Kind::array) return std::vector<std::string>{value.text};
  if (option.kind == ConfigOption::Kind::list) return value.items;
  if (!is_comma_list(option.type)) return std::nullopt;
  return std::vector<std::string>{fmt::format("{}", fmt::join(value.items, ","))};
}

}  // namespace

ConfigSurvey* ConfigSurvey::active = nullptr;

const std::vector<Command>& config_commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> some;
    for (const Command& command : all_commands()) {
      const bool reads_none = std::find(std::begin(kReadNone), std::end(kReadNone), command.name) !=
                              std::end(kReadNone);
      if (!reads_none) some.push_back(command);
    }
    return some;
  }();
  return commands;
}

const Command* find_config_command(const std::string& full_name) {
  for (const Command& command : config_commands()) {
    if (full_name == fmt::format("jostle {}", command.name)) return &command;
  }
  return nullptr;
}

int survey(const Command& command, const std::vector<std::string>& words, ConfigSurvey& answer) {
  ConfigSurvey* const before = std::exchange(ConfigSurvey::active, &answer);
  const int code = command.run(words);
  ConfigSurvey::active = before;
  return code;
}

std::string config_value(const ConfigFile& file, const ConfigOption& option,
                         const std::string& text) {
  return is_path(option.type) ? from_folder(file, text) : text;
}

MaybeError check_keys(const ConfigFile& file) {
  std::vector<std::string> commands;
  for (const auto& [command, options] : all_options()) commands.push_back(command);
  for (const TomlTable& table : file.document.tables) {
    if (std::find(commands.begin(), commands.end(), table.name) != commands.end()) continue;
    std::string advice = did_you_mean(table.name, commands);
    if (advice.empty()) advice = fmt::format(" (there are {})", fmt::join(commands, ", "));
    return at_place(file, table.at,
                    fmt::format("[{}] is no command{}", report::escape(table.name), advice));
  }
  for (const TomlEntry& entry : file.document.entries) {
    std::vector<std::string> keys;
    for (const auto& [command, options] : all_options()) {
      if (!entry.table.empty() && command != entry.table) continue;
      for (const ConfigOption& option : options) keys.push_back(option.key);
    }
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    std::string advice = did_you_mean(entry.key, keys);
    if (advice.empty()) {
      advice = fmt::format(": keys are options, see jostle {} --help",
                           entry.table.empty() ? "fuzz" : entry.table);
    }
    const std::string of = entry.table.empty() ? "" : fmt::format(" of {}", entry.table);
    return at_place(file, entry.at,
                    fmt::format("unknown key `{}'{}{}", report::escape(entry.key), of, advice));
  }
  return std::nullopt;
}

MaybeError check_opposites(const std::vector<ConfigOption>& options) {
  for (const auto& [one, other] : kOpposites) {
    if (!is_typed(one, options) || !is_typed(other, options)) continue;
    return Error{Exit::usage, fmt::format("--{} and --{}: choose one", one, other)};
  }
  return std::nullopt;
}

MaybeError apply_config(const ConfigFile& file, const std::string& command,
                        std::vector<ConfigOption>& options) {
  for (ConfigOption& option : options) {
    const TomlEntry* entry = entry_for(file, command, option);
    if (entry == nullptr || option.typed || is_typed_instead(option.key, options)) continue;
    const auto texts = texts_for(option, entry->value);
    if (!texts) {
      return at_place(file, entry->value.at,
                      fmt::format("{} is {}", option.key, expected_type(option)));
    }
    option.from = entry;
    for (const std::string& text : *texts) {
      const auto wrong = option.read(config_value(file, option, text));
      if (!wrong) continue;
      return at_place(file, entry->value.at,
                      fmt::format("{} = {}: {}", option.key, report::escape(text), *wrong));
    }
  }
  return std::nullopt;
}

}  // namespace jostle::cli
