// SPDX-License-Identifier: Apache-2.0
// Mutations of inputs, schedules, and fuzzer data that is both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/mutation/fuzzer_data.h"
#include "src/mutation/input_bytes.h"
#include "src/mutation/parts.h"
#include "src/mutation/schedule_bytes.h"
#include "src/strategy/samplers/byte_numbers.h"

namespace jostle {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes bytes(std::string_view text) { return {text.begin(), text.end()}; }
std::string text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

TEST(Parts, AreSealedAndSplit) {
  Bytes data = bytes("inputSCHED");
  data.resize(data.size() + kPartsTrailer);
  const size_t size = seal_parts(data.data(), 5, 5);
  EXPECT_EQ(size, 14u);
  const Parts parts = split_parts(data.data(), size);
  EXPECT_EQ(text(parts.input, parts.input_size), "input");
  EXPECT_EQ(text(parts.schedule, parts.schedule_size), "SCHED");
}

TEST(Parts, DataWithoutTrailerIsAllInput) {
  for (const std::string_view plain : {"", "J", "JS", "xJS", "plain input"}) {
    const Bytes data = bytes(plain);
    const Parts parts = split_parts(data.data(), data.size());
    EXPECT_EQ(text(parts.input, parts.input_size), plain);
    EXPECT_EQ(parts.schedule_size, 0u);
  }
}

TEST(Parts, ALengthThatIsTooLongTakesWhatIsThere) {
  const Bytes data = bytes(std::string("abc\xFF\xFFJS", 7));
  const Parts parts = split_parts(data.data(), data.size());
  EXPECT_EQ(parts.input_size, 0u);
  EXPECT_EQ(parts.schedule_size, 3u);
}

TEST(ScheduleMutation, KeepsItsBounds) {
  Rng rng(1);
  Bytes data(40);
  size_t size = 0;
  std::set<size_t> sizes;
  for (int i = 0; i < 20'000; ++i) {
    size = mutate_schedule(data.data(), size, data.size(), i % 3 == 0 ? 0 : 25, rng);
    ASSERT_LE(size, data.size());
    sizes.insert(size);
  }
  EXPECT_GT(sizes.size(), 10u);
  EXPECT_EQ(mutate_schedule(data.data(), 5, 0, 25, rng), 0u);
}

TEST(ScheduleMutation, SoonFindsASwitchAtEveryPlace) {
  Rng rng(2);
  std::set<size_t> places;
  for (int i = 0; i < 5'000; ++i) {
    Bytes data(50);
    data[3] = 1;
    const size_t size = mutate_schedule(data.data(), 4, data.size(), 50, rng);
    for (size_t at = 0; at < size; ++at) {
      if (data[at] != 0) places.insert(at);
    }
  }
  EXPECT_EQ(places.size(), 50u);
}

TEST(ScheduleMutation, CrossingTakesOneAndThenTheOther) {
  Rng rng(3);
  const Bytes a(10, 1), b(20, 2);
  bool mixed = false;
  for (int i = 0; i < 100; ++i) {
    Bytes to(15);
    const size_t size = cross_schedules(a.data(), 10, b.data(), 20, to.data(), 15, rng);
    ASSERT_EQ(size, 15u);
    EXPECT_TRUE(std::is_sorted(to.begin(), to.end()));
    mixed |= to.front() == 1 && to.back() == 2;
  }
  EXPECT_TRUE(mixed);
}

TEST(FuzzerData, ChangesEitherPartOrBoth) {
  Rng rng(4);
  Bytes original = bytes("inputSCHED");
  original.resize(14);
  seal_parts(original.data(), 5, 5);
  int inputs = 0, schedules = 0, both = 0;
  for (int i = 0; i < 2'000; ++i) {
    Bytes data = original;
    data.resize(64);
    const size_t size = mutate_fuzzer_data(data.data(), 14, data.size(), 20, nullptr, rng);
    ASSERT_LE(size, data.size());
    const Parts parts = split_parts(data.data(), size);
    ASSERT_EQ(text(data.data() + size - 2, 2), "JS");
    const bool input = text(parts.input, parts.input_size) != "input";
    const bool schedule = text(parts.schedule, parts.schedule_size) != "SCHED";
    inputs += input && !schedule;
    schedules += schedule && !input;
    both += input && schedule;
  }
  EXPECT_GT(inputs, 200);
  EXPECT_GT(schedules, 200);
  EXPECT_GT(both, 20);
}

TEST(FuzzerData, IsTheSameForTheSameSeed) {
  const auto mutated = [](uint64_t seed) {
    Rng rng(seed);
    Bytes data = bytes("some input");
    data.resize(100);
    data.resize(mutate_fuzzer_data(data.data(), 10, 100, 0, nullptr, rng));
    return data;
  };
  EXPECT_EQ(mutated(7), mutated(7));
  EXPECT_NE(mutated(7), mutated(8));
}

TEST(InputMutation, KeepsItsBounds) {
  Rng rng(5);
  auto feedback = std::make_unique<Feedback>();
  for (uint32_t i = 0; i < kComparisons; i += 7) {
    feedback->comparisons[i] = {i * 1000, i, 1u << i % 4, i + 1};
  }
  feedback->texts[3] = {{'a', 'b'}, {'x', 'y', 'z'}, 2, 3};
  const Bytes other = bytes("another input to take from");
  Bytes data(64);
  size_t size = 0;
  for (int i = 0; i < 50'000; ++i) {
    const InputHints hints = {i % 2 ? feedback.get() : nullptr, other.data(),
                              i % 3 ? other.size() : 0};
    size = mutate_input(data.data(), size, data.size(), hints, rng);
    ASSERT_LE(size, data.size());
  }
  EXPECT_EQ(mutate_input(data.data(), 0, 0, {}, rng), 0u);
}

// How many mutations until `input` becomes `wanted` in one of them.
int tries_until(std::string_view input, std::string_view wanted, const Feedback& feedback) {
  Rng rng(6);
  for (int i = 1; i < 5'000; ++i) {
    Bytes data = bytes(input);
    data.resize(64);
    const size_t size = mutate_input(data.data(), input.size(), 64, {&feedback}, rng);
    if (text(data.data(), size) == wanted) return i;
  }
  return -1;
}

TEST(InputMutation, PutsInWhatTheProgramCompares) {
  auto feedback = std::make_unique<Feedback>();
  uint32_t magic, there;
  memcpy(&magic, "\xDE\xAD\xBE\xEF", 4);
  memcpy(&there, "abcd", 4);
  feedback->comparisons[10] = {there, magic, 4, 1};
  EXPECT_NE(tries_until("xxabcdxx", "xx\xDE\xAD\xBE\xEFxx", *feedback), -1);
  feedback->comparisons[10] = {12, 7731, 8, 1};
  EXPECT_NE(tries_until("n = 12;", "n = 7731;", *feedback), -1);
  feedback->comparisons[10] = {};
  feedback->texts[5] = {{'G', 'E', 'X'}, {'P', 'O', 'S', 'T'}, 3, 4};
  EXPECT_NE(tries_until("GEX /", "POST /", *feedback), -1);
}

// Numbers that are compared do not keep a word from being tried that is compared, too.
TEST(InputMutation, PutsInWordsBesideNumbers) {
  auto feedback = std::make_unique<Feedback>();
  for (uint32_t i = 0; i < 20; ++i) feedback->comparisons[i * 40] = {12, i, 8, i + 1};
  feedback->texts[5] = {{'B', 'U', 'Y'}, {'S', 'E', 'L', 'L'}, 3, 4};
  const int tries = tries_until("BUY 12", "SELL 12", *feedback);
  EXPECT_TRUE(tries != -1 && tries < 200) << tries;
}

// It is not in the input, so it is a word of the dictionary.
TEST(InputMutation, PutsInNumbersThatWereComputed) {
  auto feedback = std::make_unique<Feedback>();
  feedback->comparisons[10] = {0, 77, 8, 1};
  EXPECT_NE(tries_until("SELL ", "SELL 77", *feedback), -1);
}

TEST(ByteNumbers, EndAsAsked) {
  const Bytes stream = {1, 5, 2};
  ByteNumbers numbers;
  const auto draw = [&](ByteNumbers::AtEnd at_end) {
    numbers.start(stream.data(), stream.size(), at_end, 9);
    std::vector<uint32_t> drawn;
    for (int i = 0; i < 5; ++i) drawn.push_back(numbers.below(3));
    return drawn;
  };
  constexpr uint32_t kNone = ByteNumbers::kNone;
  EXPECT_THAT(draw(ByteNumbers::kZeros), testing::ElementsAre(1, 2, 2, 0, 0));
  EXPECT_THAT(draw(ByteNumbers::kLoop), testing::ElementsAre(1, 2, 2, 1, 2));
  EXPECT_THAT(draw(ByteNumbers::kStop), testing::ElementsAre(1, 2, 2, kNone, kNone));
  EXPECT_EQ(draw(ByteNumbers::kRandom), draw(ByteNumbers::kRandom));
}

TEST(Feedback, CountsInBuckets) {
  auto feedback = std::make_unique<Feedback>();
  for (int i = 0; i < 300; ++i) feedback->add(uint64_t{5} << 20);
  feedback->add(uint64_t{6} << 20);
  EXPECT_EQ(feedback->set_count, 2u);
  EXPECT_EQ(feedback->counts[5], 255);
  EXPECT_EQ(bucket_of(255), 128);
  EXPECT_EQ(bucket_of(1), 1);
  EXPECT_EQ(bucket_of(3), bucket_of(3));
  EXPECT_NE(bucket_of(3), bucket_of(4));
  feedback->clear();
  EXPECT_EQ(feedback->set_count, 0u);
  EXPECT_EQ(feedback->counts[5], 0);
}

}  // namespace
}  // namespace jostle
