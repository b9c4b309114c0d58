// SPDX-License-Identifier: Apache-2.0
// `jostle verify` explores every execution once, and says so. Programs: programs/verify.
//
// How many executions a program has is known from publications on model checkers (the first tests),
// or from running all its interleavings (strategy `interleavings`), which takes up to some hundred
// thousand runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

struct Counted {
  const char* name;
  int number;  // of threads, mostly
  uint64_t executions;
  uint64_t blocked = 0;
  uint64_t deadlocks = 0;  // any other number than 0: they fail
};

constexpr uint64_t kSome = UINT64_MAX;

bool is_long() { return long_or_short(1, 0) == 1; }

Result verify(const std::string& path, const std::vector<std::string>& arguments,
              const std::vector<std::string>& options) {
  const TempDir out;
  std::vector<std::string> words = {"verify", "-k", "--minimize", "off", "-o", out.file("out")};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", path});
  words.insert(words.end(), arguments.begin(), arguments.end());
  return jostle(words, {.time_limit = 300});
}

void expect_counts(const std::string& file, const std::vector<Counted>& rows,
                   const std::string& executor = "snapshot",
                   const std::vector<std::string>& more = {}) {
  for (const Counted& row : rows) {
    std::vector<std::string> options = {"--json", "--quiet", "--executor", executor};
    options.insert(options.end(), more.begin(), more.end());
    const Result result =
        verify(program("gcc", "verify/" + file), {row.name, std::to_string(row.number)}, options);
    SCOPED_TRACE(std::string(row.name) + "(" + std::to_string(row.number) + ") " + executor);
    const bool fails = row.deadlocks != 0;
    EXPECT_EQ(result.exit_code, fails ? 77 : 0) << result;
    const json stats = json::parse(result.out, nullptr, false);
    ASSERT_TRUE(stats.is_object()) << result;
    EXPECT_EQ(stats["verdict"], fails ? "failed" : "verified");
    EXPECT_EQ(stats["executions"], row.executions);
    EXPECT_EQ(stats["blocked"], row.blocked);
    EXPECT_EQ(stats["redundant"], 0);
    if (row.deadlocks != kSome) {
      EXPECT_EQ(stats["deadlocks"], row.deadlocks);
    }
    EXPECT_EQ(stats["estimate"], row.executions + row.blocked);
  }
}

void expect_counts_in_long(const std::string& file, const std::vector<Counted>& rows) {
  if (is_long()) expect_counts(file, rows);
}

// From publications.

TEST(VerifyCounts, LoadsAndStores) {
  expect_counts("memory_counts",
                {{"ainc", 2, 2},          {"ainc", 5, 120},       {"binc", 3, 36},
                 {"binc", 4, 576},        {"cinc", 3, 216},       {"wainc", 4, 120},
                 {"readers", 2, 4},       {"readers", 8, 256},    {"writers", 5, 720},
                 {"inc", 3, 36},          {"plain_inc", 3, 36},   {"block_writers", 3, 6},
                 {"block_readers", 0, 4}, {"copy_between", 0, 4}, {"lastzero", 5, 64},
                 {"lastzero", 10, 3328},  {"fib_bench", 1, 11},   {"fib_bench", 2, 140},
                 {"coa", 2, 130},         {"coa", 3, 2028},       {"overlapping", 3, 8}});
  expect_counts_in_long("memory_counts", {{"ainc", 7, 5040},
                                          {"cinc", 4, 13824},
                                          {"readers", 13, 8192},
                                          {"coa", 4, 49776},
                                          {"big0", 0, 69112},
                                          {"fib_bench", 5, 218243},
                                          {"lastzero", 15, 147456}});
}

TEST(VerifyCounts, OfFunctionsThatReadAndWriteText) {
  expect_counts("text_counts", {{"compare", 0, 2},
                                {"compare_first", 0, 1},
                                {"number", 0, 2},
                                {"behind_number", 0, 1},
                                {"find", 0, 2},
                                {"behind_found", 0, 1},
                                {"print", 3, 6},
                                {"copy", 3, 6}});
}

TEST(VerifyCounts, OfCallsAboutFilesAndTheProcess) {
  expect_counts("state_counts", {{"same_name", 3, 6},
                                 {"other_names", 3, 1},
                                 {"look_and_make", 0, 2},
                                 {"look_at_other", 0, 1},
                                 {"check_and_make", 2, 4},
                                 {"check_and_make", 3, 21},
                                 {"rename", 0, 4},
                                 {"list_and_make", 0, 2},
                                 {"size", 0, 2},
                                 {"one_offset", 2, 6},
                                 {"variable", 0, 2},
                                 {"other_variable", 0, 1},
                                 {"setters", 3, 6},
                                 {"number_again", 0, 2},
                                 {"numbers", 3, 6},
                                 {"stream_read", 3, 6},
                                 {"bytes_waiting", 0, 2},
                                 {"emptied", 0, 2},
                                 {"unmapped", 0, 2, 0, kSome},
                                 {"closed_twice", 0, 6, 0, kSome},
                                 {"thread_told", 0, 2},
                                 {"count_told", 0, 2},
                                 {"descriptor_flags", 0, 2},
                                 {"socket_name", 0, 2},
                                 {"socket_option", 0, 2},
                                 {"pipe_copied", 0, 3},
                                 {"link_followed", 0, 2},
                                 {"relative_path", 0, 2},
                                 {"absolute_path", 0, 1}});
}

TEST(VerifyCounts, OfLinksInContainers) {
  expect_counts("container_counts", {{"list_front", 0, 1},
                                     {"list_back", 0, 2},
                                     {"list_locked", 2, 2},
                                     {"tree_elsewhere", 0, 1},
                                     {"tree_here", 0, 3},
                                     {"trees_walked", 0, 6, 8}});
}

TEST(VerifyCounts, LitmusTests) {
  expect_counts("litmus_counts", {{"store_buffering", 0, 3},
                                  {"message_passing", 0, 3},
                                  {"load_buffering", 0, 3},
                                  {"two_plus_two_writes", 0, 3},
                                  {"independent_reads", 0, 15}});
}

TEST(VerifyCounts, CompareExchange) {
  expect_counts("exchange_counts", {{"casrot", 4, 14},
                                    {"casrot", 7, 523},
                                    {"cas", 4, 4},
                                    {"casw", 3, 66},
                                    {"casw", 4, 1200},
                                    {"wcas", 5, 81},
                                    {"wcas", 9, 2305},
                                    {"indexer", 11, 1},
                                    {"indexer", 12, 8},
                                    {"treiber_push", 2, 4},
                                    {"treiber_push", 3, 60},
                                    {"treiber_push", 4, 3120}});
  expect_counts("exchange_counts", {{"weak_cas", 4, 4}});
  expect_counts("exchange_counts", {{"weak_cas", 2, 5}, {"weak_cas", 3, 13}, {"weak_cas", 4, 33}},
                "snapshot", {"--spurious"});
  expect_counts_in_long("exchange_counts",
                        {{"casrot", 9, 8597}, {"casw", 5, 32880}, {"indexer", 15, 4096}});
}

TEST(VerifyCounts, Mutexes) {
  expect_counts("mutex_counts", {{"lockinc", 3, 6},
                                 {"lockinc", 5, 120},
                                 {"recursive", 3, 6},
                                 {"trylock", 3, 21},
                                 {"mixed", 3, 1614},
                                 {"own_mutexes", 3, 1},
                                 {"not_recoverable", 2, 6}});
}

TEST(VerifyCounts, Deadlocks) {
  expect_counts("mutex_counts", {{"abba", 0, 3, 0, 1},
                                 {"philosophers", 3, 7, 0, 1},
                                 {"mutex_hard", 3, 4, 0, 3},
                                 {"deadlock_one", 3, 5, 0, kSome}});
}

// A circle of n philosophers who take both forks at once: who is before whom among neighbours, but
// not all the way round.
TEST(VerifyCounts, LocksTakenAtOnce) {
  expect_counts("mutex_counts", {{"scoped_lock", 2, 2, 1},
                                 {"polite_philosophers", 3, 6, 7},
                                 {"polite_philosophers", 4, 14, 25},
                                 {"scoped_against_plain", 2, 2, 2},
                                 {"scoped_deadlock", 2, 2, 2, 1}});
  for (const char* name : {"scoped_and_tried", "scoped_counting"}) {
    const Result result = verify(program("gcc", "verify/mutex_counts"), {name, "0"}, {"-t", "1s"});
    EXPECT_EQ(result.exit_code, 20) << name << result;
  }
}

// What a compare-exchange that fails leaves in registers decides whether the next round is the
// same: that is the compiler's. Both counts are those of all interleavings.
#ifdef __x86_64__
constexpr uint64_t kLockBitOfTwo = 8, kLockBitOfThree = 336;
#else
constexpr uint64_t kLockBitOfTwo = 7, kLockBitOfThree = 284;
#endif

TEST(VerifyCounts, LoopsThatWait) {
  expect_counts("loop_counts", {{"ticket", 2, 2},
                                {"ticket", 4, 24},
                                {"ticket_yield", 3, 6},
                                {"casspin", 3, 6},
                                {"casspin", 4, 24},
                                {"test_and_set", 3, 6},
                                {"test_test_and_set", 2, 2, 2},
                                {"lock_bit", 2, kLockBitOfTwo},
                                {"lock_bit", 3, kLockBitOfThree},
                                {"peterson", 0, 4, 6},
                                {"wait_for_flag", 0, 1},
                                {"ping_pong", 0, 1},
                                {"queue_lock", 0, 6},
                                {"bakery", 2, 32, 7},
                                {"poll", 1, 1, 1},
                                {"poll", 2, 4, 4},
                                {"try_until", 3, 6, 15}});
  expect_counts_in_long("loop_counts", {{"ticket", 6, 720}});
}

// All interleavings were run for these; of signal_each, future_and_count and shared_future the
// first 600,000, which have as many executions as there are said to be.

TEST(VerifyCounts, ConditionVariables) {
  expect_counts("condition_counts", {{"signal_one", 0, 2},
                                     {"signal_unlocked", 0, 2},
                                     {"signal_each", 2, 60},
                                     {"broadcast", 2, 10},
                                     {"alternate", 0, 8},
                                     {"at_thread_exit", 0, 2},
                                     {"lost_signal", 0, 2, 0, 1}});
}

TEST(VerifyCounts, ReadWriteLocks) {
  expect_counts("rwlock_counts", {{"rwlock_readers", 3, 1},
                                  {"rwlock_reads_and_write", 2, 4},
                                  {"rwlock_writers", 3, 6},
                                  {"rwlock_try", 0, 11},
                                  {"rwlock_try_writers", 3, 21}});
}

TEST(VerifyCounts, SharedMutexes) {
  expect_counts("rwlock_counts", {{"shared_readers", 3, 1},
                                  {"shared_reads_and_write", 2, 4},
                                  {"shared_writers", 3, 6},
                                  {"shared_try", 0, 10},
                                  {"shared_timed", 2, 4}});
}

TEST(VerifyCounts, Barriers) {
  expect_counts("barrier_counts", {{"barrier", 2, 2},
                                   {"barrier", 3, 6},
                                   {"barrier_between", 2, 8},
                                   {"barrier_serial", 3, 6},
                                   {"barrier_twice", 2, 4}});
}

TEST(VerifyCounts, Semaphores) {
  expect_counts("semaphore_counts", {{"semaphore", 2, 6},
                                     {"semaphore_order", 2, 12},
                                     {"semaphore_try", 2, 23},
                                     {"semaphore_mutex", 3, 6},
                                     {"semaphore_too_few", 0, 2, 0, kSome}});
}

TEST(VerifyCounts, Futures) {
  expect_counts("future_counts", {{"future", 0, 4},
                                  {"future_exception", 0, 20},
                                  {"future_and_count", 0, 8},
                                  {"shared_future", 2, 63},
                                  {"packaged_task", 0, 12}});
}

// There are too many interleavings of what follows to run them all. The search with a bound on
// preemptions finds executions in another way: it enumerates schedules, without reversing races,
// and leaves out what follows a happens-before that it has seen. With a bound that nothing reaches
// it has to come to the same numbers.
void expect_counts_both_ways(const std::string& file, const std::vector<Counted>& rows) {
  expect_counts(file, rows);
  expect_counts(file, rows, "snapshot", {"--preemptions", "1000"});
}

TEST(VerifyCounts, CxxBarriers) {
  expect_counts_both_ways(
      "barrier_counts",
      {{"cxx_barrier", 2, 162}, {"cxx_barrier_between", 2, 648}, {"cxx_barrier_drop", 2, 39}});
}

TEST(VerifyCounts, LatchesBothWays) {
  expect_counts_both_ways("barrier_counts",
                          {{"latch", 0, 38}, {"latch_try", 2, 5}, {"latch_arrive", 0, 162}});
  if (is_long()) expect_counts_both_ways("barrier_counts", {{"latch_two", 2, 2016}});
}

TEST(VerifyCounts, StopTokens) {
  expect_counts_both_ways("jthread_counts", {{"jthread_looks", 0, 3},
                                             {"jthread_until_stopped", 0, 2},
                                             {"jthread_stop_callback", 0, 783, 4},
                                             {"jthread_waits", 0, 692}});
}

TEST(VerifyCounts, Async) {
  expect_counts_both_ways("future_counts", {{"async", 0, 2},
                                            {"async_and_main", 0, 2},
                                            {"async_exception", 0, 2},
                                            {"future_at_end", 0, 8},
                                            {"future_at_end_dropped", 0, 5},
                                            {"shared_future", 2, 63},
                                            {"packaged_task", 0, 12}});
}

// Each operation on the library's counter is one: n! orders of one by each thread, C(6, 3) of three
// by both.
TEST(VerifyCounts, ExceptionsThatThreadsShare) {
  expect_counts("exception_counts", {{"given_back", 2, 2},
                                     {"given_back", 3, 6},
                                     {"thrown_again", 2, 20},
                                     {"held", 0, 7},
                                     {"own", 2, 1},
                                     {"second_is_not_last", 0, 3, 0, kSome}});
}

TEST(VerifyCounts, AtomicsOfOddSizes) {
  expect_counts("odd_size_counts", {{"three_read", 0, 4},
                                    {"three_in_two_steps", 2, 4},
                                    {"twelve_in_two_steps", 2, 4},
                                    {"twelve_exchange", 3, 6},
                                    {"forty_in_two_steps", 2, 4},
                                    {"forty_add", 2, 4}});
}

TEST(VerifyCounts, CallOnceBothWays) {
  expect_counts_both_ways("once_counts", {{"call_once", 3, 3},
                                          {"call_once_and_store", 2, 4},
                                          {"call_once_again", 2, 2},
                                          {"call_once_observed", 0, 4}});
}

// Who ends the program, or asks whether a thread is over, may come before or behind each of its
// steps.
TEST(VerifyCounts, EndsOfThreads) {
  expect_counts_both_ways("end_counts", {{"tried_join", 0, 3},
                                         {"tried_join_and_look", 0, 3},
                                         {"tried_join_twice", 0, 3},
                                         {"left", 0, 4},
                                         {"left_behind", 0, 3},
                                         {"left_each", 2, 18},
                                         {"two_exits", 0, 11},
                                         {"main_is_a_thread", 0, 2},
                                         {"main_is_a_thread_and_looks", 0, 3},
                                         {"registered_handlers", 0, 2}});
  expect_counts("end_counts", {{"tried_join_until", 0, 1, 1}});
  const std::string path = program("gcc", "verify/end_counts");
  EXPECT_EQ(verify(path, {"last_thread_runs_handlers"}, {}).exit_code, 77);
}

TEST(VerifyCounts, JoiningThreads) {
  expect_counts("jthread_counts",
                {{"jthread", 0, 2}, {"jthread_looks", 0, 3}, {"jthread_until_stopped", 0, 2}});
}

// Where a thread looks whether it was cancelled, and who cancels it, may come in either order. Of
// two_wait too many interleavings exist; the search with a bound comes to the same number.
TEST(VerifyCounts, CancelledThreads) {
  expect_counts_both_ways("cancel_counts", {{"looks", 1, 2},
                                            {"looks", 2, 3},
                                            {"cancelled_by_what_it_did", 0, 4},
                                            {"waits", 0, 2},
                                            {"waits_for_signal", 0, 5},
                                            {"two_wait", 0, 63},
                                            {"takes", 0, 2},
                                            {"sleeps", 0, 1},
                                            {"cancelled_twice", 0, 6}});
  expect_counts("cancel_counts", {{"sleeps", 0, 2}}, "snapshot", {"--time-outs=any"});
  expect_counts("cancel_counts", {{"two_wait", 0, 63}}, "fork", {"-j", "2"});
  for (const char* name : {"takes_or_not", "writes", "cancelled_anywhere", "joined_by_another"}) {
    const Result result = verify(program("gcc", "verify/cancel_counts"), {name}, {});
    EXPECT_EQ(result.exit_code, 20) << name << result;
  }
}

// Who sends and who has it is one order; of two that nobody has had in between one is lost.
TEST(VerifyCounts, SignalsThatAreWaitedFor) {
  expect_counts_both_ways("signal_counts", {{"one", 0, 1},
                                            {"store_and_send", 0, 2},
                                            {"two_send", 0, 4},
                                            {"two_wait", 0, 4, 0, 2},
                                            {"look_for_it", 0, 2},
                                            {"handled_alone", 0, 2}});
  const std::string path = program("gcc", "verify/signal_counts");
  EXPECT_EQ(verify(path, {"send_and_store"}, {}).exit_code, 77);
  for (const char* name : {"handled", "blocked_late"}) {
    const Result result = verify(path, {name}, {});
    EXPECT_EQ(result.exit_code, 20) << name << result;
  }
}

// Who makes the call is all there is.
TEST(VerifyCounts, Once) {
  expect_counts("once_counts", {{"once", 2, 2},
                                {"once", 3, 3},
                                {"once_and_store", 2, 4},
                                {"once_observed", 0, 4},
                                {"call_once", 2, 2},
                                {"call_once", 3, 3},
                                {"call_once_and_store", 2, 4},
                                {"call_once_observed", 0, 4},
                                {"call_once_again", 2, 2}});
  // The compiler's code looks first, whether it is made.
  expect_counts("once_counts", {{"local_static", 2, 6}, {"local_static", 3, 39}});
}

// libstdc++ looks several times before it waits: each look may see the change.

TEST(VerifyCounts, Latches) {
  expect_counts("barrier_counts",
                {{"latch", 0, 38}, {"latch_try", 2, 5}, {"latch_arrive", 0, 162}});
}

TEST(VerifyCounts, CxxSemaphores) {
  expect_counts(
      "semaphore_counts",
      {{"cxx_semaphore", 1, 19}, {"cxx_semaphore_one", 0, 19}, {"cxx_semaphore_try", 1, 17}});
}

TEST(VerifyCounts, AtomicWait) {
  expect_counts("atomic_wait_counts", {{"atomic_wait", 0, 36},
                                       {"atomic_wait_narrow", 0, 38},
                                       {"atomic_flag_wait", 0, 38},
                                       {"atomic_wait_for_nobody", 0, 3, 0, kSome}});
}

// All interleavings were run for these, too (fuzz --strategy interleavings --time-outs=any). A wait
// of which another run shows that its time-out strikes is `blocked`.
TEST(VerifyCounts, TimeOutsAtAnyTime) {
  const std::vector<Counted> rows = {
      {"sleep", 0, 2},         {"sleepers", 2, 2},       {"sleepers", 3, 6},
      {"wait_alone", 0, 1, 1}, {"wait", 0, 4, 1},        {"two_waits", 0, 42, 28},
      {"timed_lock", 2, 4},    {"timed_lock", 3, 21},    {"timed_take", 0, 2},
      {"wait_for", 0, 4, 1},   {"future_wait_for", 0, 7}};
  expect_counts("time_out_counts", rows, "snapshot", {"--time-outs=any"});
  expect_counts("time_out_counts", {{"wait", 0, 4, 1}, {"timed_lock", 2, 4}}, "fork",
                {"--time-outs=any"});
  expect_counts("time_out_counts", {{"two_waits", 0, 42, 28}}, "snapshot",
                {"--time-outs=any", "-j", "2"});
}

// Without it they strike when nobody else can go on; of two at the same time either may be first.
TEST(VerifyCounts, TimeOutsThatAreLate) {
  expect_counts("time_out_counts", {{"sleep", 0, 1},
                                    {"sleepers", 2, 2},
                                    {"sleepers", 3, 6},
                                    {"wait", 0, 2},
                                    {"timed_lock", 2, 2},
                                    {"wait_no_longer", 0, 3},
                                    {"timed_take", 0, 1},
                                    {"two_wait_for", 0, 10}});
}

// A process per run counts the same.
TEST(VerifyCounts, WithAProcessPerRun) {
  expect_counts("memory_counts", {{"ainc", 4, 24}, {"lastzero", 5, 64}}, "fork");
  expect_counts("mutex_counts", {{"trylock", 3, 21}, {"abba", 0, 3, 0, 1}}, "fork");
  expect_counts("loop_counts", {{"ticket", 3, 6}, {"peterson", 0, 4, 6}}, "fork");
  expect_counts("condition_counts", {{"broadcast", 2, 10}}, "fork");
}

// What is said, and what the exit code is.

TEST(Verify, SaysWhatItHoldsFor) {
  const std::string path = program("gcc", "bugs/spurious_wakeup");
  const Result result = verify(path, {}, {});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, HasSubstr("VERIFIED: all 2 executions explored in")) << result;
  EXPECT_THAT(result.out, HasSubstr("holds for: this input, sequentially consistent memory, "));
  EXPECT_THAT(result.out, HasSubstr("waits that end only by a signal")) << result;
  const Result with_them = verify(path, {}, {"--spurious"});
  EXPECT_EQ(with_them.exit_code, 77) << with_them;
}

// Who finds the lock taken meets a round of the other's loop, which other runs leave out.
TEST(Verify, DoesNotClaimWhatARoundThatIsLeftOutMayChange) {
  const Result result = verify(program("gcc", "verify/loop_counts"), {"poll_noticed"}, {});
  EXPECT_EQ(result.exit_code, 20) << result;
  EXPECT_THAT(result.out, HasSubstr("a loop waits for other threads")) << result;
}

// A round that writes what is there already, or is one of a few that look different.
TEST(Verify, UnderstandsRoundsThatOnlySeemToChangeSomething) {
  const std::string path = program("gcc", "verify/loop_counts");
  for (const char* loop : {"cached_index", "spin_some"}) {
    const Result result = verify(path, {loop}, {});
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_THAT(result.out, HasSubstr("VERIFIED")) << result;
  }
  const Result weak = verify(path, {"cached_index"}, {"--memory=c11"});
  EXPECT_THAT(weak.out, HasSubstr("VERIFIED")) << weak;
  // One that changes something that it had changed before is another.
  const Result result = verify(path, {"overwrites"}, {});
  EXPECT_EQ(result.exit_code, 77) << result;
}

TEST(Verify, CountsRunsThatEndInALoop) {
  const Result result = verify(program("gcc", "verify/loop_counts"), {"peterson"}, {});
  EXPECT_THAT(result.out, HasSubstr("count once; 6 more runs ended")) << result;
}

TEST(Verify, AWaitThatNobodyEndsIsALivelock) {
  const Result result = verify(program("gcc", "verify/loop_counts"), {"wait_for_nobody"}, {});
  EXPECT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out, HasSubstr("LIVELOCK")) << result;
  EXPECT_THAT(result.out, HasSubstr("FAILED after")) << result;
}

TEST(Verify, IsIncompleteWhenThereIsNoMoreTime) {
  for (const std::vector<std::string>& limit :
       {std::vector<std::string>{"-n", "100"}, std::vector<std::string>{"-t", "1s"}}) {
    std::vector<std::string> options = limit;
    options.push_back("--json");
    const Result result =
        verify(program("gcc", "verify/memory_counts"), {"lastzero", "20"}, options);
    EXPECT_EQ(result.exit_code, 20) << result;
    EXPECT_THAT(result.err, HasSubstr("INCOMPLETE: ")) << result;
    const json stats = json::parse(result.out, nullptr, false);
    ASSERT_TRUE(stats.is_object()) << result;
    EXPECT_EQ(stats["verdict"], "incomplete");
    EXPECT_FALSE(stats["verdict_reason"].get<std::string>().empty());
    EXPECT_GT(stats["estimate"], stats["executions"]);
  }
}

// How many there are with 0, 1, … preemptions, until the bound leaves nothing out.
void expect_bounded(const std::string& file, const std::vector<std::string>& arguments,
                    const std::vector<uint64_t>& executions, uint64_t blocked = 0,
                    const std::string& executor = "snapshot") {
  for (size_t bound = 0; bound < executions.size(); ++bound) {
    SCOPED_TRACE(file + " " + arguments[0] + ", preemptions " + std::to_string(bound));
    const Result result =
        verify(program("gcc", "verify/" + file), arguments,
               {"--json", "--preemptions", std::to_string(bound), "--executor", executor});
    EXPECT_EQ(result.exit_code, 0) << result;
    const json stats = json::parse(result.out, nullptr, false);
    ASSERT_TRUE(stats.is_object()) << result;
    const bool is_last = bound + 1 == executions.size();
    EXPECT_EQ(stats["verdict"], is_last ? "verified" : "bounded") << result;
    EXPECT_EQ(stats["bound"], bound);
    EXPECT_EQ(stats["executions"], executions[bound]);
    if (is_last) {
      EXPECT_EQ(stats["blocked"], blocked);
    }
  }
}

// Two threads that add have no preemption in two of their executions, and one in the other two. The
// last numbers are those of all executions, above; that none is missed before:
// dpor_preemptions_test.
TEST(VerifyBounded, CountsExecutionsWithFewPreemptions) {
  expect_bounded("memory_counts", {"inc", "2"}, {2, 4, 4});
  expect_bounded("loop_counts", {"peterson"}, {2, 2, 4, 4, 4}, 6);
  expect_bounded("condition_counts", {"signal_each", "2"}, {60, 60, 60, 60, 60});
}

TEST(VerifyBounded, CountsTheSameWithAProcessPerRun) {
  expect_bounded("memory_counts", {"inc", "2"}, {2, 4, 4}, 0, "fork");
  expect_bounded("loop_counts", {"ticket", "2"}, {2, 2, 2}, 0, "fork");
}

TEST(VerifyBounded, SaysWhatTheBoundIs) {
  const std::string path = program("gcc", "verify/memory_counts");
  const Result result = verify(path, {"fib_bench", "2"}, {"--preemptions", "1"});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out,
              HasSubstr("BOUNDED: all 33 executions with at most 1 preemption explored"))
      << result;
  const Result cut = verify(path, {"fib_bench", "5"}, {"--preemptions", "3", "-n", "500"});
  EXPECT_EQ(cut.exit_code, 20) << cut;
  EXPECT_THAT(cut.out, HasSubstr("executions with at most 3 preemptions in")) << cut;
  EXPECT_EQ(verify(path, {"inc", "2"}, {"--preemptions", "few"}).exit_code, 2);
}

TEST(VerifyBounded, FindsABugThatTakesOnePreemption) {
  const std::string path = program("gcc", "bugs/check_then_act");
  EXPECT_EQ(verify(path, {}, {"--preemptions", "0"}).exit_code, 0);
  EXPECT_EQ(verify(path, {}, {"--preemptions", "1"}).exit_code, 77);
}

// Runs `verify` with at most `most` executions at a time until there is a verdict.
json in_portions(const std::string& path, const std::vector<std::string>& arguments, int most,
                 const std::vector<std::string>& options) {
  const TempDir out;
  for (int portion = 0; portion < 100; ++portion) {
    std::vector<std::string> words = {"verify",        "--json", "-o",
                                      out.file("out"), "-n",     std::to_string(most)};
    if (portion > 0) words.push_back("--resume");
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", path});
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Result result = jostle(words);
    const json stats = json::parse(result.out, nullptr, false);
    if (!stats.is_object()) return result.err;
    if (stats["verdict"] != "incomplete") {
      EXPECT_GT(portion, 0) << "it was never interrupted";
      EXPECT_FALSE(std::filesystem::exists(out.file(
          "out/" + std::filesystem::path(path).filename().string() + "/interrupted-search")));
      return stats;
    }
    EXPECT_EQ(result.exit_code, 20) << result;
    EXPECT_THAT(result.err, HasSubstr("to go on: jostle verify")) << result;
  }
  return "there is no end to it";
}

TEST(VerifyResume, EndsWithTheSameCount) {
  const auto expect = [](const std::string& file, const std::vector<std::string>& arguments,
                         int most, uint64_t executions, uint64_t blocked,
                         const std::string& executor) {
    const json stats =
        in_portions(program("gcc", "verify/" + file), arguments, most, {"--executor", executor});
    ASSERT_TRUE(stats.is_object()) << file << " " << stats;
    EXPECT_EQ(stats["verdict"], "verified") << file;
    EXPECT_EQ(stats["executions"], executions) << file;
    EXPECT_EQ(stats["blocked"], blocked) << file;
  };
  expect("memory_counts", {"lastzero", "10"}, 1000, 3328, 0, "snapshot");
  expect("mutex_counts", {"mixed", "3"}, 300, 1614, 0, "snapshot");
  expect("loop_counts", {"peterson"}, 4, 4, 6, "snapshot");
  expect("condition_counts", {"signal_each", "2"}, 25, 60, 0, "snapshot");
  expect("mutex_counts", {"trylock", "3"}, 10, 21, 0, "fork");
}

TEST(VerifyResume, InterruptedByTheUser) {
  const TempDir out;
  const std::string path = program("gcc", "verify/memory_counts");
  const Result first = run({"timeout", "--foreground", "-s", "INT", "1", jostle_bin(), "verify",
                            "-o", out.file("out"), "--", path, "lastzero", "15"});
  EXPECT_THAT(first.out, HasSubstr("none fails: interrupted")) << first;
  const Result second = jostle({"verify", "--resume", "-n", "1000", "--json", "-o", out.file("out"),
                                "--", path, "lastzero", "15"});
  const json stats = json::parse(second.out, nullptr, false);
  ASSERT_TRUE(stats.is_object()) << second;
  EXPECT_GT(stats["executions"].get<uint64_t>(), 1000u) << second;
  EXPECT_EQ(stats["verdict_reason"], "that is as many as were asked for");
}

TEST(VerifyResume, RefusesWhatItCannotGoOnWith) {
  const TempDir out;
  namespace fs = std::filesystem;
  const fs::path path = fs::path(out.file("counts"));
  fs::copy_file(program("gcc", "verify/memory_counts"), path);
  const auto resume = [&](const std::vector<std::string>& options, const std::string& number) {
    std::vector<std::string> words = {"verify", "-n", "100", "-o", out.file("out")};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", path.string(), "lastzero", number});
    return jostle(words);
  };
  EXPECT_EQ(resume({"--resume"}, "10").exit_code, 11);
  const json stats = json::parse(resume({"--resume", "--json"}, "10").out, nullptr, false);
  ASSERT_TRUE(stats.is_object());
  EXPECT_EQ(stats["verdict"], "incomplete") << "nothing was explored";
  EXPECT_EQ(resume({}, "10").exit_code, 20);
  EXPECT_EQ(resume({"--resume"}, "10").exit_code, 20);
  EXPECT_EQ(resume({"--resume"}, "11").exit_code, 2) << "other arguments";
  EXPECT_EQ(resume({"--resume", "--fail-on", "race"}, "10").exit_code, 2) << "other options";
  EXPECT_EQ(resume({"--resume", "--preemptions", "2"}, "10").exit_code, 2);
  fs::copy_file(program("gcc", "verify/loop_counts"), path, fs::copy_options::overwrite_existing);
  const Result rebuilt = resume({"--resume"}, "10");
  EXPECT_EQ(rebuilt.exit_code, 14) << rebuilt;
  EXPECT_THAT(rebuilt.err, HasSubstr("counts has been rebuilt since")) << rebuilt;
  fs::copy_file(program("gcc", "verify/memory_counts"), path, fs::copy_options::overwrite_existing);
  const std::string file = out.file("out/counts/interrupted-search");
  fs::resize_file(file, fs::file_size(file) - 1);
  EXPECT_EQ(resume({"--resume"}, "10").exit_code, 12);
}

// However many processes share the work.
TEST(VerifyJobs, CountTheSame) {
  const std::vector<std::tuple<const char*, const char*, const char*, uint64_t, uint64_t>> rows = {
      {"memory_counts", "fib_bench", "4", 19605, 0},  {"memory_counts", "lastzero", "10", 3328, 0},
      {"memory_counts", "coa", "3", 2028, 0},         {"mutex_counts", "mixed", "3", 1614, 0},
      {"loop_counts", "peterson", "0", 4, 6},         {"loop_counts", "ticket", "4", 24, 0},
      {"condition_counts", "signal_each", "2", 60, 0}};
  for (const auto& [file, name, number, executions, blocked] : rows) {
    for (const char* jobs : {"2", "4"}) {
      const Result result = verify(program("gcc", std::string("verify/") + file), {name, number},
                                   {"--json", "--quiet", "-j", jobs});
      SCOPED_TRACE(std::string(name) + " -j " + jobs);
      EXPECT_EQ(result.exit_code, 0) << result;
      const json stats = json::parse(result.out, nullptr, false);
      ASSERT_TRUE(stats.is_object()) << result;
      EXPECT_EQ(stats["verdict"], "verified") << result;
      EXPECT_EQ(stats["executions"], executions);
      EXPECT_EQ(stats["blocked"], blocked);
      EXPECT_EQ(stats["estimate"], executions + blocked);
    }
  }
}

TEST(VerifyJobs, FindWhatFails) {
  const Result result = verify(program("gcc", "verify/mutex_counts"), {"philosophers", "3"},
                               {"--json", "--quiet", "-j", "2"});
  EXPECT_EQ(result.exit_code, 77) << result;
  const json stats = json::parse(result.out, nullptr, false);
  ASSERT_TRUE(stats.is_object()) << result;
  EXPECT_EQ(stats["executions"], 7);
  EXPECT_EQ(stats["deadlocks"], 1);
}

TEST(VerifyJobs, WorkWithAProcessPerRun) {
  const Result result = verify(program("gcc", "verify/memory_counts"), {"lastzero", "5"},
                               {"--json", "--quiet", "-j", "2", "--executor", "fork"});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(json::parse(result.out, nullptr, false)["executions"], 64) << result;
}

TEST(VerifyJobs, EndWithTheTime) {
  const Result result = verify(program("gcc", "verify/memory_counts"), {"lastzero", "20"},
                               {"--json", "--quiet", "-j", "2", "-t", "1s"});
  EXPECT_EQ(result.exit_code, 20) << result;
  EXPECT_EQ(json::parse(result.out, nullptr, false)["verdict_reason"], "the time is over");
}

// Bugs that show only under what a verdict does not hold for, and why.
const std::map<std::string, const char*> kNotExplored = {
    {"data_race", "no failure unless asked for"},
    {"early_timeout", "a time-out strikes while others can go on"},
    {"sleep_order", "a sleep ends while others can go on"},
    {"spurious_wakeup", "a wait ends without a signal"},
    {"weak_exchange_once", "an exchange fails without a reason"},
};

TEST(Verify, NoBugIsCalledVerified) {
  namespace fs = std::filesystem;
  for (const auto& entry :
       fs::directory_iterator(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/bugs")) {
    const std::string name = entry.path().stem();
    if (name.ends_with("_ok") || kNotExplored.count(name)) continue;
    if (!fs::exists(program("gcc", "bugs/" + name))) continue;
    const TempDir out;
    const Result result =
        jostle({"verify", "-t", is_long() ? "1s" : "300ms", "--minimize", "off", "--quiet", "-o",
                out.file("out"), "--", program("gcc", "bugs/" + name)});
    EXPECT_TRUE(result.exit_code == 77 || result.exit_code == 20) << name << "\n" << result;
  }
}

TEST(Verify, TimeOutsAtAnyTimeShowWhatTheyBreak) {
  for (const char* name : {"bugs/early_timeout", "bugs/sleep_order"}) {
    EXPECT_EQ(verify(program("gcc", name), {}, {}).exit_code, 0) << name;
    const Result result = verify(program("gcc", name), {}, {"--time-outs=any"});
    EXPECT_EQ(result.exit_code, 77) << name << result;
    const Result repaired =
        verify(program("gcc", std::string(name) + "_ok"), {}, {"--time-outs", "any"});
    EXPECT_EQ(repaired.exit_code, 0) << name << repaired;
    EXPECT_THAT(repaired.out, HasSubstr("time-outs at any time")) << name << repaired;
    EXPECT_THAT(repaired.out, Not(HasSubstr("nobody else"))) << name << repaired;
  }
  EXPECT_EQ(verify(program("gcc", "bugs/sleep_order"), {}, {"--time-outs=never"}).exit_code, 2);
}

// Rounds of a loop may be left out because another execution has the loop see at once what it waits
// for. Where time has to pass first there is no such execution.
TEST(Verify, LeavesNoLoopOutThatWaitsForTimeToPass) {
  for (const char* how : {"after_sleeps", "of_two_words", "under_a_lock", "of_two_locks",
                          "by_time_outs", "of_a_timer", "on_a_pipe"}) {
    for (const char* memory : {"sc", "c11"}) {
      const Result result =
          verify(program("gcc", "verify/comes_with_time"), {how}, {"--memory", memory});
      EXPECT_EQ(result.exit_code, 77) << how << " " << memory << "\n" << result;
    }
  }
}

// A time-out that is far away is late like others, and so is that of a lock which is free at first.
TEST(Verify, SaysThatTimeOutsAreLateWhereNoneWasTried) {
  for (const char* name : {"wait", "timed_lock", "timed_take"}) {
    const std::vector<std::string> two = {name, "2"};
    const Result late = verify(program("gcc", "verify/time_out_counts"), two, {});
    EXPECT_EQ(late.exit_code, 0) << late;
    EXPECT_THAT(late.out, HasSubstr("time-outs only when nobody else can go on")) << late;
  }
}

// A join with a time-out.
TEST(Verify, SaysWhichTimeOutsAreLateAllTheSame) {
  const TempDir folder;
  const std::string path = build(folder, "timed_join", R"(
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
static void* run(void* unused) { return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  ++until.tv_sec;
  return pthread_timedjoin_np(thread, NULL, &until);
}
)");
  const auto assumptions = [&](const char* time_outs) {
    const Result result =
        jostle({"verify", "--json", "--time-outs", time_outs, "-o", folder.file("out"), path});
    EXPECT_EQ(result.exit_code, 0) << result;
    const json stats = json::parse(result.out, nullptr, false);
    return stats.is_object() ? stats["assumptions"].get<std::vector<std::string>>()
                             : std::vector<std::string>();
  };
  EXPECT_THAT(assumptions("any"),
              testing::IsSupersetOf({"time-outs at any time",
                                     "those of other calls only when nobody else can go on"}));
  EXPECT_THAT(assumptions("any"),
              Not(testing::Contains("time-outs only when nobody else can go on")));
  EXPECT_THAT(assumptions("late"), testing::Contains("time-outs only when nobody else can go on"));
}

// A loop that waits a second at a time may do so for ever.
TEST(Verify, DoesNotClaimWhatManyTimeOutsMayDo) {
  const Result result =
      verify(program("gcc", "verify/time_out_counts"), {"wait_in_loop"}, {"--time-outs=any"});
  EXPECT_EQ(result.exit_code, 20) << result;
  EXPECT_THAT(result.out, HasSubstr("8 time-outs")) << result;
}

TEST(Verify, SaysThatRacesReadTheNewestValue) {
  const TempDir folder;
  const std::string path = build(folder, "racy", R"(
#include <pthread.h>
static int word;
static void* writes(void* unused) {
  word = 1;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writes, NULL);
  const int seen = word;
  pthread_join(thread, NULL);
  return seen > 1;
}
)");
  const Result result = jostle({"verify", "-o", folder.file("out"), path});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, HasSubstr("data races that read the newest value")) << result;
}

// Whoever calls exit() first ends the program; the other one waits for that.
TEST(Verify, TriesWhichOfTwoExitsIsFirst) {
  const TempDir folder;
  const std::string path = build(folder, "exits", R"(
#include <pthread.h>
#include <stdlib.h>
static void* ends(void* unused) {
  exit(3);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, ends, NULL);
  return 0;
}
)");
  for (const char* executor : {"snapshot", "fork"}) {
    const Result result = jostle({"verify", "-k", "--json", "--quiet", "--executor", executor, "-o",
                                  folder.file("out"), path});
    EXPECT_EQ(result.exit_code, 77) << result;
    const json stats = json::parse(result.out, nullptr, false);
    ASSERT_TRUE(stats.is_object()) << result;
    EXPECT_EQ(stats["stopped"], "exhausted") << result;
    EXPECT_EQ(stats["executions"], 5) << result;
  }
}

// Calls that are no scheduling points, and the end of a thread, which is no step of its own.
TEST(Verify, SaysWhichOrdersItDoesNotExplore) {
  const char* const calls = "order of calls that change settings of the process not explored";
  const char* const ends = "threads that end at once behind what they do last";
  const auto expect = [](const std::string& call, const std::string& before_threads,
                         const char* assumption, bool is_said) {
    const TempDir folder;
    const std::string path = build(folder, "calls", R"(
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static void* run(void* unused) {
  )" + call + R"(
  return unused;
}
int main(void) {
  pthread_t thread;
  )" + before_threads + R"(
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  return 0;
}
)");
    const Result result = jostle({"verify", "--json", "-o", folder.file("out"), path});
    EXPECT_EQ(result.exit_code, 0) << call << result;
    const json stats = json::parse(result.out, nullptr, false);
    ASSERT_TRUE(stats.is_object()) << call << result;
    const auto list = stats["assumptions"].get<std::vector<std::string>>();
    EXPECT_EQ(std::count(list.begin(), list.end(), assumption), is_said) << call;
  };
  for (const char* call :
       {"if (rand() < 0) abort();",
        "char name[] = \"/tmp/name-XXXXXX\"; close(mkstemp(name)); unlink(name);"}) {
    expect(call, "", calls, true);
    expect("", std::string("{") + call + "}", calls, false);
  }
  expect("pthread_key_t key; pthread_key_create(&key, free); pthread_key_delete(key);", "", calls,
         true);
  expect("signal(SIGUSR1, SIG_IGN);", "", calls, true);
  expect("syscall(SYS_sethostname, \"\", -1);", "", calls, true);
  expect("", "mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memfd_create(\"two\", 0), 0);",
         "no memory at two addresses, or read and written as a file, too", true);
  // These are steps.
  expect("setenv(\"NAME\", \"1\", 1); umask(022); access(\"/\", F_OK);", "", calls, false);
  // It may name itself before or behind that.
  expect(
      "char name[16]; pthread_t other; "
      "pthread_create(&other, NULL, (void* (*)(void*))sched_yield, NULL); "
      "pthread_getname_np(other, name, sizeof name); pthread_join(other, NULL);",
      "", calls, true);
  expect("pthread_setname_np(pthread_self(), \"own\");", "", calls, false);
  const Result handlers = verify(program("gcc", "verify/end_counts"), {"sets_terminate"}, {});
  EXPECT_THAT(handlers.out + handlers.err, HasSubstr("calls that change settings"));
  expect(
      "pthread_t other; pthread_create(&other, NULL, (void* (*)(void*))sched_yield, NULL); "
      "if (pthread_tryjoin_np(other, NULL) != 0) pthread_join(other, NULL);",
      "", ends, true);
  expect("", "", ends, false);
}

// Otherwise guards of seconds do not strike early.
TEST(Verify, AFailureByAGuardOfSecondsIsMadeSmall) {
  const TempDir folder;
  const std::string path = build_cxx(folder, "guard", R"(
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>
static std::atomic<int> done, other;
int main() {
  std::thread a([] {
    for (int i = 0; i < 3; ++i) ++other;
    done = 1;
  });
  std::thread b([] { ++other; });
  std::this_thread::sleep_for(std::chrono::seconds(30));
  const int seen = done;
  a.join();
  b.join();
  assert(seen == 1);
}
)");
  const Result result = jostle({"verify", "--time-outs=any", "-o", folder.file("out"), path});
  EXPECT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.err, Not(HasSubstr("not minimised"))) << result;
}

// A loop that has come round once in vain is left out of a run. When the others have brought what
// it waits for, time does not pass as if nobody could go on.
TEST(Verify, NoGuardStrikesBecauseALoopIsLeftOut) {
  const TempDir folder;
  const std::string path = build(folder, "guard", R"(
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
static atomic_int taken;
static sigset_t set;
static void* collects(void* unused) {
  const struct timespec guard = {1000, 0};
  while (sigtimedwait(&set, NULL, &guard) == SIGUSR1) atomic_fetch_add(&taken, 1);
  return unused;
}
int main(void) {
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, collects, NULL);
  kill(getpid(), SIGUSR1);
  const struct timespec little = {0, 1000000};
  while (atomic_load(&taken) == 0) nanosleep(&little, NULL);
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  if (time.tv_sec >= 2000) return 1;
  pthread_kill(thread, SIGTERM);
  pthread_join(thread, NULL);
  return 0;
}
)");
  const Result result = jostle({"fuzz", "--strategy", "dpor", "-o", folder.file("out"), path});
  EXPECT_EQ(result.exit_code, 0) << result;
}

// Nobody is let run while a thread asks for the time; but time-outs are late, also those.
TEST(Verify, ADeadlineThatIsPolledIsLate) {
  const TempDir folder;
  const std::string path = build(folder, "deadline", R"(
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static void* sets(void* flag) {
  atomic_store((atomic_int*)flag, 1);
  return NULL;
}
static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}
int main(void) {
  atomic_int flag = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, sets, &flag);
  const long end = now() + 60;
  while (!atomic_load(&flag)) {
    if (now() >= end) return 1;
  }
  pthread_join(thread, NULL);
  return 0;
}
)");
  const Result result = jostle({"verify", "-o", folder.file("out"), path});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out + result.err, HasSubstr("time-outs only when nobody else can go on"))
      << result;
}

// The search ends runs that it need not see the end of. A process that a run has forked is not one.
TEST(Verify, DoesNotEndOtherProcesses) {
  const TempDir out;
  const Result result = jostle(
      {"verify", "-o", out.file("out"), "--", program("gcc", "conform/proc_children"), "locks"});
  EXPECT_EQ(result.exit_code, 20) << result;
  EXPECT_THAT(result.out + result.err, HasSubstr("INCOMPLETE: 4 executions")) << result;
}

TEST(Verify, WantsInstrumentation) {
  const Result result = verify(program("plain", "conform/mutex_normal"), {}, {"-t", "1s"});
  EXPECT_EQ(result.exit_code, 20) << result;
  EXPECT_THAT(result.out, HasSubstr("the program is not instrumented")) << result;
}

// Repaired programs, in a fraction of the schedules that there are (`systematic-first`); all of
// them: ./dev bench verify.
TEST(Verify, RepairedProgramsTakeAFractionOfTheSchedules) {
  for (const char* name : {"bugs/abba_pthread_ok", "bugs/rwlock_upgrade_ok", "bugs/cond_if_ok"}) {
    const std::string path = program("gcc", name);
    const Result verified = verify(path, {}, {"--json"});
    EXPECT_EQ(verified.exit_code, 0) << name << "\n" << verified;
    const TempDir out;
    const Result all = jostle({"fuzz", "--strategy", "systematic-first", "--json", "-o",
                               out.file("out"), "-t", "60s", "--", path},
                              {.time_limit = 120});
    const json few = json::parse(verified.out, nullptr, false);
    const json many = json::parse(all.out, nullptr, false);
    ASSERT_TRUE(few.is_object() && many.is_object()) << name << "\n" << verified << all;
    EXPECT_LE(few["schedules"].get<uint64_t>() * 50, many["explored"].get<uint64_t>()) << name;
  }
}

// A fifth wait of a run ends only by a signal: if there is one, the verdict says so.
TEST(Verify, SaysThatSpuriousWakeUpsAreFew) {
  const std::string few = "at most 4 waits of a run that end without a signal";
  for (const bool are_many : {false, true}) {
    const std::string waits = are_many ? "D0D0D0D0D0" : "D0D0D0";
    const Result result =
        verify(program("gcc", "verify/operations"), {"L0w0A0U0", waits}, {"--json", "--spurious"});
    const json stats = json::parse(result.out, nullptr, false);
    ASSERT_TRUE(stats.is_object()) << result;
    EXPECT_EQ(stats["verdict"], "verified") << result;
    const auto assumptions = stats["assumptions"].get<std::vector<std::string>>();
    EXPECT_EQ(std::count(assumptions.begin(), assumptions.end(), few), are_many ? 1 : 0) << result;
  }
}

}  // namespace
}  // namespace jostle::test
