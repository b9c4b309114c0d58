// SPDX-License-Identifier: Apache-2.0
#include "src/cli/compiler/compiler_help.h"

#include <fmt/format.h>

#include "src/cli/compiler/compiler_options.h"

namespace jostle::cli {

CommandHelp compiler_help(Language language) {
  const bool c = language == Language::c;
  const std::string word = c ? "cc" : "c++";
  CommandHelp help;
  help.name = "jostle " + word;
  help.usage = "[options of the compiler] file...";
  help.description = fmt::format(
      "Calls {}, or the compiler that {} names, with options that instrument the program and link "
      "it with Jostle's runtime. All other options are the compiler's own.",
      c ? "gcc" : "g++", c ? "JOSTLE_CC" : "JOSTLE_CXX");
  help.options.push_back(
      {{kCoverageOption},
       "",
       "also notes which code a run reaches, for jostle fuzz --input (or JOSTLE_COVERAGE=1)"});
  const std::string source = c ? "queue.c" : "bank.cc", program = c ? "queue" : "bank";
  help.examples = fmt::format(
      "  jostle {0} -g -O1 {1} -o {2}\n"
      "  {3} jostle {0} -g -O1 {1} -o {2}\n"
      "  make CC=\"jostle cc\" CXX=\"jostle c++\"\n"
      "  cmake -B build -DCMAKE_C_COMPILER=jostle-cc -DCMAKE_CXX_COMPILER=jostle-c++",
      word, source, program, c ? "JOSTLE_CC=clang" : "JOSTLE_CXX=clang++");
  return help;
}

}  // namespace jostle::cli
