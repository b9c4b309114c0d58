// SPDX-License-Identifier: Apache-2.0
// jostle.toml: where it is found, what wins, and what is said when it is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::json;

constexpr int kUsage = 2, kFound = 77;

class Configuration : public testing::Test {
 protected:
  // The temporary folder may lie below somebody's own configuration.
  Configuration() { fs::create_directory(dir_.path() / ".git"); }

  void write(const std::string& text) { dir_.write("jostle.toml", text); }
  Result in_folder(const std::vector<std::string>& words, const std::string& folder = "") {
    fs::create_directories(dir_.path() / folder);
    return jostle(words, {.cwd = dir_.path() / folder});
  }
  // What holds for the command: the value, and the origin.
  std::pair<std::string, std::string> setting(std::vector<std::string> words,
                                              const std::string& key,
                                              const std::string& folder = "") {
    words.insert(words.begin(), {"config", "--format", "json"});
    const Result result = in_folder(words, folder);
    EXPECT_EQ(result.exit_code, 0) << result;
    const Json json = Json::parse(result.out, nullptr, false);
    if (json.is_discarded()) return {};
    for (const Json& each : json["settings"]) {
      if (each["key"] == key) return {each["value"], each["origin"]};
    }
    return {};
  }
  using Pair = std::pair<std::string, std::string>;
  TempDir dir_;
};

TEST_F(Configuration, TheCommandLineWinsThenTheTableThenTheTop) {
  write(
      "strategy = \"pos\"\n"
      "seed = 3\n"
      "stop-at = [\"a\", \"b\"]\n"
      "[fuzz]\n"
      "strategy = \"random\"\n"
      "keep-going = true\n"
      "fresh = true\n"
      "no-spurious = true\n"
      "[run]\n"
      "patient = true\n");
  EXPECT_EQ(setting({"fuzz"}, "strategy"), Pair("random", "file"));
  EXPECT_EQ(setting({"run"}, "strategy"), Pair("pos", "file"));
  EXPECT_EQ(setting({"fuzz", "--strategy", "none"}, "strategy"), Pair("none", "command line"));
  EXPECT_EQ(setting({"fuzz", "--strategy=none"}, "strategy"), Pair("none", "command line"));
  EXPECT_EQ(setting({"fuzz", "-t5s"}, "time"), Pair("5s", "command line"));
  EXPECT_EQ(setting({"fuzz", "-kq"}, "quiet"), Pair("true", "command line"));
  EXPECT_EQ(setting({"fuzz"}, "keep-going"), Pair("true", "file"));
  EXPECT_EQ(setting({"fuzz"}, "max-steps").second, "default");
  EXPECT_EQ(setting({"fuzz", "--stop-at", "c"}, "stop-at"), Pair("c", "command line"));
  EXPECT_EQ(setting({"fuzz"}, "fresh"), Pair("true", "file"));
  EXPECT_EQ(setting({"fuzz", "--resume"}, "fresh"), Pair("false", "default"))
      << "its opposite was typed";
  EXPECT_EQ(setting({"fuzz", "--spurious"}, "no-spurious"), Pair("false", "default"));
  EXPECT_EQ(setting({"--no-config", "fuzz"}, "strategy").second, "default");
}

TEST_F(Configuration, IsWhatACampaignDoes) {
  write(
      "seed = 5\n[fuzz]\nstrategy = \"random\"\nschedules = 20\nkeep-going = true\noutput = 'o'\n");
  const std::string program = test::program("gcc", "bugs/lost_update");
  Result result = in_folder({"fuzz", program}, "sub/folder");
  EXPECT_EQ(result.exit_code, kFound) << result;
  EXPECT_THAT(result.err, AllOf(HasSubstr("· random · seed 5 · ../../jostle.toml")));
  EXPECT_TRUE(fs::exists(dir_.path() / "o/lost_update/stats.json")) << "relative to the file";
  EXPECT_FALSE(fs::exists(dir_.path() / "sub/folder/o"));
  const Json stats = Json::parse(read_file(dir_.path() / "o/lost_update/stats.json"));
  EXPECT_EQ(stats["schedules"], 20);

  result = in_folder({"fuzz", "--strategy", "pos", "--seed", "1", program});
  EXPECT_THAT(result.err, HasSubstr("· pos · seed 1 · jostle.toml"));
  result = in_folder({"fuzz", "--no-config", "-n", "3", "--seed", "2", program});
  EXPECT_THAT(result.err, HasSubstr("· portfolio · seed 2\n"));
}

TEST_F(Configuration, SuppressionsAreRelativeToTheFile) {
  write(
      "suppressions = \"ci/races.txt\"\n[fuzz]\nfail-on = \"race\"\nschedules = 30\nfresh = "
      "true\n");
  const std::string program = test::program("gcc", "bugs/data_race");
  dir_.write("ci/races.txt", "race:nobody\n");
  EXPECT_EQ(in_folder({"fuzz", program}, "sub").exit_code, kFound);
  dir_.write("ci/races.txt", "race:bytes_sent\n");
  const Result result = in_folder({"fuzz", program}, "sub");
  EXPECT_EQ(result.exit_code, 0) << result;
  fs::remove(dir_.path() / "ci/races.txt");
  EXPECT_THAT(in_folder({"fuzz", program}, "sub").err, HasSubstr("cannot read ../ci/races.txt"));
}

TEST_F(Configuration, TheNearestFileUpwardsHolds) {
  write("seed = 1\n");
  EXPECT_EQ(setting({"fuzz"}, "seed", "a/b"), Pair("1", "file"));
  dir_.write("a/jostle.toml", "patient = true\n");
  EXPECT_EQ(setting({"fuzz"}, "seed", "a/b").second, "default") << "one file, not all of them";
  EXPECT_EQ(setting({"fuzz"}, "patient", "a/b"), Pair("true", "file"));
  // The top of another repository ends the search.
  fs::create_directories(dir_.path() / "vendor/.git");
  EXPECT_EQ(setting({"fuzz"}, "seed", "vendor/src").second, "default");
  dir_.write("worktree/.git", "gitdir: elsewhere\n");
  EXPECT_EQ(setting({"fuzz"}, "seed", "worktree/src").second, "default");
}

TEST_F(Configuration, TheHomeFolderEndsTheSearch) {
  write("seed = 1\n");
  fs::create_directories(dir_.path() / "home/me/src");
  const RunOptions at_home{.env = {{"HOME", dir_.file("home/me")}},
                           .cwd = dir_.path() / "home/me/src"};
  EXPECT_THAT(jostle({"config"}, at_home).out, StartsWith("no jostle.toml here or above"));
  dir_.write("home/me/jostle.toml", "seed = 2\n");
  EXPECT_THAT(jostle({"config"}, at_home).out, HasSubstr("../jostle.toml:1"));
}

TEST_F(Configuration, OnlyAFileThatIsOursIsFound) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  write("seed = 1\n");
  ASSERT_EQ(chown(dir_.file("jostle.toml").c_str(), 12345, 12345), 0);
  Result result = in_folder({"config"}, "sub");
  EXPECT_THAT(result.out, StartsWith("no jostle.toml"));
  EXPECT_THAT(result.err, HasSubstr("../jostle.toml belongs to somebody else and is not read"));
  // Who names it wants it; and in a folder of the same owner it is as good as the folder.
  EXPECT_THAT(in_folder({"config", "--config", "jostle.toml"}).out, HasSubstr("seed"));
  ASSERT_EQ(chown(dir_.path().c_str(), 12345, 12345), 0);
  EXPECT_THAT(in_folder({"config"}).out, HasSubstr("jostle.toml:1"));
}

TEST_F(Configuration, AFileCanBeNamed) {
  dir_.write("ci/night.toml", "seed = 9\noutput = \"found\"\n");
  EXPECT_EQ(setting({"--config", "ci/night.toml", "fuzz"}, "seed"), Pair("9", "file"));
  EXPECT_EQ(setting({"--config", "ci/night.toml", "fuzz"}, "output"), Pair("ci/found", "file"));
  EXPECT_EQ(setting({"fuzz", "--config", "ci/night.toml"}, "seed"), Pair("9", "file"));
  const std::string program = test::program("gcc", "bugs/lost_update");
  Result result = in_folder({"fuzz", "--config", "ci/dawn.toml", program});
  EXPECT_EQ(result.exit_code, kUsage);
  EXPECT_EQ(result.err, "jostle: no configuration file ci/dawn.toml\n");
  EXPECT_EQ(in_folder({"fuzz", "--config", "ci", program}).exit_code, kUsage);
  EXPECT_EQ(in_folder({"fuzz", "--config=", program}).exit_code, kUsage);
  result = in_folder({"fuzz", "--config", "ci/night.toml", "--no-config", program});
  EXPECT_THAT(result.err, HasSubstr("choose one"));
  dir_.write("large.toml", std::string(300 << 10, '#'));
  EXPECT_THAT(in_folder({"config", "--config", "large.toml"}).err, HasSubstr("too large"));
}

TEST_F(Configuration, WhatIsWrongIsSaidWithItsPlace) {
  struct {
    const char *text, *error;
  } const cases[] = {
      {"tiem = 3\n", "jostle.toml:1:1: unknown key `tiem': did you mean time?"},
      {"\n[fuzz]\n kep-going = true",
       "jostle.toml:3:2: unknown key `kep-going' of fuzz: did you mean keep-going?"},
      {"[run]\nkeep-going = true",
       "jostle.toml:2:1: unknown key `keep-going' of run: keys are options, see jostle run --help"},
      {"[fuz]\n", "jostle.toml:1:1: [fuz] is no command: did you mean fuzz?"},
      {"[strategies]\n", "jostle.toml:1:1: [strategies] is no command"},
      {"config = 'x'\n", "jostle.toml:1:1: unknown key `config'"},
      {"fork-server = 3\n", "jostle.toml:1:1: unknown key `fork-server'"},
      {"time = true\n", "jostle.toml:1:8: time is a text in quotes or a number"},
      {"time = [\"3s\"]\n", "jostle.toml:1:8: time is a text in quotes or a number"},
      {"time = \"5x\"\n", "jostle.toml:1:8: time = 5x: expected a duration like"},
      {"patient = \"yes\"\n", "jostle.toml:1:11: patient is true or false"},
      {"patient = 1\n", "jostle.toml:1:11: patient is true or false"},
      {"stop-at = true\n", "jostle.toml:1:11: stop-at is a text, or a list of them"},
      {"check = [\"rase\"]\n",
       "jostle.toml:1:9: check = rase: no check `rase': did you mean race?"},
      {"seed = -1\n", "jostle.toml:1:8: seed = -1: expected a whole number"},
      {"strategy = \"pct:e=1\"\n", "jostle.toml:1:12: strategy = pct:e=1: no parameter of pct `e'"},
      {"seed = 1\nseed = 2\n", "jostle.toml:2:1: `seed' is there twice, first in line 1"},
      {"seed = \"open\n", "jostle.toml:1:8: the string does not end in its line"},
  };
  const std::string program = test::program("gcc", "bugs/lost_update");
  for (const auto& [text, error] : cases) {
    write(text);
    const Result shown = in_folder({"config"});
    EXPECT_EQ(shown.exit_code, kUsage) << text;
    EXPECT_THAT(shown.err, HasSubstr(error)) << text;
    EXPECT_EQ(shown.out, "") << text;
    const Result fuzz = in_folder({"fuzz", "-n", "1", program}, "sub");
    EXPECT_EQ(fuzz.exit_code, kUsage) << text << fuzz;
    EXPECT_EQ(in_folder({"fuzz", "--help"}).exit_code, 0) << "help is always there";
  }
}

TEST_F(Configuration, KeysMeanTheSameToAll) {
  write("output = \"out\"\nformat = \"json\"\n");
  EXPECT_EQ(setting({"fuzz"}, "output"), Pair("out", "file"));
  EXPECT_EQ(setting({"merge"}, "output"), Pair("out", "file"));
  EXPECT_EQ(setting({"minimize"}, "output").second, "default") << "there it is a file";
  EXPECT_EQ(setting({"replay"}, "output").second, "default");
  EXPECT_EQ(setting({"replay"}, "format"), Pair("json", "file"));
  EXPECT_EQ(setting({"replay", "--gdb"}, "format").second, "default");
  EXPECT_EQ(setting({"fuzz", "--json"}, "format").second, "default");
}

TEST_F(Configuration, ListsAreListsOrTexts) {
  write("check = [\"race\", \"heap\"]\nstop-at = \"one\"\nok-exit = [3, 4]\n");
  EXPECT_EQ(setting({"fuzz"}, "check"), Pair("race, heap", "file"));
  EXPECT_EQ(setting({"fuzz"}, "stop-at"), Pair("one", "file"));
  const std::string source = dir_.write("exits.c", "int main() { return 4; }\n");
  ASSERT_TRUE(run({jostle_bin(), "cc", source, "-o", dir_.file("exits")}).ok());
  EXPECT_EQ(in_folder({"fuzz", "-n", "3", "--stop-at", "main", "./exits"}).exit_code, 0);
  EXPECT_EQ(in_folder({"fuzz", "-n", "3", "--no-config", "./exits"}).exit_code, kFound);
}

TEST_F(Configuration, IsShownAsATable) {
  write("strategy = \"pos\"\n\n[fuzz]\ntime = \"5s\"\n[run]\nstrategy = \"none\"\n");
  EXPECT_EQ(in_folder({"config"}).out,
            "strategy  pos   jostle.toml:1  for fuzz, step, doctor, stops, cover\n"
            "time      5s    jostle.toml:4  for fuzz\n"
            "strategy  none  jostle.toml:6  for run\n");
  const Result fuzz = in_folder({"config", "fuzz", "-q", "./program", "-t", "9s"});
  EXPECT_THAT(fuzz.out, ContainsRegex("\ntime +5s +jostle.toml:4\n")) << "-t is the program's";
  EXPECT_THAT(fuzz.out, ContainsRegex("\nquiet +true +command line\n"));
  EXPECT_THAT(fuzz.out, ContainsRegex("\nexecutor +auto +default\n"));
  EXPECT_THAT(fuzz.out, ContainsRegex("\nminimize +1.5s +default\n"));
  EXPECT_THAT(in_folder({"config", "fuz"}).err, HasSubstr("did you mean fuzz?"));
  EXPECT_THAT(in_folder({"config", "fuzz", "--tiem"}).err, HasSubstr("did you mean --time?"));
  EXPECT_THAT(in_folder({"fuzz", "--help"}).out, HasSubstr("--no-config"));
}

// A check is a campaign that a test asks for: the test says how.
TEST_F(Configuration, ProgramsAreNotAffected) {
  write("tiem = 1\n");
  const Result result = run({program("gcc", "checks/checks"), "passes"}, {.cwd = dir_.path()});
  EXPECT_EQ(result.exit_code, 0) << result;
}

}  // namespace
}  // namespace jostle::test
