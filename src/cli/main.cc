// The jostle command: finds the sub-command and hands it the rest of the words.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "src/cli/commands.h"
#include "src/cli/compiler_wrapper.h"
#include "src/cli/cover.h"
#include "src/cli/error.h"
#include "src/cli/launch.h"
#include "src/cli/recording.h"
#include "src/cli/values.h"
#include "src/report/text.h"

namespace jostle::cli {
namespace {

constexpr char kHelp[] =
    R"(jostle finds concurrency bugs in C and C++ programs: it decides which thread runs when.

usage: jostle COMMAND [options] …

  cc, c++   compile like gcc or clang, with instrumentation (CC="jostle cc", CXX="jostle c++")
  fuzz      run a program under many schedules, keep those that fail
  replay    run a recorded failure again, exactly
  minimize  make a recorded failure smaller
  run       run a program once under a chosen schedule
  step      run a program once and choose yourself which thread runs
  doctor    check what of a program can be controlled
  stops     list functions in which threads meet, for fuzz --stop-at
  cover     list which functions, accesses and locks schedules bring together
  report    make a page of a campaign: failures, coverage over time
  merge     prune the corpus of earlier campaigns
  strategies   list the ways to search, and their parameters

  --version, --help; jostle COMMAND --help for each

first minute:
  jostle c++ -g bank.cc -o bank
  jostle fuzz ./bank
  jostle replay jostle-out/bank/…/replay.json
)";

using Words = std::vector<std::string>;

struct Command {
  const char* name;
  int (*run)(const Words&);
};

constexpr Command kCommands[] = {
    {"run", run_command},
    {"fuzz", fuzz_command},
    {"replay", replay_command},
    {"minimize", minimize_command},
    {"step", step_command},
    {"doctor", doctor_command},
    {"stops", stops_command},
    {"cover", cover_command},
    {"report", report_command},
    {"merge", merge_command},
    {"strategies", strategies_command},
    {"cc", [](const Words& words) { return run_compiler(Language::c, words); }},
    {"c++", [](const Words& words) { return run_compiler(Language::cxx, words); }},
};

int unknown_command(const std::string& word) {
  Words names = {"--help", "--version"};
  for (const Command& command : kCommands) names.emplace_back(command.name);
  const std::string guess = nearest(word, names);
  const std::string advice =
      guess.empty() ? "see jostle --help" : fmt::format("did you mean {}?", guess);
  const char* what = word.starts_with('-') ? "option" : "command";
  return fail({Exit::usage, fmt::format("unknown {} {}: {}", what, word, advice)});
}

int dispatch(const std::string& own_name, const Words& words) {
  if (own_name == "jostle-cc") return run_compiler(Language::c, words);
  if (own_name == "jostle-c++") return run_compiler(Language::cxx, words);
  if (words.empty()) {
    return fail({Exit::usage, "no command given: jostle fuzz ./program, or jostle --help"});
  }
  const Words rest(words.begin() + 1, words.end());
  for (const Command& command : kCommands) {
    if (words[0] == command.name) return command.run(rest);
  }
  if (words[0] == "help" && !rest.empty()) return dispatch(own_name, {rest[0], "--help"});
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    fmt::print("{}", kHelp);
    return 0;
  }
  if (words[0] == "--version" || words[0] == "-V") {
    fmt::print("jostle {}\n", own_version());
    return 0;
  }
  return unknown_command(words[0]);
}

// Descriptors 0 to 2 are open from here on, so that no file of ours ends up as standard output.
void open_standard_descriptors() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

}  // namespace
}  // namespace jostle::cli

int main(int argc, char** argv) {
  using namespace jostle::cli;
  open_standard_descriptors();
  note_inherited_descriptors();
  // A file-size limit shows as an error of write, not as our death; exec undoes a handler.
  std::signal(SIGXFSZ, [](int) {});
  const std::string own_name(jostle::report::base_name(argc > 0 ? argv[0] : "jostle"));
  try {
    return dispatch(own_name, Words(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& error) {
    return fail(
        {Exit::internal, fmt::format("internal error: {}: please report it", error.what())});
  }
}
