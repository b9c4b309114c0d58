// SPDX-License-Identifier: Apache-2.0
// `--format gcc`: what editors read, and the tasks in examples/vscode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "src/cli/support/pattern.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using Json = nlohmann::json;

constexpr int kFound = 77;

struct Line {
  std::string file;
  int line = 0, column = 0;
  std::string level, text;
};

std::ostream& operator<<(std::ostream& os, const Line& line) {
  return os << line.file << ":" << line.line << " " << line.level << " " << line.text;
}

// All of the output: a line of another shape is a failure.
std::vector<Line> lines_of(const std::string& out) {
  static const cli::Pattern shape("^(.*):([0-9]+):([0-9]+): (error|warning|note): (.*)$");
  std::vector<Line> lines;
  std::istringstream stream(out);
  for (std::string text; std::getline(stream, text);) {
    const auto match = shape.find(text);
    if (!match) {
      ADD_FAILURE() << "no diagnostic: " << text;
      continue;
    }
    lines.push_back(
        {(*match)[1], std::stoi((*match)[2]), std::stoi((*match)[3]), (*match)[4], (*match)[5]});
    EXPECT_TRUE(fs::is_regular_file((*match)[1])) << "no file " << (*match)[1];
    EXPECT_GE(lines.back().line, 1);
    EXPECT_GE(lines.back().column, 1);
  }
  return lines;
}

std::vector<Line> of_level(const std::vector<Line>& lines, const std::string& level) {
  std::vector<Line> some;
  for (const Line& line : lines) {
    if (line.level == level) some.push_back(line);
  }
  return some;
}

auto Says(const std::string& text) { return Field("text", &Line::text, HasSubstr(text)); }
auto At(int line, const std::string& text) {
  return AllOf(Field("line", &Line::line, line), Says(text));
}

class Editors : public testing::Test {
 protected:
  Result fuzz(const std::string& name, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"fuzz", "--seed", "1", "--format=gcc"});
    options.push_back(program("gcc", name));
    return jostle(options, {.cwd = dir_.path()});
  }
  std::string finding() const { return recording_in(dir_.path()); }
  TempDir dir_;
};

TEST_F(Editors, AnAssertionIsAnErrorWithWhyAndWhere) {
  const Result result = fuzz("bugs/lost_update");
  ASSERT_EQ(result.exit_code, kFound) << result;
  const std::vector<Line> lines = lines_of(result.out);
  ASSERT_THAT(lines, Not(IsEmpty()));
  EXPECT_EQ(lines[0].level, "error");
  EXPECT_THAT(lines[0], At(16, "assertion `visits == 2' in main"));
  EXPECT_THAT(lines[0].file, EndsWith("tests/programs/bugs/lost_update.cc"));
  EXPECT_THAT(of_level(lines, "error"), SizeIs(1));
  const std::vector<Line> notes = of_level(lines, "note");
  EXPECT_THAT(notes, Contains(At(16, "why: T")));
  EXPECT_THAT(notes, Contains(At(10, "is preempted here, before: write visits")));
  EXPECT_THAT(notes, Contains(At(10, ": write visits = 1")));
  EXPECT_THAT(notes, Contains(At(16, "jostle replay jostle-out/lost_update/assert-")));
  EXPECT_THAT(of_level(lines, "warning"), Contains(At(10, "data race on visits")));
  EXPECT_THAT(result.err, HasSubstr("FAILED after")) << "people read on";
}

TEST_F(Editors, EveryThreadOfADeadlockHasItsNotes) {
  const Result result = fuzz("bugs/abba_std");
  ASSERT_EQ(result.exit_code, kFound) << result;
  const std::vector<Line> lines = lines_of(result.out);
  ASSERT_THAT(of_level(lines, "error"), SizeIs(1));
  EXPECT_THAT(lines[0], Says("deadlock: T1 pay and T2 report wait for each other"));
  EXPECT_THAT(lines, Contains(At(12, "T1 pay waits for mutex audit, holds mutex accounts")));
  EXPECT_THAT(lines, Contains(At(10, "T1 pay took mutex accounts here")));
  EXPECT_THAT(lines, Contains(At(19, "T2 report waits for mutex accounts, holds mutex audit")));
  EXPECT_THAT(lines, Contains(At(17, "T2 report took mutex audit here")));
  EXPECT_THAT(lines, Contains(At(26, "main waits for T1 pay to finish")));
}

TEST_F(Editors, ARaceIsAWarningUnlessItFails) {
  const Result noted = fuzz("bugs/data_race", {"-n", "50"});
  EXPECT_EQ(noted.exit_code, 0) << noted;
  std::vector<Line> lines = lines_of(noted.out);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].level, "warning");
  EXPECT_THAT(lines[0], At(9, "data race on bytes_sent: "));
  EXPECT_EQ(lines[1].level, "note");
  EXPECT_THAT(lines[1], At(9, "the other access: "));

  const Result failed = fuzz("bugs/data_race", {"--fail-on", "race"});
  EXPECT_EQ(failed.exit_code, kFound) << failed;
  lines = lines_of(failed.out);
  ASSERT_THAT(lines, Not(IsEmpty()));
  EXPECT_EQ(lines[0].level, "error");
  EXPECT_THAT(lines[0], At(9, "data race on bytes_sent: "));
  EXPECT_THAT(of_level(lines, "note"), Contains(At(9, "the other access: ")));
  EXPECT_THAT(of_level(lines, "note"), Contains(Says("jostle replay ")));

  const Result run = jostle({"run", "--seed", "1", "--fail-on", "race", "--format", "gcc",
                             program("gcc", "bugs/data_race")});
  EXPECT_EQ(run.exit_code, kFound) << run;
  EXPECT_THAT(of_level(lines_of(run.out), "error"), Contains(At(9, "data race on bytes_sent: ")));
}

TEST_F(Editors, OrdersOfLocksAreErrorsIfTheyFail) {
  EXPECT_THAT(fuzz("bugs/abba_std_ok", {"-n", "50"}).out, IsEmpty());
  const Result result =
      fuzz("bugs/abba_std", {"--strategy", "none", "-n", "3", "--fail-on", "lock-order"});
  EXPECT_EQ(result.exit_code, kFound) << result;
  const std::vector<Line> lines = lines_of(result.out);
  EXPECT_THAT(of_level(lines, "error"), Contains(Says("lock order: one thread takes ")));
  EXPECT_THAT(of_level(lines, "note"),
              Contains(At(12, "audit is taken here while accounts is held")));
}

TEST_F(Editors, AnExitStatusHasTheLastLine) {
  const Result result = fuzz("bugs/exit_code");
  ASSERT_EQ(result.exit_code, kFound) << result;
  const std::vector<Line> lines = lines_of(result.out);
  ASSERT_THAT(of_level(lines, "error"), SizeIs(1));
  EXPECT_THAT(lines[0],
              Says("exit status 3 (it has no line of its own: this is the last of main)"));
  EXPECT_THAT(lines[0].file, EndsWith("exit_code.cc"));
}

TEST_F(Editors, WithoutDebugInformationTheProgramIsThePlace) {
  const std::string source = dir_.write("exits.c", "int main() { return 3; }\n");
  ASSERT_TRUE(run({jostle_bin(), "cc", "-g0", "-s", source, "-o", dir_.file("exits")}).ok());
  const Result result =
      jostle({"fuzz", "--format", "gcc", dir_.file("exits")}, {.cwd = dir_.path()});
  ASSERT_EQ(result.exit_code, kFound) << result;
  const std::vector<Line> lines = lines_of(result.out);
  ASSERT_THAT(lines, Not(IsEmpty()));
  EXPECT_EQ(lines[0].file, dir_.file("exits"));
  EXPECT_THAT(lines[0], At(1, "exit status 3"));
}

TEST_F(Editors, WithoutDebugInformationAnAssertionSaysItsPlace) {
  const std::string source = dir_.write("asserts.c",
                                        "#undef NDEBUG\n"
                                        "#include <assert.h>\n"
                                        "int main(int n, char** v) { assert(n == 2 || !v); }\n");
  ASSERT_TRUE(run({jostle_bin(), "cc", "-g0", "-s", source, "-o", dir_.file("asserts")}).ok());
  const Result result =
      jostle({"fuzz", "--format", "gcc", dir_.file("asserts")}, {.cwd = dir_.path()});
  ASSERT_EQ(result.exit_code, kFound) << result;
  const std::vector<Line> lines = lines_of(result.out);
  ASSERT_THAT(lines, Not(IsEmpty()));
  EXPECT_EQ(lines[0].file, source);
  EXPECT_THAT(lines[0], At(3, "assertion `n == 2 || !v' in main at asserts.c:3"));
}

TEST_F(Editors, ReplayAndReportSayTheSame) {
  const Result found = fuzz("bugs/abba_std");
  ASSERT_EQ(found.exit_code, kFound) << found;
  const Result report = jostle({"report", "--format", "gcc"}, {.cwd = dir_.path()});
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.out, found.out);
  const Result replay = jostle({"replay", finding(), "--format=gcc"}, {.cwd = dir_.path()});
  EXPECT_EQ(replay.exit_code, kFound);
  const std::vector<Line> lines = lines_of(replay.out);
  EXPECT_THAT(of_level(lines, "error"), SizeIs(1));
  EXPECT_THAT(lines, Contains(At(19, "T2 report waits for mutex accounts, holds mutex audit")));
}

TEST_F(Editors, AFolderGetsAFile) {
  const Result result = fuzz("bugs/abba_std", {"-o", "out"});
  ASSERT_EQ(result.exit_code, kFound) << result;
  EXPECT_THAT(of_level(lines_of(read_file(dir_.file("out/abba_std/diagnostics.txt"))), "error"),
              SizeIs(1));
}

TEST_F(Editors, NoFailureIsNoLine) {
  EXPECT_THAT(fuzz("bugs/lost_update_ok", {"-n", "20"}).out, IsEmpty());
  const Result result = jostle({"run", "--format", "gcc", program("gcc", "bugs/lost_update_ok")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, IsEmpty());
}

// ---- examples/vscode ----

// As the editor starts it: through a shell, with the program for an answer.
Result run_entry(const Json& entry, const fs::path& folder, const std::string& program,
                 const std::string& input = {}) {
  std::string command = entry["command"];
  const std::string question = "${input:program}";
  if (const size_t at = command.find(question); at != command.npos) {
    command.replace(at, question.size(), program);
  }
  const std::string path = fs::path(jostle_bin()).parent_path().string() + ":" + getenv("PATH");
  return run({"/bin/sh", "-c", command}, {.input = input, .env = {{"PATH", path}}, .cwd = folder});
}

Json example(const std::string& name) {
  return Json::parse(read_file(fs::path(JOSTLE_SOURCE_DIR) / "examples/vscode" / name));
}

TEST_F(Editors, TheTasksOfVisualStudioCodeWork) {
  const Json tasks = example("tasks.json")["tasks"];
  EXPECT_EQ(tasks[0]["problemMatcher"][0], "$gcc");
  const Result found = run_entry(tasks[0], dir_.path(), program("gcc", "bugs/abba_std"));
  EXPECT_EQ(found.exit_code, kFound) << found;
  EXPECT_THAT(of_level(lines_of(found.out), "error"), SizeIs(1));
  const cli::Pattern notes(tasks[0]["problemMatcher"][1]["pattern"]["regexp"].get<std::string>());
  const std::string first_note = found.out.substr(found.out.find('\n') + 1);
  EXPECT_TRUE(notes.find(first_note.substr(0, first_note.find('\n')))) << first_note;
  EXPECT_EQ(run_entry(tasks[1], dir_.path(), "").out, found.out);

  const Json launch = example("launch.json")["configurations"][0];
  EXPECT_EQ(launch["command"], tasks[2]["command"]);
  if (!run({"gdb", "--version"}).ok()) GTEST_SKIP() << "no gdb";
  const Result gdb = run_entry(launch, dir_.path(), "", "jostle threads\nquit\n");
  EXPECT_THAT(gdb.out, HasSubstr("T1 pay")) << gdb;
}

}  // namespace
}  // namespace jostle::test
