// SPDX-License-Identifier: Apache-2.0
// What shells offer when a person presses the tabulator: the command's own words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

using Words = std::vector<std::string>;

// One per line, sorted.
Words lines_of(const std::string& text) {
  std::istringstream in(text);
  Words lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string completion(const std::string& file) {
  return std::string(JOSTLE_SOURCE_DIR) + "/completion/" + file;
}

// As bash calls it: `words` are those of the line, the last one is incomplete. "files" stands for
// bash's own completion.
Words bash_offers(Words words) {
  words[0] = jostle_bin();
  Words command = {"bash", "-c",
                   "source \"$0\"\n"
                   "compopt() { echo files; }\n"
                   "COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))\n"
                   "_jostle\n"
                   "printf '%s\\n' \"${COMPREPLY[@]}\"",
                   completion("jostle.bash")};
  command.insert(command.end(), words.begin(), words.end());
  const Result result = run(command);
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ(result.err, "");
  return lines_of(result.out);
}

TEST(Completion, BashKnowsTheCommands) {
  EXPECT_THAT(bash_offers({"jostle", "fu"}), ElementsAre("fuzz"));
  EXPECT_THAT(bash_offers({"jostle", "st"}),
              ElementsAre("status", "step", "stop", "stops", "strategies"));
  EXPECT_THAT(bash_offers({"jostle", "c"}), ElementsAre("c++", "cc", "config", "cover"));
  EXPECT_THAT(bash_offers({"jostle", "help", "mi"}), ElementsAre("minimize"));
  EXPECT_THAT(bash_offers({"jostle", "--v"}), ElementsAre("--version"));
}

TEST(Completion, BashKnowsTheOptionsAndTheirValues) {
  EXPECT_THAT(bash_offers({"jostle", "fuzz", "--sch"}), ElementsAre("--schedules"));
  EXPECT_THAT(bash_offers({"jostle", "fuzz", "-q", "--time", "5m", "--keep"}),
              ElementsAre("--keep-going"));
  // For those who start us, not for people.
  EXPECT_THAT(bash_offers({"jostle", "fuzz", "--fork-s"}), IsEmpty());
  EXPECT_THAT(bash_offers({"jostle", "fuzz", "--strategy", "pc"}), ElementsAre("pct"));
  EXPECT_THAT(bash_offers({"jostle", "fuzz", "--strategy", "=", "pc"}), ElementsAre("pct"));
  EXPECT_THAT(bash_offers({"jostle", "fuzz", "--volatile", ""}), ElementsAre("atomic", "plain"));
  EXPECT_THAT(bash_offers({"jostle", "fuzz", "--time", ""}), IsEmpty());
  EXPECT_THAT(bash_offers({"jostle", "fuzz", "--output", ""}), ElementsAre("files"));
}

TEST(Completion, BashLeavesTheProgramsOwnWordsAlone) {
  EXPECT_THAT(bash_offers({"jostle", "fuzz", ""}), ElementsAre("files"));
  EXPECT_THAT(bash_offers({"jostle", "fuzz", "-q", "./prog", "--sch"}), ElementsAre("files"));
  EXPECT_THAT(bash_offers({"jostle", "fuzz", "--", "--sch"}), ElementsAre("files"));
  // Here no program follows, and options may stand anywhere.
  EXPECT_THAT(bash_offers({"jostle", "replay", "replay.json", "--gd"}), ElementsAre("--gdb"));
  EXPECT_THAT(bash_offers({"jostle", "nonsense", "-"}), IsEmpty());
}

// Every option that a command has is offered, and none that it does not take.
TEST(Completion, BashOffersWhatTheHelpLists) {
  for (const std::string command : {"fuzz", "replay", "step", "cover", "report", "strategies"}) {
    const std::string help = jostle({command, "--help"}).out;
    const Words offered = bash_offers({"jostle", command, "-"});
    EXPECT_THAT(offered, Contains("--help"));
    for (const std::string& option : offered) {
      EXPECT_THAT(help, testing::HasSubstr(option)) << command;
    }
    std::istringstream in(help);
    for (std::string word; in >> word;) {
      if (!word.starts_with("-") || word.find(',') == std::string::npos) continue;
      EXPECT_THAT(offered, Contains(word.substr(0, word.find(',')))) << command;
      EXPECT_THAT(offered, Contains(word.substr(word.find(',') + 1))) << command;
    }
  }
}

// zsh's own helpers are replaced by ones that print what they are given.
Words zsh_offers(Words words) {
  words[0] = jostle_bin();
  Words command = {"zsh", "-fc",
                   "source_=$1; shift\n"
                   "_call_program() { shift; eval \"$@\"; }\n"
                   "_describe() { print -rl -- ${(P)@[-1]}; }\n"
                   "_files() { print files; }\n"
                   "_normal() { print \"arguments of $words[1]\"; }\n"
                   "compset() { return 0; }\n"
                   "words=(\"$@\") CURRENT=$#\n"
                   "source $source_",
                   "zsh", completion("_jostle")};
  command.insert(command.end(), words.begin(), words.end());
  const Result result = run(command);
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ(result.err, "");
  return lines_of(result.out);
}

TEST(Completion, ZshKnowsCommandsOptionsAndPrograms) {
  if (run({"zsh", "-fc", ""}).exit_code == 127) GTEST_SKIP() << "no zsh";
  EXPECT_THAT(zsh_offers({"jostle", ""}),
              Contains("fuzz:run a program under many schedules, keep those that fail"));
  EXPECT_THAT(zsh_offers({"jostle", "help", ""}), Contains(testing::StartsWith("minimize:")));
  EXPECT_THAT(zsh_offers({"jostle", "fuzz", "-"}),
              Contains("--keep-going:do not stop at the first failure"));
  EXPECT_THAT(zsh_offers({"jostle", "fuzz", "-"}), Not(Contains(testing::StartsWith("--:"))));
  EXPECT_THAT(zsh_offers({"jostle", "fuzz", "--strategy", ""}), Contains("pct"));
  EXPECT_THAT(zsh_offers({"jostle", "fuzz", "--strategy=p"}), Contains("pct"));
  EXPECT_THAT(zsh_offers({"jostle", "fuzz", "--volatile", ""}), ElementsAre("atomic", "plain"));
  EXPECT_THAT(zsh_offers({"jostle", "fuzz", "-o", ""}), ElementsAre("files"));
  EXPECT_THAT(zsh_offers({"jostle", "fuzz", ""}), ElementsAre("files"));
  EXPECT_THAT(zsh_offers({"jostle", "fuzz", "-q", "./prog", "-"}),
              ElementsAre("arguments of ./prog"));
  EXPECT_THAT(zsh_offers({"jostle", "fuzz", "--", "./pr"}), ElementsAre("files"));
  EXPECT_THAT(zsh_offers({"jostle", "fuzz", "--", "./prog", ""}),
              ElementsAre("arguments of ./prog"));
}

}  // namespace
}  // namespace jostle::test
