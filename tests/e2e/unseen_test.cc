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

}  // namespace
}  // namespace jostle::test
