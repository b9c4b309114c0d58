// SPDX-License-Identifier: Apache-2.0
// The jostle command: finds the sub-command and hands it the rest of the words.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "src/cli/commands/commands.h"
#include "src/cli/compiler/compiler_wrapper.h"
#include "src/cli/options/command_table.h"
#include "src/cli/recording/recording.h"
#include "src/cli/support/error.h"
#include "src/cli/support/plain_signs.h"
#include "src/cli/target/launch.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using Words = std::vector<std::string>;

int dispatch(const std::string& own_name, const Words& words) {
  if (own_name == "jostle-cc") return run_compiler(Language::c, words);
  if (own_name == "jostle-c++") return run_compiler(Language::cxx, words);
  if (words.empty()) {
    return fail({Exit::usage, "no command given: jostle fuzz ./program, or jostle --help"});
  }
  const Words rest(words.begin() + 1, words.end());
  if (const Command* command = find_command(words[0])) return command->run(rest);
  if (words[0] == "help") return help_command(rest);
  if (words[0] == "--help" || words[0] == "-h") return help_command({});
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
  use_plain_signs_if_wanted();
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
