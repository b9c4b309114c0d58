// SPDX-License-Identifier: Apache-2.0
// What is looked for beside the program's own failures: the heap, leaks, the order of locks, and
// how a livelock is shown. Programs with one bug each are in programs/bugs, see bugs_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr int kFound = 77;

class Oracles : public testing::Test {
 protected:
  Result fuzz(const std::string& path, std::vector<std::string> options) {
    std::vector<std::string> words = {"fuzz", "--seed", "1", "--fresh", "-o", folder_.file("out")};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", path});
    return jostle(words, {.time_limit = 200});
  }

  TempDir folder_;
};

TEST_F(Oracles, UseAfterFreeSaysWhoFreedAndWhoAllocated) {
  const Result found = fuzz(program("gcc", "bugs/use_after_free"), {"-n", "3000"});
  EXPECT_EQ(found.exit_code, kFound) << found;
  EXPECT_THAT(found.out, ContainsRegex("HEAP after .*use after free: [a-z]+ of [0-9]+ byte"))
      << found;
  EXPECT_THAT(found.out, ContainsRegex("of a freed heap block of [0-9]+ bytes")) << found;
  EXPECT_THAT(found.out, ContainsRegex("freed by T2 end\n +#0 +end\\(int\\)")) << found;
  EXPECT_THAT(found.out, ContainsRegex("allocated by main\n +#0 +main")) << found;
  EXPECT_THAT(found.out, HasSubstr("why   T2 end freed the block (use_after_free.cc:30) before T1 "
                                   "request used it"))
      << found;
}

TEST_F(Oracles, OverflowSaysHowFarBehindTheBlock) {
  const Result found = fuzz(program("gcc", "bugs/append_overflow"), {"-n", "3000"});
  EXPECT_EQ(found.exit_code, kFound) << found;
  EXPECT_THAT(found.out, HasSubstr("heap overflow: write of 8 bytes")) << found;
  EXPECT_THAT(found.out, HasSubstr("right behind a heap block of 32 bytes")) << found;
}

TEST_F(Oracles, TheHeapIsNotLookedAtUnlessAsked) {
  const Result result =
      fuzz(program("gcc", "bugs/append_overflow"), {"-n", "300", "--check", "-heap"});
  EXPECT_EQ(result.exit_code, 0) << result;
  // free() checks by itself, as glibc's does.
  const Result twice = fuzz(program("gcc", "bugs/double_free"), {"-n", "3000", "--check", "none"});
  EXPECT_EQ(twice.exit_code, kFound) << twice;
  EXPECT_THAT(twice.out, HasSubstr("ABORTED after")) << twice;
}

TEST_F(Oracles, BothExecutorsFindTheSameInTheHeap) {
  for (const char* name : {"use_after_free", "reused_block", "copy_overflow"}) {
    std::string digests[2];
    for (const int fork : {0, 1}) {
      const Result result =
          fuzz(program("gcc", std::string("bugs/") + name),
               {"-n", "200", "--keep-going", "--json", "--executor", fork ? "fork" : "snapshot"});
      EXPECT_EQ(result.exit_code, kFound) << result;
      const size_t at = result.out.find("\"traces_digest\"");
      ASSERT_NE(at, std::string::npos) << result;
      digests[fork] = result.out.substr(at, 40);
    }
    EXPECT_EQ(digests[0], digests[1]) << name;
  }
}

// `lost`: the only pointer is overwritten when the other thread comes first.
constexpr char kLeak[] = R"(
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(char*) kept;
static void* store(void* unused) {
  if (!atomic_load(&kept)) atomic_store(&kept, malloc(24));
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, store, 0);
  pthread_create(&b, 0, store, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
)";

TEST_F(Oracles, LeaksAreFoundOnRequest) {
  const std::string path = build(folder_, "leak", kLeak);
  EXPECT_EQ(fuzz(path, {"-n", "300"}).exit_code, 0);
  const Result found = fuzz(path, {"-n", "300", "--check", "+leak"});
  EXPECT_EQ(found.exit_code, kFound) << found;
  EXPECT_THAT(found.out, HasSubstr("memory leak in store at leak.c:7")) << found;
  EXPECT_THAT(found.out, ContainsRegex("24 bytes in 1 block lost, allocated by T[12] store"))
      << found;
}

TEST_F(Oracles, WhatCanBeReachedIsNoLeak) {
  std::string source = kLeak;
  const std::string check = "if (!atomic_load(&kept)) atomic_store(&kept, malloc(24));";
  source.replace(source.find(check), check.size(),
                 "char* none = 0; char* mine = malloc(24);\n"
                 "if (!atomic_compare_exchange_strong(&kept, &none, mine)) free(mine);");
  const std::string path = build(folder_, "no_leak", source);
  EXPECT_EQ(fuzz(path, {"-n", "300", "--check", "all"}).exit_code, 0);
  for (const char* name : {"use_after_free_ok", "lock_in_freed_ok", "pool_starvation_ok"}) {
    const Result result =
        fuzz(program("gcc", std::string("bugs/") + name), {"-n", "200", "--check", "all"});
    EXPECT_EQ(result.exit_code, 0) << result;
  }
}

TEST_F(Oracles, LocksInAWarningAreNamedAsElsewhere) {
  const std::string path = build(folder_, "members", R"(
#include <pthread.h>
static struct {
  long balance;
  pthread_mutex_t lock;
} accounts[2];
static void* moves(void* from) {
  const long one = (long)from;
  pthread_mutex_lock(&accounts[one].lock);
  pthread_mutex_lock(&accounts[1 - one].lock);
  pthread_mutex_unlock(&accounts[1 - one].lock);
  pthread_mutex_unlock(&accounts[one].lock);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, moves, (void*)0);
  pthread_create(&b, 0, moves, (void*)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
)");
  const Result warned = fuzz(path, {"-n", "5", "--strategy", "none"});
  EXPECT_THAT(warned.out, HasSubstr("takes accounts[0].lock (members.c:9), then")) << warned;
}

TEST_F(Oracles, AWarningNamesMembersOnTheHeapAndRepeatsNoDeadlock) {
  const std::string path = build_cxx(folder_, "heap", R"(
#include <memory>
#include <mutex>
#include <thread>
struct Account {
  long balance = 0;
  std::mutex lock;
};
static void moves(Account* from, Account* to) {
  std::lock_guard<std::mutex> first(from->lock);
  std::lock_guard<std::mutex> second(to->lock);
  --from->balance, ++to->balance;
}
int main() {
  auto a = std::make_unique<Account>(), b = std::make_unique<Account>();
  std::thread one(moves, a.get(), b.get()), other(moves, b.get(), a.get());
  one.join(), other.join();
}
)");
  const Result warned = fuzz(path, {"-n", "5", "--strategy", "none"});
  EXPECT_THAT(warned.out, HasSubstr("takes Account.lock")) << warned;
  EXPECT_THAT(warned.out, HasSubstr("(heap.cc:10), then Account.lock")) << warned;
  EXPECT_THAT(warned.out, Not(HasSubstr("unique_ptr.h"))) << warned;
  const Result found = fuzz(path, {"-n", "1000"});
  EXPECT_THAT(found.out, HasSubstr("DEADLOCK")) << found;
  EXPECT_THAT(found.out, Not(HasSubstr("lock-order"))) << found;
}

TEST_F(Oracles, LocksInBothOrdersAreAWarning) {
  const std::string path = program("gcc", "bugs/abba_pthread");
  const Result warned = fuzz(path, {"-n", "5", "--strategy", "none"});
  EXPECT_EQ(warned.exit_code, 0) << warned;
  EXPECT_THAT(warned.out, HasSubstr("1 lock-order warning")) << warned;
  EXPECT_THAT(warned.out,
              ContainsRegex("one thread takes [a-z_.]+ \\(abba_pthread.c:[0-9]+\\), then "
                            "[a-z_.]+ \\(abba_pthread.c:[0-9]+\\)"))
      << warned;
  const Result json = fuzz(path, {"-n", "5", "--strategy", "none", "--json"});
  EXPECT_THAT(json.out, ContainsRegex("\"lock_order_warnings\": \\[\n +\\[\n +\\{\n +\"held\": \""))
      << json;
  const Result unasked = fuzz(path, {"-n", "5", "--strategy", "none", "--check", "none"});
  EXPECT_THAT(unasked.out, Not(HasSubstr("lock-order"))) << unasked;
}

constexpr char kGated[] = R"(
#include <pthread.h>
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(&gate);
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
  pthread_mutex_unlock(&gate);
}
static void* there(void* unused) { both(&a, &b); return unused; }
static void* back(void* unused) { both(&b, &a); return unused; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, there, 0);
  pthread_create(&u, 0, back, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
)";

// A semaphore lets two of three philosophers in.
constexpr char kSeats[] = R"(
#include <pthread.h>
#include <semaphore.h>
static sem_t seats;
static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER};
static void* eat(void* seat) {
  const long left = (long)seat, right = (left + 1) % 3;
  sem_wait(&seats);
  pthread_mutex_lock(&forks[left]);
  pthread_mutex_lock(&forks[right]);
  pthread_mutex_unlock(&forks[right]);
  pthread_mutex_unlock(&forks[left]);
  sem_post(&seats);
  return 0;
}
int main(void) {
  pthread_t t[3];
  sem_init(&seats, 0, SEATS);
  for (long i = 0; i < 3; ++i) pthread_create(&t[i], 0, eat, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], 0);
  return 0;
}
)";

// The second lock is waited for only so long, and then the first is given back.
constexpr char kTimed[] = R"(
#include <pthread.h>
#include <time.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t b = PTHREAD_RWLOCK_INITIALIZER;
static void* both(void* back) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += 1;
  if (back) {
    pthread_mutex_lock(&a);
    if (pthread_rwlock_clockwrlock(&b, CLOCK_MONOTONIC, &until) == 0) pthread_rwlock_unlock(&b);
    pthread_mutex_unlock(&a);
  } else {
    pthread_rwlock_rdlock(&b);
    if (pthread_mutex_clocklock(&a, CLOCK_MONOTONIC, &until) == 0) pthread_mutex_unlock(&a);
    pthread_rwlock_unlock(&b);
  }
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, both, 0);
  pthread_create(&u, 0, both, &a);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
)";

TEST_F(Oracles, NoWarningWhereAllExecutionsWereExplored) {
  const std::string gated = build(folder_, "by_a_door", R"(
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int free_places = 1;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static void change(int by) {
  pthread_mutex_lock(&door);
  while (free_places + by < 0) pthread_cond_wait(&left, &door);
  free_places += by;
  pthread_cond_signal(&left);
  pthread_mutex_unlock(&door);
}
static void* both(void* back) {
  change(-1);
  pthread_mutex_lock(back ? &b : &a);
  pthread_mutex_lock(back ? &a : &b);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  change(1);
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, both, 0);
  pthread_create(&u, 0, both, &a);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
)");
  const Result one = fuzz(gated, {"-n", "20", "--strategy", "random"});
  EXPECT_THAT(one.out, HasSubstr("if only locks keep the threads apart")) << one;
  const Result all = fuzz(gated, {"--fail-on", "lock-order"});
  EXPECT_EQ(all.exit_code, 0) << all;
  EXPECT_THAT(all.out, HasSubstr("VERIFIED")) << all;
  EXPECT_THAT(all.out, Not(HasSubstr("lock-order"))) << all;
}

TEST_F(Oracles, ASemaphoreThatLetsAllInIsNoGate) {
  const std::string path = build(folder_, "crowd", "#define SEATS 3\n" + std::string(kSeats));
  const Result warned = fuzz(path, {"-n", "5", "--strategy", "none"});
  EXPECT_THAT(warned.out, HasSubstr("1 lock-order warning")) << warned;
}

// Variables of functions that have their frames in the same place, one after the other.
constexpr char kLocalLocks[] = R"(
#include <mutex>
#include <thread>
static void both(std::mutex& x, std::mutex& y) {
  std::lock_guard<std::mutex> one(x), other(y);
}
static void there() {
  std::mutex left, right;
  std::thread a([&] { both(left, right); }), b([&] { both(left, right); });
  a.join(), b.join();
}
static void back() {
  std::mutex left, right;
  std::thread a([&] { both(right, left); }), b([&] { both(FIRST, SECOND); });
  a.join(), b.join();
}
int main() { there(), back(); }
)";

TEST_F(Oracles, LocksOfFunctionsAreNamedAndNotTakenForEachOther) {
  const std::string fine = folder_.file("fine"), wrong = folder_.file("wrong");
  const std::string source = folder_.write("locals.cc", kLocalLocks);
  const auto make = [&](const std::string& path, const char* first, const char* second) {
    return jostle({"c++", "-std=c++17", "-g", "-O1", "-pthread", std::string("-DFIRST=") + first,
                   std::string("-DSECOND=") + second, source, "-o", path});
  };
  ASSERT_TRUE(make(fine, "right", "left").ok());
  ASSERT_TRUE(make(wrong, "left", "right").ok());
  const Result none = fuzz(fine, {"-n", "20", "--strategy", "none"});
  EXPECT_EQ(none.exit_code, 0) << none;
  EXPECT_THAT(none.out, Not(HasSubstr("lock-order"))) << none;
  const Result one = fuzz(wrong, {"-n", "20", "--strategy", "none"});
  EXPECT_THAT(one.out, HasSubstr("1 lock-order warning")) << one;
  EXPECT_THAT(one.out, ContainsRegex("takes (left|right) \\(locals.cc")) << one;
  EXPECT_THAT(one.out, Not(HasSubstr("a lock "))) << one;
}

// One order while a structure is built, the other when it is taken down again, by other threads.
constexpr char kTwoPhases[] = R"(
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void* both(void* back) {
  pthread_mutex_lock(back ? &b : &a);
  pthread_mutex_lock(back ? &a : &b);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return 0;
}
static void phase(void* back) {
  pthread_t t, u;
  pthread_create(&t, 0, both, back);
  pthread_create(&u, 0, both, back);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
int main(void) { phase(0), phase(&a); return 0; }
)";

// Locks that one place in the code makes, each by whichever thread needs it first.
constexpr char kMadeOnce[] = R"(
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t* made(void) {
  pthread_mutex_t* lock = malloc(sizeof *lock);
  pthread_mutex_init(lock, 0);
  return lock;
}
static pthread_mutex_t *a, *b;
static pthread_once_t once_a = PTHREAD_ONCE_INIT, once_b = PTHREAD_ONCE_INIT;
static void make_a(void) { a = made(); }
static void make_b(void) { b = made(); }
static void* both(void* back) {
  pthread_once(&once_a, make_a);
  pthread_once(&once_b, make_b);
  pthread_mutex_lock(back ? b : a);
  pthread_mutex_lock(back ? a : b);
  pthread_mutex_unlock(a);
  pthread_mutex_unlock(b);
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, both, 0);
  pthread_create(&u, 0, both, BACK);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
)";

TEST_F(Oracles, LocksMadeByThreadsInBothOrdersAreAWarning) {
  const std::string path = build(folder_, "back", "#define BACK &a\n" + std::string(kMadeOnce));
  const Result warned = fuzz(path, {"-n", "5", "--strategy", "none"});
  EXPECT_THAT(warned.out, HasSubstr("1 lock-order warning")) << warned;
}

TEST_F(Oracles, NoWarningWhereNoDeadlockCanBe) {
  const std::string gated = build(folder_, "gated", kGated);
  const std::string made = build(folder_, "made", "#define BACK 0\n" + std::string(kMadeOnce));
  const std::string phases = build(folder_, "phases", kTwoPhases);
  const std::string seats = build(folder_, "seats", "#define SEATS 2\n" + std::string(kSeats));
  const std::string timed = build(folder_, "timed", "#define _GNU_SOURCE\n" + std::string(kTimed));
  for (const std::string& path :
       {gated, made, phases, seats, timed, program("gcc", "bugs/abba_pthread_ok"),
        program("gcc", "bugs/lock_cycle3_ok")}) {
    const Result result = fuzz(path, {"-n", "300"});
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_THAT(result.out, Not(HasSubstr("lock-order"))) << result;
  }
}

TEST_F(Oracles, ALivelockShowsItsLoopOnce) {
  const Result found = fuzz(program("gcc", "bugs/spin_forever"), {"-n", "100"});
  EXPECT_EQ(found.exit_code, kFound) << found;
  EXPECT_THAT(found.out, HasSubstr("LIVELOCK")) << found;
  EXPECT_THAT(found.out, ContainsRegex("goes round and round, [0-9,]+ times in the end\n +[a-z_]+"))
      << found;
}

// Two readers who never leave before the other has come: the writer waits as long as they go on.
constexpr char kStarvedWriter[] = R"(
#include <pthread.h>
#include <semaphore.h>
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static sem_t turn[2];
static void* look(void* arg) {
  const int me = arg != 0;
  if (me) sem_wait(&turn[1]);
  for (int i = 0; i < 20000; i++) {
    pthread_rwlock_rdlock(&table);
    sem_post(&turn[!me]);
    if (i < 19999 || !me) sem_wait(&turn[me]);
    pthread_rwlock_unlock(&table);
  }
  return 0;
}
static void* update(void* unused) {
  pthread_rwlock_wrlock(&table);
  pthread_rwlock_unlock(&table);
  return unused;
}
int main(void) {
  pthread_t threads[3];
  sem_init(&turn[0], 0, 0);
  sem_init(&turn[1], 0, 0);
  pthread_create(&threads[0], 0, look, 0);
  pthread_create(&threads[1], 0, look, turn);
  sem_wait(&turn[0]);
  sem_post(&turn[0]);
  pthread_create(&threads[2], 0, update, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return 0;
}
)";

TEST_F(Oracles, AStarvedWriterIsFoundOnRequest) {
  const std::string program = build(folder_, "starved", kStarvedWriter);
  const Result silent = fuzz(program, {"-n", "2"});
  EXPECT_EQ(silent.exit_code, 0) << silent;
  const Result found = fuzz(program, {"-n", "20", "--check", "+starvation"});
  EXPECT_EQ(found.exit_code, kFound) << found;
  EXPECT_THAT(found.out, ContainsRegex("STARVATION after .*T3 update waits for table while others "
                                       "get it more than 1,000"))
      << found;
  EXPECT_THAT(found.out + found.err, HasSubstr("not minimised")) << found;
  const Result sooner = fuzz(program, {"-n", "20", "--starvation-limit", "70", "--fresh"});
  EXPECT_THAT(sooner.out, ContainsRegex("get it more than 70[ \n]+times")) << sooner;
  EXPECT_EQ(fuzz(program, {"--starvation-limit", "0"}).exit_code, 2);
}

// Whoever wants the lock gets it some time: no starvation, however often they ask.
TEST_F(Oracles, NobodyStarvesAtAMutex) {
  const std::string program = build(folder_, "busy", R"(
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static void* add(void* unused) {
  for (int i = 0; i < 8000; i++) {
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}
int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, add, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return sum == 24000 ? 0 : 1;
}
)");
  const Result result = fuzz(program, {"-n", "20", "--check", "starvation"});
  EXPECT_EQ(result.exit_code, 0) << result;
}

// Four threads, two circles: nobody of the one waits for anybody of the other.
TEST_F(Oracles, OnlyThoseOfOneCircleWaitForEachOther) {
  const std::string path = build_cxx(folder_, "circles", R"(
#include <barrier>
#include <mutex>
#include <thread>
std::mutex a, b, c, d;
std::barrier<> all(4);
void takes(std::mutex& first, std::mutex& second) {
  std::lock_guard one(first);
  all.arrive_and_wait();
  std::lock_guard two(second);
}
int main() {
  std::jthread t1([] { takes(a, b); }), t2([] { takes(c, d); });
  std::jthread t3([] { takes(b, a); }), t4([] { takes(d, c); });
}
)");
  const Result found = fuzz(path, {"-n", "20"});
  ASSERT_EQ(found.exit_code, kFound) << found;
  EXPECT_THAT(found.out, ContainsRegex("T1 [^\n]+ and T3 [^\n]+ wait for each other\n")) << found;
  EXPECT_THAT(found.out, HasSubstr("cycle: T1 → T3 → T1")) << found;
}

// Two processes that share two mutexes, and take them in two orders; or a child that waits for what
// its parent holds while that waits for the child.
constexpr char kFamily[] = R"(
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
struct Shared { pthread_mutex_t left, right; };
static struct Shared* shared;
static void take(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(first);
  usleep(20000);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}
int main(int argc, char** argv) {
  const int waits = argc > 1;
  (void)argv;
  shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->left, &attributes);
  pthread_mutex_init(&shared->right, &attributes);
  if (waits) pthread_mutex_lock(&shared->left);
  const pid_t child = fork();
  if (child == 0) {
    take(&shared->left, &shared->right);
    _exit(0);
  }
  if (!waits) take(&shared->right, &shared->left);
  waitpid(child, 0, 0);
  return 0;
}
)";

TEST_F(Oracles, ADeadlockAmongProcessesIsCalledOne) {
  const std::string path = build(folder_, "family", kFamily);
  const TempDir out;
  const Result result =
      jostle({"fuzz", "--seed", "1", "-t", "20s", "-o", out.file("out"), "--", path, "waits"},
             {.time_limit = 60});
  ASSERT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out, HasSubstr("several processes wait for ever")) << result;
  EXPECT_THAT(result.out, ContainsRegex("\n +main +waits for a process +family.c:31\n")) << result;
  EXPECT_THAT(result.out, ContainsRegex("the forked process +waits for mutex Shared.left of "
                                        "family.c:18 +family.c:9 +held by main"))
      << result;
}

// The child has a copy of the lock, and not of the thread that holds it.
TEST_F(Oracles, ALockThatWasHeldAtTheForkIsNamedWithItsHolder) {
  const std::string path = build(folder_, "forks", R"(
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static void log_line(void) {
  pthread_mutex_lock(&log_lock);
  pthread_mutex_unlock(&log_lock);
}
static void* talks(void* unused) {
  log_line();
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, talks, 0);
  const pid_t child = fork();
  log_line();
  if (child == 0) _exit(0);
  waitpid(child, 0, 0);
  pthread_join(thread, 0);
  return 0;
}
)");
  const Result result = fuzz(path, {"-n", "500"});
  ASSERT_EQ(result.exit_code, kFound) << result;
  EXPECT_THAT(result.out, ContainsRegex("mutex log_lock +forks.c:7 +held by T1 at the fork"))
      << result;
  EXPECT_THAT(result.out, ContainsRegex("T1[ \n]+talks[ \n]+held[ \n]+at[ \n]+the[ \n]+fork:"))
      << result;
}

// Who comes first is a matter of real time: a deadlock that can be told, or none.
TEST_F(Oracles, ProcessesThatComeThroughAreInNoDeadlock) {
  const std::string path = build(folder_, "family", kFamily);
  for (int i = 0; i < 5; ++i) {
    const Result result = jostle({"run", "--", path}, {.time_limit = 60});
    const bool is_deadlock = result.err.find("DEADLOCK") != std::string::npos;
    EXPECT_EQ(result.exit_code, is_deadlock ? 77 : 0) << result;
    EXPECT_EQ(result.err.find("held by the forked process") != std::string::npos, is_deadlock)
        << result;
  }
}

}  // namespace
}  // namespace jostle::test
