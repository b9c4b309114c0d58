// SPDX-License-Identifier: Apache-2.0
// One failure has one name, in every campaign and after edits elsewhere; two failures have two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using testing::StartsWith;

// The folders of all failures that a campaign keeps.
std::set<std::string> failures(const std::string& program, std::vector<std::string> options = {}) {
  const TempDir out;
  std::vector<std::string> words = {"fuzz", "-k", "-n", "2000", "-t", "20s"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"-o", out.file("out"), "--", program});
  const Result result = jostle(words);
  std::set<std::string> names;
  for (const std::filesystem::path& file : recordings_in(out.file("out"))) {
    names.insert(file.parent_path().filename());
  }
  EXPECT_EQ(names.empty(), result.ok()) << result;
  return names;
}

// Which of several ways main goes is decided by how far two threads have come.
std::string program_with(const std::string& functions, const std::string& end) {
  return R"(
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static volatile int steps;
static void* walk(void* unused) {
  for (int i = 0; i < 3; ++i) __atomic_fetch_add(&steps, 1, __ATOMIC_SEQ_CST);
  return unused;
}
)" + functions +
         R"(
int main(void) {
  pthread_t one;
  pthread_create(&one, 0, walk, 0);
  const int seen = __atomic_load_n(&steps, __ATOMIC_SEQ_CST);
)" + end +
         R"(
  pthread_join(one, 0);
  return 0;
}
)";
}

constexpr char kStop[] =
    "__attribute__((noinline)) static void stop(void) { abort(); }\n"
    "__attribute__((noinline)) static void early(void) { stop(); __asm__(\"\"); }\n"
    "__attribute__((noinline)) static void late(void) { stop(); __asm__(\"\"); }\n";

TEST(Identity, OnePlaceReachedByTwoFunctionsIsTwoFailures) {
  const TempDir folder;
  const std::string path = build(
      folder, "callers", program_with(kStop, "if (seen == 1) early();\nif (seen == 2) late();\n"));
  const std::set<std::string> names = failures(path);
  EXPECT_EQ(names.size(), 2) << testing::PrintToString(names);
}

TEST(Identity, TwoPlacesInOneFunctionAreTwoFailuresAlsoWhenTheirLinesLookAlike) {
  const TempDir folder;
  const std::string path = build(folder, "places",
                                 program_with("",
                                              "if (seen == 1)\n"
                                              "  abort();\n"
                                              "if (seen == 2)\n"
                                              "  abort();\n"));
  EXPECT_EQ(failures(path).size(), 2);
}

TEST(Identity, TheSameFailureBySeveralWaysThatDoNotMatterIsOne) {
  const TempDir folder;
  // Different numbers in what it says, and a recursion of different depth.
  const std::string path = build(folder, "ways",
                                 program_with("static void deep(int n) {\n"
                                              "  if (n == 0) abort();\n"
                                              "  deep(n - 1);\n"
                                              "  __asm__(\"\");\n"
                                              "}\n",
                                              "if (seen > 0) deep(3 * seen);\n"));
  EXPECT_EQ(failures(path).size(), 1);
}

TEST(Identity, LinesAboveAndTheSpellingOfThePathDoNotMatter) {
  const TempDir folder;
  const std::string end = "if (seen == 1) early();\nassert(seen != 2);\n";
  const std::string before = program_with(kStop, end);
  const std::string after =
      program_with("// a comment\nstatic int unused_so_far[3];\n" + std::string(kStop),
                   "(void)unused_so_far;\n// before them\n" + end);
  folder.write("a/moved.c", before);
  folder.write("b/c/moved.c", after);
  const std::string first = folder.file("a/moved"), second = folder.file("b/c/moved");
  ASSERT_TRUE(
      jostle({"cc", "-g", "-O1", "-pthread", "moved.c", "-o", first}, {.cwd = folder.path() / "a"})
          .ok());
  ASSERT_TRUE(
      jostle({"cc", "-g", "-O1", "-pthread", folder.file("b/../b/c/moved.c"), "-o", second}).ok());
  const std::set<std::string> names = failures(first);
  EXPECT_EQ(names.size(), 2) << testing::PrintToString(names);
  EXPECT_EQ(names, failures(second));
}

TEST(Identity, RunsWithoutAnEndAreNamedAfterTheirProgram) {
  const TempDir folder;
  std::set<std::string> names;
  for (const char* name : {"one", "two"}) {
    const std::string path =
        build(folder, name,
              "#include <pthread.h>\n"
              "static int i;\n"
              "static void* go(void* p) {\n"
              "  while (__atomic_add_fetch(&i, 1, 5) < 100000) {} return p; }\n"
              "int main(void) { pthread_t t; pthread_create(&t, 0, go, 0);\n"
              "  go(0); pthread_join(t, 0); return 0; }\n");
    for (const std::string& found : failures(path, {"--max-steps", "1000", "-n", "20"})) {
      EXPECT_THAT(found, StartsWith("steps-"));
      names.insert(found);
    }
  }
  EXPECT_EQ(names.size(), 2) << testing::PrintToString(names);
}

TEST(Identity, DeadlocksDifferByWhereTheirThreadsWaitAndNotByHowMany) {
  const TempDir folder;
  const std::string path = build(folder, "waiters", R"(
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void* forwards(void* p) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return p;
}
static void* backwards(void* p) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return p;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; ++i) pthread_create(&t[i], 0, i % 2 ? forwards : backwards, 0);
  for (int i = 0; i < 4; ++i) pthread_join(t[i], 0);
  return 0;
}
)");
  const std::set<std::string> names = failures(path);
  EXPECT_EQ(names.size(), 1) << testing::PrintToString(names);
}

}  // namespace
}  // namespace jostle::test
