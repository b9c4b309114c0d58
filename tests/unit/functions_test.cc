// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/functions.h"

#include <gtest/gtest.h>

#include <algorithm>

// Found again by their addresses in this very test program.
namespace functions_test {
volatile int sink;
template <typename T>
struct Box {
  __attribute__((noinline)) void put(T value) { sink = sink + static_cast<int>(value); }
};
__attribute__((always_inline)) inline void touch() { sink = sink + 1; }
__attribute__((noinline)) void touch_twice() {
  touch();
  touch();
}
namespace {
__attribute__((noinline)) void hidden() { sink = sink + 2; }
}  // namespace
}  // namespace functions_test

namespace jostle::report {
namespace {

// Reading all of this program takes seconds under AddressSanitizer: one test asks all questions, as
// tests of a name may be spread over processes.
const std::vector<Function>& own_functions() {
  static const std::vector<Function> functions = functions_of("/proc/self/exe");
  return functions;
}

const Function* find(const std::string& name) {
  const auto& all = own_functions();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Function& f) { return f.name == name; });
  return found == all.end() ? nullptr : &*found;
}

void expect_qualified_names() {
  functions_test::Box<int>().put(1);
  functions_test::touch_twice();
  functions_test::hidden();
  for (const char* name : {"functions_test::Box<int>::put", "functions_test::touch_twice",
                           "functions_test::(anonymous namespace)::hidden", "main"}) {
    const Function* function = find(name);
    ASSERT_NE(function, nullptr) << name;
    EXPECT_EQ(function->code[0].depth, 0u) << name;
    EXPECT_LT(function->code[0].begin, function->code[0].end) << name;
  }
}

void expect_inlined_copies_inside_of_their_callers() {
  const Function* copy = find("functions_test::touch");
  ASSERT_NE(copy, nullptr) << "built without -g?";
  const Function* around = find("functions_test::touch_twice");
  ASSERT_NE(around, nullptr);
  int copies = 0;
  for (const CodePiece& piece : copy->code) {
    if (piece.depth == 0) continue;  // clang may keep the function itself, which nobody calls
    EXPECT_EQ(piece.depth, 1u);
    EXPECT_GE(piece.begin, around->code[0].begin);
    EXPECT_LE(piece.end, around->code[0].end);
    ++copies;
  }
  EXPECT_GE(copies, 2);
}

TEST(Functions, AreFoundByTheirNamesAndInlinedCopiesInTheirCallers) {
  expect_qualified_names();
  expect_inlined_copies_inside_of_their_callers();
}

TEST(Functions, OfWhatIsNoProgramAreNone) {
  EXPECT_TRUE(functions_of("/no/such/file").empty());
  EXPECT_TRUE(functions_of("/dev/null").empty());
  EXPECT_TRUE(functions_of("/etc/passwd").empty());
}

}  // namespace
}  // namespace jostle::report
