// SPDX-License-Identifier: Apache-2.0
// What a campaign promises: its time, the input of every run, what it claims, its files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/e2e/children.h"
#include "tests/e2e/small_programs.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Promise : public testing::Test {
 protected:
  Result in_folder(std::vector<std::string> args, RunOptions options = {}) {
    options.cwd = folder_.path();
    return jostle(std::move(args), std::move(options));
  }
  std::vector<fs::path> findings(const std::string& program) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_.path() / "jostle-out" / program)) {
      if (is_finding(entry) && fs::exists(entry.path() / "replay.json"))
        found.push_back(entry.path());
    }
    return found;
  }
  static double longest(double search) { return search * 1.5 + 2; }

  TempDir folder_;
};

// Aborts unless it reads three lines.
constexpr char kThreeLines[] = R"(
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int x;
static void* work(void* lock) {
  pthread_mutex_lock(lock);
  x++;
  pthread_mutex_unlock(lock);
  return 0;
}
int main(void) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  int lines = 0;
  for (int c; (c = getchar()) != EOF;) lines += c == '\n';
  pthread_t a, b;
  pthread_create(&a, 0, work, &lock);
  pthread_create(&b, 0, work, &lock);
  pthread_join(a, 0);
  pthread_join(b, 0);
  if (lines != 3) abort();
  return 0;
}
)";

TEST_F(Promise, EveryRunOfEveryWorkerSeesTheWholeInput) {
  const std::string program = build(folder_, "lines", kThreeLines);
  const std::string file = folder_.write("three", "one\ntwo\nthree\n");
  for (const char* executor : {"snapshot", "fork"}) {
    const std::string command = jostle_bin() + " fuzz -j 4 --seed 1 -n 400 --executor=" + executor +
                                " -o " + folder_.file("out") + " " + program;
    for (const std::string& how : {command + " < " + file, "cat " + file + " | " + command}) {
      const Result result = run({"sh", "-c", how});
      EXPECT_EQ(result.exit_code, 0) << how << result;
    }
  }
}

// A run takes as many milliseconds as its argument says; then an update may be lost.
constexpr char kSlow[] = R"(
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
static int counter, wanted;
static void* work(void* unused) {
  for (volatile long i = 0; i < wanted * 300000L; i++) {}
  counter++;
  return unused;
}
int main(int argc, char** argv) {
  wanted = argc > 1 ? atoi(argv[1]) : 0;
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 2);
  return 0;
}
)";

TEST_F(Promise, TheTimeIsForAllOfIt) {
  const std::string file = folder_.write("slow.c", kSlow);
  // Without hooks in the loop: it takes real time, and no steps.
  const std::string program = folder_.file("slow");
  ASSERT_TRUE(jostle({"cc", "-g", "-O1", "-pthread", file, "-o", program}).ok());
  for (const char* length : {"5", "300", "3000"}) {
    for (const char* more : {"--fresh", "-k"}) {
      const Result result = in_folder({"fuzz", "-t", "1s", "--seed", "1", more, program, length});
      EXPECT_LT(result.seconds, longest(1)) << result;
    }
  }
  const Result nothing = in_folder({"fuzz", "-t", "300ms", "--seed", "1", program, "100000"});
  EXPECT_EQ(nothing.exit_code, 16) << nothing;
  EXPECT_THAT(nothing.err, HasSubstr("no run came to its end"));
}

// More different failures than a second is enough for.
std::string forty_assertions() {
  std::string source =
      "#include <assert.h>\n#include <pthread.h>\nstatic int c[40];\n"
      "static void* w(void* p) { for (int i = 0; i < 40; i++) { int x = c[i]; c[i] = x + 1; } "
      "return p; }\nint main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) "
      "pthread_create(&t[i], 0, w, 0); for (int i = 0; i < 3; i++) pthread_join(t[i], 0);\n";
  for (int i = 0; i < 40; ++i) source += "assert(c[" + std::to_string(i) + "] == 3);\n";
  return source + "return 0; }\n";
}

TEST_F(Promise, WhatIsLeftUndoneIsSaidWithTheCommandThatGoesOn) {
  const std::string program = build(folder_, "many", forty_assertions());
  const Result result = in_folder({"fuzz", "-t", "500ms", "--seed", "1", "-k", program});
  EXPECT_LT(result.seconds, longest(0.5)) << result;
  EXPECT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.err, HasSubstr("no time left to minimise")) << result;
  EXPECT_THAT(result.err, HasSubstr(": jostle minimize jostle-out/many/assert-"));
}

TEST_F(Promise, RacesAreConfirmedWithTheInputTheyWereFoundWith) {
  const std::string program = build(folder_, "reads", R"(
#include <pthread.h>
#include <stdio.h>
static int counter;
static void* work(void* unused) { counter++; return unused; }
int main(void) {
  if (getchar() != 'a' || getchar() != 'b') return 0;
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return counter == 0;
}
)");
  folder_.write("inputs/one", "ab");
  folder_.write("inputs/two", "ba");
  const Result result = in_folder({"fuzz", "--seed", "1", "-n", "200", "-i", "inputs", program});
  EXPECT_THAT(result.out, HasSubstr("data race seen")) << result;
  EXPECT_THAT(result.out, HasSubstr("counter: T1 work"));
}

// Two failures with the same exit status.
TEST_F(Promise, FailuresAreToldApartByWhatTheProgramSays) {
  const std::string program = build(folder_, "says", R"(
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int apples, pears;
static void* apple(void* unused) { apples++; return unused; }
static void* pear(void* unused) { pears++; return unused; }
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, i < 2 ? apple : pear, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  if (pears != 2) { fprintf(stderr, "lost a pear, %d left\n", pears); exit(1); }
  if (apples != 2) { fprintf(stderr, "lost an apple, %d left\n", apples); exit(1); }
  return 0;
}
)");
  const Result result = in_folder({"fuzz", "--seed", "1", "-n", "2000", "-k", program});
  EXPECT_EQ(findings("says").size(), 2u) << result;
  EXPECT_THAT(result.out, HasSubstr("it said: lost a pear"));
  EXPECT_THAT(result.out, HasSubstr("it said: lost an apple"));
}

// Without optimisation std::mutex::lock is a function like any other.
TEST_F(Promise, LockOrderIsToldByTheLinesOfTheProgram) {
  const std::string file = folder_.write("guards.cc", R"(
#include <pthread.h>
#include <semaphore.h>
#include <mutex>
static std::mutex first, second;
static sem_t turn;
static void take(std::mutex& one, std::mutex& other) {
  std::unique_lock<std::mutex> a(one);
  std::lock_guard<std::mutex> b(other);
}
static void* forwards(void* unused) { take(first, second); sem_post(&turn); return unused; }
static void* backwards(void* unused) { sem_wait(&turn); take(second, first); return unused; }
int main() {
  pthread_t a, b;
  sem_init(&turn, 0, 0);
  pthread_create(&a, 0, forwards, 0);
  pthread_create(&b, 0, backwards, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
)");
  const std::string program = folder_.file("guards");
  const Result built = jostle({"c++", "-g", "-O0", file, "-o", program});
  ASSERT_TRUE(built.ok()) << built;
  const Result result = in_folder({"fuzz", "--seed", "1", "-n", "20", program});
  EXPECT_THAT(result.out, HasSubstr("takes second (guards.cc:8), then first (guards.cc:9)"));
}

TEST_F(Promise, LockOrderIsAFailureWhenAskedFor) {
  // The semaphore keeps them from a deadlock.
  const std::string program = build(folder_, "orders", R"(
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static sem_t turn;
static void take(pthread_mutex_t* one, pthread_mutex_t* other) {
  pthread_mutex_lock(one);
  pthread_mutex_lock(other);
  pthread_mutex_unlock(other);
  pthread_mutex_unlock(one);
}
static void* forwards(void* unused) { take(&first, &second); sem_post(&turn); return unused; }
static void* backwards(void* unused) { sem_wait(&turn); take(&second, &first); return unused; }
int main(void) {
  pthread_t a, b;
  sem_init(&turn, 0, 0);
  pthread_create(&a, 0, forwards, 0);
  pthread_create(&b, 0, backwards, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
)");
  for (const char* list : {"lock-order", "all"}) {
    const Result result =
        in_folder({"fuzz", "-q", "--seed", "1", "-n", "20", "--fail-on", list, program});
    EXPECT_EQ(result.exit_code, 77) << result;
    EXPECT_THAT(result.out, HasSubstr("LOCK ORDER: 1 lock-order warning"));
  }
}

// A thread before main.
constexpr char kEarly[] = R"(
#include <pthread.h>
#include <stdlib.h>
static pthread_t early;
static int argument;
static void* work(void* unused) { if (FAILS) abort(); return unused; }
__attribute__((constructor)) static void start(void) {
  pthread_create(&early, 0, work, &argument);
  if (FAILS) pthread_join(early, 0);
}
int main(void) { if (!FAILS) pthread_join(early, 0); return 0; }
)";

TEST_F(Promise, WhatHappensBeforeMainIsSaid) {
  const std::string runs = build(folder_, "runs", std::string("#define FAILS 0\n") + kEarly);
  const Result ok = in_folder({"fuzz", "--seed", "1", "-t", "2s", runs});
  EXPECT_EQ(ok.exit_code, 0) << ok;
  EXPECT_THAT(ok.err, HasSubstr("threads ran before main"));
  EXPECT_THAT(ok.out, Not(HasSubstr("explored (exhaustive")));
  const std::string fails = build(folder_, "fails", std::string("#define FAILS 1\n") + kEarly);
  const Result early = in_folder({"fuzz", "--seed", "1", "-t", "2s", fails});
  EXPECT_EQ(early.exit_code, 16) << early;
  EXPECT_THAT(early.err, HasSubstr("died of SIGABRT before it came to main"));
  const Result doctor = in_folder({"doctor", fails});
  EXPECT_EQ(doctor.exit_code, 1) << doctor;
  EXPECT_THAT(doctor.out, HasSubstr("before main: abort() called"));
}

// As scripts and services do; what the terminal sends reaches the program by itself.
TEST_F(Promise, AnInterruptSentToTheCommandEndsTheProgram) {
  const std::string program = build(folder_, "goes_on", R"(
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long rounds;
int main(void) {
  if (write(1, "x", 1) != 1) return 1;
  for (;; ++rounds) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
}
)");
  const auto soon = [](const std::function<bool()>& is_true) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!is_true() && std::chrono::steady_clock::now() < end) usleep(10'000);
    return is_true();
  };
  Children children;
  const std::string output = folder_.file("output");
  const pid_t run =
      children.start({jostle_bin(), "run", "--seed", "1", program}, folder_.path(), output, false);
  ASSERT_TRUE(soon([&] { return read_file(output) == "x"; }));
  kill(run, SIGINT);
  siginfo_t info = {};
  ASSERT_TRUE(soon([&] {
    waitid(P_PID, static_cast<id_t>(run), &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid == run;
  }));
  EXPECT_EQ(children.end_of(run), 128 + SIGINT);
}

TEST_F(Promise, AnEndlessLoopIsNamed) {
  const std::string program = build(folder_, "loops", R"(
#include <pthread.h>
static void* round_and_round(void* unused) { for (;;) __asm__ volatile(""); return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, round_and_round, 0);
  pthread_join(thread, 0);
  return 0;
}
)");
  const Result result =
      in_folder({"fuzz", "--seed", "1", "-n", "1", "--timeout", "200ms", program});
  EXPECT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out, HasSubstr("in round_and_round at")) << result;
}

TEST_F(Promise, NoCoreIsLeftBehind) {
  const std::string program = build(folder_, "crash", R"(
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
int main(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_CORE, &limit);
  printf("%d\n", limit.rlim_cur != 0);
  fflush(stdout);
  abort();
}
)");
  const Result result =
      run({"bash", "-c", "ulimit -c unlimited || exit 5; exec " + jostle_bin() + " run ./crash"},
          {.cwd = folder_.path()});
  if (result.exit_code == 5) GTEST_SKIP() << "no cores here anyway";
  EXPECT_THAT(result.out, StartsWith("1\n")) << result;  // as it would see without us
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_THAT(entry.path().filename().string(), Not(StartsWith("core")));
  }
}

TEST_F(Promise, TheReplayFileIsKeptWhenThePageDoesNotFit) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const Result result = run(
      {"sh", "-c", "ulimit -S -f 40; exec " + jostle_bin() + " fuzz --seed 1 -n 500 " + program},
      {.cwd = folder_.path()});
  EXPECT_EQ(result.exit_code, 77) << result;
  ASSERT_EQ(findings("lost").size(), 1u) << result;
  EXPECT_FALSE(fs::exists(findings("lost")[0] / "report.html"));
  EXPECT_THAT(result.err, HasSubstr("report.html: File too large"));
  EXPECT_EQ(jostle({"replay", findings("lost")[0]}).exit_code, 77);
}

TEST_F(Promise, LeftoversGoAndLinksAreNotFollowed) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  // No process has this number: it is above what the kernel gives.
  folder_.write("jostle-out/lost/.draft.tmp-4194305-0/output.txt", "half");
  folder_.write("jostle-out/lost/stats.json.tmp-4194305-7", "half");
  folder_.write("precious", "untouched");
  fs::create_symlink(folder_.path() / "precious", folder_.path() / "jostle-out/lost/plot_data");
  EXPECT_EQ(in_folder({"fuzz", "--seed", "1", "-n", "500", program}).exit_code, 77);
  EXPECT_FALSE(fs::exists(folder_.path() / "jostle-out/lost/.draft.tmp-4194305-0"));
  EXPECT_FALSE(fs::exists(folder_.path() / "jostle-out/lost/stats.json.tmp-4194305-7"));
  EXPECT_EQ(read_file(folder_.path() / "precious"), "untouched");
  EXPECT_FALSE(fs::is_symlink(folder_.path() / "jostle-out/lost/plot_data"));
}

TEST_F(Promise, TheCorpusIsWrittenAsItGrows) {
  const std::string program = build(folder_, "grows", forty_assertions());
  const std::string command =
      "timeout -s KILL 5 " + jostle_bin() + " fuzz --seed 1 -t 20s -k --minimize off " + program;
  run({"sh", "-c", command}, {.cwd = folder_.path()});
  const fs::path corpus = folder_.path() / "jostle-out/grows/corpus";
  ASSERT_TRUE(fs::exists(corpus));
  EXPECT_FALSE(fs::is_empty(corpus));
}

TEST_F(Promise, AReplayFileDoesNotRunAnyProgram) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  ASSERT_EQ(in_folder({"fuzz", "--seed", "1", "-n", "500", program}).exit_code, 77);
  const fs::path file = findings("lost")[0] / "replay.json";
  EXPECT_THAT(jostle({"replay", file}).err, HasSubstr("jostle: runs " + program));
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(read_file(file));
  const std::string victim = folder_.write("victim", "still here");
  json["program"]["path"] = json["program"]["absolute"] = "/bin/rm";
  json["program"]["args"] = {victim};
  const std::string evil = folder_.write("evil.json", json.dump());
  for (const char* command : {"replay", "minimize"}) {
    const Result result = jostle({command, evil, "--force"});
    EXPECT_EQ(result.exit_code, 14) << result;
    EXPECT_THAT(result.err, HasSubstr("which was not built with jostle"));
    EXPECT_TRUE(fs::exists(victim));
  }
}

}  // namespace
}  // namespace jostle::test
