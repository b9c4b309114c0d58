// SPDX-License-Identifier: Apache-2.0
// Who leads, and who races, among hundreds of threads: the same as when all are looked at.
#include "src/strategy/samplers/leaders.h"

#include <gtest/gtest.h>

#include <vector>

#include "src/base/rng.h"
#include "src/strategy/decider.h"

namespace jostle {
namespace {

TEST(Leaders, AgreeWithALookAtEverybody) {
  Rng rng(3);
  Leaders leaders;
  std::vector<uint64_t> numbers(200, 0);
  EnabledSet candidates, left_out;
  for (int i = 0; i < 20'000; ++i) {
    const auto id = static_cast<ThreadId>(rng.below(numbers.size()));
    switch (rng.below(4)) {
      case 0:
        candidates.insert(id);
        break;
      case 1:
        candidates.erase(id);
        break;
      case 2:
        rng.below(8) == 0 ? left_out.clear() : left_out.insert(id);
        break;
      default:
        numbers[id] = 1 + rng.below(1'000'000'000);
        leaders.changed(id, numbers[id]);
    }
    ThreadId best = kNoThread;
    candidates.for_each([&](ThreadId other) {
      if (left_out.contains(other)) return;
      if (numbers[other] == 0) numbers[other] = 1'000'000'000 + other;
      if (best == kNoThread || numbers[other] > numbers[best]) best = other;
    });
    ASSERT_EQ(leaders.first(candidates, &left_out, [&](ThreadId id) { return numbers[id]; }), best);
  }
}

TEST(Leaders, WhoHasNoNumberIsAsked) {
  Leaders leaders;
  EnabledSet candidates;
  candidates.insert(1);
  std::vector<uint64_t> numbers = {0, 7};
  const auto number_of = [&](ThreadId id) { return numbers[id]; };
  EXPECT_EQ(leaders.first(candidates, nullptr, number_of), 1u);
  candidates.insert(0);
  numbers[0] = 9;
  leaders.forget(0);
  EXPECT_EQ(leaders.first(candidates, nullptr, number_of), 0u);
}

class Racing : public testing::TestWithParam<ThreadId> {};
INSTANTIATE_TEST_SUITE_P(AmongFewAndInACrowd, Racing, testing::Values(5, 60, 300));

TEST_P(Racing, IsFoundAsOneByOne) {
  const ThreadId kThreads = GetParam();
  Rng rng(5);
  std::vector<Operation> pending(kThreads);
  std::vector<const Operation*> operations;
  for (const Operation& op : pending) operations.push_back(&op);
  EnabledSet candidates;
  TouchedBlocks touched;
  touched.set_threads(kThreads, operations.data());
  for (int i = 0; i < 5'000; ++i) {
    const auto id = static_cast<ThreadId>(rng.below(kThreads));
    pending[id] = {.kind = rng.below(2) ? OpKind::read : OpKind::write,
                   .size = static_cast<uint32_t>(rng.below(12)),
                   .object = rng.below(5) == 0 ? 0 : 0x1000 + rng.below(800)};
    if (touched.active()) {
      touched.note(id, pending[id]);
      ASSERT_TRUE(touched.is_noted(id, pending[id]));
    }
    rng.below(3) ? candidates.insert(id) : candidates.erase(id);
    const auto who = static_cast<ThreadId>(rng.below(kThreads));
    const View view{
        &candidates, 0,       nullptr, operations.data(), nullptr,
        nullptr,     nullptr, nullptr, nullptr,           touched.active() ? &touched : nullptr};
    std::vector<ThreadId> found, all;
    view.for_each_racing(pending[who], who, nullptr,
                         [&](ThreadId other) { found.push_back(other); });
    candidates.for_each([&](ThreadId other) {
      if (other != who && races(pending[who], pending[other])) all.push_back(other);
    });
    ASSERT_EQ(found, all);
  }
}

}  // namespace
}  // namespace jostle
