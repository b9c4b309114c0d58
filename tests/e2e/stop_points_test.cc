// SPDX-License-Identifier: Apache-2.0
// Stop points: threads are preempted in the functions that the user names, and a bug that needs it
// elsewhere stays hidden.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

// One thread computes data and adds it, another removes some and writes it down. Remove looks
// whether something was announced without holding the lock, so that two threads can both take the
// last one; between looking and taking there is no synchronisation.
constexpr char kBuffer[] = R"(
#include <cassert>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>

class Buffer {
 public:
  void Add(int value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    values_.push(value);
  }
  int Remove() {
    if (count_ == 0) return -1;
    count_ = count_ - 1;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (values_.empty()) return -1;
    const int value = values_.front();
    values_.pop();
    return value;
  }
  void Announce() { count_ = count_ + 1; }
  int Count() const { return count_; }

 private:
  std::mutex mutex_;
  std::queue<int> values_;
  volatile int count_ = 0;  // read twice, not once as the optimiser would
};

static int computed = 0;
static int ComputeData() { return ++computed; }
static void WriteLine(int value) { std::printf("%d\n", value); }

int main() {
  Buffer buffer;
  buffer.Add(1);
  buffer.Announce();
  std::thread one([&] {
    buffer.Add(ComputeData());
    buffer.Remove();
  });
  std::thread two([&] { WriteLine(buffer.Remove()); });
  one.join();
  two.join();
  assert(buffer.Count() >= 0);
}
)";

std::string build_with(const TempDir& folder, const std::string& name, const std::string& source,
                       std::vector<std::string> flags) {
  const std::string file = folder.write(name + ".cc", source);
  std::vector<std::string> words = {"c++", file, "-o", folder.file(name)};
  words.insert(words.end(), flags.begin(), flags.end());
  const Result built = jostle(words);
  EXPECT_TRUE(built.ok()) << built;
  return folder.file(name);
}

class StopPoints : public testing::Test {
 protected:
  Result command(std::vector<std::string> words) { return jostle(words, {.cwd = folder_.path()}); }

  json fuzz(const std::string& program, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"fuzz", "--json", "--quiet", "--seed", "1", "-n", "1000"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(program);
    const Result result = command(words);
    json stats = json::parse(result.out, nullptr, false);
    EXPECT_TRUE(stats.is_object()) << result;
    return stats.is_object() ? stats : json::object();
  }
  bool finds(const std::string& program, const std::vector<std::string>& more) {
    const json stats = fuzz(program, more);
    EXPECT_TRUE(stats.value("unconfirmed", json::array({1})).empty()) << stats;
    return stats.value("exit_code", -1) == 77;
  }
  std::string mistake(const std::string& program, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"fuzz", "-n", "10"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(program);
    const Result result = command(words);
    EXPECT_EQ(result.exit_code, 2) << result;
    return result.err;
  }
  TempDir folder_;
};

TEST_F(StopPoints, FindWhatNeedsAPreemptionThere) {
  const std::string program = build_cxx(folder_, "buffer", kBuffer);
  EXPECT_TRUE(finds(program, {"--stop-at", "Buffer::Remove"}));
  EXPECT_TRUE(finds(program, {"--stop-at", "Buffer::*"}));
  EXPECT_TRUE(finds(program, {"--stop-at", "Buffer::Remove", "--stop-only"}));
  EXPECT_FALSE(finds(program, {"--stop-at", "Buffer::Add"}));
  EXPECT_FALSE(finds(program, {"--stop-at", "ComputeData", "--stop-at", "WriteLine"}));
}

TEST_F(StopPoints, CanBeExcluded) {
  const std::string program = build_cxx(folder_, "buffer", kBuffer);
  EXPECT_FALSE(finds(program, {"--stop-at", "Buffer::*", "--stop-at", "!Buffer::Remove"}));
  EXPECT_TRUE(finds(program, {"--stop-at", "!Buffer::Add", "--stop-at", "Buffer::*"}));
}

TEST_F(StopPoints, ComeFromAFile) {
  const std::string program = build_cxx(folder_, "buffer", kBuffer);
  folder_.write("with.txt", "# the buffer\n\nBuffer::*  # all of it\n!Buffer::Add\n");
  folder_.write("without.txt", "Buffer::*\n!Buffer::Remove\n");
  folder_.write("wrong.txt", "Buffer::*\n\n!weak:Buffer::Add\n");
  folder_.write("unmatched.txt", "Buffer::*\nBuffer::Clear\n");
  EXPECT_TRUE(finds(program, {"--stop-file", "with.txt"}));
  EXPECT_FALSE(finds(program, {"--stop-file", "without.txt"}));
  EXPECT_THAT(mistake(program, {"--stop-file", "wrong.txt"}), HasSubstr("wrong.txt:3: "));
  EXPECT_THAT(mistake(program, {"--stop-file", "unmatched.txt"}),
              HasSubstr("unmatched.txt:2: no function matches `Buffer::Clear'"));
  EXPECT_THAT(mistake(program, {"--stop-file", "none.txt"}), HasSubstr("No such file"));
}

TEST_F(StopPoints, AreFoundWhateverTheCompilerDidToThem) {
  // At -O2 all of the buffer is inlined; at -O0 it calls the library for everything.
  for (const char* optimisation : {"-O0", "-O2", "-O3"}) {
    const std::string program = build_with(folder_, "buffer", kBuffer, {"-g", optimisation});
    EXPECT_TRUE(finds(program, {"--stop-at", "Buffer::Remove", "--stop-only"})) << optimisation;
    EXPECT_FALSE(finds(program, {"--stop-at", "Buffer::Add", "--stop-only"})) << optimisation;
  }
}

TEST_F(StopPoints, WithoutDebugInformation) {
  const std::string program = build_with(folder_, "buffer", kBuffer, {"-O0"});
  EXPECT_TRUE(finds(program, {"--stop-at", "Buffer::Remove"}));
  EXPECT_FALSE(finds(program, {"--stop-at", "Buffer::Add"}));
  // What was inlined is not in the symbol table.
  const std::string inlined = build_with(folder_, "inlined", kBuffer, {"-O2"});
  EXPECT_THAT(mistake(inlined, {"--stop-at", "Buffer::Announce"}),
              HasSubstr("inlined has no debug information"));
}

TEST_F(StopPoints, BuiltWithClang) {
#ifdef JOSTLE_TEST_CLANGXX
  const std::string file = folder_.write("buffer.cc", kBuffer);
  for (const char* optimisation : {"-O0", "-O2"}) {
    const Result built = jostle({"c++", "-g", optimisation, file, "-o", folder_.file("buffer")},
                                {.env = {{"JOSTLE_CXX", JOSTLE_TEST_CLANGXX}}});
    ASSERT_TRUE(built.ok()) << built;
    EXPECT_TRUE(finds(folder_.file("buffer"), {"--stop-at", "Buffer::Remove", "--stop-only"}));
    EXPECT_FALSE(finds(folder_.file("buffer"), {"--stop-at", "Buffer::Add", "--stop-only"}));
  }
#else
  GTEST_SKIP() << "no clang";
#endif
}

TEST_F(StopPoints, InC) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  EXPECT_TRUE(finds(program, {"--stop-at", "increment"}));
  EXPECT_TRUE(finds(program, {"--stop-at", "inc*"}));
  EXPECT_FALSE(finds(program, {"--stop-at", "main"}));
}

constexpr char kTemplates[] = R"(
#include <cassert>
#include <thread>
namespace tally {
template <typename T>
struct Counter {
  T value{};
  template <typename U>
  void add(U more) { value = value + more; }
};
namespace {
struct Other {
  int value = 0;
  void add(int more) { value += more; }
} other;
}
}
int main() {
  tally::Counter<int> counter;
  std::thread one([&] { counter.add(1); });
  std::thread two([&] { counter.add(1); tally::other.add(1); });
  one.join();
  two.join();
  assert(counter.value == 2);
}
)";

TEST_F(StopPoints, InTemplatesAndNamespaces) {
  for (const char* optimisation : {"-O0", "-O2"}) {
    const std::string program = build_with(folder_, "templates", kTemplates, {"-g", optimisation});
    for (const char* pattern :
         {"tally::Counter::add", "tally::Counter<int>::add", "tally::Counter<*>::add<*>",
          "tally::Counter::add<int>", "tally::*", "*::add", "tally::Counter::*"}) {
      EXPECT_TRUE(finds(program, {"--stop-at", pattern})) << pattern << optimisation;
    }
    EXPECT_FALSE(finds(program, {"--stop-at", "tally::Other::add"})) << optimisation;
    EXPECT_THAT(mistake(program, {"--stop-at", "tally::Counter<char>::add"}),
                HasSubstr("no function matches"));
  }
}

TEST_F(StopPoints, InASharedLibrary) {
  const std::string library_source = folder_.write("counting.cc", R"(
static int counter;
void count() { counter = counter + 1; }
int counted() { return counter; }
)");
  const std::string library = folder_.file("libcounting.so");
  const Result built =
      jostle({"c++", "-g", "-O1", "-shared", "-fPIC", library_source, "-o", library});
  ASSERT_TRUE(built.ok()) << built;
  const std::string program =
      build_with(folder_, "uses", R"(
#include <cassert>
#include <thread>
void count();
int counted();
void elsewhere() {}
int main() {
  std::thread one([] { count(); });
  std::thread two([] { count(); elsewhere(); });
  one.join();
  two.join();
  assert(counted() == 2);
}
)",
                 {"-g", "-O1", library, "-Wl,-rpath," + folder_.path().string()});
  EXPECT_TRUE(finds(program, {"--stop-at", "count", "--stop-only"}));
  EXPECT_FALSE(finds(program, {"--stop-at", "elsewhere", "--stop-at", "main"}));
  // A library without instrumentation.
  ASSERT_TRUE(run({"g++", "-shared", "-fPIC", library_source, "-o", library}).ok());
  EXPECT_THAT(mistake(program, {"--stop-at", "count"}),
              HasSubstr("but one of libcounting.so, which is not instrumented"));
}

TEST_F(StopPoints, MistakesAreNamed) {
  const std::string program = build_cxx(folder_, "buffer", kBuffer);
  EXPECT_THAT(mistake(program, {"--stop-at", "Buffer::Remov"}),
              HasSubstr("--stop-at: no function matches `Buffer::Remov': did you mean "
                        "Buffer::Remove?"));
  EXPECT_THAT(mistake(program, {"--stop-at", "Bufer::*"}), HasSubstr("did you mean Buffer::*?"));
  EXPECT_THAT(mistake(program, {"--stop-at", "Remove"}), HasSubstr("did you mean Buffer::Remove?"));
  // One that matches does not make up for one that does not.
  EXPECT_THAT(mistake(program, {"--stop-at", "Buffer::*", "--stop-at", "Bufer::Add"}),
              HasSubstr("no function matches `Bufer::Add'"));
  EXPECT_THAT(mistake(program, {"--stop-at", "Buffer::*", "--stop-at", "!Buffer::Sum"}),
              HasSubstr("no function matches `!Buffer::Sum'"));
  EXPECT_THAT(mistake(program, {"--stop-at", "!Buffer::Add"}), HasSubstr("only takes away"));
  EXPECT_THAT(mistake(program, {"--stop-at", "malloc"}), HasSubstr("not instrumented"));
  EXPECT_THAT(mistake(program, {"--points=stops"}), HasSubstr("which functions?"));
  EXPECT_THAT(mistake(program, {"--points=some"}), HasSubstr("expected all, sync or stops"));
  EXPECT_THAT(mistake(program, {"--points=all", "--stop-at", "main"}),
              HasSubstr("does not go with stop points"));
  EXPECT_THAT(mistake(program, {"--points=sync", "--stop-at", "main"}),
              HasSubstr("does not go with stop points"));
  EXPECT_THAT(mistake(program, {"--stop-only"}), HasSubstr("--stop-only: only where?"));
  const std::string inlined = build_with(folder_, "inlined", kBuffer, {"-g", "-O2"});
  EXPECT_THAT(mistake(inlined, {"--stop-at", "entry:Buffer::Announce"}),
              HasSubstr("was inlined wherever it is called"));
}

TEST_F(StopPoints, OfAProgramWithoutInstrumentation) {
  const std::string source = folder_.write("plain.c", kLostUpdate);
  ASSERT_TRUE(run({"gcc", "-pthread", source, "-o", folder_.file("plain")}).ok());
  EXPECT_THAT(mistake(folder_.file("plain"), {"--stop-at", "increment"}),
              HasSubstr("nothing here is instrumented"));
}

TEST_F(StopPoints, AreInTheHeadlineAndTheStatistics) {
  const std::string program = build_cxx(folder_, "buffer", kBuffer);
  const Result result = command(
      {"fuzz", "-n", "5", "--stop-at", "Buffer::Add", "--stop-at", "Buffer::Remove", program});
  EXPECT_THAT(result.err, HasSubstr("stop points: 2 functions"));
  const json stats = fuzz(program, {"--stop-at", "Buffer::Add", "--stop-at", "Buffer::Remove"});
  EXPECT_EQ(stats["points"], "stops");
  EXPECT_EQ(stats["stop_functions"], 2);
  EXPECT_EQ(fuzz(program, {})["points"], "all");
  EXPECT_EQ(fuzz(program, {"--points=sync"})["points"], "sync");
}

// Fewer scheduling points, from left to right.
TEST_F(StopPoints, AreFewer) {
  const std::string program = build_cxx(folder_, "buffer", kBuffer);
  const auto steps = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"-n", "200", "--keep-going", "--strategy", "random"});
    return fuzz(program, more)["steps"].get<uint64_t>();
  };
  const uint64_t all = steps({});
  const uint64_t strong = steps({"--stop-at", "Buffer::*"});
  const uint64_t only = steps({"--stop-at", "Buffer::*", "--stop-only"});
  EXPECT_LT(strong, all);
  EXPECT_LT(only, strong);
  EXPECT_LT(steps({"--points=sync"}), strong);
  EXPECT_LT(steps({"--stop-at", "entry:Buffer::*", "--stop-only"}), only);
}

TEST_F(StopPoints, CanBeWeak) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  EXPECT_TRUE(finds(program, {"--stop-at", "weak:increment"}));
  EXPECT_TRUE(finds(program, {"--stop-at", "weak:inside:increment", "--stop-only"}));
}

// The update is lost only by a preemption between its read and its write: entering is too early.
TEST_F(StopPoints, AtEntriesOrInside) {
  const std::string program = build_cxx(folder_, "calls", R"(
#include <cassert>
#include <thread>
static int counter;
__attribute__((noinline)) void between() { asm volatile(""); static thread_local int own; ++own; }
__attribute__((noinline)) void add() {
  const int old = counter;
  between();
  counter = old + 1;
}
int main() {
  std::thread one(add), two(add);
  one.join();
  two.join();
  assert(counter == 2);
}
)");
  EXPECT_TRUE(finds(program, {"--stop-at", "inside:add", "--stop-only"}));
  EXPECT_FALSE(finds(program, {"--stop-at", "entry:add", "--stop-only"}));
  EXPECT_TRUE(finds(program, {"--stop-at", "entry:between", "--stop-only"}));
  EXPECT_TRUE(finds(program, {"--stop-at", "weak:entry:between", "--stop-only"}));
}

TEST_F(StopPoints, SynchronisationOnlyDoesNotFindADataRace) {
  const std::string lost = build(folder_, "lost", kLostUpdate);
  EXPECT_FALSE(finds(lost, {"--points=sync"}));
  EXPECT_TRUE(finds(lost, {"--points=all"}));
  const std::string deadlock = build(folder_, "deadlock", kDeadlock);
  EXPECT_TRUE(finds(deadlock, {"--points=sync"}));
}

TEST_F(StopPoints, DoTheSameWithAndWithoutAProcessPerRun) {
  const std::string program = build_cxx(folder_, "buffer", kBuffer);
  const auto digest = [&](const char* executor) {
    return fuzz(program, {"--stop-at", "Buffer::*", "-n", "60", "--keep-going", "--executor",
                          executor})["traces_digest"];
  };
  EXPECT_EQ(digest("snapshot"), digest("fork"));
}

TEST_F(StopPoints, FindingsReplay) {
  const std::string program = build_cxx(folder_, "buffer", kBuffer);
  for (const char* pattern : {"Buffer::*", "inside:Buffer::*", "weak:Buffer::Remove"}) {
    const json stats = fuzz(program, {"--stop-at", pattern, "--stop-only"});
    ASSERT_EQ(stats["exit_code"], 77) << pattern;
    const Result replay = command({"replay", stats["failures"][0]["replay"]});
    EXPECT_EQ(replay.exit_code, 77) << pattern << replay;
  }
}

TEST_F(StopPoints, OfASingleRun) {
  const std::string program = build_cxx(folder_, "buffer", kBuffer);
  Result failed;
  for (int seed = 1; seed <= 100 && failed.signal == 0 && failed.exit_code != 134; ++seed) {
    failed = command({"run", "--seed", std::to_string(seed), "--stop-at", "Buffer::*",
                      "--stop-only", "--save", "run.json", program});
  }
  EXPECT_EQ(failed.exit_code, 134) << failed;
  EXPECT_EQ(command({"replay", "run.json"}).exit_code, 77);
  // What it proposes to type again is all that matters.
  const std::string lost = build(folder_, "lost", kLostUpdate);
  for (int seed = 1; seed <= 100 && failed.err.find("--stop-only --") == std::string::npos;
       ++seed) {
    failed =
        command({"run", "--seed", std::to_string(seed), "--stop-at", "inc*", "--stop-only", lost});
  }
  EXPECT_THAT(failed.err, HasSubstr(" --stop-at 'inc*' --stop-only -- "));
  const Result mistaken = command({"run", "--stop-at", "Bufer::Add", program});
  EXPECT_EQ(mistaken.exit_code, 2) << mistaken;
}

// ---- jostle stops -----------------------------------------------------------------------------

TEST_F(StopPoints, AreProposed) {
  for (const char* optimisation : {"-O0", "-O1", "-O2"}) {
    const std::string program = build_with(folder_, "buffer", kBuffer, {"-g", optimisation});
    const Result result = command({"stops", "--json", program});
    EXPECT_TRUE(result.ok()) << result;
    const json stops = json::parse(result.out, nullptr, false);
    ASSERT_TRUE(stops.is_object()) << result;
    EXPECT_EQ(stops["functions"][0]["function"], "Buffer::Remove") << optimisation;
    EXPECT_GT(stops["functions"][0]["meetings"], 0);
    EXPECT_EQ(stops["functions"][0]["threads"], 2);
    EXPECT_THAT(stops["proposal"].get<std::vector<std::string>>(),
                UnorderedElementsAre("Buffer::Remove", "Buffer::Add"))
        << optimisation;
    std::vector<std::string> options;
    for (const std::string pattern : stops["proposal"]) {
      options.insert(options.end(), {"--stop-at", pattern});
    }
    EXPECT_TRUE(finds(program, options)) << optimisation;
  }
}

TEST_F(StopPoints, AreListedWithALineToPaste) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const Result result = command({"stops", "--", "./lost", "two words"});
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_THAT(result.out, HasSubstr("  meetings   accesses  threads  function\n"));
  EXPECT_THAT(result.out, HasSubstr(" 2  increment\n"));
  EXPECT_THAT(result.out, HasSubstr("\njostle fuzz --stop-at increment ./lost 'two words'\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("counter ")));  // the program's own output
}

TEST_F(StopPoints, OfThreadsThatDoNotMeet) {
  const std::string program = build(folder_, "many", kMany);
  const Result result = command({"stops", program});
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ(result.out, "threads do not meet anywhere in 20 runs\n");
  EXPECT_EQ(command({"stops"}).exit_code, 2);
  EXPECT_EQ(command({"stops", "./no-such-program"}).exit_code, 3);
}

TEST_F(StopPoints, OfAProgramWithoutInstrumentationAreCalls) {
  const std::string source = folder_.write("plain.c", kDeadlock);
  ASSERT_TRUE(run({"gcc", "-g", "-pthread", source, "-o", folder_.file("plain")}).ok());
  const Result result = command({"stops", "./plain"});
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_THAT(result.err, HasSubstr("only synchronisation calls are seen"));
  EXPECT_THAT(result.out, HasSubstr("worker\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("--stop-at")));
}

// ---- the space of schedules ---------------------------------------------------------------------

// threadfuzzer-net's figure 1: two threads with two operations each have six schedules, which are
// figure 2. Without stop points every access that others may notice is a place to switch at, and
// every call.
TEST_F(StopPoints, ShrinkTheSpaceOfSchedules) {
  const std::string program = build_with(folder_, "figure", R"(
#include <thread>
struct Buffer {
  int value = 0;
  void Add(int v);
  int Remove();
};
__attribute__((noinline)) void Buffer::Add(int v) { value = v; }
__attribute__((noinline)) int Buffer::Remove() { return value; }
Buffer buffer;
int source = 7, sink;
__attribute__((noinline)) int ComputeData() { return source; }
__attribute__((noinline)) void WriteLine(int value) { sink = value; }
static void thread1() { buffer.Add(ComputeData()); }
static void thread2() { WriteLine(buffer.Remove()); }
int main() {
  std::thread a(thread1), b(thread2);
  a.join();
  b.join();
}
)",
                                         {"-g", "-O1"});
  const auto explored = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--strategy", "systematic-first"});
    const json stats = fuzz(program, more);
    EXPECT_EQ(stats["exhausted"], true) << stats;
    return stats["explored"].get<int>();
  };
  const std::vector<std::string> operations = {"--stop-at",   "Buffer::*", "--stop-at",
                                               "ComputeData", "--stop-at", "WriteLine"};
  std::vector<std::string> only = operations;
  only.emplace_back("--stop-only");
  EXPECT_EQ(explored(only), 6);
  EXPECT_EQ(explored({"--stop-at", "Buffer::*", "--stop-only"}), 2) << "one operation each";
  EXPECT_GT(explored({}), 2 * 6);
  EXPECT_LT(explored({"--points", "sync"}), explored(operations));
}

}  // namespace
}  // namespace jostle::test
