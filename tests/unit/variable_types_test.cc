// SPDX-License-Identifier: Apache-2.0
// Members of globals by their names, in this very test program.
#include "src/report/symbols/variable_types.h"

#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <mutex>

#include "src/report/symbols/symbolizer.h"

namespace variable_types_test {

struct Money {
  int euros, cents;
};
class Account {
 public:
  std::mutex mutex_;
  Money balance_{100, 0};
  Money history_[3];
};
struct Node {
  Node* next;
  union {
    int number;
    float fraction;
  };
};

std::array<Account, 3> accounts;
Node nodes[2][2];
int plain;
thread_local int own;

}  // namespace variable_types_test

namespace jostle::report {
namespace {

using namespace variable_types_test;

class VariableTypesTest : public testing::Test {
 protected:
  VariableTypesTest() {
    if (readlink("/proc/self/exe", module_.path, sizeof module_.path - 1) < 0) abort();
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* argument) {
          auto& module = *static_cast<channel::ModuleRecord*>(argument);
          module.bias = info->dlpi_addr;
          module.begin = info->dlpi_addr;
          module.end = UINTPTR_MAX;
          return 1;
        },
        &module_);
  }

  // The names are long: what comes behind the variable's is what this is about.
  std::string member(const void* address) {
    const std::string name = symbols().variable(reinterpret_cast<uintptr_t>(address));
    return name.substr(name.rfind("::") == std::string::npos ? 0 : name.rfind("::") + 2);
  }
  Symbolizer& symbols() {
    if (!symbols_) symbols_.emplace(std::span(&module_, 1));
    return *symbols_;
  }

  channel::ModuleRecord module_{};
  std::optional<Symbolizer> symbols_;
};

TEST_F(VariableTypesTest, NamesMembersAndElements) {
  if (!symbols().has_debug_info(symbols().modules()[0])) GTEST_SKIP() << "built without -g";
  EXPECT_EQ(member(&plain), "plain");
  EXPECT_EQ(member(&accounts[1].balance_.euros), "accounts[1].balance_.euros");
  EXPECT_EQ(member(&accounts[2].history_[1].cents), "accounts[2].history_[1].cents");
  EXPECT_EQ(member(&nodes[1][0].next), "nodes[1][0].next");
}

TEST_F(VariableTypesTest, TypesOfLibrariesAreNotTakenApart) {
  if (!symbols().has_debug_info(symbols().modules()[0])) GTEST_SKIP() << "built without -g";
  EXPECT_EQ(member(&accounts[1].mutex_), "accounts[1].mutex_");
}

TEST_F(VariableTypesTest, TheInsideOfAValueIsAnOffset) {
  if (!symbols().has_debug_info(symbols().modules()[0])) GTEST_SKIP() << "built without -g";
  EXPECT_EQ(member(reinterpret_cast<const char*>(&plain) + 2), "plain+2");
}

}  // namespace
}  // namespace jostle::report
