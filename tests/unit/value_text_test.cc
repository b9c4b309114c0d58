// SPDX-License-Identifier: Apache-2.0
// Values as their types have them, and types of memory, in this very test program.
#include "src/report/text/value_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "src/report/symbols/symbolizer.h"

namespace value_text_test {

enum class State : uint8_t { open, closed };
enum Level { low = -1, high = 7 };

int number;
unsigned natural;
bool flag;
char letter;
uint8_t small;
int8_t small_signed;
long large;
float single;
double twice;
State state;
Level level;
int* pointer;
std::atomic<int> atomic_number;
std::atomic<State> atomic_state;

struct Base {
  int inherited;
};
struct Empty {};
struct Derived : Empty, Base {
  short own;
};
struct Fields {
  unsigned ready : 1, count : 3;
  unsigned : 0;
  unsigned other : 2;
};
union Either {
  int whole;
  struct {
    short low, high;
  };
};
Derived derived[2];
Fields fields;
Either either;
std::vector<int> items;
std::tuple<int, Derived> pair_of;
std::unique_ptr<int> owned;
std::atomic<int*> atomic_pointer;
std::deque<int> waiting;
std::map<int, int> tree;
std::unordered_map<int, int> table;
std::list<int> chain;
std::string word;
std::optional<int> perhaps;
thread_local int own_number[2];

}  // namespace value_text_test

namespace jostle::report {
namespace {

using namespace value_text_test;

class ValueTextTest : public testing::Test {
 protected:
  ValueTextTest() {
    if (readlink("/proc/self/exe", module_.path, sizeof module_.path - 1) < 0) abort();
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* argument) {
          auto& module = *static_cast<channel::ModuleRecord*>(argument);
          module.bias = module.begin = info->dlpi_addr;
          module.end = UINTPTR_MAX;
          return 1;
        },
        &module_);
    symbols_.emplace(std::span(&module_, 1));
  }
  void SetUp() override {
    if (!symbols_->has_debug_info(symbols_->modules()[0])) GTEST_SKIP() << "built without -g";
  }

  // What an event with this value says of the variable.
  template <typename T>
  std::string text(const T& variable, uint64_t value) {
    const NamedMemory memory =
        symbols_->variable(reinterpret_cast<uintptr_t>(&variable), sizeof variable);
    return memory.type ? value_text(*memory.type, value, sizeof variable) : "no type";
  }
  std::string name(const void* address, uint32_t size) {
    const std::string full = symbols_->variable(reinterpret_cast<uintptr_t>(address), size).name;
    return full.substr(full.rfind("::") + 2);
  }

  channel::ModuleRecord module_{};
  std::optional<Symbolizer> symbols_;
};

TEST_F(ValueTextTest, NumbersHaveTheSignOfTheirType) {
  EXPECT_EQ(text(number, 0xffffffff), "-1");
  EXPECT_EQ(text(natural, 0xffffffff), "4294967295");
  EXPECT_EQ(text(small, 200), "200");
  EXPECT_EQ(text(small_signed, 200), "-56");
  EXPECT_EQ(text(large, UINT64_MAX), "-1");
  EXPECT_EQ(text(atomic_number, 0xfffffffe), "-2");
}

TEST_F(ValueTextTest, OtherTypesAreWrittenAsInTheSource) {
  EXPECT_EQ(text(flag, 1), "true");
  EXPECT_EQ(text(flag, 0), "false");
  EXPECT_EQ(text(flag, 7), "7") << "no boolean at all";
  EXPECT_EQ(text(letter, 'a'), "'a' (97)");
  EXPECT_EQ(text(letter, 3), "3");
  EXPECT_EQ(text(single, std::bit_cast<uint32_t>(0.5f)), "0.5");
  EXPECT_EQ(text(twice, std::bit_cast<uint64_t>(-1.25)), "-1.25");
  EXPECT_EQ(text(pointer, 0), "nullptr");
  EXPECT_EQ(text(pointer, 0x1000), "0x1000");
}

TEST_F(ValueTextTest, EnumeratorsByName) {
  EXPECT_EQ(text(state, 1), "State::closed");
  EXPECT_EQ(text(state, 9), "9");
  EXPECT_EQ(text(level, 0xffffffff), "low");
  EXPECT_EQ(text(level, 7), "high");
  EXPECT_EQ(text(atomic_state, 0), "State::open");
}

TEST_F(ValueTextTest, PartsOfAVariableHaveTypesOfTheirOwn) {
  EXPECT_EQ(text(derived[1].inherited, 0xffffffff), "-1");
  EXPECT_EQ(text(derived[1], 0), "no type");
}

TEST_F(ValueTextTest, WithoutATypeSmallNumbersAreGuessed) {
  EXPECT_EQ(value_text(50, 4), "50");
  EXPECT_EQ(value_text(0xffffffff, 4), "-1");
  EXPECT_EQ(value_text(0x600000000010, 8), "0x600000000010");
}

TEST_F(ValueTextTest, NamesWhatBaseClassesAndBitFieldsHold) {
  EXPECT_EQ(name(&derived[1].inherited, 4), "derived[1].inherited");
  EXPECT_EQ(name(&derived[1].own, 2), "derived[1].own");
  EXPECT_EQ(name(&fields, 1), "fields.{ready,count}");
  EXPECT_EQ(name(reinterpret_cast<char*>(&fields) + 4, 1), "fields.other");
}

TEST_F(ValueTextTest, AUnionsMemberIsKnownByItsSizeOrNotAtAll) {
  EXPECT_EQ(name(&either, 4), "either.whole");
  EXPECT_EQ(name(&either, 2), "either.low");
  EXPECT_EQ(name(&either, 1), "either");
}

TEST_F(ValueTextTest, PartsOfTheLibrarysTypes) {
  EXPECT_EQ(name(&std::get<1>(pair_of).inherited, 4), "pair_of.get<1>.inherited");
  EXPECT_EQ(name(&owned, 8), "owned");
  EXPECT_EQ(name(&items, 8), "items.begin");
  EXPECT_EQ(name(reinterpret_cast<char*>(&items) + 8, 8), "items.end");
}

// The names of all words of 8 bytes that an object consists of, in order and each once.
template <typename T>
std::vector<std::string> parts(const T& object, const auto& name) {
  std::vector<std::string> names;
  for (size_t at = 0; at + 8 <= sizeof object; at += 8) {
    std::string text = name(reinterpret_cast<const char*>(&object) + at, 8);
    if (std::ranges::find(names, text) == names.end()) names.push_back(std::move(text));
  }
  return names;
}

TEST_F(ValueTextTest, PartsOfContainersHaveTheWordsOfTheirInterface) {
  const auto named = [&](const void* address, uint32_t size) { return name(address, size); };
  EXPECT_EQ(name(&atomic_pointer, 8), "atomic_pointer");
  EXPECT_THAT(parts(waiting, named),
              testing::UnorderedElementsAre("waiting.blocks", "waiting.block_count",
                                            "waiting.begin", "waiting.end"));
  EXPECT_THAT(parts(tree, named), testing::IsSupersetOf({"tree.root", "tree.begin", "tree.size"}));
  EXPECT_THAT(parts(table, named),
              testing::IsSupersetOf({"table.buckets", "table.begin", "table.size"}));
  EXPECT_THAT(parts(chain, named),
              testing::UnorderedElementsAre("chain.begin", "chain.rbegin", "chain.size"));
  EXPECT_THAT(parts(word, named), testing::IsSupersetOf({"word.data", "word.size"}));
  EXPECT_EQ(name(&perhaps, 4), "perhaps");
  EXPECT_EQ(name(reinterpret_cast<char*>(&perhaps) + 4, 1), "perhaps.has_value");
}

TEST_F(ValueTextTest, ThreadLocalVariablesByTheirDistanceFromTheThreadPointer) {
  uintptr_t thread_pointer = 0;
#if defined(__x86_64__)
  asm("mov %%fs:0, %0" : "=r"(thread_pointer));
#else
  asm("mrs %0, tpidr_el0" : "=r"(thread_pointer));
#endif
  const auto address = reinterpret_cast<uintptr_t>(&own_number[1]);
  EXPECT_EQ(symbols_->thread_local_variable(address - thread_pointer, 4).name, "own_number[1]");
}

}  // namespace
}  // namespace jostle::report
