// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/image/maps.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace jostle::rt {
namespace {

const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));

struct Found {
  bool there = false;
  Mapping mapping = {};
  std::string name;
};

Found find(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  Found found;
  for_each_mapping([&](const Mapping& mapping) {
    if (wanted < mapping.begin || wanted >= mapping.end) return;
    found = {true, mapping, mapping.name};
  });
  return found;
}

// The middle one of three pages, so that no neighbour has the same protection and joins it.
class OwnMapping {
 public:
  explicit OwnMapping(int protection, int flags) {
    begin_ = static_cast<char*>(mmap(nullptr, 3 * kPage, PROT_NONE, flags | MAP_ANONYMOUS, -1, 0));
    mprotect(begin_ + kPage, kPage, protection);
  }
  ~OwnMapping() { munmap(begin_, 3 * kPage); }
  OwnMapping(const OwnMapping&) = delete;
  OwnMapping& operator=(const OwnMapping&) = delete;
  char* page() const { return begin_ + kPage; }

 private:
  char* begin_;
};

TEST(Maps, FindsAMappingWithItsBoundsAndFlags) {
  const OwnMapping own(PROT_READ | PROT_WRITE, MAP_PRIVATE);
  const Found found = find(own.page());
  ASSERT_TRUE(found.there);
  EXPECT_EQ(found.mapping.begin, reinterpret_cast<uintptr_t>(own.page()));
  EXPECT_EQ(found.mapping.end, reinterpret_cast<uintptr_t>(own.page() + kPage));
  EXPECT_TRUE(found.mapping.readable);
  EXPECT_TRUE(found.mapping.writable);
  EXPECT_FALSE(found.mapping.shared);
  EXPECT_EQ(found.name, "");
}

TEST(Maps, TellsProtectionsApart) {
  const OwnMapping read_only(PROT_READ, MAP_PRIVATE), shared(PROT_READ | PROT_WRITE, MAP_SHARED);
  EXPECT_TRUE(find(read_only.page()).mapping.readable);
  EXPECT_FALSE(find(read_only.page()).mapping.writable);
  EXPECT_FALSE(find(read_only.page() - kPage).mapping.readable);
  EXPECT_TRUE(find(shared.page()).mapping.shared);
}

TEST(Maps, KnowsNames) {
  int local = 0;
  EXPECT_EQ(find(&local).name, "[stack]");
  char program[4096] = {};
  ASSERT_GT(readlink("/proc/self/exe", program, sizeof program - 1), 0);
  EXPECT_EQ(find("a constant lies in the file").name, program);
}

TEST(Maps, IsInTheOrderOfAddresses) {
  uintptr_t last = 0;
  size_t count = 0;
  for_each_mapping([&](const Mapping& mapping) {
    EXPECT_GE(mapping.begin, last);
    EXPECT_GT(mapping.end, mapping.begin);
    last = mapping.end;
    ++count;
  });
  EXPECT_GT(count, 5u);
}

// Reading it must not depend on how long the list is.
TEST(Maps, FindsTheLastOfMany) {
  constexpr size_t kMany = 4000;
  auto* memory = static_cast<char*>(
      mmap(nullptr, kMany * kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  for (size_t i = 0; i < kMany; i += 2) mprotect(memory + i * kPage, kPage, PROT_NONE);
  for (size_t i = 1; i + 1 < kMany; i += 222) {
    const Found found = find(memory + i * kPage);
    EXPECT_EQ(found.mapping.begin, reinterpret_cast<uintptr_t>(memory + i * kPage));
  }
  // A visitor may change what is mapped.
  for_each_mapping([&](const Mapping& mapping) {
    if (mapping.begin >= reinterpret_cast<uintptr_t>(memory) &&
        mapping.end <= reinterpret_cast<uintptr_t>(memory + kMany * kPage)) {
      munmap(reinterpret_cast<void*>(mapping.begin), mapping.end - mapping.begin);
    }
  });
  EXPECT_FALSE(find(memory + kPage).there);
}

}  // namespace
}  // namespace jostle::rt
