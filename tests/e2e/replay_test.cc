// SPDX-License-Identifier: Apache-2.0
// Replay: the same failure every time, and a clear word when it cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/cli/support/pattern.h"
#include "tests/e2e/small_programs.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Replay : public testing::Test {
 protected:
  Result in_folder(std::vector<std::string> args, RunOptions options = {}) {
    options.cwd = folder_.path();
    return jostle(std::move(args), std::move(options));
  }

  // Builds and fuzzes a program that fails; gives the path of its replay file.
  std::string record(const std::string& name, const std::string& source,
                     const std::vector<std::string>& arguments = {}, RunOptions options = {}) {
    build(folder_, name, source);
    std::vector<std::string> args = {"fuzz", "--seed", "1", "--schedules", "3000", "./" + name};
    args.insert(args.end(), arguments.begin(), arguments.end());
    const Result found = in_folder(args, std::move(options));
    EXPECT_EQ(found.exit_code, 77) << found;
    return recording_in(folder_.path() / "jostle-out" / name);
  }

  template <typename F>
  std::string edited(const std::string& file, F&& edit) {
    Json json = Json::parse(read_file(file));
    edit(json);
    return folder_.write("edited.json", json.dump(1));
  }

  TempDir folder_;
};

// A campaign follows its first runs once more. The one that is to get a connection may wait for it
// in vain, while the one that got it could go on.
TEST_F(Replay, GivesUpWhenTheKernelDecidesOtherwise) {
  const Result result =
      in_folder({"fuzz", "--strategy", "random", "--seed", "7", "--schedules", "20", "--timeout",
                 "60s", "--", program("gcc", "conform/fd_reuseport")},
                {.time_limit = 30});
  EXPECT_EQ(result.exit_code, 0) << result;
}

TEST_F(Replay, ShowsTheSameFailureEveryTime) {
  const std::string file = record("lost", kLostUpdate);
  for (int i = 0; i < 10; ++i) {
    const Result again = jostle({"replay", file});
    ASSERT_EQ(again.exit_code, 77) << again;
    EXPECT_THAT(again.err, HasSubstr("assertion `counter == 2' in main at lost.c:"));
    EXPECT_THAT(again.err, HasSubstr("counter 1\n"));  // the program's own output
  }
}

TEST_F(Replay, TakesTheFolderToo) {
  const std::string file = record("lost", kLostUpdate);
  EXPECT_EQ(jostle({"replay", fs::path(file).parent_path()}).exit_code, 77);
}

TEST_F(Replay, ShowsADeadlockAgain) {
  const std::string file = record("dead", kDeadlock);
  const Result again = jostle({"replay", file});
  EXPECT_EQ(again.exit_code, 77) << again;
  EXPECT_THAT(again.err, HasSubstr("cycle: T1 → T2 → T1"));
}

// libstdc++ counts references without atomics until there is a second thread. A campaign and the
// replay of what it finds must agree on when that is.
TEST_F(Replay, OfAProgramThatSharesPointersBeforeItsFirstThread) {
  const std::string program = build_cxx(folder_, "pointers", R"(
#include <cassert>
#include <memory>
#include <thread>
int counter;
int main() {
  auto first = std::make_shared<int>(1);
  { auto second = first; }
  std::thread a([first] { counter++; }), b([first] { counter++; });
  a.join();
  b.join();
  assert(counter == 2);
})");
  const Result found = in_folder({"fuzz", "--seed", "1", "--schedules", "3000", program});
  EXPECT_EQ(found.exit_code, 77) << found;
}

TEST_F(Replay, KeepsArgumentsDirectoryAndInput) {
  const std::string source = R"(
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
  char text[64] = "", here[4096];
  if (!fgets(text, sizeof text, stdin)) return 1;
  fprintf(stderr, "%d [%s] [%s] %s", argc, argv[1], getcwd(here, sizeof here), text);
  return 9;
}
)";
  const std::string file =
      record("needy", source, {"with space", "\xff"}, {.input = "the input\nmore\n"});
  const Result again = jostle({"replay", file}, {.cwd = "/"});
  EXPECT_EQ(again.exit_code, 77) << again;
  EXPECT_THAT(again.err, HasSubstr("3 [with space] [" + folder_.path().string() + "] the input\n"));
  EXPECT_THAT(again.err, HasSubstr("FAILED after 1 schedule (portfolio): exit status 9"));
}

TEST_F(Replay, KeepsMuchInputInAFileOfItsOwn) {
  const std::string source = R"(
#include <stdio.h>
int main(void) {
  long n = 0;
  while (getchar() != EOF) n++;
  return n == 100000 ? 5 : 0;
}
)";
  const std::string file = record("eater", source, {}, {.input = std::string(100'000, 'x')});
  EXPECT_EQ(fs::file_size(fs::path(file).parent_path() / "stdin"), 100'000u);
  EXPECT_LT(fs::file_size(file), 20'000u);
  EXPECT_EQ(jostle({"replay", file}).exit_code, 77);
  folder_.write("jostle-out/eater/" + fs::path(file).parent_path().filename().string() + "/stdin",
                "other");
  const Result changed = jostle({"replay", file});
  EXPECT_EQ(changed.exit_code, 12) << changed;
}

TEST_F(Replay, OfASavedRun) {
  build(folder_, "many", kMany);
  EXPECT_EQ(in_folder({"run", "--save", "ok.json", "./many"}).exit_code, 0);
  const Result ok = in_folder({"replay", "ok.json"});
  EXPECT_EQ(ok.exit_code, 0) << ok;
  EXPECT_THAT(ok.err, HasSubstr("exit status 0 as recorded"));
  EXPECT_EQ(in_folder({"run", "--save", "three.json", "./many", "exit", "3"}).exit_code, 3);
  const Result three = in_folder({"replay", "three.json"});
  EXPECT_EQ(three.exit_code, 77) << three;
  EXPECT_THAT(three.err, HasSubstr("FAILED: exit status 3"));
  EXPECT_EQ(in_folder({"run", "--save", "hang.json", "./many", "hang"}).exit_code, 77);
  EXPECT_EQ(in_folder({"replay", "hang.json"}).exit_code, 77);
}

TEST_F(Replay, UnderGdbStopsAtTheFailure) {
  if (!run({"gdb", "--version"}).ok()) GTEST_SKIP() << "no gdb";
  const std::string file = record("lost", kLostUpdate);
  const Result stopped =
      jostle({"replay", file, "--gdb", "--", "-batch", "-ex", "run", "-ex", "bt"});
  EXPECT_THAT(stopped.out, HasSubstr("in main () at")) << stopped;
  EXPECT_THAT(stopped.out, HasSubstr("lost.c:"));
  const std::string dead = record("dead", kDeadlock);
  // gdb would start the program through the user's shell, which may refuse.
  const Result deadlock =
      jostle({"replay", dead, "--gdb", "--", "-batch", "-ex", "run", "-ex", "bt"},
             {.env = {{"SHELL", "/bin/false"}}});
  EXPECT_THAT(deadlock.out, HasSubstr("jostle: the run fails: ")) << deadlock;
  for (const Result& each : {stopped, deadlock}) {
    EXPECT_THAT(each.out + each.err, Not(HasSubstr("not defined"))) << each;
    EXPECT_THAT(each.out, Not(HasSubstr("jostle_failure_hook"))) << each;
  }
}

TEST_F(Replay, UnderGdbGoesForthAndBack) {
  if (!run({"gdb", "--version"}).ok()) GTEST_SKIP() << "no gdb";
  const std::string file = record("lost", kLostUpdate);
  const auto gdb = [&](const std::vector<std::string>& commands) {
    std::vector<std::string> words = {"replay", file, "--gdb", "--", "-batch", "-ex", "run"};
    for (const std::string& command : commands) words.insert(words.end(), {"-ex", command});
    return jostle(words);
  };
  const Result back = gdb({"jostle where", "jostle back", "jostle back 2", "jostle forth",
                           "jostle goto 1", "jostle back", "jostle goto x"});
  const auto match = cli::Pattern("behind the begin of event ([0-9]+)").find(back.out);
  ASSERT_TRUE(match) << back;
  const int last = std::stoi((*match)[1]);
  const auto at = [](int number) { return "jostle: event " + std::to_string(number) + ", "; };
  std::string rest = back.out;
  for (const int number : {last, last - 2, last - 1, 1}) {
    const size_t found = rest.find(at(number));
    ASSERT_NE(found, rest.npos) << number << " in\n" << back;
    rest.erase(0, found + 1);
  }
  EXPECT_THAT(back.err, HasSubstr("there is no event before the first"));
  EXPECT_THAT(back.err, HasSubstr("is no number of an event"));

  const Result reverse = gdb({"break increment", "reverse-continue", "print counter",
                              "reverse-continue", "jostle where", "reverse-continue"});
  EXPECT_THAT(reverse.out, ContainsRegex("increment \\(.*lost.c:6")) << reverse;
  EXPECT_THAT(reverse.out, HasSubstr("no breakpoint was hit before"));
  const Result none = gdb({"reverse-continue", "reverse-step"});
  EXPECT_THAT(none.err, HasSubstr("there is no breakpoint to go back to")) << none;
  EXPECT_THAT(none.out, HasSubstr("jostle: event ")) << none;
}

TEST_F(Replay, UnderGdbEveryThreadCanBeLookedAt) {
  if (!run({"gdb", "--version"}).ok()) GTEST_SKIP() << "no gdb";
  const std::string file = record("dead", kDeadlock);
  const Result result = jostle({"replay", file, "--gdb", "--", "-batch", "-ex", "run", "-ex",
                                "jostle threads", "-ex", "jostle thread 1", "-ex",
                                "jostle thread 2", "-ex", "jostle thread 0", "-ex", "continue"});
  if (result.err.find("Python scripting is not supported") != std::string::npos) GTEST_SKIP();
  EXPECT_THAT(result.out, ContainsRegex("0 +main +join")) << result;
  // Whichever of the two did not run last.
  EXPECT_THAT(result.out, ContainsRegex("[12] +T[12] [a-z]+ +lock +dead.c:[0-9]+"));
  EXPECT_THAT(result.out, ContainsRegex("pthread_mutex_lock"));
  EXPECT_THAT(result.out, ContainsRegex("main \\(.*dead.c:[0-9]+"));
  // Nothing was spoilt: the program ends as it would have.
  EXPECT_THAT(result.out, HasSubstr("exited with code"));
}

TEST_F(Replay, SaysWhereItDiverges) {
  const std::string file = record("lost", kLostUpdate);
  const std::string other = edited(file, [](Json& json) {
    for (Json& segment : json["schedule"]) {
      if (segment["run"] != "0" && segment["then"] == "preempted") segment["at"] = "sem_post";
    }
  });
  const Result diverged = jostle({"replay", other});
  EXPECT_EQ(diverged.exit_code, 78) << diverged;
  EXPECT_THAT(diverged.err, HasSubstr("the run left the recording at step "));
  EXPECT_THAT(diverged.err, HasSubstr("increment"));
  EXPECT_THAT(diverged.err, HasSubstr("the recording has sem_post"));
  EXPECT_THAT(diverged.err, HasSubstr("lost.c:7"));
}

TEST_F(Replay, SaysWhenTheRunEndsOtherwise) {
  const std::string file = record("lost", kLostUpdate);
  const std::string other = edited(file, [](Json& json) {
    json["failure"]["kind"] = "deadlock";
    json["failure"]["message"] = "";
  });
  const Result different = jostle({"replay", other});
  EXPECT_EQ(different.exit_code, 79) << different;
  EXPECT_THAT(different.err, HasSubstr("the schedule was followed, but the run ended with "
                                       "assertion `counter == 2'"));
}

TEST_F(Replay, NoticesThatTheProgramChanged) {
  const std::string file = record("lost", kLostUpdate);
  std::string source = kLostUpdate;
  source.insert(source.find("counter++"), "counter += 0; ");
  build(folder_, "lost", source);
  // Where it was recorded that is the normal case.
  const Result rebuilt = jostle({"replay", file});
  EXPECT_NE(rebuilt.exit_code, 14) << rebuilt;
  EXPECT_THAT(rebuilt.err, HasSubstr("has changed since the recording (rebuilt?): trying anyway"));
  const Result refused = jostle({"minimize", file});
  EXPECT_EQ(refused.exit_code, 14) << refused;
  EXPECT_THAT(refused.err, HasSubstr("has changed since the recording (rebuilt?): pass --force"));
  fs::remove(folder_.path() / "lost");
  const Result missing = jostle({"replay", file});
  EXPECT_EQ(missing.exit_code, 3) << missing;
}

TEST_F(Replay, FindsAProgramThatMovedWithItsFolder) {
  const std::string file = record("lost", kLostUpdate);
  const TempDir elsewhere;
  fs::rename(folder_.path() / "lost", elsewhere.path() / "lost");
  const Result again = jostle({"replay", file}, {.cwd = elsewhere.path()});
  EXPECT_EQ(again.exit_code, 77) << again;
}

TEST_F(Replay, RefusesDamagedFiles) {
  const std::string file = record("lost", kLostUpdate);
  const std::string text = read_file(file);
  const auto code_of = [&](const std::string& content) {
    const Result result = jostle({"replay", folder_.write("bad.json", content)});
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result;
    return result.exit_code;
  };
  EXPECT_EQ(code_of(""), 12);
  EXPECT_EQ(code_of(text.substr(0, text.size() / 2)), 12);
  EXPECT_EQ(code_of(text.substr(0, text.size() - 3)), 12);
  EXPECT_EQ(code_of("hello"), 12);
  EXPECT_EQ(code_of("{\"format\": \"something else\"}"), 12);
  Json newer = Json::parse(text);
  newer["version"] = 99;
  EXPECT_EQ(code_of(newer.dump()), 13);
  EXPECT_EQ(jostle({"replay", folder_.file("nothing.json")}).exit_code, 11);
  EXPECT_EQ(jostle({"replay", "/dev/null"}).exit_code, 11);
  EXPECT_EQ(jostle({"replay", TempDir().path()}).exit_code, 11);
}

// An assertion says the path by which the compiler was called.
TEST_F(Replay, OfAnAssertionThatWasCompiledFromAnotherFolder) {
  const std::string file = record("moved", kLostUpdate);
  const Result built =
      jostle({"cc", "-g", "-O1", "-pthread", "moved.c", "-o", "moved"}, {.cwd = folder_.path()});
  ASSERT_TRUE(built.ok()) << built;
  const Result again = jostle({"replay", file});
  EXPECT_EQ(again.exit_code, 77) << again;
  EXPECT_THAT(again.err, Not(HasSubstr("instead of"))) << again;
}

}  // namespace
}  // namespace jostle::test
