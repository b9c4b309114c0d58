// SPDX-License-Identifier: Apache-2.0
// Event-driven programs: nothing is lost in any order, both executors agree, different orders are
// really tried, and bugs that depend on them are found and repeated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/e2e/report_file.h"
#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Skipped where the library that a program is built on is not installed.
#define SKIP_IF_NOT_BUILT(path) \
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not built: its event library is missing"

std::string event_program(const std::string& name) { return program("gcc", "events/" + name); }

json fuzz(const std::string& path, std::vector<std::string> options,
          const std::vector<std::string>& arguments = {}) {
  const TempDir out;
  std::vector<std::string> words = {"fuzz", "--seed", "1", "--json", "-q", "-o", out.file("out")};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", path});
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Result result = jostle(words, {.time_limit = 250});
  json stats = json::parse(result.out, nullptr, false);
  EXPECT_TRUE(stats.is_object()) << result;
  return stats;
}

class EventProgram : public testing::TestWithParam<const char*> {};

TEST_P(EventProgram, LosesNothingInAnyOrder) {
  const std::string path = event_program(GetParam());
  SKIP_IF_NOT_BUILT(path);
  const json stats = fuzz(path, {"--schedules", "1500"});
  EXPECT_EQ(stats["exit_code"], 0) << stats;
  EXPECT_EQ(stats["executor"], "snapshot") << stats;
  EXPECT_EQ(stats.value("uncontrolled", json::array()).size(), 0u) << stats;
}

TEST_P(EventProgram, RunsTheSameInBothExecutors) {
  const std::string path = event_program(GetParam());
  SKIP_IF_NOT_BUILT(path);
  for (const char* strategy : {"random", "events", "hold"}) {
    const std::vector<std::string> options = {"--strategy", strategy, "--schedules", "40"};
    std::vector<std::string> forked = options;
    forked.insert(forked.end(), {"--executor", "fork"});
    EXPECT_EQ(fuzz(path, options)["traces_digest"], fuzz(path, forked)["traces_digest"])
        << strategy;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EventProgram,
                         testing::Values("uv_guarantees", "uv_many", "libevent_many", "asio_many",
                                         "epoll_loop", "poll_loop", "io_faults", "task_loop",
                                         "hour_timer", "signal_loop"));

// A named pipe has another inode when other programs make files, too: nobody may see that.
TEST(NamedPipes, AreTheSameWhateverNumberTheyHave) {
  const std::string path = event_program("named_pipes");
  for (const char* strategy : {"ql", "rff", "pos"}) {
    const std::vector<std::string> options = {"--strategy", strategy, "--schedules", "60"};
    std::vector<std::string> forked = options;
    forked.insert(forked.end(), {"--executor", "fork"});
    const json stats = fuzz(path, options);
    EXPECT_EQ(stats["exit_code"], 0) << stats;
    EXPECT_EQ(stats["traces_digest"], fuzz(path, options, {"take"})["traces_digest"]) << strategy;
    EXPECT_EQ(stats["traces_digest"], fuzz(path, forked, {"take"})["traces_digest"]) << strategy;
  }
}

class EventOrder : public testing::TestWithParam<const char*> {};

TEST_P(EventOrder, DependsOnTheScheduleAlone) {
  const std::string path = event_program(GetParam());
  SKIP_IF_NOT_BUILT(path);
  std::set<std::string> orders;
  for (int seed = 1; seed <= 12; ++seed) {
    const std::vector<std::string> words = {
        "run", "--strategy", "random", "--seed", std::to_string(seed), "--", path};
    const Result first = jostle(words);
    ASSERT_EQ(first.exit_code, 0) << first;
    EXPECT_EQ(jostle(words).out, first.out);
    orders.insert(first.out);
  }
  EXPECT_GE(orders.size(), 6u);
}

INSTANTIATE_TEST_SUITE_P(All, EventOrder,
                         testing::Values("uv_many", "libevent_many", "asio_many", "epoll_loop",
                                         "poll_loop", "task_loop"));

TEST(Events, PlainEventsAreTheKernels) {
  const std::string path = event_program("uv_many");
  SKIP_IF_NOT_BUILT(path);
  std::set<std::string> orders;
  for (int seed = 1; seed <= 5; ++seed) {
    orders.insert(jostle({"run", "--plain-events", "--strategy", "none", "--seed",
                          std::to_string(seed), "--", path})
                      .out);
  }
  EXPECT_EQ(orders.size(), 1u);
}

// The answer to the first request's query has to wait until the second request has been read, over
// a timer and past several turns of the loop.
TEST(Events, OneCallbackHeldBackIsFoundInAFewRuns) {
  const std::string path = std::string(JOSTLE_BUILD_DIR) + "/subjects/ghost_signup";
  SKIP_IF_NOT_BUILT(path);
  for (const char* seed : {"1", "2", "3", "4", "5"}) {
    const json stats = fuzz(path, {"--strategy", "hold", "--schedules", "20", "--seed", seed});
    EXPECT_EQ(stats["exit_code"], 77) << "seed " << seed;
  }
}

TEST(Events, FaultsAreMadeOnRequestOnly) {
  const std::string careless = event_program("io_faults_naive");
  EXPECT_EQ(fuzz(careless, {"--schedules", "200"})["exit_code"], 0);
  EXPECT_EQ(fuzz(careless, {"--schedules", "200", "--io-faults"})["exit_code"], 77);
  for (const char* careful : {"io_faults", "uv_guarantees", "asio_many"}) {
    const std::string path = event_program(careful);
    if (!fs::exists(path)) continue;
    EXPECT_EQ(fuzz(path, {"--schedules", "500", "--io-faults"})["exit_code"], 0) << careful;
  }
}

TEST(Events, FailuresAreRepeated) {
  const std::string path = event_program("io_faults_naive");
  const TempDir out;
  const Result found = jostle({"fuzz", "--seed", "1", "--schedules", "200", "--io-faults", "-o",
                               out.file("out"), "--", path});
  ASSERT_EQ(found.exit_code, 77) << found;
  const std::string replay = recording_in(out.file("out"));
  ASSERT_NE(replay, "");
  EXPECT_EQ(jostle({"replay", replay}).exit_code, found.exit_code);
}

// A loop of the program's own: what it calls by name is a part of it, what it was handed is a
// callback, and that is what the descriptor was for.
TEST(Events, CallbacksAreFunctionsThatWereHandedToALoop) {
  const TempDir folder;
  const std::string path = build_cxx(folder, "own_loop", R"(
#include <cassert>
#include <functional>
#include <sys/epoll.h>
#include <thread>
#include <unistd.h>
static int pipes[2][2];
static int first, accounted, lines;
static void take(int fd) {
  char c;
  if (read(fd, &c, 1) == 1 && !first) first = fd;
}
__attribute__((noinline)) static void account(int fd) { accounted += fd; }
__attribute__((noinline)) static void note(const char*) { ++lines; }
__attribute__((noinline)) static void dispatch(void (*handler)(int), int fd) {
  note("dispatched");
  handler(fd);
}
int main(int, char** argv) {
  const int set = epoll_create1(0);
  for (auto& ends : pipes) {
    if (pipe(ends)) return 1;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = ends[0];
    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
  }
  std::thread a([] { if (write(pipes[0][1], "a", 1) != 1) return; });
  std::thread b([] { if (write(pipes[1][1], "b", 1) != 1) return; });
  void (*volatile handler)(int) = take;
  for (int n = 0; n < 2;) {
    epoll_event events[2];
    const int count = epoll_wait(set, events, 2, -1);
    note("woken");
    for (int i = 0; i < count; ++i, ++n) {
      account(events[i].data.fd);
      if (argv[1][0] == 'n') take(events[i].data.fd);
      if (argv[1][0] == 'p') handler(events[i].data.fd);
      if (argv[1][0] == 'd') dispatch(handler, events[i].data.fd);
    }
  }
  a.join();
  b.join();
  assert(first == pipes[0][0]);
}
)");
  for (const char* how : {"name", "pointer", "dispatched"}) {
    const TempDir out;
    const Result result =
        jostle({"fuzz", "--seed", "1", "-t", "20s", "-o", out.file("out"), "--", path, how});
    ASSERT_EQ(result.exit_code, 77) << result;
    const json report = only_report(out, "own_loop");
    const json callbacks = report.value("callbacks", json::array());
    EXPECT_EQ(callbacks.size(), how[0] == 'n' ? 0u : 2u) << how << callbacks;
    for (const json& callback : callbacks) {
      EXPECT_EQ(callback["name"], "take") << how;
      EXPECT_EQ(callback.value("trigger", "").find("descriptor "), 0u) << how << callbacks;
    }
  }
}

TEST(Events, RewoundRunsAreManyTimesFasterThanProcesses) {
  const std::string path = event_program("uv_many");
  SKIP_IF_NOT_BUILT(path);
  const auto speed = [&](const char* executor, const char* schedules) {
    const json stats =
        fuzz(path, {"--strategy", "random", "--schedules", schedules, "--executor", executor});
    return stats["schedules"].get<double>() / stats["elapsed_s"].get<double>();
  };
  // The bar is ten; half of it when others use the machine, too.
  EXPECT_GE(speed("snapshot", "3000"), 5 * speed("fork", "200"));
}

}  // namespace
}  // namespace jostle::test
