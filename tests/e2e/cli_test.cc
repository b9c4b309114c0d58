// SPDX-License-Identifier: Apache-2.0
// The command line as a user meets it: run, fuzz, doctor, help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/e2e/small_programs.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Cli : public testing::Test {
 protected:
  Result in_folder(std::vector<std::string> args, RunOptions options = {}) {
    options.cwd = folder_.path();
    return jostle(std::move(args), std::move(options));
  }
  // The only folder of a finding of this program.
  fs::path finding(const std::string& program, const std::string& output = "jostle-out") {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_.path() / output / program)) {
      if (is_finding(entry)) found.push_back(entry.path());
    }
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? fs::path() : found[0];
  }

  TempDir folder_;
};

TEST_F(Cli, HelpAndVersion) {
  EXPECT_THAT(jostle({"--version"}).out, StartsWith("jostle 0."));
  EXPECT_THAT(jostle({"--help"}).out, HasSubstr("first minute"));
  for (const char* command : {"run", "fuzz", "replay", "doctor"}) {
    const Result help = jostle({command, "--help"});
    EXPECT_TRUE(help.ok());
    EXPECT_THAT(help.out, HasSubstr(std::string("usage: jostle ") + command));
    EXPECT_THAT(help.out, HasSubstr("examples:"));
  }
}

TEST_F(Cli, RunPassesEverythingThrough) {
  const std::string program = build(folder_, "many", kMany);
  const Result streams = jostle({"run", "--", program, "streams"});
  EXPECT_EQ(streams.out, "to stdout\n");
  EXPECT_EQ(streams.err, "to stderr\n");
  EXPECT_TRUE(streams.ok());
  EXPECT_EQ(jostle({"run", program, "exit", "3"}).exit_code, 3);
  EXPECT_EQ(jostle({"run", program, "exit", "255"}).exit_code, 255);
  EXPECT_EQ(jostle({"run", program, "cat"}, {.input = "some\ninput"}).out, "some\ninput");
  // The program's own options are never ours, with and without --.
  EXPECT_EQ(jostle({"run", program, "args", "--seed", "--help", "--", "-x"}).out,
            program + "\nargs\n--seed\n--help\n--\n-x\n");
  EXPECT_EQ(jostle({"run", "--seed", "7", "--", program, "args", "--"}).out,
            program + "\nargs\n--\n");
}

TEST_F(Cli, RunLeavesTheEnvironmentAsItWas) {
  const std::string program = build(folder_, "many", kMany);
  const Result with = jostle({"run", program, "env"},
                             {.env = {{"LD_LIBRARY_PATH", "/some/where"}, {"MARK", "here"}}});
  EXPECT_THAT(with.out, HasSubstr("MARK=here\n"));
  EXPECT_THAT(with.out, HasSubstr("LD_LIBRARY_PATH=/some/where\n"));
  EXPECT_THAT(with.out, Not(HasSubstr("LD_PRELOAD")));
  EXPECT_THAT(with.out, Not(HasSubstr("JOSTLE_")));
  const Result without = jostle({"run", program, "env"}, {.env = {{"LD_LIBRARY_PATH", {}}}});
  EXPECT_THAT(without.out, Not(HasSubstr("LD_LIBRARY_PATH")));
}

TEST_F(Cli, RunShowsFatalSignalsAsAShellDoes) {
  const std::string program = build(folder_, "many", kMany);
  const Result aborted = jostle({"run", program, "abort"});
  EXPECT_EQ(aborted.exit_code, 128 + SIGABRT);
  EXPECT_THAT(aborted.err, HasSubstr("ABORTED: abort() called in main at many.c:"));
  const Result crashed = jostle({"run", program, "crash"});
  EXPECT_EQ(crashed.exit_code, 128 + SIGSEGV);
  EXPECT_THAT(crashed.err, HasSubstr("CRASHED: SIGSEGV at address 0x8 in main at many.c:"));
  const Result terminated = jostle({"run", program, "signal", std::to_string(SIGTERM)});
  EXPECT_EQ(terminated.exit_code, 128 + SIGTERM);
  EXPECT_THAT(terminated.err, IsEmpty());
}

TEST_F(Cli, RunReportsWhatAnExitCodeDoesNotShow) {
  const std::string program = build(folder_, "many", kMany);
  const Result hang = jostle({"run", program, "hang"});
  EXPECT_EQ(hang.exit_code, 77) << hang;
  EXPECT_THAT(hang.err, HasSubstr("DEADLOCK: main waits for ever"));
  EXPECT_THAT(hang.err, HasSubstr("waits for mutex lock"));
  EXPECT_THAT(hang.err, HasSubstr("held by main"));
  const Result misuse = jostle({"run", program, "misuse"});
  EXPECT_EQ(misuse.exit_code, 77) << misuse;
  EXPECT_THAT(misuse.err, HasSubstr("MISUSE: "));
  const Result loop = jostle({"run", "--timeout", "500ms", program, "loop"});
  EXPECT_EQ(loop.exit_code, 77) << loop;
  EXPECT_THAT(loop.err, HasSubstr("TIMED OUT: "));
  EXPECT_LT(loop.seconds, 20);
}

TEST_F(Cli, FuzzFindsAFailedAssertion) {
  build(folder_, "lost", kLostUpdate);
  const Result found = in_folder({"fuzz", "--seed", "1", "--schedules", "2000", "./lost"});
  ASSERT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.err,
              HasSubstr("jostle: lost · instrumented · snapshot executor · portfolio · seed 1\n"));
  EXPECT_THAT(found.out, StartsWith("FAILED after "));
  EXPECT_THAT(found.out, HasSubstr("assertion `counter == 2' in main at lost.c:"));
  EXPECT_THAT(found.out, HasSubstr("replay   jostle replay jostle-out/lost/assert-"));
  EXPECT_THAT(found.out, HasSubstr("T1 increment"));
  EXPECT_THAT(found.out, Not(HasSubstr("\x1b")));
  const fs::path kept = finding("lost");
  EXPECT_THAT(read_file(kept / "report.txt"), StartsWith("FAILED after "));
  EXPECT_THAT(read_file(kept / "output.txt"), HasSubstr("counter 1\n"));
  EXPECT_THAT(read_file(kept / "output.txt"), HasSubstr("Assertion `counter == 2' failed"));
  EXPECT_TRUE(json::accept(read_file(kept / "replay.json")));
}

TEST_F(Cli, FuzzExplainsADeadlock) {
  build(folder_, "dead", kDeadlock);
  const Result found = in_folder({"fuzz", "--seed", "1", "--schedules", "2000", "./dead"});
  ASSERT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, StartsWith("DEADLOCK after "));
  EXPECT_THAT(found.out, HasSubstr("T1 worker and T2 flusher wait for each other"));
  EXPECT_THAT(found.out,
              ContainsRegex("\\* T1 worker +waits for mutex log_lock +dead.c:7 +held by T2"));
  EXPECT_THAT(found.out, ContainsRegex("holds mutex log_lock +dead.c:13"));
  EXPECT_THAT(found.out, ContainsRegex("main +waits for T1 worker to finish +dead.c:23"));
  EXPECT_THAT(found.out, HasSubstr("cycle: T1 → T2 → T1"));
  EXPECT_THAT(finding("dead").filename().string(), StartsWith("deadlock-"));
}

TEST_F(Cli, FuzzSaysWhenThereIsNothing) {
  build(folder_, "many", kMany);
  const Result none = in_folder({"fuzz", "--strategy", "pos", "--schedules", "20", "./many"});
  EXPECT_EQ(none.exit_code, 0) << none;
  EXPECT_THAT(
      none.out,
      ContainsRegex("no failure in [0-9.]+ s: 20 schedules \\(1 distinct, 1 by reads-from\\)"));
  const Result quiet = in_folder({"fuzz", "--quiet", "--schedules", "5", "./many"});
  EXPECT_THAT(quiet.out + quiet.err, IsEmpty());
}

TEST_F(Cli, FuzzKeepsToItsTime) {
  build(folder_, "many", kMany);
  const Result none = in_folder({"fuzz", "--strategy", "pos", "--time", "1s", "./many"});
  EXPECT_EQ(none.exit_code, 0) << none;
  EXPECT_GT(none.seconds, 0.9);
  EXPECT_LT(none.seconds, 10);
}

TEST_F(Cli, FuzzIsRepeatableBySeed) {
  build(folder_, "lost", kLostUpdate);
  const auto once = [&](const std::string& seed) {
    const Result found = in_folder({"fuzz", "--seed", seed, "--schedules", "2000", "--json",
                                    "--quiet", "-o", "out" + seed, "./lost"});
    return json::parse(found.out, nullptr, false);
  };
  const json first = once("5"), second = once("5");
  ASSERT_TRUE(first.is_object());
  EXPECT_EQ(first["first_failure_at"], second["first_failure_at"]);
  EXPECT_EQ(first["schedules"], second["schedules"]);
  EXPECT_EQ(first["steps"], second["steps"]);
}

TEST_F(Cli, FuzzPrintsOneJsonSummary) {
  build(folder_, "lost", kLostUpdate);
  const Result found =
      in_folder({"fuzz", "--seed", "1", "--schedules", "2000", "--json", "./lost"});
  ASSERT_EQ(found.exit_code, 77) << found;
  const json summary = json::parse(found.out, nullptr, false);
  ASSERT_TRUE(summary.is_object()) << found;
  EXPECT_EQ(summary["format"], "jostle-stats");
  EXPECT_EQ(summary["exit_code"], 77);
  EXPECT_EQ(summary["failures_by_kind"]["assert"], 1);
  EXPECT_EQ(summary["seed"], 1);
  EXPECT_EQ(summary["stopped"], "finding");
  EXPECT_TRUE(fs::exists(folder_.path() / summary["failures"][0]["replay"].get<std::string>()));
  EXPECT_EQ(json::parse(read_file(folder_.path() / "jostle-out/lost/stats.json")), summary);
  EXPECT_THAT(found.err, HasSubstr("FAILED after"));
}

TEST_F(Cli, FuzzKeepGoingCollectsDifferentFailures) {
  build(folder_, "two", R"(
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int order;
static void* first(void* unused) { order = 1; return unused; }
static void* second(void* unused) { order = 2; return unused; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(order != 1);
  assert(order != 2);
}
)");
  const Result found =
      in_folder({"fuzz", "--seed", "1", "--schedules", "300", "--keep-going", "./two"});
  ASSERT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, HasSubstr("order != 1"));
  EXPECT_THAT(found.out, HasSubstr("order != 2"));
  EXPECT_THAT(found.out, HasSubstr("2 failures in "));
  EXPECT_THAT(found.out, HasSubstr("FAILED after 2 executions")) << "all there are";
}

TEST_F(Cli, FuzzTakesExitCodesAsTold) {
  const std::string program = build(folder_, "many", kMany);
  const std::vector<std::string> base = {"fuzz", "--schedules", "5", "-o", folder_.file("out")};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> args = base;
    args.insert(args.end(), more.begin(), more.end());
    return jostle(args).exit_code;
  };
  EXPECT_EQ(with({program, "exit", "3"}), 77);
  EXPECT_EQ(with({"--ok-exit", "3", program, "exit", "3"}), 0);
  EXPECT_EQ(with({"--ok-exit", "4", program, "exit", "3"}), 77);
  EXPECT_EQ(with({"--ignore-exit", program, "exit", "3"}), 0);
  EXPECT_EQ(with({"--ignore-exit", program, "crash"}), 77);
}

TEST_F(Cli, FuzzNamesEveryKindOfFailure) {
  build(folder_, "many", kMany);
  const std::pair<std::string, std::string> cases[] = {
      {"abort", "abort-"},   {"crash", "crash-"},  {"hang", "deadlock-"},
      {"misuse", "misuse-"}, {"loop", "timeout-"},
  };
  for (const auto& [what, kind] : cases) {
    const Result found =
        in_folder({"fuzz", "--schedules", "3", "--timeout", "300ms", "-o", what, "./many", what});
    EXPECT_EQ(found.exit_code, 77) << what << found;
    EXPECT_THAT(finding("many", what).filename().string(), StartsWith(kind));
  }
}

TEST_F(Cli, FuzzGivesEveryRunTheSameInput) {
  build(folder_, "read", R"(
#include <stdio.h>
#include <string.h>
int main(void) {
  char text[64] = "";
  if (!fgets(text, sizeof text, stdin)) return 4;
  return strcmp(text, "the input\n") ? 5 : 0;
}
)");
  const Result piped = in_folder({"fuzz", "--schedules", "20", "./read"}, {.input = "the input\n"});
  EXPECT_EQ(piped.exit_code, 0) << piped;
  folder_.write("input.txt", "the input\n");
  const Result file = run({"sh", "-c", jostle_bin() + " fuzz --schedules 20 ./read < input.txt"},
                          {.cwd = folder_.path()});
  EXPECT_EQ(file.exit_code, 0) << file;
}

TEST_F(Cli, FuzzStopsAtCtrlC) {
  build(folder_, "many", kMany);
  const Result stopped = run({"timeout", "--foreground", "-s", "INT", "1", jostle_bin(), "fuzz",
                              "--strategy", "pos", "--time", "50s", "./many"},
                             {.cwd = folder_.path()});
  EXPECT_LT(stopped.seconds, 20);
  EXPECT_THAT(stopped.out, HasSubstr("no failure in "));
  EXPECT_THAT(stopped.out, HasSubstr("interrupted"));
  const json stats = json::parse(read_file(folder_.path() / "jostle-out/many/stats.json"));
  EXPECT_EQ(stats["exit_code"], 130);
}

TEST_F(Cli, FuzzSurvivesTheDeathOfItsTarget) {
  build(folder_, "many", kMany);
  // Kills the target process twice, not the command.
  const std::string script = jostle_bin() +
                             " fuzz --strategy pos --time 4s --json --quiet ./many & "
                             "for i in 1 2; do sleep 1; pkill -9 -P $!; done; wait $!";
  const Result survived = run({"bash", "-c", script}, {.cwd = folder_.path()});
  EXPECT_EQ(survived.exit_code, 0) << survived;
  const json stats = json::parse(survived.out, nullptr, false);
  ASSERT_TRUE(stats.is_object()) << survived;
  EXPECT_EQ(stats["restarts"], 2);
  EXPECT_EQ(stats["stopped"], "time");
}

// They share a process: a program that scribbles over the engine's memory must not end as a
// success.
TEST_F(Cli, FuzzNoticesWildWrites) {
  build_cxx(folder_, "wild", R"(
#include <cstdio>
#include <cstring>
#include <thread>
int main() {
  std::thread([] {}).join();
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  while (std::fgets(line, sizeof line, maps)) {
    unsigned long begin;
    if (std::strstr(line, "memfd:jostle-channel") && std::sscanf(line, "%lx-", &begin) == 1) {
      reinterpret_cast<char*>(begin)[64] = 'x';  // behind the name of the strategy
      break;
    }
  }
  std::fclose(maps);
}
)");
  const Result wild = in_folder({"fuzz", "--strategy", "pos", "-n", "3", "./wild"});
  EXPECT_EQ(wild.exit_code, 16) << wild;
  EXPECT_THAT(wild.err, HasSubstr("the program wrote into jostle's own memory")) << wild;
}

TEST_F(Cli, FuzzStartsRunsWhereTheProgramIsReady) {
  const std::string source = R"(
#include <jostle/jostle.h>
#include <cassert>
#include <cstdio>
#include <thread>
static int value, prepared;
int main(int argc, char**) {
  ++prepared;
  if (argc == 1) jostle_ready();
  assert(prepared == 1);
  std::thread a([] { value = value + 1; }), b([] { value = value + 1; });
  a.join();
  b.join();
  assert(value == 2);
}
)";
  build_cxx(folder_, "ready", source);
  for (const char* executor : {"snapshot", "fork"}) {
    const Result found =
        in_folder({"fuzz", "--seed", "1", std::string("--executor=") + executor, "./ready"});
    EXPECT_EQ(found.exit_code, 77) << found;
    EXPECT_THAT(found.out, HasSubstr("`value == 2'")) << found;
  }
  const Result never = in_folder({"fuzz", "-n", "3", "./ready", "never"});
  EXPECT_EQ(never.exit_code, 16) << never;
  EXPECT_THAT(never.err, HasSubstr("the program ended before it called jostle_ready()")) << never;
}

// Children are compared with rewound runs late, or when the campaign is over before that; a small
// program that has been explored by then is explored again.
TEST_F(Cli, FuzzNoticesThatANewProcessIsDifferent) {
  build_cxx(folder_, "wiped", R"(
#include <sys/mman.h>
#include <mutex>
#include <thread>
int* make() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(page, 4096, MADV_WIPEONFORK);
  return new (page) int(1);
}
int* const original = make();
std::mutex mutex;
int main() {
  std::thread worker([] { std::lock_guard lock(mutex); });
  if (*original != 1) std::lock_guard lock(mutex);
  worker.join();
}
)");
  for (const char* schedules : {"5", "100"}) {
    const Result noticed = in_folder({"fuzz", "--seed", "1", "-n", schedules, "--json", "./wiped"});
    EXPECT_EQ(noticed.exit_code, 0) << noticed;
    EXPECT_THAT(noticed.out, HasSubstr(R"("executor": "fork")"));
    EXPECT_THAT(noticed.err, HasSubstr("another way in a fresh process than in a rewound one"));
  }
}

TEST_F(Cli, FuzzSaysWhyItNeedsAProcessPerRun) {
  build_cxx(folder_, "forks", R"(
#include <sys/wait.h>
#include <unistd.h>
#include <thread>
int main() {
  std::thread([] {}).join();
  if (fork() == 0) _exit(0);
  wait(nullptr);
}
)");
  const Result by_itself = in_folder({"fuzz", "-n", "5", "./forks"});
  EXPECT_EQ(by_itself.exit_code, 0) << by_itself;
  EXPECT_THAT(by_itself.err, HasSubstr("a process per run: the program creates processes"));
  const Result insisted = in_folder({"fuzz", "-n", "5", "--executor=snapshot", "./forks"});
  EXPECT_EQ(insisted.exit_code, 16) << insisted;
  EXPECT_THAT(insisted.err, HasSubstr("the program cannot be rewound: it creates processes"));
  const Result wrong = in_folder({"fuzz", "--executor=rewind", "./forks"});
  EXPECT_EQ(wrong.exit_code, 2) << wrong;
  EXPECT_THAT(wrong.err, HasSubstr("expected auto, snapshot or fork"));
}

TEST_F(Cli, FuzzShowsItsProgressOnATerminal) {
  build(folder_, "many", kMany);
  const auto on_terminal = [&](const std::string& arguments, const char* no_colour) {
    RunOptions options{.cwd = folder_.path()};
    options.env = {{"TERM", "xterm"}, {"NO_COLOR", no_colour}};
    return run({"script", "-qec", jostle_bin() + " " + arguments, "/dev/null"}, options);
  };
  const Result live = on_terminal("fuzz --strategy pos --time 2s ./many", "");
  if (live.exit_code == 127) GTEST_SKIP() << "no script(1)";
  EXPECT_THAT(live.out, ContainsRegex("\r +0:0[0-9] +[0-9,]+ schedules?"));
  EXPECT_THAT(live.out, HasSubstr("\x1b[K"));
  const Result failed = on_terminal("fuzz -n 5 ./many exit 3", "");
  EXPECT_THAT(failed.out, HasSubstr("\x1b[1;31mFAILED\x1b[0m after 1 schedule"));
  const Result plain = on_terminal("fuzz -n 5 ./many exit 3", "1");
  EXPECT_THAT(plain.out, HasSubstr("\nFAILED after 1 schedule"));
}

TEST_F(Cli, AKeptFindingIsNotOverwritten) {
  build(folder_, "lost", kLostUpdate);
  in_folder({"fuzz", "--seed", "1", "--schedules", "2000", "./lost"});
  const std::string before = read_file(finding("lost") / "replay.json");
  const Result again = in_folder({"fuzz", "--seed", "2", "--schedules", "2000", "./lost"});
  EXPECT_EQ(again.exit_code, 77);
  EXPECT_EQ(read_file(finding("lost") / "replay.json"), before);
}

TEST_F(Cli, AProgramWithoutInstrumentationIsSaidOnce) {
  const std::string file = folder_.write("dead.c", kDeadlock);
  ASSERT_TRUE(run({"gcc", "-g", "-pthread", file, "-o", folder_.file("plain")}).ok());
  const Result found = in_folder({"fuzz", "--schedules", "2000", "--seed", "1", "./plain"});
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.err, HasSubstr("jostle: ./plain was not built with `jostle c++`: only "
                                   "synchronisation calls are controlled"));
  EXPECT_THAT(found.out, StartsWith("DEADLOCK after "));
  const Result silent =
      in_folder({"fuzz", "--sync-only", "--schedules", "5", "--quiet", "-o", "o2", "./plain"});
  EXPECT_THAT(silent.err, Not(HasSubstr("was not built")));
}

TEST_F(Cli, AGccThreadSanitizerBinaryWorksAsItIs) {
  const std::string file = folder_.write("lost.c", kLostUpdate);
  const Result built =
      run({"gcc", "-g", "-O1", "-fsanitize=thread", file, "-o", folder_.file("lost")});
  if (!built.ok()) GTEST_SKIP() << "no libtsan for gcc here";
  const Result found = in_folder({"fuzz", "--seed", "1", "--schedules", "2000", "./lost"});
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.err, HasSubstr("lost · instrumented"));
  EXPECT_THAT(found.out, HasSubstr("assertion `counter == 2'"));
}

TEST_F(Cli, DoctorIsContentWithAnOrdinaryProgram) {
  build(folder_, "lost", kLostUpdate);
  const Result well = in_folder({"doctor", "./lost"});
  EXPECT_EQ(well.exit_code, 0) << well;
  EXPECT_THAT(well.out, HasSubstr("instrumented      lost\n"));
  EXPECT_THAT(well.out, HasSubstr("deterministic     yes: 10 schedules run twice, traces equal\n"));
  EXPECT_THAT(well.out, HasSubstr("uncontrolled      nothing\n"));
}

// A server and its client in one process, at a port that has a number, and a file that grows. It
// does not ask to have the port again while connections of the run before linger there.
constexpr char kPortAndFile[] = R"(
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in place(void) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons(47113);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static void* client(void* arg) {
  const struct sockaddr_in server = place();
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, (const struct sockaddr*)&server, sizeof server) != 0) _exit(4);
  if (write(fd, "hello", 5) != 5) _exit(5);
  char answer;
  if (read(fd, &answer, 1) != 1) _exit(6);
  close(fd);
  return arg;
}

static void note_start(void) {
  FILE* log = fopen("starts.log", "a");
  fputs("started\n", log);
  fclose(log);
}

int main(void) {
  note_start();
  const struct sockaddr_in here = place();
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (const struct sockaddr*)&here, sizeof here) != 0) return 2;
  if (listen(listener, 4) != 0) return 3;
  pthread_t thread;
  if (pthread_create(&thread, NULL, client, NULL) != 0) return 7;
  const int fd = accept(listener, NULL, NULL);
  char word[8];
  if (read(fd, word, sizeof word) <= 0) return 8;
  if (write(fd, "!", 1) != 1) return 9;
  close(fd);
  close(listener);
  pthread_join(thread, NULL);
  return 0;
}
)";

TEST_F(Cli, RunsThatSharePortsTakeTurns) {
  build(folder_, "server", kPortAndFile);
  const Result alone = in_folder({"fuzz", "--strategy", "pos", "-n", "300", "./server"});
  EXPECT_EQ(alone.exit_code, 0) << alone;
  EXPECT_THAT(alone.out, HasSubstr("no failure in")) << alone;
  const Result workers =
      in_folder({"fuzz", "--strategy", "pos", "-j", "2", "-n", "300", "./server"});
  EXPECT_EQ(workers.exit_code, 0) << workers;
  EXPECT_THAT(workers.out, HasSubstr("no failure in")) << workers;
  const Result doctor = in_folder({"doctor", "./server"});
  EXPECT_EQ(doctor.exit_code, 0) << doctor;
  EXPECT_THAT(doctor.out, HasSubstr("port              47113: ")) << doctor;
  EXPECT_THAT(doctor.out, HasSubstr("starts.log: put back after every run")) << doctor;
}

TEST_F(Cli, DoctorSaysWhatIsMissing) {
  const std::string file = folder_.write("dead.c", kDeadlock);
  ASSERT_TRUE(run({"gcc", "-pthread", file, "-o", folder_.file("plain")}).ok());
  const Result ill = in_folder({"doctor", "./plain"});
  EXPECT_EQ(ill.exit_code, 1) << ill;
  EXPECT_THAT(ill.out, HasSubstr("not instrumented  plain"));
  EXPECT_THAT(ill.out, HasSubstr("debug information none in plain"));
}

TEST_F(Cli, DoctorSaysWhatIsRefused) {
  build(folder_, "inherit", R"(
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
static int word;
int main(void) { return syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, 0, 0, 0) == 0; }
)");
  const Result ill = in_folder({"doctor", "./inherit"});
  EXPECT_EQ(ill.exit_code, 1) << ill;
  EXPECT_THAT(ill.out, HasSubstr("uncontrolled      wants futexes with priority inheritance"));
}

TEST_F(Cli, DoctorFindsWhereRunsDiffer) {
  // Branches on something no schedule decides: its own process id.
  build(folder_, "random", R"(
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int shared;
static void* other(void* unused) { shared++; return unused; }
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, other, 0);
  const long pid = syscall(SYS_getpid);
  for (long i = 0; i < pid % 1000; i++) shared++;
  pthread_join(a, 0);
}
)");
  const Result ill = in_folder({"doctor", "./random"});
  EXPECT_EQ(ill.exit_code, 1) << ill;
  EXPECT_THAT(ill.out, HasSubstr("deterministic     no: two runs of schedule "));
  EXPECT_THAT(ill.out, HasSubstr("random.c:"));
}

TEST_F(Cli, DoctorSaysWhichMemoryWhenALineIsTheSame) {
  build(folder_, "cells", R"(
#include <pthread.h>
#include <unistd.h>
static int cells[7];
static void* add(void* unused) { ++cells[getpid() % 7]; return unused; }
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, add, 0);
  pthread_join(a, 0);
}
)");
  // Numbers of processes that follow each other mostly differ by one or two.
  Result ill;
  for (int i = 0; i < 5 && ill.exit_code != 1; ++i) ill = in_folder({"doctor", "./cells"});
  EXPECT_THAT(ill.out, ContainsRegex("first T1 add read .cells.c:5. on cells.[0-6]., "
                                     "then T1 add read .cells.c:5. on cells.[0-6]."))
      << ill;
}

TEST_F(Cli, DoctorTellsTheTwoRunsApart) {
  // The same line and the same memory: another number of bytes.
  build(folder_, "sizes", R"(
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static char cells[8];
static void* clear(void* unused) { memset(cells, 0, 3 + getpid() % 5); return unused; }
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, clear, 0);
  pthread_join(a, 0);
}
)");
  Result ill;
  for (int i = 0; i < 5 && ill.exit_code != 1; ++i) ill = in_folder({"doctor", "./sizes"});
  EXPECT_THAT(ill.out, ContainsRegex("first T1 clear write .sizes.c:6. of [3-7] bytes, "
                                     "then T1 clear write .sizes.c:6. of [3-7] bytes"))
      << ill;
}

// Runs that get a process each are not runs that differ.
TEST_F(Cli, AProcessIdIsOnlySaidWhereRunsDiffered) {
  build(folder_, "keeps", R"(
#include <sys/prctl.h>
#include <unistd.h>
int main(void) { return prctl(PR_SET_KEEPCAPS, 1) != 0 || getpid() == 0; }
)");
  const Result found = in_folder({"fuzz", "-n", "5", "--fresh", "--json", "./keeps"});
  const json stats = json::parse(found.out, nullptr, false);
  ASSERT_TRUE(stats.is_object()) << found;
  EXPECT_THAT(stats["executor_note"].dump(), HasSubstr("prctl")) << stats;
  EXPECT_THAT(stats["uncontrolled"].dump(), Not(HasSubstr("process id"))) << stats;
}

// The search for all executions gives runs up in which it cannot learn anything more.
TEST_F(Cli, RunsThatTheSearchEndsAreSaidWithTheReason) {
  build(folder_, "spins", R"(
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int locked;
static int value;
static void* work(void* unused) {
  for (int i = 0; i < 2; i++) {
    while (atomic_exchange(&locked, 1)) {
      while (atomic_load(&locked)) sched_yield();
    }
    value++;
    atomic_store(&locked, 0);
  }
  return unused;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return value != 6;
}
)");
  const Result found = in_folder({"fuzz", "--seed", "1", "-n", "200", "--fresh", "./spins"});
  EXPECT_EQ(found.exit_code, 0) << found;
  EXPECT_THAT(found.err,
              ContainsRegex("[0-9]+ of 200 runs (was|were) ended by the search before the program "
                            "ended, which is no failure .[0-9]+: a "))
      << found;
}

TEST_F(Cli, DoctorSeesAssertionsThatWereCompiledOut) {
  const std::string file = folder_.write("lost.c", kLostUpdate);
  const auto built = [&](const char* name, const char* definition) {
    ASSERT_TRUE(
        jostle({"cc", "-g", "-O1", definition, "-pthread", file, "-o", folder_.file(name)}).ok());
  };
  built("without", "-DNDEBUG");
  built("with", "-DOTHER");
  const Result without = in_folder({"doctor", "./without"});
  EXPECT_EQ(without.exit_code, 1) << without;
  EXPECT_THAT(without.out,
              HasSubstr("assertions        none: assert() at lost.c:17 was compiled out"));
  const Result with = in_folder({"doctor", "./with"});
  EXPECT_EQ(with.exit_code, 0) << with;
  EXPECT_THAT(with.out, Not(HasSubstr("assertions ")));
}

TEST_F(Cli, DoctorSaysHowRunsEnd) {
  build(folder_, "server", R"(
#include <netinet/in.h>
#include <sys/socket.h>
int main(void) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  listen(listener, 1);
  accept(listener, 0, 0);
}
)");
  const Result ill = in_folder({"doctor", "--timeout", "1s", "./server"});
  EXPECT_EQ(ill.exit_code, 1) << ill;
  EXPECT_THAT(ill.out, HasSubstr("ends              not within 1 s: main at server.c:7 (longer"));
  build(folder_, "two", "int main(void) { return 2; }");
  EXPECT_THAT(in_folder({"doctor", "./two"}).out,
              HasSubstr("ends              10 of 10 schedules fail: exit status 2"));
  build(folder_, "last", R"(
#include <pthread.h>
static int last;
static void* be_last(void* as) { last = (int)(long)as; return as; }
int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, be_last, (void*)(i + 1));
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return last;
}
)");
  EXPECT_THAT(in_folder({"doctor", "./last"}).out,
              ContainsRegex("10 of 10 schedules fail: exit status [12] \\([0-9] of them\\), exit "
                            "status [12] \\([0-9] of them\\)"));
  build(folder_, "good", "int main(void) { return 0; }");
  EXPECT_THAT(in_folder({"doctor", "./good"}).out,
              HasSubstr("ends              by itself, without a failure\n"));
}

TEST_F(Cli, ProgramsInheritWhatWeInheritedAndNothingOfOurs) {
  const std::string program = build(folder_, "descriptors", R"(
#include <fcntl.h>
#include <stdio.h>
int main(void) {
  for (int fd = 3; fd < 64; fd++) {
    if (fcntl(fd, F_GETFD) >= 0) printf("%d ", fd);
  }
  printf("next %d\n", open("/dev/null", O_RDONLY));
}
)");
  const auto in_shell = [&](const std::string& command) {
    return run({"sh", "-c", "exec 7</dev/null; " + command + " " + program}).out;
  };
  const std::string natively = in_shell("");
  EXPECT_THAT(natively, HasSubstr("7 "));
  EXPECT_EQ(in_shell(jostle_bin() + " run"), natively);
}

}  // namespace
}  // namespace jostle::test
