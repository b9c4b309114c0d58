// SPDX-License-Identifier: Apache-2.0
// Signals reach threads wherever they wait, and handlers run as they do without us: programs of
// many cases each, natively and under every kind of strategy, in one process and in a process per
// run.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "tests/e2e/report_file.h"
#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/signals")) {
    const std::string name = entry.path().stem();
    // Those of timers_test.cc have rules of their own.
    const bool timers =
        name.starts_with("timer_") || name == "clock_setting" || name == "one_thread_waits";
    if (entry.path().extension() != ".h" && !timers) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string name_of_test(const testing::TestParamInfo<std::string>& info) { return info.param; }

Result fuzz(const std::string& path, const std::vector<std::string>& options,
            const std::vector<std::string>& arguments = {}) {
  const TempDir out;
  std::vector<std::string> command = {"fuzz", "--fresh", "--seed", "11", "-o", out.file("out")};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"--", path});
  command.insert(command.end(), arguments.begin(), arguments.end());
  return jostle(command, {.time_limit = 120});
}

// All cases in a row were too much: which of them alone is?
std::string failing_cases(const std::string& path, const std::string& native,
                          const std::string& strategy) {
  std::string failing;
  for (auto i = std::count(native.begin(), native.end(), '\n') - 2; i >= 0; --i) {
    const std::string number = std::to_string(i);
    const Result result = fuzz(path, {"--strategy", strategy, "-n", "50"}, {number});
    if (!result.ok()) failing += "case " + number + ":\n" + result.err.substr(0, 400) + "\n";
  }
  return failing;
}

class Signals : public testing::TestWithParam<std::string> {
 protected:
  std::string path() const { return program("gcc", "signals/" + GetParam()); }
  Result native() const { return run({program("plain", "signals/" + GetParam())}); }
};

TEST_P(Signals, BehavesAsNatively) {
  const Result expected = native();
  ASSERT_TRUE(expected.ok()) << expected;
  for (const char* strategy : {"none", "random", "pos", "pct"}) {
    const Result result = jostle({"run", "--seed", "3", "--strategy", strategy, "--", path()});
    EXPECT_EQ(result.exit_code, 0) << strategy << "\n" << result;
    EXPECT_EQ(result.out, expected.out) << strategy;
  }
}

TEST_P(Signals, IsSilentUnderEveryStrategyAndExecutor) {
  const std::string expected = native().out;
  for (const char* strategy : {"none", "random", "pos", "pct", "surw", "rff", "ql", "portfolio"}) {
    std::string digests[2];
    for (const bool forks : {false, true}) {
      const Result result = fuzz(path(), {"--strategy", strategy, "-n", "8", "--json", "--executor",
                                          forks ? "fork" : "auto"});
      ASSERT_EQ(result.exit_code, 0) << strategy << "\n"
                                     << result << failing_cases(path(), expected, strategy);
      const Json stats = Json::parse(result.out);
      // With children there is no other executor, and they take their own time.
      if (stats["executor"] == (forks ? "fork" : "snapshot"))
        digests[forks] = stats["traces_digest"];
    }
    if (!digests[0].empty()) {
      EXPECT_EQ(digests[0], digests[1]) << strategy;
    }
  }
}

TEST_P(Signals, IsSilentWhenWaitsEndWithoutASignal) {
  const char* const longest = long_or_short(5, 2) == 5 ? "5s" : "2s";
  for (const char* strategy : {"random", "pos"}) {
    const Result result =
        fuzz(path(), {"--strategy", strategy, "--spurious", "-n", "200", "-t", longest});
    EXPECT_EQ(result.exit_code, 0) << strategy << "\n" << result;
  }
}

TEST_P(Signals, Replays) {
  const TempDir folder;
  for (const char* strategy : {"random", "rff"}) {
    const std::string file = folder.file(strategy);
    const Result recorded =
        jostle({"run", "--seed", "5", "--strategy", strategy, "--save", file, "--", path()});
    ASSERT_TRUE(recorded.ok()) << recorded;
    const Result replayed = jostle({"replay", file});
    EXPECT_EQ(replayed.exit_code, 0) << strategy << "\n" << replayed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Signals, testing::ValuesIn(programs()), name_of_test);

// Natively it would stand still until somebody else continues it.
constexpr char kStopsItself[] = R"(
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int arrived;
static void* arrive(void* unused) {
  pthread_mutex_lock(&mutex);
  if (++arrived == 2) kill(getpid(), SIGSTOP);
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, arrive, 0);
  pthread_create(&b, 0, arrive, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
)";

TEST(StoppedProgram, IsToldAtOnce) {
  const TempDir folder;
  const std::string path = build(folder, "stops", kStopsItself);
  for (const Result& result :
       {jostle({"run", path}), fuzz(path, {}), fuzz(path, {"--executor", "fork"})}) {
    EXPECT_EQ(result.exit_code, 16) << result;
    EXPECT_NE(result.err.find("stops itself with SIGSTOP"), std::string::npos) << result;
    EXPECT_LT(result.seconds, 2);
  }
}

// The queue of signals ends where the system's does, and is quick to fill and to empty.
constexpr char kFillsTheQueue[] = R"(
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
int main(void) {
  const struct rlimit limit = {3000, 3000};
  setrlimit(RLIMIT_SIGPENDING, &limit);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  sigprocmask(SIG_BLOCK, &set, 0);
  union sigval value = {0};
  int sent = 0, taken = 0;
  while (sigqueue(getpid(), SIGRTMIN, value) == 0) value.sival_int = ++sent;
  printf("%d EAGAIN %d\n", sent, errno == EAGAIN);
  const struct timespec none = {0, 0};
  siginfo_t info;
  while (sigtimedwait(&set, &info, &none) > 0) taken += info.si_value.sival_int == taken;
  printf("%d\n", taken);
  return 0;
}
)";

TEST(SignalQueue, HasItsLimit) {
  const TempDir folder;
  const std::string path = build(folder, "fills", kFillsTheQueue);
  const Result result = jostle({"run", path});
  EXPECT_EQ(result.out, "3000 EAGAIN 1\n3000\n") << result;
  EXPECT_LT(result.seconds, 2);
}

// Handlers do not save what natively ends the program.
constexpr char kEnds[] = R"(
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
static int* volatile nowhere;
static void fault(int sig) { *nowhere = sig; }
static void returns(int sig) { (void)sig; }
static int dive(volatile int n) { return n == -1 ? 0 : dive(n + 1) + n; }
static void* run(void* how) {
  switch (*(char*)how) {
    case 'b':  // a fault in its own handler, where it is blocked
      signal(SIGSEGV, fault);
      fault(0);
      break;
    case 'i':  // ignored, but not to be ignored
      signal(SIGSEGV, SIG_IGN);
      fault(0);
      break;
    case 'o':  // no room for the handler
      signal(SIGSEGV, returns);
      dive(0);
      break;
    case 'a':  // a handler that returns does not stop abort
      signal(SIGABRT, returns);
      abort();
  }
  return how;
}
int main(int argc, char** argv) {
  pthread_t thread;
  pthread_create(&thread, 0, run, argv[argc - 1]);
  pthread_join(thread, 0);
  return 0;
}
)";

TEST(FatalSignal, StaysFatal) {
  const TempDir folder;
  const std::string path = build(folder, "ends", kEnds);
  for (const std::string how : {"b", "i", "o", "a"}) {
    const int expected = 128 + (how == "a" ? SIGABRT : SIGSEGV);
    EXPECT_EQ(jostle({"run", path, how}).exit_code, expected) << how;
    EXPECT_EQ(fuzz(path, {"--minimize", "off"}, {how}).exit_code, 77) << how;
  }
}

// The signal is there when the thread comes to its lock: the handler runs, then the lock is taken.
TEST(SignalReport, AHandlerComesBeforeTheOperationThatItDelays) {
  const TempDir folder;
  const std::string path = build(folder, "delayed", R"(
#include <assert.h>
#include <pthread.h>
#include <signal.h>
static int level, seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t reader_thread;
static void on_signal(int number) { level = number; }
static void* reader(void* unused) {
  pthread_mutex_lock(&lock);
  seen = level;
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  signal(SIGUSR1, on_signal);
  pthread_create(&reader_thread, 0, reader, 0);
  pthread_kill(reader_thread, SIGUSR1);
  pthread_join(reader_thread, 0);
  assert(seen != level);
}
)");
  const TempDir out;
  const Result result = jostle({"fuzz", "--seed", "1", "-t", "20s", "-o", out.file("out"), path});
  ASSERT_EQ(result.exit_code, 77) << result;
  std::vector<std::string> order;
  const Json report = only_report(out, "delayed");
  for (const Json& event : report["events"]) {
    if (event["thread"] != 1 || !event.contains("object")) continue;
    const auto object = event["object"].get<size_t>();
    order.push_back(event["op"].get<std::string>() + " " +
                    report["objects"][object]["name"].get<std::string>());
  }
  EXPECT_EQ(order, (std::vector<std::string>{"write level", "lock lock", "read level", "write seen",
                                             "unlock lock"}))
      << result;
}

}  // namespace
}  // namespace jostle::test
