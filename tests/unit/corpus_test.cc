// SPDX-License-Identifier: Apache-2.0
// Files of the corpus: written, read again, and everything else that may be in them.
#include "src/cli/campaign/corpus.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

CorpusEntry& example() {
  static CorpusEntry entry;
  entry.ready = 1;
  entry.worker = 0;
  entry.schedule.count = 2;
  entry.schedule.constraints[0] = {0x11, initial_write(0x11), 0x33, false};
  entry.schedule.constraints[1] = {0x44, 0x55, 0xFFFFFFFFFFFFFFFF, true};
  return entry;
}

std::string example_text() {
  report::Symbolizer symbols({});
  return corpus_text(example(), "build-1", symbols);
}

TEST(Corpus, IsReadAsItWasWritten) {
  AbstractSchedule read;
  ASSERT_EQ(parse_corpus(example_text(), "build-1", read), CorpusFile::good);
  ASSERT_EQ(read.count, 2u);
  EXPECT_EQ(read.constraints[0], example().schedule.constraints[0]);
  EXPECT_EQ(read.constraints[1], example().schedule.constraints[1]);
}

TEST(Corpus, SaysWhatItMeans) {
  EXPECT_NE(example_text().find("the read observes the initial value"), std::string::npos);
  EXPECT_NE(example_text().find("the read does not observe the write"), std::string::npos);
}

TEST(Corpus, OfAnotherBuildIsLeftOut) {
  AbstractSchedule read;
  EXPECT_EQ(parse_corpus(example_text(), "build-2", read), CorpusFile::other_build);
}

TEST(Corpus, CutOffAnywhereIsDamaged) {
  const std::string whole = example_text();
  AbstractSchedule read;
  for (size_t length = 0; length + 2 < whole.size(); ++length) {
    EXPECT_EQ(parse_corpus(whole.substr(0, length), "build-1", read), CorpusFile::damaged)
        << length;
  }
}

TEST(Corpus, EditedOutOfShapeIsDamaged) {
  AbstractSchedule read;
  for (
      const char* text :
      {"[]", "null", "7", "{}", R"({"format":"jostle-corpus"})",
       R"({"format":"jostle-corpus","version":2,"build":"build-1","constraints":[]})",
       R"({"format":"jostle-corpus","version":1,"build":"build-1","constraints":[]})",
       R"({"format":"jostle-corpus","version":1,"build":"build-1","constraints":{}})",
       R"({"format":"jostle-corpus","version":1,"build":"build-1","constraints":[1]})",
       R"({"format":"jostle-corpus","version":1,"build":"build-1","constraints":[{"negative":true}]})",
       R"({"format":"jostle-corpus","version":1,"build":"build-1","constraints":[
            {"negative":1,"location":"1","write":"1","read":"1"}]})",
       R"({"format":"jostle-corpus","version":1,"build":"build-1","constraints":[
            {"negative":true,"location":"xyz","write":"1","read":"1"}]})",
       R"({"format":"jostle-corpus","version":1,"build":"build-1","constraints":[
            {"negative":true,"location":"11112222333344445","write":"1","read":"1"}]})"}) {
    EXPECT_EQ(parse_corpus(text, "build-1", read), CorpusFile::damaged) << text;
  }
}

TEST(Corpus, TooManyConstraintsAreDamaged) {
  std::string text = R"({"format":"jostle-corpus","version":1,"build":"b","constraints":[)";
  for (uint32_t i = 0; i <= kMostConstraints; ++i) {
    text +=
        std::string(i ? "," : "") + R"({"negative":true,"location":"1","write":"1","read":"1"})";
  }
  AbstractSchedule read;
  EXPECT_EQ(parse_corpus(text + "]}", "b", read), CorpusFile::damaged);
}

TEST(Hub, CountsWhatManyThreadsInsertOnce) {
  const auto set = std::make_unique<SharedSet<1 << 16>>();
  std::atomic<uint64_t> inserted{0};
  const auto insert_all = [&] {
    for (uint64_t value = 0; value < 20'000; ++value) inserted += set->insert(value * 7919);
  };
  std::thread other(insert_all);
  insert_all();
  other.join();
  // 0 and 1 are the same member.
  EXPECT_EQ(inserted, 20'000u);
  EXPECT_EQ(set->used, 20'000u);
  EXPECT_FALSE(set->insert(7919));
}

TEST(Hub, AFullSetTakesNoMore) {
  const auto set = std::make_unique<SharedSet<64>>();
  for (uint64_t value = 2; value < 100; ++value) set->insert(value);
  EXPECT_EQ(set->used, 32u);
}

TEST(Hub, AGrowingSetKnowsWhatItHasBeenGiven) {
  using Set = GrowingSet<1 << 13>;
  const auto set = std::make_unique<Set>();
  const auto value = [](uint64_t i) { return (i + 2) * 0x9E3779B97F4A7C15; };
  for (uint64_t i = 0; i < Set::kMost; ++i) {
    const Set::Place place = set->place(value(i));
    ASSERT_TRUE(place.is_new) << i;
    ASSERT_EQ(place.order, i);
    ASSERT_EQ(set->slots[place.slot], value(i));
    set->expect(value(i));
  }
  for (uint64_t i = 0; i < Set::kMost; ++i) ASSERT_FALSE(set->insert(value(i))) << i;
  EXPECT_EQ(set->used, Set::kMost);
  EXPECT_EQ(set->place(value(Set::kMost)).slot, Set::kNoSlot);
  EXPECT_EQ(set->used, Set::kMost);
}

TEST(Hub, TheFirstMembersOfAGrowingSetLieCloseTogether) {
  const auto set = std::make_unique<GrowingSet<1 << 22>>();
  uint64_t last = 0;
  for (uint64_t i = 2; i < 4000; ++i) {
    last = std::max(last, set->place(i * 0x9E3779B97F4A7C15).slot);
  }
  EXPECT_LT(last, uint64_t{1 << 13});
}

TEST(Hub, AGrowingSetCountsWhatManyThreadsInsertOnce) {
  const auto set = std::make_unique<GrowingSet<1 << 16>>();
  const auto insert_all = [&] {
    for (uint64_t value = 0; value < 20'000; ++value) set->insert(value * 7919);
  };
  std::thread other(insert_all);
  insert_all();
  other.join();
  EXPECT_GE(set->used, 20'000u);
  EXPECT_LE(set->used, 20'003u);  // see growing_set.h
}

TEST(Hub, ATallyCountsEachOfItsValues) {
  const auto tally = std::make_unique<GrowingTally<1 << 13>>();
  for (uint64_t round = 0; round < 3; ++round) {
    for (uint64_t value = 2; value < 1000; ++value) {
      if (value % (round + 1) == 0) tally->count(value);
    }
  }
  EXPECT_EQ(tally->different(), 998u);
  EXPECT_EQ(tally->count_of(12 - 2), 3u);
  EXPECT_EQ(tally->count_of(14 - 2), 2u);
  EXPECT_EQ(tally->count_of(13 - 2), 1u);
}

}  // namespace
}  // namespace jostle::cli
