// SPDX-License-Identifier: Apache-2.0
#include "src/cli/stepping/step_request.h"

#include <fmt/format.h>

#include <optional>

#include "src/cli/support/values.h"
#include "src/cli/support/words.h"

namespace jostle::cli {

const char kStepHelp[] =
    "  1               T1 runs one step (0 or main: the main thread)\n"
    "  1 10            T1 runs ten steps, or as far as it can\n"
    "  1 until PLACE   T1 runs until it comes to PLACE: a function, or FILE:LINE\n"
    "  n [K]           K steps without preemption: who runs goes on\n"
    "  until PLACE     the same until some thread comes to PLACE\n"
    "  strategy [NAME] [K]   lets a strategy decide, K times or to the end\n"
    "  run, c          to the end without preemption\n"
    "  threads         shows all threads again\n"
    "  locks           who holds which lock, and where it was taken\n"
    "  stack [N]       the call stack of TN, or of the one that ran last\n"
    "  save FILE       keeps the schedule so far for jostle replay\n"
    "  gdb [ARGS]      attaches gdb; leave it to come back here\n"
    "  q               ends the program and leaves\n"
    "A step is a point at which more than one thread could run. An empty line repeats the last\n"
    "command that ran something; # begins a comment.\n";

namespace {

using StepKind = StepCommand::Kind;
using Words = std::vector<std::string>;

StepCommand wrong(std::string text) { return {.kind = StepKind::wrong, .text = std::move(text)}; }

// "1", "T1", "main".
std::optional<uint32_t> thread_number(std::string_view word) {
  if (word == "main") return 0;
  if (word.starts_with('T') || word.starts_with('t')) word.remove_prefix(1);
  const auto number = parse_number(word);
  if (!number || *number >= UINT32_MAX) return std::nullopt;
  return static_cast<uint32_t>(*number);
}

// What follows the thread, or `n`: nothing, a number of steps, or `until PLACE`.
StepCommand with_extent(StepCommand command, const Words& words) {
  if (words.size() == 1) return command;
  if (words[1] == "until") {
    if (words.size() != 3) return wrong("until what? until FUNCTION, or until FILE:LINE");
    command.until = true;
    command.count = StepCommand::kToTheEnd;
    command.place = parse_place(words[2]);
    command.text = words[2];
    return command;
  }
  const auto count = parse_number(words[1]);
  if (!count || *count == 0 || words.size() > 2) {
    return wrong(
        fmt::format("`{}': expected a number of steps, or until PLACE", fmt::join(words, " ")));
  }
  command.count = *count;
  return command;
}

StepCommand next(const Words& words) { return with_extent({.kind = StepKind::next}, words); }

StepCommand until(const Words& words) {
  Words longer = {"n"};
  longer.insert(longer.end(), words.begin(), words.end());
  longer[1] = "until";
  return next(longer);
}

StepCommand strategy(const Words& words) {
  StepCommand command{.kind = StepKind::strategy, .count = StepCommand::kToTheEnd};
  if (words.size() > 3) return wrong("strategy NAME, or strategy NAME and a number of steps");
  for (size_t i = 1; i < words.size(); ++i) {
    const auto count = parse_number(words[i]);
    if (!count && i == 1) {
      command.text = words[i];
    } else if (!count || *count == 0) {
      return wrong(fmt::format("strategy: expected a number of steps, not `{}'", words[i]));
    } else {
      command.count = *count;
    }
  }
  return command;
}

StepCommand to_the_end(const Words&) {
  return {.kind = StepKind::next, .count = StepCommand::kToTheEnd};
}

StepCommand stack(const Words& words) {
  StepCommand command{.kind = StepKind::stack, .thread = StepCommand::kWhoRuns};
  if (words.size() == 1) return command;
  const auto thread = thread_number(words[1]);
  if (!thread || words.size() > 2) return wrong("stack of which thread? stack 1");
  command.thread = *thread;
  return command;
}

StepCommand save(const Words& words) {
  if (words.size() != 2) return wrong("save to which file? save run.json");
  return {.kind = StepKind::save, .text = words[1]};
}

StepCommand gdb(const Words& words) {
  return {.kind = StepKind::gdb, .words = {words.begin() + 1, words.end()}};
}

template <StepKind kKind>
StepCommand alone(const Words& words) {
  if (words.size() > 1) return wrong(fmt::format("{} takes nothing behind it", words[0]));
  return {.kind = kKind};
}

struct Name {
  const char* name;
  StepCommand (*parse)(const Words&);
};

constexpr Name kNames[] = {
    {"n", next},
    {"next", next},
    {"until", until},
    {"u", until},
    {"strategy", strategy},
    {"run", to_the_end},
    {"c", to_the_end},
    {"continue", to_the_end},
    {"threads", alone<StepKind::threads>},
    {"list", alone<StepKind::threads>},
    {"l", alone<StepKind::threads>},
    {"locks", alone<StepKind::locks>},
    {"stack", stack},
    {"bt", stack},
    {"save", save},
    {"gdb", gdb},
    {"help", alone<StepKind::help>},
    {"h", alone<StepKind::help>},
    {"?", alone<StepKind::help>},
    {"quit", alone<StepKind::quit>},
    {"q", alone<StepKind::quit>},
};

StepCommand unknown(const std::string& word) {
  Words names;
  for (const Name& known : kNames) names.emplace_back(known.name);
  const std::string guess = nearest(word, names);
  return wrong(fmt::format(
      "no command `{}': {}", word,
      guess.empty() ? "help lists them" : fmt::format("did you mean {}? or see help", guess)));
}

}  // namespace

StepCommand parse_step_command(std::string_view line) {
  const Words words = split_words(line);
  if (words.empty()) return {.kind = StepKind::repeat};
  if (words[0].starts_with('#')) return {.kind = StepKind::nothing};
  for (const Name& known : kNames) {
    if (words[0] == known.name) return known.parse(words);
  }
  if (const auto thread = thread_number(words[0])) {
    return with_extent({.kind = StepKind::thread, .thread = *thread}, words);
  }
  return unknown(words[0]);
}

}  // namespace jostle::cli
