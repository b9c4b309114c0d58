// SPDX-License-Identifier: Apache-2.0
// `jostle config`: which options hold, and where they come from.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/cli/commands/commands.h"
#include "src/cli/options/command_line.h"
#include "src/cli/options/config_options.h"
#include "src/cli/support/values.h"
#include "src/report/formats/failure_json.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using report::Json;

constexpr char kConfigExamples[] =
    "  jostle config                    what jostle.toml says, and for which commands\n"
    "  jostle config fuzz               every option of a command, defaults too\n"
    "  jostle config fuzz -t 5s ./bank  the same with what is typed\n"
    "  jostle config --format json\n"
    "exit codes: 0 all is well, 2 something in the file is wrong; docs/configuration.md";

struct ConfigRequest {
  bool json = false;
  std::vector<std::string> file_words;  // --config FILE, --no-config
  const Command* command = nullptr;
  std::vector<std::string> words;  // behind the command's name
};

std::optional<int> parse_request(const std::vector<std::string>& words, ConfigRequest& request) {
  CommandLine line("jostle config", "[options] [COMMAND [its options]]",
                   "Shows which options hold, and where they come from.", kConfigExamples);
  line.value("--format", "FORMAT", "text (default), or json; to stdout",
             [&](const std::string& text) -> std::optional<std::string> {
               request.json = text == "json";
               if (request.json || text == "text") return std::nullopt;
               return "expected text or json";
             });
  line.value("--config", "FILE", "look at this file, not at the jostle.toml of this folder",
             [&](const std::string& text) -> std::optional<std::string> {
               request.file_words.push_back("--config=" + text);
               return std::nullopt;
             });
  bool none = false;
  line.flag("--no-config", "as if there were none", none);
  if (const auto done = line.parse(words)) return done;
  if (none) request.file_words.emplace_back("--no-config");
  if (line.rest().empty()) return std::nullopt;
  const std::string& name = line.rest()[0];
  request.command = find_config_command("jostle " + name);
  if (request.command == nullptr) {
    std::vector<std::string> known;
    for (const Command& command : config_commands()) known.emplace_back(command.name);
    const std::string guess = nearest(name, known);
    return fail({Exit::usage,
                 fmt::format("no command {} that reads a configuration: {}", report::escape(name),
                             guess.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                           : fmt::format("did you mean {}?", guess))});
  }
  request.words.assign(line.rest().begin() + 1, line.rest().end());
  return std::nullopt;
}

struct ConfigRow {
  std::string key, value;
  std::string origin;  // "default", "command line", "file"
  size_t line = 0;     // in the file
};

// What the help says of it: "30s without --schedules" of "stop after this time (default 30s without
// --schedules)", "auto" of "fork: a process per run; auto (default)".
std::string default_value(const ConfigOption& option) {
  std::string none = option.kind == ConfigOption::Kind::flag ? "false" : "-";
  constexpr std::string_view kDefault = "(default";
  const std::string& help = option.description;
  const size_t at = help.find(kDefault);
  if (at == std::string::npos) return none;
  std::string text = help.substr(at + kDefault.size());
  text = text.substr(0, text.find(')'));
  text = text.substr(std::min(text.find_first_not_of(": "), text.size()));
  if (!text.empty() || at < 2) return text.empty() ? none : text;
  const size_t before = help.find_last_of(' ', at - 2);
  return before == std::string::npos ? help.substr(0, at - 1)
                                     : help.substr(before + 1, at - 2 - before);
}

std::string value_in_file(const ConfigOption& option, const ConfigFile& file) {
  const TomlValue& value = option.from->value;
  if (value.kind != TomlValue::Kind::array) return config_value(file, option, value.text);
  std::vector<std::string> items;
  for (const std::string& item : value.items) items.push_back(config_value(file, option, item));
  return fmt::format("{}", fmt::join(items, ", "));
}

ConfigRow row_of(const ConfigOption& option, const ConfigFile& file) {
  if (option.typed) {
    const bool is_flag = option.kind == ConfigOption::Kind::flag;
    return {option.key, is_flag ? "true" : option.typed_value, "command line"};
  }
  if (option.from != nullptr) {
    return {option.key, value_in_file(option, file), "file", option.from->at.line};
  }
  return {option.key, default_value(option), "default"};
}

std::string origin_text(const ConfigRow& row, const ConfigFile& file) {
  return row.line == 0 ? row.origin : fmt::format("{}:{}", report::escape(file.path), row.line);
}

Json row_json(const std::string& command, const ConfigRow& row) {
  Json json = {{"command", command},
               {"key", row.key},
               {"value", report::escape(row.value)},
               {"origin", row.origin}};
  if (row.line != 0) json["line"] = row.line;
  return json;
}

struct CommandRows {
  std::string command;
  std::vector<ConfigRow> rows;
};

void print_json(const ConfigFile& file, const std::vector<CommandRows>& all) {
  Json json = {{"format", "jostle-config"}, {"version", 1}};
  json["file"] = file.path.empty() ? Json() : Json(report::escape(file.path));
  Json& settings = json["settings"] = Json::array();
  for (const CommandRows& each : all) {
    for (const ConfigRow& row : each.rows) settings.push_back(row_json(each.command, row));
  }
  fmt::print("{}", report::json_text(json));
}

size_t widest_of(const std::vector<ConfigRow>& rows, std::string ConfigRow::*member) {
  size_t widest = 0;
  for (const ConfigRow& row : rows) widest = std::max(widest, report::width(row.*member));
  return std::min<size_t>(widest, 40);
}

void print_rows(const ConfigFile& file, const std::vector<ConfigRow>& rows) {
  const size_t keys = widest_of(rows, &ConfigRow::key), values = widest_of(rows, &ConfigRow::value);
  for (const ConfigRow& row : rows) {
    fmt::print("{}  {}  {}\n", report::pad(row.key, keys),
               report::pad(report::escape(row.value), values), origin_text(row, file));
  }
}

// A line of the file, and for whom it holds.
void print_file(const ConfigFile& file, const std::vector<CommandRows>& all) {
  std::map<size_t, std::string> commands;  // by line
  std::map<size_t, ConfigRow> by_line;
  for (const CommandRows& each : all) {
    for (const ConfigRow& row : each.rows) {
      by_line.emplace(row.line, row);
      commands[row.line] += (commands[row.line].empty() ? "" : ", ") + each.command;
    }
  }
  std::vector<ConfigRow> rows;
  for (const TomlEntry& entry : file.document.entries) {
    const auto used = by_line.find(entry.at.line);
    const ConfigRow unused{entry.key, entry.value.text, "file", entry.at.line};
    rows.push_back(used == by_line.end() ? unused : used->second);
    rows.back().origin = used == by_line.end() ? "no command: tables below have their own"
                                               : "for " + commands[entry.at.line];
  }
  const size_t keys = widest_of(rows, &ConfigRow::key), values = widest_of(rows, &ConfigRow::value);
  const size_t lines = rows.empty() ? 0 : fmt::format("{}", rows.back().line).size();
  for (const ConfigRow& row : rows) {
    fmt::print("{}  {}  {}  {}\n", report::pad(row.key, keys),
               report::pad(report::escape(row.value), values),
               report::pad(fmt::format("{}:{}", report::escape(file.path), row.line),
                           report::width(report::escape(file.path)) + 1 + lines),
               row.origin);
  }
}

}  // namespace

int config_command(const std::vector<std::string>& words) {
  ConfigRequest request;
  if (const auto done = parse_request(words, request)) return *done;
  std::vector<CommandRows> all;
  ConfigFile file;
  for (const Command& command : config_commands()) {
    if (request.command != nullptr && request.command->name != command.name) continue;
    std::vector<std::string> typed = request.file_words;
    typed.insert(typed.end(), request.words.begin(), request.words.end());
    ConfigSurvey answer;
    answer.applies_file = true;
    const int code = survey(command, typed, answer);
    if (!answer.answered) return code;
    CommandRows rows{std::string(command.name), {}};
    for (const ConfigOption& option : answer.options) {
      if (request.command == nullptr && option.from == nullptr) continue;
      rows.rows.push_back(row_of(option, answer.file));
    }
    all.push_back(std::move(rows));
    file = std::move(answer.file);
  }
  if (request.json) {
    print_json(file, all);
  } else if (request.command != nullptr) {
    print_rows(file, all[0].rows);
  } else if (file.path.empty()) {
    fmt::print("{}: all options have their defaults (jostle config fuzz shows them)\n",
               request.file_words.empty() ? fmt::format("no {} here or above", kConfigName)
                                          : "--no-config");
  } else {
    print_file(file, all);
  }
  return static_cast<int>(Exit::ok);
}

}  // namespace jostle::cli
