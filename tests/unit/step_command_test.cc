// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/cli/stepping/step_request.h"

namespace jostle::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = StepCommand::Kind;

std::string problem(std::string_view line) {
  const StepCommand command = parse_step_command(line);
  EXPECT_EQ(command.kind, Kind::wrong) << line;
  return command.text;
}

TEST(StepCommands, ANumberIsAThread) {
  for (const char* line : {"1", " 1 ", "T1", "t1"}) {
    const StepCommand command = parse_step_command(line);
    EXPECT_EQ(command.kind, Kind::thread) << line;
    EXPECT_EQ(command.thread, 1u);
    EXPECT_EQ(command.count, 1u);
    EXPECT_FALSE(command.until);
  }
  EXPECT_EQ(parse_step_command("0").thread, 0u);
  EXPECT_EQ(parse_step_command("main").kind, Kind::thread);
  EXPECT_EQ(parse_step_command("main").thread, 0u);
  EXPECT_EQ(parse_step_command("12 1,000").count, 1000u);
}

TEST(StepCommands, AThreadMayRunUntilAPlace) {
  const StepCommand command = parse_step_command("2 until buffer.h:22");
  EXPECT_EQ(command.kind, Kind::thread);
  EXPECT_EQ(command.thread, 2u);
  EXPECT_EQ(command.count, StepCommand::kToTheEnd);
  EXPECT_TRUE(command.until);
  EXPECT_EQ(command.place, (Place{.file = "buffer.h", .line = 22}));
  EXPECT_EQ(command.text, "buffer.h:22");
}

TEST(StepCommands, InDefaultOrder) {
  EXPECT_EQ(parse_step_command("n").kind, Kind::next);
  EXPECT_EQ(parse_step_command("n").count, 1u);
  EXPECT_EQ(parse_step_command("n 10").count, 10u);
  EXPECT_EQ(parse_step_command("until f").kind, Kind::next);
  EXPECT_TRUE(parse_step_command("until f").until);
  EXPECT_EQ(parse_step_command("u f").place.function, "f");
  EXPECT_EQ(parse_step_command("run").count, StepCommand::kToTheEnd);
  EXPECT_EQ(parse_step_command("c").kind, Kind::next);
  EXPECT_FALSE(parse_step_command("c").until);
}

TEST(StepCommands, Strategies) {
  EXPECT_EQ(parse_step_command("strategy").kind, Kind::strategy);
  EXPECT_EQ(parse_step_command("strategy").text, "");
  EXPECT_EQ(parse_step_command("strategy").count, StepCommand::kToTheEnd);
  EXPECT_EQ(parse_step_command("strategy 5").count, 5u);
  EXPECT_EQ(parse_step_command("strategy pct:d=5").text, "pct:d=5");
  EXPECT_EQ(parse_step_command("strategy pos 7").text, "pos");
  EXPECT_EQ(parse_step_command("strategy pos 7").count, 7u);
}

TEST(StepCommands, TheRest) {
  EXPECT_EQ(parse_step_command("").kind, Kind::repeat);
  EXPECT_EQ(parse_step_command("  \r").kind, Kind::repeat);
  EXPECT_EQ(parse_step_command("# a comment").kind, Kind::nothing);
  EXPECT_EQ(parse_step_command("list").kind, Kind::threads);
  EXPECT_EQ(parse_step_command("threads").kind, Kind::threads);
  EXPECT_EQ(parse_step_command("locks").kind, Kind::locks);
  EXPECT_EQ(parse_step_command("stack").thread, StepCommand::kWhoRuns);
  EXPECT_EQ(parse_step_command("bt T2").thread, 2u);
  EXPECT_EQ(parse_step_command("save 'a file.json'").text, "a file.json");
  EXPECT_THAT(parse_step_command("gdb -batch -ex 'bt 3'").words,
              ElementsAre("-batch", "-ex", "bt 3"));
  EXPECT_EQ(parse_step_command("q").kind, Kind::quit);
  EXPECT_EQ(parse_step_command("?").kind, Kind::help);
}

TEST(StepCommands, MistakesAreNamed) {
  EXPECT_THAT(problem("untl f"), HasSubstr("no command `untl': did you mean until?"));
  EXPECT_THAT(problem("frobnicate"), HasSubstr("help lists them"));
  EXPECT_THAT(problem("until"), HasSubstr("until what?"));
  EXPECT_THAT(problem("1 until"), HasSubstr("until what?"));
  EXPECT_THAT(problem("until a b"), HasSubstr("until what?"));
  EXPECT_THAT(problem("n 0"), HasSubstr("expected a number of steps"));
  EXPECT_THAT(problem("1 x"), HasSubstr("expected a number of steps"));
  EXPECT_THAT(problem("1 2 3"), HasSubstr("expected a number of steps"));
  EXPECT_THAT(problem("-1"), HasSubstr("no command"));
  EXPECT_THAT(problem("99999999999"), HasSubstr("no command"));
  EXPECT_THAT(problem("save"), HasSubstr("save to which file?"));
  EXPECT_THAT(problem("strategy pos x"), HasSubstr("expected a number of steps, not `x'"));
  EXPECT_THAT(problem("strategy pos 1 2"), HasSubstr("strategy NAME"));
  EXPECT_THAT(problem("stack x"), HasSubstr("which thread?"));
  EXPECT_THAT(problem("q now"), HasSubstr("takes nothing behind it"));
}

TEST(Places, AreFunctionsOrLines) {
  EXPECT_EQ(parse_place("buffer.h:22"), (Place{.file = "buffer.h", .line = 22}));
  EXPECT_EQ(parse_place("Buffer::Remove"), Place{.function = "Buffer::Remove"});
  EXPECT_EQ(parse_place("Buffer::22x"), Place{.function = "Buffer::22x"});
  EXPECT_EQ(parse_place(":22"), Place{.function = ":22"});
  EXPECT_EQ(parse_place("a.c:0"), Place{.function = "a.c:0"});
}

TEST(Places, AreFoundWithoutScopesAndFolders) {
  report::Frame frame;
  frame.function = "ns::Buffer::Remove(int)";
  frame.file = "/src/lib/buffer.h";
  frame.line = 22;
  for (const char* place :
       {"Remove", "Buffer::Remove", "ns::Buffer::Remove", "ns::Buffer::Remove(int)", "buffer.h:22",
        "lib/buffer.h:22", "/src/lib/buffer.h:22"}) {
    EXPECT_TRUE(is_at(frame, parse_place(place))) << place;
  }
  for (const char* place : {"move", "Buffer", "buffer.h:23", "fer.h:22", "b/buffer.h:22"}) {
    EXPECT_FALSE(is_at(frame, parse_place(place))) << place;
  }
  EXPECT_FALSE(is_at(report::Frame{}, parse_place("f")));
}

}  // namespace
}  // namespace jostle::cli
