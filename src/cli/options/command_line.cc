// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "src/cli/support/values.h"
#include "src/cli/target/shared_channel.h"
#include "src/report/words/text.h"
#include "src/strategy/strategy.h"

namespace jostle::cli {
namespace {

constexpr const char* kNoDuration = "expected a duration like 30s, 5m, 1h or 500ms";

// CLI11's help with our usage line.
class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat(const std::string& name, const std::string& usage) : line_(name + " " + usage) {}
  std::string make_usage(const CLI::App*, std::string) const override {
    return "usage: " + line_ + "\n";
  }

 private:
  std::string line_;
};

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const StrategyInfo* info : known_strategies()) {
    names.emplace_back(info->name);
  }
  return names;
}

std::vector<std::string> parameter_names(const StrategyInfo& info) {
  std::vector<std::string> names;
  for (const StrategyParameter& parameter : info.parameters) {
    if (!parameter.name.empty()) names.emplace_back(parameter.name);
  }
  return names;
}

std::string unknown(const std::string& what, std::string_view typed,
                    const std::vector<std::string>& names) {
  const std::string guess = nearest(typed, names);
  if (!guess.empty()) return fmt::format("no {} `{}': did you mean {}?", what, typed, guess);
  return names.empty()
             ? fmt::format("no {} `{}' (it has none)", what, typed)
             : fmt::format("no {} `{}' (there are {})", what, typed, fmt::join(names, ", "));
}

std::string what_is_expected(const StrategyParameter& parameter) {
  if (parameter.words.empty()) return "a whole number";
  std::string words(parameter.words);
  for (size_t at = 0; (at = words.find('|', at)) != std::string::npos;) words.replace(at, 1, ", ");
  return "one of " + words;
}

std::optional<std::string> read_clock(const std::string& text, channel::Config& config) {
  if (text == "now") {
    config.clock_start = std::time(nullptr);
    return std::nullopt;
  }
  const auto seconds = parse_number(text);
  if (!seconds || *seconds > uint64_t{1} << 40) return "expected `now' or seconds since 1970";
  config.clock_start = static_cast<int64_t>(*seconds);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> read_strategy(const std::string& text, channel::Config& config) {
  const StrategySpec spec = parse_strategy(text, known_strategies());
  switch (spec.problem) {
    case StrategySpec::Problem::strategy:
      return unknown("strategy", spec.culprit, strategy_names());
    case StrategySpec::Problem::parameter:
      return unknown(fmt::format("parameter of {}", spec.info->name), spec.culprit,
                     parameter_names(*spec.info));
    case StrategySpec::Problem::value:
      return fmt::format("expected {} for {} of {}, not `{}'", what_is_expected(*spec.parameter),
                         spec.parameter->name, spec.info->name, spec.culprit);
    case StrategySpec::Problem::range:
      return fmt::format("{} of {} is from {} to {}, not {}", spec.parameter->name, spec.info->name,
                         spec.parameter->least, spec.parameter->most, spec.culprit);
    case StrategySpec::Problem::none:
      break;
  }
  if (!set_strategy(config, text)) return "is too long";
  return std::nullopt;
}

const StrategyInfo& strategy_info(const channel::Config& config) {
  return *parse_strategy(report::bounded(config.strategy), known_strategies()).info;
}

CommandLine::CommandLine(const std::string& name, const std::string& usage,
                         const std::string& description, const std::string& examples)
    : name_(name), usage_(usage), examples_(examples), app_(description, name) {
  app_.formatter(std::make_shared<HelpFormat>(name, usage));
  app_.get_formatter()->column_width(26);
  app_.set_help_flag("-h,--help", "show this and exit");
  if (!examples.empty()) app_.footer("examples:\n" + examples);
}

void CommandLine::value(const std::string& names, const std::string& type,
                        const std::string& description, ReadValue read) {
  remember(names, ConfigOption::Kind::value, type, description, read);
  app_.add_option_function<std::string>(
          names,
          [this, names, read = std::move(read)](const std::string& text) {
            const auto wrong = read(text);
            if (wrong && !problem_) {
              problem_ = fmt::format("{} {}: {}", names.substr(names.rfind(',') + 1), text, *wrong);
            }
          },
          description)
      ->type_name(type)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void CommandLine::hidden_value(const std::string& name, ReadValue read) {
  value(name, "", "", std::move(read));
  app_.get_option(name)->group("");
  config_options_.pop_back();
}

void CommandLine::list(const std::string& names, const std::string& type,
                       const std::string& description, ReadItem read) {
  remember(names, ConfigOption::Kind::list, type, description,
           [read](const std::string& text) -> std::optional<std::string> {
             const MaybeError wrong = read(text);
             return wrong ? std::optional(wrong->message) : std::nullopt;
           });
  app_.add_option_function<std::vector<std::string>>(
          names,
          [this, read = std::move(read)](const std::vector<std::string>& items) {
            for (const std::string& item : items) {
              const MaybeError wrong = read(item);
              if (wrong && !problem_) problem_ = wrong->message;
            }
          },
          description)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void CommandLine::flag(const std::string& names, const std::string& description, bool& out) {
  flag(names, description, [&out] { out = true; });
}

void CommandLine::flag(const std::string& names, const std::string& description,
                       std::function<void()> set) {
  remember(names, ConfigOption::Kind::flag, "", description,
           [set](const std::string&) -> std::optional<std::string> {
             set();
             return std::nullopt;
           });
  app_.add_flag_callback(names, std::move(set), description);
}

void CommandLine::remember(const std::string& names, ConfigOption::Kind kind,
                           const std::string& type, const std::string& description,
                           std::function<std::optional<std::string>(const std::string&)> read) {
  ConfigOption option;
  option.key = names.substr(names.rfind("--") + 2);
  option.kind = kind;
  option.type = type;
  option.description = description;
  option.read = std::move(read);
  config_options_.push_back(std::move(option));
}

void CommandLine::number(const std::string& names, const std::string& description, uint64_t& out,
                         uint64_t least) {
  value(names, "N", description,
        [&out, least](const std::string& text) -> std::optional<std::string> {
          const auto number = parse_number(text);
          if (!number) return "expected a whole number";
          if (*number < least) return fmt::format("expected a number from {} on", least);
          out = *number;
          return std::nullopt;
        });
}

void CommandLine::time_limit(const std::string& names, const std::string& description,
                             uint64_t& nanoseconds) {
  value(names, "TIME", description,
        [&nanoseconds](const std::string& text) -> std::optional<std::string> {
          const auto length = parse_duration(text);
          if (!length) return kNoDuration;
          if (length->count() == 0) return "no time at all: nothing would be searched";
          nanoseconds = static_cast<uint64_t>(length->count());
          return std::nullopt;
        });
}

void CommandLine::duration(const std::string& names, const std::string& description,
                           uint64_t& nanoseconds) {
  value(names, "TIME", description,
        [&nanoseconds](const std::string& text) -> std::optional<std::string> {
          const auto length = parse_duration(text);
          if (!length) return kNoDuration;
          nanoseconds = static_cast<uint64_t>(length->count());
          return std::nullopt;
        });
}

void CommandLine::schedule_options(channel::Config& config) {
  value("--strategy", "NAME",
        fmt::format("how schedules are chosen: {} (default {})", fmt::join(strategy_names(), ", "),
                    config.strategy),
        [&config](const std::string& text) { return read_strategy(text, config); });
  run_options(config);
  flag("--patient",
       "sleeps and time-outs never end early: only when nobody else can run, or after long",
       [&config] { config.patient = 1; });
}

void CommandLine::run_options(channel::Config& config) {
  const auto usual = [](uint64_t value, const std::string& text) {
    return value == 0 ? std::string("no limit") : fmt::format("one {} is cut off", text);
  };
  value("--max-steps", "N",
        fmt::format("a run with more scheduling points has failed; 0: no limit (default: {})",
                    usual(config.max_steps, "with more than 1,000,000")),
        [&config](const std::string& text) -> std::optional<std::string> {
          const auto steps = parse_number(text);
          if (!steps) return "expected a whole number";
          config.max_steps = *steps;
          config.limits_fail |= channel::kLimitSteps;
          return std::nullopt;
        });
  value("--timeout", "TIME",
        fmt::format("a run that takes more real time has failed; 0: no limit (default: {})",
                    usual(config.run_nanoseconds, "that takes more than 10s")),
        [&config](const std::string& text) -> std::optional<std::string> {
          const auto length = parse_duration(text);
          if (!length) return kNoDuration;
          config.run_nanoseconds = static_cast<uint64_t>(length->count());
          config.limits_fail |= channel::kLimitTime;
          return std::nullopt;
        });
  value("--clock", "WHEN",
        "what the clock shows when the program starts: `now', or seconds since 1970 (default: "
        "always the same)",
        [&config](const std::string& text) { return read_clock(text, config); });
}

void CommandLine::schedule_file(std::string& path) {
  value("--from", "FILE",
        "what the strategy begins with: bytes for `bytes', a replay.json for `replay' and `mutate'",
        [&path](const std::string& text) -> std::optional<std::string> {
          path = text;
          return std::nullopt;
        });
}

Error CommandLine::unknown(const std::string& option) const {
  std::vector<std::string> known;
  for (const CLI::Option* each : app_.get_options()) {
    for (const std::string& name : each->get_lnames()) known.push_back("--" + name);
    for (const std::string& name : each->get_snames()) known.push_back("-" + name);
  }
  const std::string guess = nearest(option, known);
  return {Exit::usage,
          fmt::format("unknown option {}: {}see {} --help", option,
                      guess.empty() ? "" : fmt::format("did you mean {}? or ", guess), name_)};
}

CommandHelp CommandLine::help() const {
  CommandHelp help{name_, usage_, app_.get_description(), {}, examples_};
  help.takes_program = !everywhere_ && !usage_.empty();
  for (const CLI::Option* each : app_.get_options()) {
    if (each->get_group().empty()) continue;  // hidden
    OptionHelp option{{}, "", each->get_description()};
    if (each->get_items_expected_max() > 0) option.type = each->get_type_name();
    for (const std::string& name : each->get_snames()) option.names.push_back("-" + name);
    for (const std::string& name : each->get_lnames()) option.names.push_back("--" + name);
    help.options.push_back(std::move(option));
  }
  return help;
}

std::optional<Error> CommandLine::split(const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_option = word.starts_with('-') && word != "-" && word != "--";
    if (everywhere_ && !is_option && word != "--") {
      operands_.push_back(word);
      continue;
    }
    if (!is_option) {
      rest_.assign(words.begin() + static_cast<ptrdiff_t>(i + (word == "--" ? 1 : 0)), words.end());
      return std::nullopt;
    }
    const bool is_long = word.starts_with("--");
    const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
    const CLI::Option* option = app_.get_option_no_throw(name);
    if (option == nullptr) return unknown(name);
    own_.push_back(word);
    const bool takes_value = option->get_items_expected_max() > 0;
    if (!takes_value && is_long && word != name) {
      return Error{Exit::usage, fmt::format("{} takes no value: see {} --help", name, name_)};
    }
    if (!takes_value || word.size() > name.size()) continue;
    if (i + 1 == words.size()) {
      return Error{Exit::usage, fmt::format("{} needs a value: see {} --help", name, name_)};
    }
    // In one word, so that a value like -1 is not taken for an option.
    own_.back() = is_long ? word + "=" + words[++i] : word + words[++i];
  }
  return std::nullopt;
}

void CommandLine::add_config_options() {
  if (find_config_command(name_) == nullptr) return;
  const size_t own = config_options_.size();
  // Their values are looked up before all others: use_config.
  value("--config", "FILE",
        "read options from it (default: jostle.toml, here or in a folder above)",
        [](const std::string&) { return std::optional<std::string>(); });
  flag("--no-config", "do not", [] {});
  config_options_.resize(own);  // the file does not name itself
}

std::string CommandLine::config_file() const {
  const bool used = std::any_of(config_options_.begin(), config_options_.end(),
                                [](const ConfigOption& option) { return option.from != nullptr; });
  return used ? config_file_.path : std::string();
}

// The options of one word of ours, as it is typed: --time=5s, -t5s, -kq.
void CommandLine::note_typed(const std::string& word) {
  const auto note_one = [&](const CLI::Option* option, const std::string& value) {
    if (option != nullptr && !option->get_lnames().empty()) {
      typed_[option->get_lnames().back()].push_back(value);
    }
  };
  if (word.starts_with("--")) {
    const size_t equals = std::min(word.find('='), word.size());
    note_one(app_.get_option_no_throw(word.substr(0, equals)),
             word.substr(std::min(equals + 1, word.size())));
    return;
  }
  for (size_t i = 1; i < word.size(); ++i) {
    const CLI::Option* option = app_.get_option_no_throw(std::string("-") + word[i]);
    const bool takes_value = option != nullptr && option->get_items_expected_max() > 0;
    note_one(option, takes_value ? word.substr(i + 1) : "");
    if (takes_value) return;
  }
}

MaybeError CommandLine::use_config() {
  for (const std::string& word : own_) note_typed(word);
  for (ConfigOption& option : config_options_) {
    const auto typed = typed_.find(option.key);
    if (typed == typed_.end()) continue;
    option.typed = true;
    option.typed_value = option.kind == ConfigOption::Kind::list
                             ? fmt::format("{}", fmt::join(typed->second, ", "))
                             : typed->second.back();
  }
  if (MaybeError error = check_opposites(config_options_)) return error;
  const Command* command = find_config_command(name_);
  // A check inside of a program has its options from the program.
  if (command == nullptr || typed_.contains("help") || typed_.contains("fork-server")) {
    return std::nullopt;
  }
  const auto named = typed_.find("config");
  if (typed_.contains("no-config")) {
    if (named == typed_.end()) return std::nullopt;
    return Error{Exit::usage, "--config names a file, --no-config wants none: choose one"};
  }
  if (named != typed_.end() && named->second.back().empty()) {
    return Error{Exit::usage, "--config needs a file"};
  }
  Result<ConfigFile> file = load_config_file(named == typed_.end() ? "" : named->second.back());
  if (!file) return file.error();
  config_file_ = std::move(*file);
  if (MaybeError error = check_keys(config_file_)) return error;
  return apply_config(config_file_, std::string(command->name), config_options_);
}

std::optional<int> CommandLine::parse(const std::vector<std::string>& words) {
  add_config_options();
  if (const auto form = words.size() == 1 ? help_form(words[0]) : std::nullopt) {
    fmt::print("{}", text_of(help(), *form));
    return static_cast<int>(Exit::ok);
  }
  if (ConfigSurvey::active != nullptr && !ConfigSurvey::active->applies_file) {
    ConfigSurvey::active->options = std::move(config_options_);
    return static_cast<int>(Exit::ok);
  }
  if (const auto error = split(words)) return fail(*error);
  if (const auto error = use_config()) return fail(*error);
  try {
    std::vector<std::string> reversed(own_.rbegin(), own_.rend());
    app_.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app_.help());
    return static_cast<int>(Exit::ok);
  } catch (const CLI::ParseError& error) {
    return fail({Exit::usage, fmt::format("{}: see {} --help", error.what(), name_)});
  }
  if (problem_) return fail({Exit::usage, *problem_});
  if (ConfigSurvey::active != nullptr) {
    ConfigSurvey::active->options = std::move(config_options_);
    ConfigSurvey::active->file = std::move(config_file_);
    ConfigSurvey::active->answered = true;
    return static_cast<int>(Exit::ok);
  }
  return std::nullopt;
}

}  // namespace jostle::cli
