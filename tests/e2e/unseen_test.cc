// SPDX-License-Identifier: Apache-2.0
// Atomics that are not seen: in inline assembly, and in libraries that were built without us.
// `doctor` names them, and nothing is taken for a failure that they rule out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using testing::HasSubstr;
using testing::Not;

#ifdef __aarch64__
#define ADD                                                                              \
  "  int old, failed;\n"                                                                 \
  "  do __asm__ volatile(\"ldxr %w0, [%2]\\n add %w0, %w0, 1\\n stxr %w1, %w0, [%2]\"\n" \
  "      : \"=&r\"(old), \"=&r\"(failed) : \"r\"(word) : \"memory\"); while (failed);\n"
#else
#define ADD          \
  "  int one = 1;\n" \
  "  __asm__ volatile(\"lock xaddl %0, (%1)\" : \"+r\"(one) : \"r\"(word) : \"memory\");\n"
#endif

TEST(Unseen, AtomicsInInlineAssemblyAreNamedByDoctor) {
  const TempDir folder;
  const std::string path = build(folder, "assembly",
                                 "static void add_one(int* word) {\n" ADD
                                 "}\nint word;\nint main(void) { add_one(&word); return 0; }\n");
  const Result ill = jostle({"doctor", path});
  EXPECT_EQ(ill.exit_code, 1) << ill;
  EXPECT_THAT(ill.out, HasSubstr("atomics unseen    in add_one: inline assembly")) << ill;
}

#ifdef __x86_64__
// What may be a table is not said to be an instruction of a function.
TEST(Unseen, TablesAmongFunctionsAreNoInstructions) {
  const TempDir folder;
  const std::string path =
      build(folder, "table",
            "__asm__(\".text\\n.type table, @object\\ntable: .byte 0xf0, 0x0f, 0xc1, 0x07\\n\"\n"
            "        \".size table, . - table\\n\");\n"
            "int main(void) { return 0; }\n");
  const Result ill = jostle({"doctor", path});
  EXPECT_THAT(ill.out, HasSubstr("atomics unseen    perhaps, in table: what looks like")) << ill;
}
#endif

#ifdef __aarch64__
#define COUNTER "  __asm__ volatile(\"mrs %0, cntvct_el0\" : \"=r\"(ticks));\n"
#else
#define COUNTER "  __asm__ volatile(\"rdtsc\" : \"=a\"(ticks) : : \"rdx\");\n"
#endif

#ifdef __aarch64__
TEST(Unseen, TheProcessorsCounterIsNamedByDoctorAndRulesOutAVerdict) {
  const TempDir folder;
  const std::string path = build(folder, "counter",
                                 "#include <stdatomic.h>\natomic_int n;\n"
                                 "static unsigned long now(void) {\n"
                                 "  unsigned long ticks = 0;\n" COUNTER
                                 "  return ticks;\n}\n"
                                 "int main(void) { for (unsigned long i = now() % 1009; i; i--) "
                                 "n++; return 0; }\n");
  const Result ill = jostle({"doctor", path});
  EXPECT_EQ(ill.exit_code, 1) << ill;
  EXPECT_THAT(ill.out, HasSubstr("in now: inline assembly reads the processor's counter")) << ill;
  const Result search = jostle({"fuzz", "-n", "200", "-o", folder.file("out"), path});
  EXPECT_THAT(search.out, Not(HasSubstr("VERIFIED"))) << search;
}
#else
TEST(Unseen, TheProcessorsCounterIsVirtualTime) {
  const TempDir folder;
  const std::string path =
      build(folder, "counter",
            "#include <stdio.h>\n"
            "static unsigned long now(void) {\n"
            "  unsigned long ticks = 0;\n" COUNTER
            "  return ticks;\n}\n"
            "int main(void) { printf(\"%lu\\n\", now() % 1009); return 0; }\n");
  const Result well = jostle({"doctor", path});
  EXPECT_EQ(well.exit_code, 0) << well;
  EXPECT_THAT(well.out, Not(HasSubstr("real time"))) << well;
  EXPECT_EQ(jostle({"run", path}).out, jostle({"run", path}).out);
}
#endif

TEST(Unseen, AtomicsOfTheCompilerAreSeen) {
  const TempDir folder;
  const std::string path = build(
      folder, "builtin", "int word;\nint main(void) { return __sync_fetch_and_add(&word, 1); }\n");
  const Result well = jostle({"doctor", path});
  EXPECT_EQ(well.exit_code, 0) << well;
  EXPECT_THAT(well.out, Not(HasSubstr("unseen"))) << well;
}

// A lock whose end is in a library that was built without us.
constexpr char kLibrary[] =
    "void give(int* lock) { __atomic_exchange_n(lock, 0, __ATOMIC_ACQ_REL); }\n"
    "int nothing(void) { return 0; }\n";
constexpr char kUser[] =
    "#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n"
    "void give(int*);\n"
    "static int lock, slot, plain;\n"
    "static void* work(void* unused) {\n"
    "  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) sched_yield();\n"
    "  const int seen = __atomic_load_n(&slot, __ATOMIC_RELAXED);\n"
    "  __atomic_store_n(&slot, seen + 1, __ATOMIC_RELAXED);\n"
    "  ++plain;\n"
    "  give(&lock);\n"
    "  return unused;\n"
    "}\n"
    "int main(void) {\n"
    "  pthread_t a, b;\n"
    "  pthread_create(&a, 0, work, 0), pthread_create(&b, 0, work, 0);\n"
    "  pthread_join(a, 0), pthread_join(b, 0);\n"
    "  assert(slot == 2);\n"
    "}\n";

class UnseenLibrary : public testing::Test {
 protected:
  void SetUp() override { build_user(kUser); }

  void build_user(const std::string& user) {
    const std::string library = folder_.write("give.c", kLibrary);
    ASSERT_TRUE(
        run({"gcc", "-O1", "-shared", "-fPIC", library, "-o", folder_.file("libgive.so")}).ok());
    const std::string file = folder_.write("user.c", user);
    path_ = folder_.file("user");
    const Result built =
        jostle({"cc", "-g", "-O1", "-pthread", file, "-o", path_, "-L" + folder_.file(""), "-lgive",
                "-Wl,-rpath," + folder_.file("")});
    ASSERT_TRUE(built.ok()) << built;
  }

  TempDir folder_;
  std::string path_;
};

TEST_F(UnseenLibrary, OrdersMoreThanWeakMemoryWouldKnow) {
  const Result fine =
      jostle({"fuzz", "--seed", "1", "-n", "3000", "-o", folder_.file("out"), "--", path_});
  EXPECT_EQ(fine.exit_code, 0) << fine;
  EXPECT_THAT(fine.out, Not(HasSubstr("weak memory"))) << fine;
}

TEST_F(UnseenLibrary, GuardsWhatIsNoRaceThen) {
  const Result fine =
      jostle({"fuzz", "--seed", "1", "-n", "300", "-o", folder_.file("out"), "--", path_});
  EXPECT_THAT(fine.out, Not(HasSubstr("data race"))) << fine;
  const Result ill = jostle({"doctor", path_});
  EXPECT_EQ(ill.exit_code, 1) << ill;
  EXPECT_THAT(ill.out, HasSubstr("orders unseen     how libgive.so orders threads")) << ill;
}

#ifdef __x86_64__
// The same library, whose atomics never run.
constexpr char kIdleUser[] =
    "#include <assert.h>\n#include <pthread.h>\n"
    "int nothing(void);\n"
    "static int full, slot;\n"
    "static void* work(void* unused) {\n"
    "  __atomic_store_n(&slot, 1, __ATOMIC_RELAXED);\n"
    "  __atomic_store_n(&full, 1, __ATOMIC_RELAXED);\n"
    "  return unused;\n"
    "}\n"
    "int main(void) {\n"
    "  pthread_t a;\n"
    "  pthread_create(&a, 0, work, 0);\n"
    "  if (__atomic_load_n(&full, __ATOMIC_RELAXED)) {\n"
    "    const int seen = __atomic_load_n(&slot, __ATOMIC_RELAXED);\n"
    "    assert(seen == 1);\n"
    "  }\n"
    "  pthread_join(a, 0);\n"
    "  return nothing();\n"
    "}\n";

TEST_F(UnseenLibrary, OrdersNothingBeforeItsAtomicsRun) {
  build_user(kIdleUser);
  for (const char* executor : {"snapshot", "fork"}) {
    const Result found = jostle({"fuzz", "--fresh", "--seed", "1", "-n", "3000", "--executor",
                                 executor, "-o", folder_.file("out"), "--", path_});
    EXPECT_EQ(found.exit_code, 77) << found;
    EXPECT_THAT(found.out, HasSubstr("Needs weak memory: ")) << found;
  }
  const Result well = jostle({"doctor", path_});
  EXPECT_THAT(well.out, HasSubstr("orders unseen     none: atomics of libgive.so did not run"))
      << well;
}
#endif

#ifdef __aarch64__
#define EXCHANGE                                                                            \
  "  int old, failed;\n"                                                                    \
  "  do __asm__ volatile(\"ldaxr %w0, [%2]\\n stlxr %w1, %w3, [%2]\"\n"                     \
  "      : \"=&r\"(old), \"=&r\"(failed) : \"r\"(word), \"r\"(value) : \"memory\"); while " \
  "(failed);\n"
#else
#define EXCHANGE         \
  "  int old = value;\n" \
  "  __asm__ volatile(\"xchgl %0, (%1)\" : \"+r\"(old) : \"r\"(word) : \"memory\");\n"
#endif

// A lock in inline assembly, in a library that was built with us.
TEST(Unseen, AtomicsInInlineAssemblyOfALibraryGuardWhatIsNoRaceThen) {
  const TempDir folder;
  const std::string library =
      folder.write("lock.c", "static int exchange(int* word, int value) {\n" EXCHANGE
                             "  return old;\n}\n"
                             "static int lock;\n"
                             "void take(void) { while (exchange(&lock, 1)) {} }\n"
                             "void give(void) { exchange(&lock, 0); }\n");
  const Result made =
      jostle({"cc", "-g", "-O1", "-shared", "-fPIC", library, "-o", folder.file("libassembly.so")});
  ASSERT_TRUE(made.ok()) << made;
  const std::string user =
      folder.write("user.c",
                   "#include <pthread.h>\n"
                   "void take(void), give(void);\n"
                   "static int plain;\n"
                   "static void* work(void* unused) { take(), ++plain, give(); return unused; }\n"
                   "int main(void) {\n"
                   "  pthread_t a, b;\n"
                   "  pthread_create(&a, 0, work, 0), pthread_create(&b, 0, work, 0);\n"
                   "  pthread_join(a, 0), pthread_join(b, 0);\n"
                   "  return plain != 2;\n"
                   "}\n");
  const std::string path = folder.file("user");
  const Result built =
      jostle({"cc", "-g", "-O1", "-pthread", user, "-o", path, "-L" + folder.file(""), "-lassembly",
              "-Wl,-rpath," + folder.file("")});
  ASSERT_TRUE(built.ok()) << built;
  const Result fine =
      jostle({"fuzz", "--seed", "1", "-n", "30", "-o", folder.file("out"), "--", path});
  EXPECT_EQ(fine.exit_code, 0) << fine;
  EXPECT_THAT(fine.out, Not(HasSubstr("data race"))) << fine;
  const Result ill = jostle({"doctor", path});
  EXPECT_THAT(ill.out, HasSubstr("atomics unseen    in exchange: inline assembly")) << ill;
}

// The hooks of OpenMP find libgomp, which nobody but a plugin has loaded.
TEST(Unseen, OpenMpOfAPluginWorks) {
  const TempDir folder;
  const std::string plugin =
      folder.write("plugin.c",
                   "int sum(void) {\n"
                   "  int all = 0;\n"
                   "#pragma omp parallel for num_threads(2) reduction(+ : all)\n"
                   "  for (int i = 0; i < 4; ++i) all += i;\n"
                   "  return all;\n"
                   "}\n");
  const std::string library = folder.file("plugin.so");
  const Result made =
      jostle({"cc", "-g", "-O1", "-fopenmp", "-shared", "-fPIC", plugin, "-o", library});
  ASSERT_TRUE(made.ok()) << made;
  const std::string path = build(folder, "host",
                                 "#include <dlfcn.h>\n"
                                 "int main(int count, char** words) {\n"
                                 "  void* plugin = dlopen(words[count - 1], RTLD_NOW);\n"
                                 "  if (!plugin) return 2;\n"
                                 "  return ((int (*)(void))dlsym(plugin, \"sum\"))() != 6;\n"
                                 "}\n");
  const Result fine =
      jostle({"fuzz", "--seed", "1", "-n", "20", "-o", folder.file("out"), "--", path, library});
  EXPECT_EQ(fine.exit_code, 0) << fine;
  EXPECT_THAT(fine.out, Not(HasSubstr("data race"))) << fine;
}

// A message that is handed over through the second address of a flag.
constexpr char kTwoAddresses[] = R"(
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>
static atomic_int *here, *there;
static int message;
static void* answer(void* unused) {
  while (atomic_load_explicit(there, memory_order_acquire) == 0) {
  }
  assert(message == 5);
  atomic_store_explicit(here, 2, memory_order_release);
  return unused;
}
int main(void) {
  const int file = memfd_create("flag", 0);
  if (ftruncate(file, 4096) != 0) return 2;
  here = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  there = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  atomic_store(there, 0);
  pthread_t thread;
  pthread_create(&thread, 0, answer, 0);
  message = 5;
  atomic_store_explicit(here, 1, memory_order_release);
  pthread_join(thread, 0);
  assert(atomic_load(there) == 2);
  return 0;
}
)";

TEST(Unseen, MemoryThatHasTwoAddressesIsOneMemory) {
  const TempDir folder;
  const std::string path = build(folder, "two_addresses", kTwoAddresses);
  for (const char* executor : {"snapshot", "fork"}) {
    const Result fine = jostle({"fuzz", "--seed", "1", "-n", "40", "--fail-on", "race",
                                "--executor", executor, "-o", folder.file("out"), "--", path});
    EXPECT_EQ(fine.exit_code, 0) << fine;
    EXPECT_THAT(fine.out, Not(HasSubstr("data race"))) << fine;
  }
}

// Dekker's algorithm, in which the kernel executes the one side's fence.
constexpr char kMembarrier[] = R"(
#include <assert.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int often, rarely;
static int inside;
static void* goes_often(void* unused) {
  atomic_store_explicit(&often, 1, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
  if (!atomic_load_explicit(&rarely, memory_order_relaxed)) inside++;
  atomic_signal_fence(memory_order_seq_cst);
  atomic_store_explicit(&often, 0, memory_order_relaxed);
  return unused;
}
static void barrier(void) { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }
int main(void) {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0) return 0;
  pthread_t thread;
  pthread_create(&thread, 0, goes_often, 0);
  atomic_store_explicit(&rarely, 1, memory_order_relaxed);
  barrier();
  while (atomic_load_explicit(&often, memory_order_relaxed)) {
  }
  barrier();
  const int before = inside;
  inside = before + 1;
  assert(inside == before + 1);
  pthread_join(thread, 0);
  return inside > 2;
}
)";

TEST(Unseen, TheKernelsFencesCount) {
  const TempDir folder;
  const std::string path = build(folder, "membarrier", kMembarrier);
  const Result fine = jostle({"fuzz", "--seed", "1", "-n", "2000", "--fail-on", "race", "-o",
                              folder.file("out"), "--", path});
  EXPECT_EQ(fine.exit_code, 0) << fine;
  EXPECT_THAT(fine.out, Not(HasSubstr("data race"))) << fine;
}

// Who waits for an iteration of another thread spins in libgomp.
TEST(Unseen, IterationsOfOpenMpWaitForEachOther) {
  const TempDir folder;
  const std::string source = folder.write("chain.c", R"(
#include <assert.h>
int main(void) {
  int chain[4] = {1};
#pragma omp parallel for ordered(1) num_threads(2) schedule(static, 1)
  for (int i = 1; i < 4; ++i) {
#pragma omp ordered depend(sink : i - 1)
    chain[i] = 2 * chain[i - 1];
#pragma omp ordered depend(source)
  }
  assert(chain[3] == 8);
  return 0;
}
)");
  const std::string path = folder.file("chain");
  const Result made = jostle({"cc", "-g", "-O1", "-fopenmp", source, "-o", path});
  ASSERT_TRUE(made.ok()) << made;
  const Result fine =
      jostle({"fuzz", "--seed", "1", "-n", "6", "-o", folder.file("out"), "--", path});
  EXPECT_EQ(fine.exit_code, 0) << fine;
  EXPECT_THAT(fine.out + fine.err, Not(HasSubstr("cut off"))) << fine;
  EXPECT_THAT(fine.out, Not(HasSubstr("data race"))) << fine;
}

// A file that is there when another thread has prepared something, one that is a lock, and a look
// at how much there is to read.
constexpr char kByFiles[] = R"(
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
static int ends[2], by_name, by_lock, by_size;
static void* prepare(void* unused) {
  by_name = 1;
  close(creat("draft", 0600));
  rename("draft", "ready");
  by_lock = 1;
  unlink("lock");
  by_size = 1;
  if (write(ends[1], "", 1) != 1) return 0;
  return unused;
}
int main(void) {
  struct stat status;
  int lock, size = 0;
  close(creat("lock", 0600));
  if (pipe(ends) != 0) return 2;
  pthread_t thread;
  pthread_create(&thread, 0, prepare, 0);
  while (stat("ready", &status) != 0) usleep(10);
  by_name++;
  while ((lock = open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0) usleep(10);
  by_lock++;
  while (size == 0) ioctl(ends[0], FIONREAD, &size);
  by_size++;
  pthread_join(thread, 0);
  assert(by_name + by_lock + by_size == 6);
  unlink("ready"), unlink("lock"), close(lock);
  return 0;
}
)";

TEST(Unseen, FilesOrderThreads) {
  const TempDir folder;
  const std::string path = build(folder, "by_files", kByFiles);
  const Result fine = jostle(
      {"fuzz", "--seed", "1", "-n", "100", "--strategy", "random", "--fail-on", "race", path},
      {.cwd = folder.path()});
  EXPECT_EQ(fine.exit_code, 0) << fine;
}

}  // namespace
}  // namespace jostle::test
