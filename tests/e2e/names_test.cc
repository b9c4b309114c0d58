// SPDX-License-Identifier: Apache-2.0
// What memory is called in reports, and how values are written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/e2e/elf.h"
#include "tests/e2e/report_file.h"
#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using Json = nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// "name = value" of all events with a value.
std::set<std::string> named_values(const Json& report) {
  std::set<std::string> result;
  for (const Json& event : report["events"]) {
    if (!event.contains("object") || !event.contains("value")) continue;
    const size_t object = event["object"].get<size_t>();
    result.insert(report["objects"][object]["name"].get<std::string>() + " = " +
                  event["value"].get<std::string>());
  }
  return result;
}

class NamesByCompiler : public testing::TestWithParam<std::string> {
 protected:
  // Of the failure of a program of tests/programs/explained: none is without a name.
  std::set<std::string> values_of(const std::string& name) const {
    const TempDir out;
    const Result result = jostle({"fuzz", "--seed", "1", "--minimize", "off", "-o", out.file("out"),
                                  "--", program(GetParam(), "explained/" + name)});
    EXPECT_EQ(result.exit_code, 77) << result;
    const std::set<std::string> all = named_values(only_report(out, name));
    for (const std::string& each : all) {
      EXPECT_THAT(each, Not(testing::StartsWith("heap block")));
      EXPECT_THAT(each, Not(testing::StartsWith("0x")));
      EXPECT_THAT(each, Not(HasSubstr(".so")));
    }
    return all;
  }
};

TEST_P(NamesByCompiler, AreTheProgramsOwn) {
  const std::set<std::string> all = values_of("named_memory");
  for (const char* expected : {"net::total = -1",
                               "slots[2].inherited = -2",
                               "slots[1].numbers[1] = -3",
                               "fields.{ready,count} = 10",
                               "flag = true",
                               "small = 200",
                               "pointer = nullptr",
                               "state = State::closed",
                               "own of main = -4",
                               "calls()::count = -1",
                               "Slot[5].state of named_memory.cc:94 = State::closed",
                               "Connection[1].id of named_memory.cc:95 = -5",
                               "Connection.state of named_memory.cc:96 = State::closed",
                               "int[3] of named_memory.cc:97 = -6",
                               "Connection.id of named_memory.cc:100 = -7",
                               "Connection.id of named_memory.cc:101 = -8",
                               "Connection.id of named_memory.cc:99 = -12",
                               "Slot[3].state of named_memory.cc:50 = State::closed",
                               "text[3] = 'x' (120)",
                               "aimed = &slots[1].inherited",
                               "called = with_a_variable",
                               "returned[3] of with_a_variable = -9",
                               "returned[3] of with_a_variable = -10",
                               "still_there = -11"}) {
    EXPECT_THAT(all, Contains(std::string(expected)));
  }
}

// Aligned and System V memory, arrays of make_unique, what lambdas captured; and nothing of a stack
// that one thread had after the other.
TEST_P(NamesByCompiler, OfMemoryThatOthersGive) {
  const std::set<std::string> all = values_of("other_memory");
  for (const char* expected :
       {"Line.hits of other_memory.cc:31 = -1", "int[2] of other_memory.cc:32 = -2",
        "Board.count of other_memory.cc:34 = -3", "captured total of other_memory.cc:44 = &total",
        "captured meeting of other_memory.cc:44 = &meeting"}) {
    EXPECT_THAT(all, Contains(std::string(expected)));
  }
}

INSTANTIATE_TEST_SUITE_P(All, NamesByCompiler, testing::ValuesIn(instrumented_flavours()),
                         [](const auto& test) { return test.param; });

// Optimised code describes some variables by registers, and some not at all: these are known by the
// lambdas that captured them.
TEST(Names, LocalsHaveNamesHoweverTheCodeIsOptimised) {
  const TempDir folder;
  const std::string source = folder.write("locals.cc", R"(
#include <cassert>
#include <thread>
struct Counter { int hits = 0; long sum = 0; };
static void add(Counter& counter, int& total) {
  const int before = counter.hits;
  counter.sum += before;
  counter.hits = before + 1;
  total = total + 1;
}
int main() {
  Counter counter;
  int total = 0;
  bool done = false;
  std::thread a([&] { add(counter, total); done = true; });
  std::thread b([&] { add(counter, total); done = true; });
  a.join();
  b.join();
  assert(counter.hits == 2 && total == 2 && done);
}
)");
  for (const auto& [flavour, c_compiler, compiler] : compilers()) {
    for (const char* level : {"-O0", "-O1", "-O2"}) {
      const std::string path = folder.file(flavour + level);
      const Result built = jostle({"c++", "-g", level, "-std=c++20", source, "-o", path},
                                  {.env = {{"JOSTLE_CXX", compiler}}});
      ASSERT_TRUE(built.ok()) << built;
      const TempDir out;
      const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
      ASSERT_EQ(result.exit_code, 77) << result;
      const std::set<std::string> all = named_values(only_report(out, flavour + level));
      for (const char* expected : {"counter.hits = 1", "total = 0", "done = true"}) {
        EXPECT_THAT(all, Contains(std::string(expected))) << flavour << level;
      }
      EXPECT_THAT(result.out, Not(HasSubstr("stack of main ="))) << flavour << level;
      for (const std::string& each : all) EXPECT_THAT(each, Not(testing::StartsWith("stack of")));
    }
  }
}

// clang makes a variable of each member when nobody needs the whole.
TEST(Names, VariablesThatAreTakenApartKeepTheirNames) {
  const TempDir folder;
  const std::string source = folder.write("apart.cc", R"(
#include <cassert>
#include <thread>
static struct {
  long hits, misses;
} stats;
static void count(bool is_hit) { is_hit ? ++stats.hits : ++stats.misses; }
int main() {
  std::thread a(count, true), b(count, true), c(count, false);
  a.join();
  b.join();
  c.join();
  assert(stats.hits == 2 && stats.misses == 1);
}
)");
  for (const auto& [flavour, c_compiler, compiler] : compilers()) {
    const std::string path = folder.file(flavour);
    const Result built = jostle({"c++", "-g", "-O1", "-std=c++20", source, "-o", path},
                                {.env = {{"JOSTLE_CXX", compiler}}});
    ASSERT_TRUE(built.ok()) << built;
    const TempDir out;
    const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
    ASSERT_EQ(result.exit_code, 77) << result;
    EXPECT_THAT(result.out, HasSubstr("stats.hits")) << flavour;
    EXPECT_THAT(result.out, Not(HasSubstr("_Z"))) << flavour;
  }
}

// A byte that says which of two values an int has is not that int.
TEST(Names, ValuesAreThoseOfTheProgramInWhateverFormTheyAreKept) {
  for (const std::string& flavour : instrumented_flavours()) {
    std::set<std::string> all;
    for (const char* seed : {"1", "2", "3", "4"}) {
      const TempDir out;
      const Result result = jostle({"fuzz", "--seed", seed, "-o", out.file("out"), "--",
                                    program(flavour, "explained/kept_in_another_form")});
      ASSERT_EQ(result.exit_code, 77) << result;
      EXPECT_THAT(result.out, HasSubstr("in consume at")) << result;
      all.merge(named_values(only_report(out, "kept_in_another_form")));
    }
    const std::set<std::string> possible = {"both.first = 0",  "both.first = 1", "both.second = 0",
                                            "both.second = 3", "payload = 0",    "payload = 42",
                                            "level = -7",      "level = 5"};
    for (const std::string& each : all) EXPECT_THAT(possible, Contains(each)) << flavour;
    for (const char* expected : {"both.second = 3", "payload = 42", "level = -7"}) {
      EXPECT_THAT(all, Contains(std::string(expected))) << flavour;
    }
  }
}

// Where a member is not read or written as a whole there is no value to be told, and the inside of
// a string is the string.
TEST_P(NamesByCompiler, CharactersOfAStringAreNoNumbers) {
  std::set<std::string> all;
  for (const char* seed : {"1", "2", "3"}) {
    const TempDir out;
    const Result result =
        jostle({"fuzz", "--seed", seed, "--minimize", "off", "-o", out.file("out"), "--",
                program(GetParam(), "explained/strings_in_containers")});
    ASSERT_EQ(result.exit_code, 77) << result;
    const Json report = only_report(out, "strings_in_containers");
    for (const Json& object : report["objects"]) {
      EXPECT_THAT(object["name"].get<std::string>(), Not(HasSubstr("_M_")));
      EXPECT_THAT(object["name"].get<std::string>(), Not(HasSubstr("basic_string")));
      EXPECT_THAT(object["name"].get<std::string>(), Not(testing::StartsWith("[")));
    }
    all.merge(named_values(report));
  }
  for (const std::string& each : all) {
    // "rosa" and "rosalind", as numbers.
    EXPECT_THAT(each, Not(HasSubstr("= 1634955122")));
    EXPECT_THAT(each, Not(HasSubstr("= 0x646e696c61736f72")));
    EXPECT_THAT(each, Not(HasSubstr("capacity")));
  }
  for (const char* expected : {"title.size = 8", "title.size = 28", "subtitle.has_value = true",
                               "ages.size = 1", "uses.bucket_count = 13"}) {
    EXPECT_THAT(all, Contains(std::string(expected)));
  }
}

std::string build_with(const Compiler& compiler, const TempDir& folder, const std::string& name,
                       const std::string& source) {
  const std::string path = folder.file(name + "_" + compiler.name);
  const Result built =
      jostle({"c++", "-g", "-O1", "-std=c++20", folder.write(name + ".cc", source), "-o", path},
             {.env = {{"JOSTLE_CXX", compiler.cxx}}});
  EXPECT_TRUE(built.ok()) << built;
  return path;
}

// The type of a member may be only declared: clang leaves classes to those who construct them.
TEST(Names, AVariableOfALibraryHasNoVersion) {
  const TempDir folder;
  const std::string path = build(folder, "streams", R"(
#include <pthread.h>
#include <stdio.h>
static void* look(void* unused) { return stderr ? unused : 0; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, look, 0);
  stderr = stdout;
  pthread_join(thread, 0);
}
)");
  const Result result = jostle({"fuzz", "-n", "50", "-o", folder.file("out"), path});
  EXPECT_THAT(result.out, HasSubstr("\n  stderr: ")) << result;
}

TEST(Names, MembersOfClassesThatAreOnlyDeclared) {
  const TempDir folder;
  for (const Compiler& compiler : compilers()) {
    const std::string path = build_with(compiler, folder, "pool", R"(
#include <condition_variable>
#include <mutex>
#include <thread>
struct Pool {
  int size = 0;
  std::condition_variable filled;
  std::mutex lock;
  std::condition_variable emptied;
  int last = 0;
} pool;
int main() {
  std::thread waiter([] {
    std::unique_lock held(pool.lock);
    pool.emptied.wait(held, [] { return pool.last != 0; });
  });
  waiter.join();
}
)");
    const TempDir out;
    const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
    ASSERT_EQ(result.exit_code, 77) << result;
    EXPECT_THAT(result.out, HasSubstr("condition pool.emptied")) << result;
  }
}

// What a thread runs is not the end of what it was given, also when it does nothing else.
TEST(Names, ADestructorIsNoThreadsFunction) {
  const TempDir folder;
  for (const Compiler& compiler : compilers()) {
    const std::string path = build_with(compiler, folder, "destroys", R"(
#include <cassert>
#include <memory>
#include <thread>
struct Session { int uses = 0; };
struct Job {
  std::shared_ptr<Session> session;
  ~Job() { if (session) session->uses++; }
};
int main() {
  auto session = std::make_shared<Session>();
  std::thread first([job = Job{session}] {});
  std::thread second([job = Job{session}] { job.session->uses++; });
  first.join();
  second.join();
  assert(session->uses == 0);
}
)");
    const TempDir out;
    const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
    ASSERT_EQ(result.exit_code, 77) << result;
    EXPECT_THAT(result.out, HasSubstr("T1 lambda in main")) << result;
    EXPECT_THAT(result.out, HasSubstr("T2 lambda in main")) << result;
    EXPECT_THAT(result.out, Not(testing::ContainsRegex("T[12] ~"))) << result;
  }
}

struct Wait {
  const char* argument;
  const char* says;
};
void PrintTo(const Wait& wait, std::ostream* os) { *os << wait.argument; }

class WaitInTheLibrary : public testing::TestWithParam<Wait> {};

TEST_P(WaitInTheLibrary, IsCalledByTheFunctionAndTheObject) {
  const TempDir out;
  const Result result =
      jostle({"fuzz", "--seed", "1", "--minimize", "off", "-o", out.file("out"), "--",
              program("gcc", "explained/waits_in_the_library"), GetParam().argument});
  ASSERT_EQ(result.exit_code, 77) << result;
  const Json report = only_report(out, "waits_in_the_library");
  EXPECT_THAT(report["threads"][1]["doing"].get<std::string>(), HasSubstr(GetParam().says));
  EXPECT_THAT(result.out, Not(HasSubstr("futex"))) << result;
  EXPECT_THAT(result.out, Not(HasSubstr("The mistake is in"))) << result;
  EXPECT_THAT(result.out, Not(HasSubstr("std::__detail"))) << result;
  // An arrival is no signal that somebody could miss.
  EXPECT_THAT(result.out, Not(HasSubstr("when nobody waited"))) << result;
}

INSTANTIATE_TEST_SUITE_P(
    All, WaitInTheLibrary,
    testing::Values(
        Wait{"latch", "waits in std::latch::wait on gate.latch"},
        Wait{"barrier", "waits in std::barrier::arrive_and_wait on gate.barrier"},
        Wait{"second_round", "waits in std::barrier::arrive_and_wait on gate.barrier"},
        Wait{"semaphore", "waits in std::counting_semaphore::acquire on gate.semaphore"},
        Wait{"word", "waits in std::atomic::wait on gate.word"},
        Wait{"small", "waits in std::atomic::wait on gate.small"},
        Wait{"future", "waits in std::future::get on shared state of waits_in_the_library.cc"}),
    [](const auto& test) { return std::string(test.param.argument); });

// What a future does once, whoever asks, is nothing that a thread holds.
TEST(Names, WhoComputesAResultDoesNotHoldIt) {
  for (const char* how : {"async", "deferred"}) {
    const TempDir out;
    const Result result = jostle({"fuzz", "--strategy", "dpor", "-o", out.file("out"), "--",
                                  program("gcc", "explained/waits_for_a_result"), how});
    ASSERT_EQ(result.exit_code, 77) << result;
    EXPECT_THAT(result.out, HasSubstr("wait for each other")) << result;
    EXPECT_THAT(result.out, Not(HasSubstr("initialisation"))) << result;
    EXPECT_THAT(result.out, Not(HasSubstr("gthr-default.h"))) << result;
    const bool is_deferred = how == std::string_view("deferred");
    EXPECT_EQ(result.out.find("computed by T1") != std::string::npos, is_deferred) << result;
    EXPECT_EQ(result.out.find("began to compute shared state") != std::string::npos, is_deferred)
        << result;
  }
}

class SpinInTheLibrary : public testing::TestWithParam<Wait> {};

TEST_P(SpinInTheLibrary, IsCalledByTheFunctionAndTheObject) {
  const TempDir out;
  const Result result =
      jostle({"fuzz", "--seed", "1", "--minimize", "off", "-o", out.file("out"), "--",
              program("gcc", "explained/spins_in_the_library"), GetParam().argument});
  ASSERT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out, HasSubstr("LIVELOCK")) << result;
  EXPECT_THAT(result.out, HasSubstr(GetParam().says)) << result;
  const Json report = only_report(out, "spins_in_the_library");
  EXPECT_THAT(report["explanation"].get<std::string>(), HasSubstr("goes on looking at gate."));
  EXPECT_THAT(report["explanation"].get<std::string>(), Not(HasSubstr("__")));
  // The library's own variables on the way.
  EXPECT_THAT(result.out, Not(HasSubstr("__old"))) << result;
  EXPECT_THAT(result.out, Not(HasSubstr("__detail"))) << result;
}

INSTANTIATE_TEST_SUITE_P(
    All, SpinInTheLibrary,
    testing::Values(
        Wait{"latch", "    std::latch::try_wait on gate.latch   spins_in_the_library.cc:23"},
        Wait{"semaphore",
             "    std::counting_semaphore::try_acquire on gate.semaphore   "
             "spins_in_the_library.cc:26"},
        Wait{"word", "    std::atomic::wait on gate.word     spins_in_the_library.cc:28"},
        Wait{"barrier", "on gate.barrier   spins_in_the_library.cc:29"}),
    [](const auto& test) { return std::string(test.param.argument); });

TEST(LibraryMistake, IsSaidToBeTheLibrarys) {
#if _GLIBCXX_RELEASE != 12
  GTEST_SKIP() << "this semaphore is another library's";
#endif
  const TempDir out;
  const Result result = jostle({"fuzz", "--seed", "1", "-t", "20s", "-o", out.file("out"), "--",
                                program("gcc", "explained/semaphore_sleeps_on")});
  ASSERT_EQ(result.exit_code, 77) << result;
  const std::string why = only_report(out, "semaphore_sleeps_on")["explanation"];
  EXPECT_THAT(why, HasSubstr("std::counting_semaphore::acquire should have returned. The mistake "
                             "is in the C++ library."))
      << result;
}

// Workers of OpenMP begin in its library: what the program knows is the parallel region.
TEST(Names, WorkersOfOpenMpAreKnownByTheirRegion) {
  const TempDir out;
  const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--",
                                program("gcc", "bugs/openmp_lost_update")});
  ASSERT_EQ(result.exit_code, 77) << result;
  const Json report = only_report(out, "openmp_lost_update");
  EXPECT_EQ(report["threads"][1]["title"], "T1 parallel region in main") << result;
  EXPECT_THAT(result.out, Not(HasSubstr("omp.so"))) << result;
  // gcc has copied it for the region.
  EXPECT_THAT(result.out, HasSubstr(" wrote n = ")) << result;
  EXPECT_THAT(result.out, Not(HasSubstr("stack of main ="))) << result;
}

// A function that returns a string, and who waits for it while holding what it needs.
TEST(Names, AreWithoutMarksAndInASentenceAboutAJoin) {
  const TempDir folder;
  const std::string path = folder.file("join_with_lock");
  const Result built =
      jostle({"c++", "-g", "-O1", "-std=c++20", folder.write("join_with_lock.cc", R"(
#include <mutex>
#include <string>
#include <thread>
std::mutex state;
std::string describe() {
  const std::lock_guard guard(state);
  return "text";
}
int main() {
  const std::lock_guard guard(state);
  std::thread other(describe);
  other.join();
}
)"),
              "-o", path});
  ASSERT_TRUE(built.ok()) << built;
  const TempDir out;
  const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
  ASSERT_EQ(result.exit_code, 77) << result;
  const std::string why = only_report(out, "join_with_lock")["explanation"];
  EXPECT_EQ(why,
            "main took state (join_with_lock.cc:11) and then waits for T1 describe to finish "
            "(join_with_lock.cc:13); T1 describe wants state (join_with_lock.cc:7).")
      << result;
}

// What std::thread keeps for its function has the names that the program gave to it, although at
// -O0 only small functions of the library touch it.
TEST(Names, TheStateOfAThreadIsNamedHoweverTheCodeIsOptimised) {
  const TempDir folder;
  const std::string source = folder.write("states.cc", R"(
#include <cassert>
#include <thread>
#include <vector>
struct Box { int* value; };
static int total;
static void add(Box, int n) {
  const int before = total;
  total = before + n;
}
int main() {
  int value = 0;
  std::thread one(add, Box{&value}, 1);
  std::vector<std::jthread> more;
  for (int i = 0; i < 2; ++i) more.emplace_back([&value, i] { total = total + i + value; });
  more.clear();
  one.join();
  assert(total == 2);
}
)");
  for (const char* level : {"-O0", "-O1", "-O2"}) {
    const std::string path = folder.file(std::string("states") + level);
    const Result built = jostle({"c++", "-g", level, "-std=c++20", source, "-o", path});
    ASSERT_TRUE(built.ok()) << built;
    const TempDir out;
    const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
    ASSERT_EQ(result.exit_code, 77) << result;
    const Json report = only_report(out, std::string("states") + level);
    for (const Json& object : report["objects"]) {
      EXPECT_THAT(object["name"].get<std::string>(), Not(HasSubstr("heap block"))) << level;
    }
  }
}

// A header of the library creates it for itself.
TEST(Names, TheStateOfAStopTokenIsNamed) {
  const TempDir folder;
  const std::string path = build_cxx(folder, "stopped", R"(
#include <condition_variable>
#include <mutex>
#include <thread>
struct Worker {
  std::mutex mutex;
  std::condition_variable changed;
  std::jthread thread{[this](std::stop_token token) {
    std::unique_lock lock(mutex);
    while (!token.stop_requested()) changed.wait(lock);
  }};
};
int main() {
  Worker worker;
  worker.thread.request_stop();
  worker.changed.notify_all();
}
)");
  const TempDir out;
  const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
  ASSERT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out, HasSubstr("had read stop state of stopped.cc:5 (stopped.cc:10)"))
      << result;
  // Nobody waits for main.
  EXPECT_THAT(result.out, HasSubstr("T1 lambda in Worker::thread waits for ever")) << result;
}

// Builds the program and searches until it fails: the report.
Json report_of(const std::string& name, const std::string& text,
               const std::vector<std::string>& options, Result& result) {
  const TempDir folder, out;
  const std::string path = folder.file(name);
  const Result built = jostle(compile_cxx(folder.write(name + ".cc", text), path));
  EXPECT_TRUE(built.ok()) << built;
  std::vector<std::string> arguments = {"fuzz", "--seed", "5", "-o", out.file("out")};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {"--", path});
  result = jostle(arguments);
  EXPECT_EQ(result.exit_code, 77) << result;
  return result.exit_code == 77 ? only_report(out, name) : Json();
}

// A semaphore of the library's that was made empty: nobody has taken anything, and the program
// called something else.
TEST(Names, TheEndOfAStopCallbackIsWaitedFor) {
  Result result;
  const Json report = report_of("stops", R"(
#include <latch>
#include <mutex>
#include <stop_token>
#include <thread>
std::mutex state;
bool stopped;
int main() {
  std::stop_source source;
  std::latch registered(1);
  std::thread worker([&, token = source.get_token()] {
    std::lock_guard hold(state);
    std::stop_callback when_stopped(token, [] {
      std::lock_guard inner(state);
      stopped = true;
    });
    registered.count_down();
  });
  std::thread stopper([&] {
    registered.wait();
    source.request_stop();
  });
  worker.join();
  stopper.join();
}
)",
                                {}, result);
  const std::string why = report["explanation"];
  EXPECT_THAT(why, HasSubstr("waits in std::stop_callback::~stop_callback (stops.cc:18) on "
                             "when_stopped, and nobody ever wakes it"));
  EXPECT_THAT(why, Not(HasSubstr("took the last")));
}

// An empty semaphore that nobody has ever taken.
TEST(Names, WhatASemaphoreNeverHadNobodyTook) {
  Result result;
  const Json report = report_of("empty", R"(
#include <semaphore>
#include <thread>
int main() {
  std::binary_semaphore given{0};
  std::thread waits([&] { given.acquire(); });
  waits.join();
}
)",
                                {}, result);
  const std::string why = report["explanation"];
  EXPECT_THAT(why, HasSubstr("on given, which has nothing to give, and nobody releases it."));
}

// The barrier's own state is where runs differ first, and tells nothing.
TEST(Names, WhatWasReadTooEarlyIsNoMatterOfTheBarrier) {
  Result result;
  const Json report = report_of("phases", R"(
#include <barrier>
#include <cassert>
#include <thread>
int rows[2];
int total;
int main() {
  std::barrier meet(2);
  auto work = [&](int me) {
    rows[me] = me + 1;
    static_cast<void>(meet.arrive());
    total += rows[1 - me];
  };
  std::thread one(work, 0), two(work, 1);
  one.join();
  two.join();
  assert(total == 3);
}
)",
                                {}, result);
  const std::string why = report["explanation"];
  EXPECT_THAT(why, HasSubstr("rows["));
  EXPECT_THAT(why, Not(HasSubstr("barrier state")));
}

// A sleep is where the program calls it, also behind a function of the library.
TEST(Names, TheSleepThatEndedEarlyIsTheProgramsOwn) {
  Result result;
  report_of("naps", R"(
#include <cassert>
#include <chrono>
#include <thread>
int ready;
int main() {
  std::thread other([] { ready = 1; });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  assert(ready == 1);
  other.join();
}
)",
            {}, result);
  EXPECT_THAT(result.out, HasSubstr("the sleep of 5 ms in main (naps.cc:8)")) << result;
  EXPECT_THAT(result.out, Not(HasSubstr("this_thread_sleep.h"))) << result;
}

TEST(Names, AnAlignedBlockHasTheSizeThatWasAskedFor) {
  Result result;
  report_of("aligned", R"(
#include <thread>
struct alignas(64) Line { char bytes[64]; };
int main() {
  Line* line = new Line;
  std::thread writes([line] {
    volatile char* bytes = line->bytes;
    bytes[72] = 1;
  });
  writes.join();
}
)",
            {}, result);
  EXPECT_THAT(result.out, HasSubstr("8 bytes behind a heap block of 64 bytes")) << result;
}

// What points to a variable of a function, which other threads use, is written as the program
// would.
TEST(Names, APointerToALocalIsWrittenAsItsAddress) {
  Result result;
  const Json report = report_of("pointers", R"(
#include <atomic>
#include <cassert>
#include <thread>
struct Node {
  int value;
  Node* next;
};
std::atomic<Node*> head{nullptr};
int main() {
  Node first{1, nullptr}, second{2, nullptr};
  first.next = &second;
  head = &first;
  std::thread pops([] {
    Node* top = head;
    head = top->next;
    top->next = nullptr;
    head.load()->value = 3;
  });
  pops.join();
  assert(head.load() == &first || head.load()->next != nullptr);
}
)",
                                {"--minimize", "off"}, result);
  const std::set<std::string> all = named_values(report);
  for (const char* expected : {"head = &first", "head = &second", "first.next = &second"}) {
    EXPECT_THAT(all, Contains(std::string(expected))) << result;
  }
}

// Two functions that main calls one after the other have their variables in the same place.
TEST(Names, AVariableIsNotCalledByTheNameOfAnEarlierOne) {
  const TempDir folder, out;
  const std::string path = build(folder, "in_turn", R"(
#include <assert.h>
#include <pthread.h>
static void* add(void* to) {
  ++*(int*)to;
  return to;
}
static __attribute__((noinline)) int one_adds(void) {
  int earlier = 0;
  pthread_t a;
  pthread_create(&a, 0, add, &earlier);
  pthread_join(a, 0);
  return earlier;
}
static __attribute__((noinline)) int two_add(void) {
  int later = 0;
  pthread_t a, b;
  pthread_create(&a, 0, add, &later);
  pthread_create(&b, 0, add, &later);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return later;
}
int main(void) {
  const int first = one_adds();
  const int second = two_add();
  assert(first + second == 3);
}
)");
  const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
  ASSERT_EQ(result.exit_code, 77) << result;
  // Once the later one has begun, the earlier one is gone.
  const size_t begun = result.out.find("later of two_add: writes 0");
  ASSERT_NE(begun, std::string::npos) << result;
  EXPECT_THAT(result.out.substr(begun), Not(HasSubstr("earlier of one_adds"))) << result;
  const std::string why = result.out.substr(0, result.out.find("the interleaving"));
  EXPECT_THAT(why, Not(HasSubstr("earlier of one_adds"))) << result;
}

// What a function reads last is shown as it was, whatever its memory is used for when it has
// returned.
TEST(Names, TheValueOfAVariableIsThatOfItsFunction) {
  const TempDir folder;
  const std::string path = build(folder, "returns", R"(
#include <assert.h>
#include <pthread.h>
static void* add(void* to) {
  ++*(int*)to;
  return to;
}
static __attribute__((noinline)) int count(void) {
  int counters[16] = {0};
  pthread_t a, b;
  pthread_create(&a, 0, add, &counters[3]);
  pthread_create(&b, 0, add, &counters[3]);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return counters[3];
}
int main(void) { assert(count() == 2); }
)");
  const Result result = jostle({"fuzz", "--seed", "1", "-o", folder.file("out"), path});
  ASSERT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out, HasSubstr("return counters[3];  (counters[3] of count: reads 1)"))
      << result;
}

// The frame of a coroutine has the function's name, as it is written.
TEST(Names, ACoroutineIsNamedByItsFunction) {
  Result result;
  const Json report = report_of("suspended", R"(
#include <cassert>
#include <coroutine>
#include <thread>
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
std::thread where;
struct OnThread {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    where = std::thread([handle] { handle.resume(); });
  }
  void await_resume() {}
};
int balance = 100;
Task withdraw(int amount) {
  co_await OnThread{};
  balance -= amount;
}
int main() {
  withdraw(10);
  where.join();
  assert(balance == 100);
}
)",
                                {"--minimize", "off"}, result);
  const std::string all = report["objects"].dump();
  EXPECT_THAT(all, HasSubstr("coroutine withdraw.")) << result;
  EXPECT_THAT(all, Not(HasSubstr("_Z8withdraw"))) << result;
  EXPECT_THAT(result.out + result.err, Not(HasSubstr("[clone"))) << result;
}

// A pointer to numbers says of which the block has as many as there is room for.
TEST(Names, ATableOfNumbersIsNamedByItsPointer) {
  Result result;
  const Json report = report_of("numbers", R"(
#include <cassert>
#include <cstdlib>
#include <thread>
static int* numbers;
int main() {
  numbers = static_cast<int*>(calloc(4, sizeof *numbers));
  std::thread other([] { numbers[2] = 7; });
  const int seen = numbers[2];
  other.join();
  free(numbers);
  assert(seen == 7);
}
)",
                                {"--minimize", "off"}, result);
  EXPECT_THAT(report["objects"].dump(), HasSubstr("int[2]")) << result;
}

// Its body and its end are in stacks under the function's name, and what it awaits is an awaiter.
TEST(Names, ACoroutineIsInStacksUnderItsName) {
  const TempDir folder;
  const std::string source = folder.write("awaits.cc", R"(
#include <coroutine>
#include <thread>
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
struct OnThread {
  std::thread*& thread;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    std::thread* started = new std::thread([handle] { handle.resume(); });
    thread = started;
  }
  void await_resume() {}
};
std::thread* started;
Task hop() { co_await OnThread{started}; }
int main() {
  hop();
  started->join();
  delete started;
}
)");
  ASSERT_TRUE(jostle(compile_cxx(source, folder.file("awaits"))).ok());
  const Result result =
      jostle({"fuzz", "-t", "5s", "--seed", "1", folder.file("awaits")}, {.cwd = folder.path()});
  EXPECT_THAT(result.out + result.err, HasSubstr("coroutine hop.awaiter.thread")) << result;
  EXPECT_THAT(result.out + result.err, HasSubstr("#1  hop()")) << result;
  EXPECT_THAT(result.out + result.err, Not(HasSubstr("[clone"))) << result;
}

// Also what the compiler keeps there.
TEST(Names, TheStateOfACoroutineIsNamedWithoutMarks) {
  Result result;
  const Json report = report_of("numbered", R"(
#include <cassert>
#include <coroutine>
#include <thread>
struct Numbers {
  struct promise_type {
    int value = 0;
    Numbers get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int next) {
      value = next;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  int next() {
    handle.resume();
    return handle.promise().value;
  }
};
Numbers numbers() {
  for (int i = 1;; ++i) co_yield i;
}
int main() {
  Numbers ids = numbers();
  int first = 0, second = 0;
  std::thread a([&] { first = ids.next(); }), b([&] { second = ids.next(); });
  a.join();
  b.join();
  assert(first != second);
  ids.handle.destroy();
}
)",
                                {}, result);
  EXPECT_THAT(report["objects"].dump(), HasSubstr("coroutine numbers.promise.value")) << result;
  EXPECT_THAT(result.out, Not(HasSubstr("_Coro"))) << result;
}

// A pointer to the end of a list, or of a map, is one to what has no element.
TEST(Names, TheEndOfAListHasNoNameOfTheLibrary) {
  Result result;
  report_of("ends", R"(
#include <cassert>
#include <list>
#include <map>
#include <thread>
static std::list<int> items;
static std::map<int, int> numbers;
int main() {
  std::thread other([] { items.push_back(1), numbers[1] = 2; });
  const bool is_empty = items.begin() == items.end() && numbers.empty();
  other.join();
  assert(is_empty);
}
)",
            {}, result);
  EXPECT_THAT(result.out, Not(HasSubstr("_M_"))) << result;
}

// What a line writes and reads again was nothing before.
TEST(Names, AValueThatIsReadAgainIsNoChange) {
  Result result;
  report_of("made_twice", R"(
#include <cassert>
#include <thread>
static int made, seen[2];
static int number;
static int instance() {
  // One line.
  if (number == 0) { number = 7; made = made + 1; } return number;
}
int main() {
  std::thread a([] { seen[0] = instance(); }), b([] { seen[1] = instance(); });
  a.join();
  b.join();
  assert(made == 1);
}
)",
            {}, result);
  EXPECT_THAT(result.out, Not(HasSubstr("7 → 7"))) << result;
}

// What a std::function holds is the program's; the library calls it by functions of its own.
TEST(Names, WhatAFunctionHoldsIsTheProgramsOwn) {
  Result result;
  report_of("callbacks", R"(
#include <cassert>
#include <functional>
#include <thread>
static std::function<void()> callback;
static int calls;
int main() {
  std::thread other([] { callback = [] { ++calls; }; });
  const bool is_empty = !callback;
  other.join();
  callback();
  assert(is_empty);
}
)",
            {}, result);
  EXPECT_THAT(result.out, Not(HasSubstr("_M_"))) << result;
  EXPECT_THAT(result.out, HasSubstr("callback.target = lambda in main")) << result;
}

}  // namespace
}  // namespace jostle::test
