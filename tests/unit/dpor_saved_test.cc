// SPDX-License-Identifier: Apache-2.0
// A search that is interrupted, written down and gone on with by another one.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "src/strategy/dpor/reduced_search.h"
#include "tests/unit/dpor_oracle.h"
#include "tests/unit/dpor_programs.h"

namespace jostle::dpor_machine {
namespace {

struct PlainNames : dpor::ThreadNames {
  uint64_t name_of(dpor::Thread thread) const override { return thread + 1000; }
  dpor::Thread thread_of(uint64_t name) override { return static_cast<dpor::Thread>(name - 1000); }
};

const Conditions kConditions;

std::string saved(dpor::ReducedSearch& search) {
  dpor::ByteWriter writer;
  search.write(writer, PlainNames{});
  return {reinterpret_cast<const char*>(writer.bytes().begin()), writer.bytes().size()};
}

bool read_back(const std::string& bytes, dpor::ReducedSearch& search) {
  dpor::ByteReader reader(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  PlainNames names;
  return search.read(reader, names) && reader.is_at_end();
}

// Memory of searches is never given back: two of them, in turns.
dpor::ReducedSearch& other_than(const dpor::ReducedSearch* one) {
  static dpor::ReducedSearch first(&kConditions), second(&kConditions);
  return one == &first ? second : first;
}

Counts interrupted_every(const Program& program, uint64_t runs) {
  dpor::ReducedSearch* search = &other_than(nullptr);
  search->restart();
  Counts counts;
  bool has_more = true;
  for (uint64_t done = 1; has_more; ++done) {
    run_once(program, *search, counts, true);
    has_more = search->end_run();
    if (!has_more || done % runs != 0) continue;
    dpor::ReducedSearch& next = other_than(search);
    EXPECT_TRUE(read_back(saved(*search), next));
    EXPECT_EQ(next.runs(), search->runs());
    EXPECT_EQ(next.estimate(), search->estimate());
    EXPECT_EQ(next.nodes_in_use(), search->nodes_in_use());
    search = &next;
  }
  counts.sleep_blocked = search->sleep_blocked_runs();
  counts.trouble = search->trouble();
  EXPECT_EQ(search->runs(), counts.all());
  return counts;
}

TEST(DporSaved, GoesOnAfterEveryRun) {
  for (uint64_t seed = 1; seed <= (kIsSlow ? 20u : 200u); ++seed) {
    const uint32_t kinds = 0x1FF;
    Generator generator(seed, kinds);
    std::vector<Code> codes = generator.program(3, 4);
    const Program program = program_of(codes, generator, kinds);
    const Counts whole = reduced(program, true);
    for (const uint64_t runs : {1, 2, 7}) {
      const Counts counts = interrupted_every(program, runs);
      ASSERT_EQ(counts.trouble, dpor::Trouble::none) << seed << "\n" << text_of(codes);
      ASSERT_EQ(counts.redundant, 0u) << seed << "\n" << text_of(codes);
      ASSERT_EQ(counts.all(), whole.all()) << seed << "\n" << text_of(codes);
      ASSERT_EQ(counts.traces, whole.traces) << seed << "\n" << text_of(codes);
      ASSERT_EQ(counts.sleep_blocked, 0u) << seed << "\n" << text_of(codes);
    }
  }
}

Program increments_and_choices() {
  Program program;
  for (int i = 0; i < 3; ++i) {
    program.threads.push_back([]() -> Task {
      const int64_t r = co_await load(0);
      co_await store(0, r + 1);
      co_await choose(2);
    });
  }
  return program;
}

// One save at each run number of a search, each to the end.
TEST(DporSaved, GoesOnAfterAnyRun) {
  const Program program = increments_and_choices();
  const Counts whole = reduced(program, true);
  static dpor::ReducedSearch search(&kConditions), other(&kConditions);
  search.restart();
  Counts before;
  bool has_more = true;
  while (has_more) {
    run_once(program, search, before, true);
    has_more = search.end_run();
    if (!has_more) break;
    Counts counts = before;
    ASSERT_TRUE(read_back(saved(search), other));
    bool has_rest = true;
    while (has_rest) {
      run_once(program, other, counts, true);
      has_rest = other.end_run();
    }
    ASSERT_EQ(counts.all(), whole.all());
    ASSERT_EQ(counts.traces, whole.traces);
  }
}

TEST(DporSaved, DamagedBytesAreRefused) {
  const Program program = increments_and_choices();
  static dpor::ReducedSearch search(&kConditions), other(&kConditions);
  Counts counts;
  for (int runs = 0; runs < 5; ++runs) {
    run_once(program, search, counts, false);
    ASSERT_TRUE(search.end_run());
  }
  const std::string bytes = saved(search);
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(read_back(bytes.substr(0, length), other)) << length;
  }
  // Whatever is wrong with them, it is read without harm.
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0xFF);
    read_back(changed, other);
  }
}

}  // namespace
}  // namespace jostle::dpor_machine
