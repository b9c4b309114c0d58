// SPDX-License-Identifier: Apache-2.0
// What reports say about small programs with one known mistake each: programs/explained.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/report_file.h"
#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

struct Explained {
  const char* program;            // of explained/, or of the folder that it names
  std::vector<const char*> says;  // in this order, whatever is in between
  std::vector<const char*> never = {};
};
void PrintTo(const Explained& explained, std::ostream* os) { *os << explained.program; }

// The sentences after `why`, in one line.
std::string why(const std::string& report) {
  const size_t begin = report.find("  why   ");
  if (begin == std::string::npos) return {};
  std::string text = report.substr(begin + 8, report.find("\n\n", begin) - begin - 8);
  for (size_t at; (at = text.find('\n')) != std::string::npos;) {
    const size_t end = text.find_first_not_of(" \n", at);
    text.replace(at, end == std::string::npos ? std::string::npos : end - at, " ");
  }
  return text;
}

class ExplainedProgram : public testing::TestWithParam<Explained> {};

TEST_P(ExplainedProgram, ByTheRightOperationsWhateverTheSeed) {
  const std::string name = GetParam().program;
  const std::string built =
      program("gcc", name.find('/') == name.npos ? "explained/" + name : name);
  if (!std::filesystem::exists(built)) GTEST_SKIP() << "not built (no Asio?)";
  for (int seed = 1; seed <= long_or_short(20, 3); ++seed) {
    const TempDir out;
    const Result result = jostle(
        {"fuzz", "--seed", std::to_string(seed), "-t", "20s", "-o", out.file("out"), "--", built});
    ASSERT_EQ(result.exit_code, 77) << result;
    const std::string text = why(result.out);
    size_t from = 0;
    for (const char* part : GetParam().says) {
      const size_t at = text.find(part, from);
      ASSERT_NE(at, std::string::npos) << part << " in: " << text << "\n" << result;
      from = at;
    }
    for (const char* part : GetParam().never) EXPECT_THAT(text, Not(HasSubstr(part)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ExplainedProgram,
    testing::Values(
        Explained{"lost_signal",
                  {"main signalled filled (lost_signal.cc:19) when nobody waited",
                   "T1 consume had read items = 0 (lost_signal.cc:13) before that",
                   "began to wait afterwards (lost_signal.cc:13)"},
                  {"woke"}},
        Explained{"stops_before_it_waits",
                  {"main signalled changed (stops_before_it_waits.cc:20) when nobody waited",
                   "T1 work had read goes_on = true (stops_before_it_waits.cc:14) before that",
                   "began to wait afterwards (stops_before_it_waits.cc:14)"},
                  {"woke"}},
        Explained{"waits_without_a_look",
                  {"main signalled started (waits_without_a_look.cc:17) when nobody waited",
                   "T1 follow began to wait afterwards (waits_without_a_look.cc:12)"},
                  {"woke", "had read"}},
        Explained{"one_condition_for_both",
                  {"worker signalled changed (one_condition_for_both.c:19) and woke T"},
                  {"T1 worker signalled changed (one_condition_for_both.c:19) and woke T1",
                   "T2 worker signalled changed (one_condition_for_both.c:19) and woke T2",
                   "T3 worker signalled changed (one_condition_for_both.c:19) and woke T3",
                   "T4 worker signalled changed (one_condition_for_both.c:19) and woke T4"}},
        Explained{"same_number_twice",
                  {"draw read next = ", "(same_number_twice.c:11) before T", "draw wrote",
                   "When that write comes first, it passes."},
                  {"read next = 0 (same_number_twice.c:11) before T1 draw wrote 2",
                   "read next = 0 (same_number_twice.c:11) before T2 draw wrote 2",
                   "read next = 0 (same_number_twice.c:11) before T3 draw wrote 2"}},
        Explained{"nodes_of_one_line",
                  {"T1 lambda in main took Node.mutex of nodes_of_one_line.cc:21 #1",
                   "wants Node.mutex of nodes_of_one_line.cc:21 #2",
                   "T2 lambda in main took Node.mutex of nodes_of_one_line.cc:21 #2",
                   "wants Node.mutex of nodes_of_one_line.cc:21 #1"}},
        Explained{"counted_by_tasks",
                  {"lambda in main wrote tally.votes = ", "(counted_by_tasks.cc:11) between T",
                   "lambda in main's read (counted_by_tasks.cc:10) and write "
                   "(counted_by_tasks.cc:11). Without that in between it passes."},
                  {"std::", "stack of"}},
        Explained{"freed_by_who_waited",
                  {"main freed the block (freed_by_who_waited.cc:29) before T1 lambda in main used "
                   "it (freed_by_who_waited.cc:10).",
                   "Queue.last of freed_by_who_waited.cc:21 = 1"},
                  {"heap block", "_FUN"}},
        Explained{"four_counters",
                  {"wrote hits = ", "(four_counters.cc:9) between T", "read (four_counters.cc:8)",
                   "write (four_counters.cc:9). Without that in between it passes."},
                  {"main"}},
        Explained{"bugs/sem_deadlock",
                  {"copy took from buffers (sem_deadlock.c:10) and then wants buffers "
                   "(sem_deadlock.c:11); T",
                   "copy took from buffers (sem_deadlock.c:10) and then wants buffers"},
                  {"sem_post", "nobody"}},
        Explained{"bugs/pool_starvation",
                  {"T1 worker waits in std::future::get (pool_starvation.cc:45); T2 worker waits",
                   "nobody is left who could make a result ready."},
                  {"queue"}},
        Explained{"bugs/working_directory",
                  {"T1 measure changed the working directory (working_directory.c:15) before T2 "
                   "read_settings looked at names of files (working_directory.c:23). With the two "
                   "the other way round it passes."}},
        Explained{"bugs/barrier_destroyed",
                  {"main destroyed barrier (barrier_destroyed.c:17) ", "arrive ",
                   "it (barrier_destroyed.c:8). When main waits for the others before that, it "
                   "passes."}},
        Explained{"bugs/join_twice",
                  {"had joined the thread (join_twice.c:", "before ", "joined it (join_twice.c:"},
                  {"passes"}},
        Explained{"closed_in_use",
                  {"T2 rotates closed a descriptor (closed_in_use.c:16) before T1 writes wrote "
                   "output (closed_in_use.c:10). With the two the other way round it passes."}},
        Explained{"message_in_two_parts",
                  {"sends wrote output (message_in_two_parts.c:", "between T",
                   "sends's write (message_in_two_parts.c:13) and ",
                   "Without that in between it passes."}},
        Explained{"same_slot",
                  {"wrote next_slot = 1 (same_slot.c:11) between T", "read (same_slot.c:10)",
                   "write (same_slot.c:11). Without that in between it passes."},
                  {"main"}},
        Explained{"failed_exchange",
                  {"T2 claim read owner = 1 in an exchange that failed (failed_exchange.c:16)",
                   "T1 visit's write (failed_exchange.c:9) and write (failed_exchange.c:10)"},
                  {"updated"}},
        Explained{"after_the_barrier",
                  {"T1 check read done = 1 (after_the_barrier.c:36) before T2 work wrote 2 "
                   "(after_the_barrier.c:23). When that write comes first, it passes."},
                  {"arrived", "round_number"}},
        Explained{"computed_twice",
                  {"lambda in main wrote Lazy.", " of computed_twice.cc:25 = ", "between T"},
                  {"use_count", "main updated"}},
        Explained{"last_reference",
                  {"freed the block", "updated Shared.owners of last_reference.cc:15 to 0",
                   "update (last_reference.cc:9) and read (last_reference.cc:10)"},
                  {"freed heap"}},
        Explained{"locals_of_main",
                  {"T1 lambda in main took incoming (locals_of_main.cc:13)", "wants outgoing",
                   "T2 lambda in main took outgoing (locals_of_main.cc:18)", "wants incoming"},
                  {"stack of"}},
        Explained{"members_on_the_heap",
                  {"Session.open of members_on_the_heap.cc:24 = ", "false"},
                  {"heap block"}},
        Explained{
            "guarded_one_by_one",
            {"enlist wrote registry.entries_.root = 0x", "(guarded_one_by_one.cc:17) between T",
             "enlist's read (guarded_one_by_one.cc:13) and read (guarded_one_by_one.cc:17). "
             "Without that in between it passes."},
            {"unlock"}},
        Explained{"second_message_first",
                  {"main looked for input (second_message_first.c:28) before T1 client wrote "
                   "output (second_message_first.c:17). When that write comes first, it passes."}},
        Explained{"second_handler_first",
                  {"lambda in main read configured = 0 (second_handler_first.cc:14) before T",
                   "lambda in main wrote 1 (second_handler_first.cc:13). When that write comes "
                   "first, it passes."},
                  {"scheduler", "hpp"}},
        Explained{"freed_before_the_last_use",
                  {"main freed the block (freed_before_the_last_use.cc:21) before T1 lambda in "
                   "main used it (freed_before_the_last_use.cc:8).",
                   "When main waits for the others before that, it passes."},
                  {"read"}},
        Explained{"taken_twice",
                  {"wrote jobs.items_.begin = ", "(taken_twice.cc:19) between T",
                   "read (taken_twice.cc:13)", "Without that in between it passes."},
                  {"_M_"}},
        Explained{"template_and_threads",
                  {"cell.value", "between T", "Without that in between it passes."},
                  {"T1 add", "T2 add"}}),
    [](const auto& test) {
      const std::string name = test.param.program;
      return name.substr(name.find('/') + 1);
    });

// What makes it one is not the order of the two, and need not take a preemption.
TEST(ExplainedPrograms, ARaceIsWhatNothingOrders) {
  const TempDir out;
  const Result result = jostle({"fuzz", "--seed", "1", "--fail-on", "race", "-o", out.file("out"),
                                "--", program("gcc", "explained/freed_before_the_last_use")});
  ASSERT_EQ(result.exit_code, 77) << result;
  EXPECT_EQ(why(result.out)
                .find("Nothing orders main's write (freed_before_the_last_use.cc:8) and "
                      "T1 lambda in main's read (freed_before_the_last_use.cc:8)"),
            0u)
      << result;
}

// Of several who write, the one that it is about.
TEST(ExplainedPrograms, ARaceIsBetweenTheSameTwoInEverySentence) {
  const TempDir folder;
  const std::string path = build(folder, "looks_outside", R"(
#include <pthread.h>
static int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* first(void* unused) {
  pthread_mutex_lock(&lock);
  x = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}
static void* second(void* unused) {
  pthread_mutex_lock(&lock);
  x = 2;
  pthread_mutex_unlock(&lock);
  return unused;
}
static void* look(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return x ? unused : 0;
}
int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, look, 0);
  pthread_create(&threads[1], 0, first, 0);
  pthread_create(&threads[2], 0, second, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}
)");
  for (int seed = 1; seed <= 8; ++seed) {
    const TempDir out;
    const Result result = jostle({"fuzz", "--seed", std::to_string(seed), "--fail-on", "race", "-o",
                                  out.file("out"), "--", path});
    ASSERT_EQ(result.exit_code, 77) << result;
    const std::string text = why(result.out);
    const bool is_first = text.find("T2 first") != std::string::npos;
    const bool is_second = text.find("T3 second") != std::string::npos;
    EXPECT_NE(is_first, is_second) << text;
    EXPECT_THAT(text, HasSubstr("T1 look read x = 0 (looks_outside.c:20) before T")) << text;
  }
}

// To free is no operation of a schedule. But without it nobody understands the rest.
TEST(ExplainedPrograms, TheFreeOfWhatIsUsedIsAStepLikeOthers) {
  const TempDir out;
  const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--",
                                program("gcc", "explained/freed_before_the_last_use")});
  ASSERT_EQ(result.exit_code, 77) << result;
  const size_t freed = result.out.find("21 delete connection;  (frees the block)");
  ASSERT_NE(freed, std::string::npos) << result;
  EXPECT_GT(result.out.find("✗ use after free"), freed) << result;
  // Neither was made: the write before the free is left out by the optimiser, the last access is
  // what fails.
  EXPECT_THAT(result.out, Not(HasSubstr("0 → 0"))) << result;
  EXPECT_THAT(result.out, HasSubstr("8 void send() { sent++; }\n")) << result;

  const Json report = only_report(out, "freed_before_the_last_use");
  const auto is_free = [](const Json& event) { return event["op"] == "free"; };
  ASSERT_EQ(std::ranges::count_if(report["events"], is_free), 1) << report;
  const Json& free = *std::ranges::find_if(report["events"], is_free);
  EXPECT_EQ(report["threads"][free["thread"].get<size_t>()]["title"], "main");
  EXPECT_EQ(report["places"][free["place"].get<size_t>()]["line"], 21);
}

// What a semaphore is given while nobody waits is not lost: somebody else has it.
TEST(ExplainedPrograms, ASemaphoreLosesNoSignals) {
  const TempDir folder;
  const std::string path = build_cxx(folder, "tokens", R"(
#include <semaphore>
#include <thread>
std::counting_semaphore<2> tokens(2);
std::binary_semaphore printer(1);
void job() {
  tokens.acquire();
  printer.acquire();
  printer.release();
  tokens.release();
}
void report() {
  printer.acquire();
  tokens.acquire();
  tokens.acquire();
  tokens.release(2);
  printer.release();
}
int main() {
  std::thread a(job), b(report), c(job);
  a.join();
  b.join();
  c.join();
}
)");
  for (const char* seed : {"1", "2", "3"}) {
    const TempDir out;
    const Result result = jostle({"fuzz", "--seed", seed, "-o", out.file("out"), "--", path});
    ASSERT_EQ(result.exit_code, 77) << result;
    const std::string text = why(result.out);
    EXPECT_THAT(text, HasSubstr("on printer: T2 report took the last (tokens.cc:13), and nobody "
                                "releases it any more."));
    EXPECT_THAT(text, HasSubstr("on tokens: T"));
    EXPECT_THAT(text, Not(HasSubstr("when nobody waited")));
  }
}

// The write that comes too late is known from a run that passes, in which main has returned.
TEST(ExplainedPrograms, AVariableHasOneNameInASentence) {
  const TempDir folder;
  const std::string path = build_cxx(folder, "published", R"(
#include <atomic>
#include <cassert>
#include <thread>
struct Box {
  int slots[2] = {};
  std::atomic<int> tail{0};
};
int main() {
  Box box;
  std::thread producer([&] {
    box.tail.store(1);
    box.slots[0] = 5;
  });
  while (box.tail.load() == 0) std::this_thread::yield();
  assert(box.slots[0] == 5);
  producer.join();
}
)");
  const TempDir out;
  const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
  ASSERT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(why(result.out), HasSubstr("box.slots[0] = 5 (published.cc:13)")) << result;
  EXPECT_THAT(why(result.out), Not(HasSubstr("of main"))) << result;
}

// Two threads count; the mutex is only tried.
TEST(ExplainedPrograms, WhoTriedInVainHasLockedNothing) {
  const struct {
    const char *name, *lock, *try_lock, *unlock;
  } kinds[] = {
      {"mutex", "pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER", "pthread_mutex_trylock",
       "pthread_mutex_unlock"},
      {"rwlock", "pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER", "pthread_rwlock_trywrlock",
       "pthread_rwlock_unlock"},
      {"semaphore", "sem_t guard", "sem_trywait", "sem_post"},
  };
  for (const auto& kind : kinds) {
    const TempDir folder, out;
    const std::string path =
        build(folder, kind.name,
              std::string("#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n") +
                  "static " + kind.lock + ";\nstatic int counted;\n" +
                  "static void* count(void* unused) {\n  if (" + kind.try_lock +
                  "(&guard) == 0) {\n    counted++;\n    " + kind.unlock + R"((&guard);
  }
  return unused;
}
int main(void) {
  if (sizeof guard == sizeof(sem_t)) sem_init((sem_t*)&guard, 0, 1);
  pthread_t a, b;
  pthread_create(&a, 0, count, 0);
  pthread_create(&b, 0, count, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counted == 2);
}
)");
    const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
    ASSERT_EQ(result.exit_code, 77) << result;
    EXPECT_THAT(why(result.out), HasSubstr("count tried to take guard in vain")) << result;
    EXPECT_THAT(why(result.out), Not(HasSubstr("locked"))) << result;
    EXPECT_THAT(result.out, HasSubstr("(in vain)")) << result;
  }
}

// A handler runs before what it interrupts: that is not executed when the handler fails.
TEST(ExplainedPrograms, WhatAHandlerInterruptsIsNoStepBeforeIt) {
  const TempDir folder, out;
  const std::string path = build(folder, "resized", R"(
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static volatile int length = 4;
static char* volatile buffer;
static char small[4], large[8];
static void check(int signal) {
  if (buffer == small) assert(length <= 4 || signal == 0);
}
static void* send(void* unused) {
  kill(getpid(), SIGUSR1);
  return unused;
}
int main(void) {
  pthread_t thread;
  buffer = small;
  signal(SIGUSR1, check);
  pthread_create(&thread, 0, send, 0);
  length = 8;
  buffer = large;
  pthread_join(thread, 0);
}
)");
  const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
  ASSERT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out, HasSubstr("length = 8;")) << result;
  EXPECT_THAT(result.out, HasSubstr("kill(getpid(), SIGUSR1);")) << result;
  EXPECT_THAT(result.out, Not(HasSubstr("buffer = large;"))) << result;
}

// A lock for reading is no reason to wait for oneself: a writer who goes first is.
TEST(ExplainedPrograms, WhoReadsAgainWaitsBehindAWriter) {
  const TempDir folder, out;
  const std::string path = build(folder, "again", R"(
#define _GNU_SOURCE
#include <pthread.h>
static pthread_rwlock_t lock;
static int value, seen;
static void* reads(void* unused) {
  pthread_rwlock_rdlock(&lock);
  seen = value;
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  return unused;
}
static void* writes(void* unused) {
  pthread_rwlock_wrlock(&lock);
  value++;
  pthread_rwlock_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_rwlockattr_t kind;
  pthread_rwlockattr_init(&kind);
  pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock, &kind);
  pthread_t a, b;
  pthread_create(&a, 0, reads, 0);
  pthread_create(&b, 0, writes, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
)");
  const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
  ASSERT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(why(result.out),
              HasSubstr("T1 reads holds lock for reading (again.c:7) and locks it once more "
                        "(again.c:9), behind T2 writes, who waits to write (again.c:15)."))
      << result;
}

// Whose lock it is, is no riddle when it is said that a handler wants it.
TEST(ExplainedPrograms, TellInWhichSignalHandlerALockIsTaken) {
  const TempDir folder;
  const char* const text = R"(
#include <pthread.h>
#include <signal.h>
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int lines;
static void on_signal(int number) {
  pthread_mutex_lock(HANDLED);
  lines++;
  pthread_mutex_unlock(HANDLED);
}
static void* logs(void* unused) {
  pthread_mutex_lock(&log_lock);
  lines++;
  pthread_mutex_unlock(&log_lock);
  return unused;
}
static void* takes_both(void* unused) {
  pthread_mutex_lock(&other);
  pthread_mutex_lock(&log_lock);
  pthread_mutex_unlock(&log_lock);
  pthread_mutex_unlock(&other);
  return unused;
}
int main(void) {
  pthread_t logger, another;
  signal(SIGUSR1, on_signal);
  pthread_create(&logger, 0, logs, 0);
  pthread_create(&another, 0, takes_both, 0);
  pthread_kill(logger, SIGUSR1);
  pthread_join(logger, 0);
  pthread_join(another, 0);
}
)";
  const std::string locks_again =
      build(folder, "again", "#define HANDLED &log_lock" + std::string(text));
  const Result again = jostle({"fuzz", "--seed", "1", "-o", folder.file("out"), "--", locks_again});
  EXPECT_THAT(why(again.out),
              HasSubstr("T1 logs, in the signal handler on_signal, locks log_lock (again.c:7), "
                        "which it holds already (again.c:12)."))
      << again;
  const std::string wants_both =
      build(folder, "both", "#define HANDLED &other" + std::string(text));
  const Result both = jostle({"fuzz", "--seed", "1", "-o", folder.file("out"), "--", wants_both});
  EXPECT_THAT(why(both.out),
              HasSubstr("T1 logs took log_lock (both.c:12) and then, in the signal handler "
                        "on_signal, wants other (both.c:7)"))
      << both;
}

// The number of a descriptor is used again: what was closed and written, in which order, is all
// there is to say.
TEST(ExplainedPrograms, ShowWhatWasDoneToDescriptors) {
  const TempDir folder, out;
  const std::string path = build(folder, "reused", R"(
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
static int log_file, connection[2];
static void* logs(void* unused) {
  write(log_file, "log", 3);
  return unused;
}
static void* closes(void* unused) {
  close(log_file);
  return unused;
}
static void* connects(void* unused) {
  socketpair(AF_UNIX, SOCK_STREAM, 0, connection);
  return unused;
}
int main(void) {
  log_file = open("/dev/null", O_WRONLY);
  void* (*const bodies[])(void*) = {logs, closes, connects};
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, bodies[i], 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  char bytes[4];
  assert(recv(connection[1], bytes, sizeof bytes, MSG_DONTWAIT) < 0);
}
)");
  const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
  ASSERT_EQ(result.exit_code, 77) << result;
  const size_t closed = result.out.find("close(log_file);");
  ASSERT_NE(closed, std::string::npos) << result;
  EXPECT_NE(result.out.find("write(log_file, \"log\", 3);", closed), std::string::npos) << result;
}

// Its bytes were read, but not written: the line must not look as if it had been done.
TEST(ExplainedPrograms, ALineInWhichAThreadIsPreemptedSaysWhatIsLeft) {
  const TempDir out;
  const Result result = jostle(
      {"fuzz", "--seed", "1", "-o", out.file("out"), "--", program("gcc", "bugs/copy_overtaken")});
  ASSERT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out, HasSubstr("memcpy(&to, &from, sizeof to);  (before its ")) << result;
}

// In the run that passes the ten come first, and 10 is written; in the one that fails 11.
TEST(ExplainedPrograms, AValueIsThatOfTheRunThatFails) {
  const TempDir folder, out;
  const std::string path = build(folder, "added", R"(
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void* add_ten(void* unused) {
  pthread_mutex_lock(&lock);
  total = total + 10;
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, add_ten, 0);
  pthread_mutex_lock(&lock);
  const int before = total;
  total = before + 1;
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  assert(before == 10);
}
)");
  const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--", path});
  ASSERT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(why(result.out), HasSubstr("main read total = 0 (added.c:16) before T1 add_ten wrote "
                                         "11 (added.c:8). When that write comes first, it passes."))
      << result;
}

// What is freed where nobody uses it any more is no step.
TEST(ExplainedPrograms, OtherFreesAreNoSteps) {
  const TempDir out;
  const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--",
                                program("gcc", "explained/members_on_the_heap")});
  ASSERT_EQ(result.exit_code, 77) << result;
  for (const Json& event : only_report(out, "members_on_the_heap")["events"]) {
    EXPECT_NE(event["op"], "free") << event;
  }
}

TEST(ExplainedPrograms, ShowTheFrameOfALambdaThatIsCalledByItsAddress) {
  const TempDir out;
  const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--",
                                program("gcc", "explained/freed_by_who_waited")});
  EXPECT_THAT(result.out, testing::ContainsRegex("lambda.*freed_by_who_waited.cc:24")) << result;
}

TEST(ExplainedPrograms, AreHeadedByTheFunctionOfTheTemplate) {
  const TempDir out;
  const Result result = jostle({"fuzz", "--seed", "1", "-o", out.file("out"), "--",
                                program("gcc", "explained/template_and_threads")});
  EXPECT_THAT(result.out, HasSubstr("in Cell<T>::expect at")) << result;
  EXPECT_THAT(result.out, HasSubstr("T1 deposit")) << result;
  EXPECT_THAT(result.out, HasSubstr("T2 withdraw")) << result;
}

}  // namespace
}  // namespace jostle::test
