// SPDX-License-Identifier: Apache-2.0
// `jostle step` with scripts of commands: a thread is chosen at every step, and what comes out is
// what was chosen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Step : public testing::Test {
 protected:
  Result step(const std::string& script, std::vector<std::string> words) {
    words.insert(words.begin(), "step");
    return jostle(words, {.input = script, .cwd = folder_.path()});
  }
  Result replay(const std::string& file) {
    return jostle({"replay", file}, {.cwd = folder_.path()});
  }

  TempDir folder_;
};

// Both threads read the counter before either writes it.
constexpr char kLoseAnUpdate[] =
    "until increment\n"
    "1\n"
    "2 until increment\n"
    "2\n"
    "1\n"
    "run\n";

TEST_F(Step, DrivesARaceToItsFailure) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const Result result = step(std::string(kLoseAnUpdate) + "save lost.json\n", {program});
  EXPECT_EQ(result.signal, 0) << result;
  EXPECT_EQ(result.exit_code, 128 + SIGABRT) << result;
  EXPECT_THAT(result.out, HasSubstr("* main   ready     thread_create   lost.c:13  main"));
  EXPECT_THAT(result.out, HasSubstr("T1 has come to increment"));
  EXPECT_THAT(result.out, HasSubstr("write counter (now 0)   lost.c:7   increment"));
  EXPECT_THAT(result.out, HasSubstr("write counter (now 1)"));
  EXPECT_THAT(result.out, HasSubstr("the program has ended: assertion `counter == 2'"));
  EXPECT_THAT(result.out, HasSubstr("saved to lost.json\n"));
  EXPECT_THAT(result.err, HasSubstr("counter 1\n"));
  EXPECT_THAT(result.err, HasSubstr("FAILED: assertion `counter == 2' in main at lost.c:17"));
  const Result again = replay("lost.json");
  EXPECT_EQ(again.exit_code, 77) << again;
  EXPECT_THAT(again.err, HasSubstr("counter 1\n"));
}

TEST_F(Step, SaysNothingOfAValueThatHasNoWords) {
  // Where the part of a deque ends in which an iterator is.
  const std::string program = build_cxx(folder_, "thread", R"(
#include <deque>
#include <thread>
static std::deque<int> values(300);
static std::deque<int>::iterator at = values.begin() + 127;
int main() {
  std::thread first([] { ++at; });
  ++at;
  first.join();
}
)");
  const Result result = step("1\n1\n1\n1\n1\nrun\n", {program});
  EXPECT_THAT(result.out, testing::ContainsRegex("T1     ready     read at  +thread.cc")) << result;
  EXPECT_THAT(result.out, Not(HasSubstr("(now )"))) << result;
}

TEST_F(Step, SavesARunThatIsNotOver) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  // Both have read the same: the failure is decided, but has not happened.
  const Result result =
      step("until increment\n1\n2 until increment\n2\nsave mid.json\nq\n", {program});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, HasSubstr("saved to mid.json (the run so far)"));
  EXPECT_THAT(result.err, Not(HasSubstr("counter")));
  EXPECT_THAT(read_file(folder_.file("mid.json")), HasSubstr("\"kind\": \"running\""));
  const Result again = replay("mid.json");
  EXPECT_EQ(again.exit_code, 77) << again;
  EXPECT_THAT(again.err, HasSubstr("FAILED: assertion `counter == 2'"));
}

TEST_F(Step, ARunSavedMidwayMayEndWell) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  EXPECT_EQ(step("n 3\nsave mid.json\n", {program}).exit_code, 0);
  const Result again = replay("mid.json");
  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_THAT(again.err, HasSubstr("followed to its end, then exit status 0"));
}

TEST_F(Step, DrivesADeadlock) {
  const std::string program = build(folder_, "dead", kDeadlock);
  const Result result =
      step("until dead.c:7\n2 until flusher\nlocks\n2\nsave dead.json\nthreads\n", {program});
  EXPECT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out, HasSubstr("T1 has come to dead.c:7"));
  EXPECT_THAT(result.out, HasSubstr("T1     ready     lock log_lock"));
  EXPECT_THAT(result.out, HasSubstr("holds mutex queue_lock"));
  EXPECT_THAT(result.err, HasSubstr("cycle: T1 → T2 → T1"));
  EXPECT_THAT(result.err, HasSubstr("the program has ended: only save FILE and q are left"));
  EXPECT_EQ(replay("dead.json").exit_code, 77);
}

TEST_F(Step, NamesWhatABlockedThreadWaitsFor) {
  const std::string program = build(folder_, "dead", kDeadlock);
  const Result result = step("until dead.c:7\n1\n2 until flusher\n2\n2\n2\n0\n", {program});
  EXPECT_THAT(result.out, HasSubstr("lock log_lock, held by T1")) << result;
  EXPECT_THAT(result.err, HasSubstr("jostle: T2 is blocked: lock log_lock, held by T1"));
  EXPECT_THAT(result.err, HasSubstr("jostle: main is blocked: join T1"));
}

TEST_F(Step, AThreadThatCannotGoOnStopsThere) {
  const std::string program = build(folder_, "dead", kDeadlock);
  const Result result = step("until dead.c:7\n1\n2 100\n1 100\n", {program});
  EXPECT_THAT(result.out, HasSubstr("T2 is blocked: lock log_lock, held by T1\n")) << result;
  EXPECT_THAT(result.out, HasSubstr("T1 has ended\n"));
}

TEST_F(Step, AThreadMayComeToAPlaceAndWaitThere) {
  const std::string program = build(folder_, "dead", kDeadlock);
  const Result result = step("until main\nuntil dead.c:7\n1\n2 until dead.c:13\nq\n", {program});
  EXPECT_THAT(result.out, HasSubstr("main has come to main\n")) << result;
  EXPECT_THAT(result.out, HasSubstr("T2 has come to dead.c:13\n"));
  EXPECT_THAT(result.out, HasSubstr("* T2     blocked   lock log_lock, held by T1"));
}

TEST_F(Step, GoesOnByDefaultWithoutPreemption) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const Result result = step("n 2\nn\n\nrun\n", {program});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("read counter (now 0)"), HasSubstr("write counter (now 0)"),
                    HasSubstr("the program has ended: exit status 0")));
}

TEST_F(Step, ManyStepsAreFast) {
  const std::string program = build(folder_, "long", R"(
    #include <pthread.h>
    static volatile int x;
    static void* work(void* u) { for (int i = 0; i < 100000; i++) x = i; return u; }
    int main(void) {
      pthread_t a, b;
      pthread_create(&a, 0, work, 0);
      pthread_create(&b, 0, work, 0);
      pthread_join(a, 0);
      pthread_join(b, 0);
      return 0;
    })");
  const Result steps = step("n 100000\nq\n", {program});
  EXPECT_TRUE(steps.ok()) << steps;
  EXPECT_THAT(steps.out, HasSubstr("step 10"));
  EXPECT_LT(steps.seconds, 10);
  const Result until = step("until nowhere\nq\n", {program});
  EXPECT_TRUE(until.ok()) << until;
  EXPECT_LT(until.seconds, 20);
}

TEST_F(Step, HandsOverToAStrategy) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  for (const char* strategy :
       {"none", "random", "round-robin", "pct:d=2", "pos", "urw", "surw", "delay"}) {
    const std::string name(strategy);
    const Result result =
        step("n\nstrategy " + name + " 3\nstrategy " + name + "\nsave s.json\n", {program});
    EXPECT_THAT(result.out, HasSubstr("the program has ended")) << name << result;
    EXPECT_EQ(replay("s.json").exit_code, result.exit_code == 0 ? 0 : 77) << name;
  }
  EXPECT_TRUE(step("strategy\n", {"--strategy", "none", program}).ok());
  const Result wrong = step("strategy pxt\n", {program});
  EXPECT_THAT(wrong.err, HasSubstr("no strategy `pxt': did you mean pct?"));
}

// Both pipes are ready before the loop begins; a bar for every round of it. The other thread is
// there so that there is something to step.
constexpr char kTwoPipes[] = R"(
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>
static int shared;
static void* count(void* unused) {
  ++shared;
  return unused;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, count, NULL);
  ++shared;
  pthread_join(other, NULL);
  int set = epoll_create1(0), told = 0, ends[2][2];
  for (int i = 0; i < 2; ++i) {
    pipe(ends[i]);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = ends[i][0]};
    epoll_ctl(set, EPOLL_CTL_ADD, ends[i][0], &event);
    write(ends[i][1], i ? "b" : "a", 1);
  }
  while (told < 2) {
    struct epoll_event events[2];
    const int count = epoll_wait(set, events, 2, 10);
    putchar('|');
    for (int i = 0; i < count; ++i, ++told) {
      char name;
      read(events[i].data.fd, &name, 1);
      putchar(name);
    }
  }
  puts("|");
}
)";

// A strategy that has taken over decides all there is to decide, not only about threads.
TEST_F(Step, AStrategyInChargeIsAskedEverything) {
  const std::string program = build(folder_, "pipes", kTwoPipes);
  const Result plain = jostle({"run", "--strategy", "none", program});
  EXPECT_EQ(plain.out, "|ab|\n");
  const Result held = jostle({"run", "--strategy", "hold", program});
  EXPECT_THAT(held.out, testing::MatchesRegex("\\|b\\|*a\\|\n"));
  const Result stepped = step("strategy hold\n", {program});
  EXPECT_THAT(stepped.out + stepped.err, HasSubstr(held.out)) << stepped;
}

// The same script does the same, strategies included; another seed may not.
TEST_F(Step, IsRepeatable) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const auto session = [&] {
    return step("strategy random 3\nstrategy random 3\nq\n", {program}).out;
  };
  EXPECT_EQ(session(), session());
}

TEST_F(Step, MistakesAreToldAndForgiven) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const Result result =
      step("stop\nuntl x\n7\n1 zero\nsave /nowhere/x.json\n# a comment\nhelp\nstack 9\nrun\n1\n",
           {program});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.err, HasSubstr("no command `untl': did you mean until?"));
  EXPECT_THAT(result.err, HasSubstr("there is no T7"));
  EXPECT_THAT(result.err, HasSubstr("expected a number of steps"));
  EXPECT_THAT(result.err, HasSubstr("/nowhere"));
  EXPECT_THAT(result.err, HasSubstr("there is no T9"));
  EXPECT_THAT(result.err, HasSubstr("the program has ended: only save FILE and q are left"));
  EXPECT_THAT(result.out, HasSubstr("strategy [NAME] [K]"));
}

TEST_F(Step, ShowsAStack) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const Result result = step("until increment\nstack\nstack main\nq\n", {program});
  EXPECT_THAT(result.out, HasSubstr("#0  increment")) << result;
  EXPECT_THAT(result.out, HasSubstr("#0  main"));
}

TEST_F(Step, EndsWithItsInput) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const Result result = step("n", {program});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, HasSubstr("step 1 "));
  EXPECT_THAT(result.err, Not(HasSubstr("counter")));
  EXPECT_EQ(step("", {program}).exit_code, 0);
}

TEST_F(Step, ExitStatusAndArgumentsPassThrough) {
  const std::string program = build(folder_, "many", kMany);
  EXPECT_EQ(step("", {"--", program, "exit", "3"}).exit_code, 3);
  EXPECT_EQ(step("", {program, "misuse"}).exit_code, 77);
  const Result crash = step("", {program, "crash"});
  EXPECT_EQ(crash.exit_code, 128 + SIGSEGV) << crash;
  EXPECT_THAT(crash.err, HasSubstr("CRASHED"));
  EXPECT_THAT(crash.out, HasSubstr("the program has ended: SIGSEGV"));
}

// Only the run that is stepped through is seen.
TEST_F(Step, RehearsalsAreSilent) {
  const std::string program = build(folder_, "many", kMany);
  const Result result = step("", {"--rehearse", "5", program, "streams"});
  EXPECT_EQ(result.err, "to stderr\n") << result;
  EXPECT_EQ(result.out, "to stdout\nthe program has ended: exit status 0\n");
}

TEST_F(Step, CommandsAndInputOfTheProgramAreTwoThings) {
  const std::string program = build(folder_, "many", kMany);
  const Result none = step("run\n", {program, "cat"});
  EXPECT_EQ(none.out, "the program has ended: exit status 0\n") << none;
  const std::string script = folder_.write("script", "save cat.json\n");
  const Result piped = step("for the program\n", {"-x", script, program, "cat"});
  EXPECT_THAT(piped.out, HasSubstr("for the program\n")) << piped;
  const Result again = replay("cat.json");
  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_THAT(again.out, HasSubstr("for the program\n"));
  const Result missing = step("", {"--commands", "nowhere", program});
  EXPECT_EQ(missing.exit_code, 2) << missing;
  EXPECT_THAT(missing.err, HasSubstr("cannot read the commands in nowhere"));
}

TEST_F(Step, PlainProgramsHaveFewerPoints) {
  const std::string file = folder_.write("plain.c", kLostUpdate);
  const std::string program = folder_.file("plain");
  ASSERT_TRUE(run({"cc", "-g", "-pthread", file, "-o", program}).ok());
  const Result result = step("n 2\nrun\n", {program});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.err, HasSubstr("was not built with `jostle c++`"));
  EXPECT_THAT(result.out, HasSubstr("T2     ready     begin"));
  EXPECT_THAT(step("q\n", {"--sync-only", program}).err, Not(HasSubstr("was not built")));
}

TEST_F(Step, BadProgramsAreRefused) {
  EXPECT_EQ(step("", {"./nowhere"}).exit_code, 3);
  EXPECT_EQ(step("", {}).exit_code, 2);
}

TEST_F(Step, AProgramThatForksIsFollowedAlone) {
  const std::string program = build(folder_, "forks", R"(
    #include <pthread.h>
    #include <sys/wait.h>
    #include <unistd.h>
    static int x;
    static void* work(void* u) { x++; return u; }
    static void threads(void) {
      pthread_t a, b;
      pthread_create(&a, 0, work, 0);
      pthread_create(&b, 0, work, 0);
      pthread_join(a, 0);
      pthread_join(b, 0);
    }
    int main(void) {
      threads();
      const pid_t child = fork();
      if (child == 0) { threads(); _exit(5); }
      int status;
      waitpid(child, &status, 0);
      return WEXITSTATUS(status);
    })");
  const Result result = step("n 3\nrun\n", {program});
  EXPECT_EQ(result.exit_code, 5) << result;
}

TEST_F(Step, AKilledProgramIsNoticed) {
  const std::string program = build(folder_, "victim", R"(
    #include <pthread.h>
    #include <stdio.h>
    #include <unistd.h>
    static int x;
    static void* work(void* u) { x++; return u; }
    int main(int argc, char** argv) {
      FILE* file = fopen(argv[1], "w");
      fprintf(file, "%d\n", getpid());
      fclose(file);
      pthread_t a, b;
      pthread_create(&a, 0, work, 0);
      pthread_create(&b, 0, work, 0);
      pthread_join(a, 0);
      pthread_join(b, 0);
      return 0;
    })");
  // While we wait for a command, and while we wait for the program.
  const Result result = run({"sh", "-c",
                             "{ echo n; sleep 1; kill -9 $(cat pid); sleep 1; echo n; } | " +
                                 jostle_bin() + " step --rehearse 0 " + program + " pid"},
                            {.cwd = folder_.path()});
  EXPECT_EQ(result.exit_code, 128 + SIGKILL) << result;
  EXPECT_THAT(result.out, HasSubstr("the program has ended: SIGKILL"));
  EXPECT_THAT(result.err, HasSubstr("only save FILE and q are left"));
}

TEST_F(Step, GdbAttachesAndComesBack) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  if (run({"gdb", "--version"}).exit_code != 0) GTEST_SKIP() << "no gdb";
  const Result result = step("until increment\ngdb -batch -ex bt\nn\nq\n", {program});
  if (result.err.find("gdb may not attach") != std::string::npos) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, HasSubstr("in increment (")) << result;
  EXPECT_THAT(result.out, HasSubstr("write counter (now 0)"));
  const Result missing =
      jostle({"step", program}, {.input = "gdb\nq\n", .env = {{"PATH", "/nowhere"}}});
  EXPECT_THAT(missing.err, HasSubstr("cannot start gdb")) << missing;
}

}  // namespace
}  // namespace jostle::test
