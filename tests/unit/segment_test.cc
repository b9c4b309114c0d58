// SPDX-License-Identifier: Apache-2.0
// Segments of a campaign's folder: written, read again, and every kind of bytes that may be found
// in their place.
#include "src/cli/folder/segment.h"

#include <gtest/gtest.h>

#include "src/base/rng.h"

namespace jostle::cli {
namespace {

Segment example() {
  Segment segment;
  segment.sequence = 7;
  segment.written_ms = 1'700'000'000'123;
  segment.class_bits = 3;
  segment.progress = {10'000, 5'000, 2, 4'000, 300, 5'000, 17};
  AbstractSchedule schedule;
  schedule.count = 2;
  schedule.constraints[0] = {0x11, 0x22, 0x33, false};
  schedule.constraints[1] = {0x44, 0x55, UINT64_MAX, true};
  segment.schedules = {schedule};
  segment.pairs = {1, 2, UINT64_MAX};
  segment.classes = {{0xABC, 4}, {0xDEF, 1}};
  segment.races = {99};
  LockEdgeRecord edge;
  edge.held = {1, 2, 3, 0, 4, 1, 0, 0, {}};
  edge.wanted = {5, 6, 7, 0, 8, 0, 1, 0, {}};
  edge.thread = 9;
  edge.schedule_number = 10;
  edge.gates = {11, 12};
  segment.lock_edges = {edge};
  segment.shares = {{"rff", 40}, {"pct:d=3", 2}};
  segment.inputs = {{0xFEED, 12}};
  segment.failures = {{0xBAD, 3}};
  segment.covered = {{"w000003.1", 5}};
  return segment;
}

SegmentState state_of(std::string_view bytes) {
  Segment ignored;
  return decode(bytes, ignored);
}

TEST(Segments, AreReadAsTheyWereWritten) {
  const Segment written = example();
  Segment read;
  ASSERT_EQ(decode(encode(written), read), SegmentState::good);
  EXPECT_EQ(read.sequence, written.sequence);
  EXPECT_EQ(read.written_ms, written.written_ms);
  EXPECT_EQ(read.class_bits, written.class_bits);
  EXPECT_EQ(read.progress, written.progress);
  ASSERT_EQ(read.schedules.size(), 1u);
  ASSERT_EQ(read.schedules[0].count, 2u);
  EXPECT_EQ(read.schedules[0].constraints[0], written.schedules[0].constraints[0]);
  EXPECT_EQ(read.schedules[0].constraints[1], written.schedules[0].constraints[1]);
  EXPECT_EQ(read.pairs, written.pairs);
  EXPECT_EQ(read.classes, written.classes);
  EXPECT_EQ(read.races, written.races);
  ASSERT_EQ(read.lock_edges.size(), 1u);
  EXPECT_EQ(read.lock_edges[0].wanted.site, 8u);
  EXPECT_EQ(read.lock_edges[0].wanted.reads, 1u);
  EXPECT_EQ(read.lock_edges[0].gates, written.lock_edges[0].gates);
  EXPECT_EQ(read.shares, written.shares);
  EXPECT_EQ(read.inputs, written.inputs);
  EXPECT_EQ(read.failures, written.failures);
  EXPECT_EQ(read.covered, written.covered);
}

TEST(Segments, AnEmptyOneIsOne) {
  Segment read;
  EXPECT_EQ(decode(encode({}), read), SegmentState::good);
  EXPECT_TRUE(read.pairs.empty());
}

// The bytes of a file are the same on every machine.
TEST(Segments, TheHeaderIsAsDocumented) {
  const std::string bytes = encode(example());
  EXPECT_EQ(bytes.substr(0, 8), "JSTLSEG\n");
  EXPECT_EQ(bytes.substr(8, 4), std::string("\1\0\0\0", 4));
  EXPECT_EQ(static_cast<unsigned char>(bytes[16]), 7);
}

TEST(Segments, CutOffAnywhereIsCutOff) {
  const std::string bytes = encode(example());
  for (size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_EQ(state_of(std::string_view(bytes).substr(0, size)), SegmentState::cut_off) << size;
  }
  EXPECT_EQ(state_of(""), SegmentState::foreign);
}

TEST(Segments, OneBitThatIsWrongIsNoticedWhereverItIs) {
  const std::string bytes = encode(example());
  constexpr size_t kChecksumEnd = 44, kHeader = 48;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i >= kChecksumEnd && i < kHeader) continue;  // reserved
    for (int bit = 0; bit < 8; ++bit) {
      std::string wrong = bytes;
      wrong[i] = static_cast<char>(wrong[i] ^ 1 << bit);
      EXPECT_NE(state_of(wrong), SegmentState::good) << "byte " << i << ", bit " << bit;
    }
  }
}

TEST(Segments, WhatIsBehindTheEndIsNoPartOfIt) {
  EXPECT_EQ(state_of(encode(example()) + "x"), SegmentState::corrupt);
}

TEST(Segments, OtherFilesAreForeign) {
  EXPECT_EQ(state_of("{\"format\": \"jostle-replay\"}"), SegmentState::foreign);
  EXPECT_EQ(state_of(std::string(1000, '\0')), SegmentState::foreign);
  EXPECT_EQ(state_of("\x7f"
                     "ELF"),
            SegmentState::foreign);
}

TEST(Segments, OfANewerVersionAreLeftAlone) {
  std::string bytes = encode(example());
  bytes[8] = 2;
  EXPECT_EQ(state_of(bytes), SegmentState::newer);
}

// The checksum keeps chance out, not malice: what claims to be right is read with care as well.
class Forged {
 public:
  Forged& record(uint32_t kind, std::string_view payload) {
    const auto word = static_cast<uint32_t>(kind << 24 | payload.size());
    for (int i = 0; i < 4; ++i) body_ += static_cast<char>(word >> 8 * i);
    body_ += payload;
    ++count_;
    return *this;
  }
  SegmentState state(uint32_t more_records = 0) const { return state_of(bytes(more_records)); }
  // The encoder's own checksum, by way of a segment that is replaced: computed as the reader does.
  std::string bytes(uint32_t more_records) const;

 private:
  std::string body_;
  uint32_t count_ = 0;
};

uint32_t crc(std::string_view bytes) {
  uint32_t sum = 0xFFFFFFFF;
  for (const char c : bytes) {
    sum ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320 : 0);
  }
  return ~sum;
}

std::string Forged::bytes(uint32_t more_records) const {
  std::string header = "JSTLSEG\n";
  const auto number = [&](uint64_t value, int size) {
    for (int i = 0; i < size; ++i) header += static_cast<char>(value >> 8 * i);
  };
  number(1, 4);
  number(count_ + more_records, 4);
  number(1, 8);
  number(0, 8);
  number(body_.size(), 8);
  number(crc(header + body_), 4);
  number(0, 4);
  return header + body_;
}

TEST(Segments, RecordsOfUnknownKindsAreSkipped) {
  Segment segment;
  const std::string bytes =
      Forged().record(200, "whatever").record(3, std::string(8, '\5')).bytes(0);
  ASSERT_EQ(decode(bytes, segment), SegmentState::good);
  EXPECT_EQ(segment.pairs.size(), 1u);
}

TEST(Segments, RecordsThatLieAreNoticed) {
  EXPECT_EQ(Forged().record(3, "12345678").state(), SegmentState::good);
  EXPECT_EQ(Forged().record(3, "1234567").state(), SegmentState::corrupt);    // short
  EXPECT_EQ(Forged().record(3, "12345678").state(1), SegmentState::corrupt);  // one is missing
  EXPECT_EQ(Forged().record(2, "").state(), SegmentState::corrupt);           // no constraint
  EXPECT_EQ(Forged().record(2, std::string(24, 1) + "\2").state(), SegmentState::corrupt);
  EXPECT_EQ(Forged().record(2, std::string(9 * 25, 1)).state(), SegmentState::corrupt);  // many
  EXPECT_EQ(Forged().record(6, std::string(96 + 9 * 8, 1)).state(), SegmentState::corrupt);
  EXPECT_EQ(Forged().record(1, std::string(60, '\xFF')).state(), SegmentState::corrupt);
}

TEST(Segments, RandomBytesHarmNobody) {
  Rng rng(1);
  const std::string bytes = encode(example());
  for (int i = 0; i < 20'000; ++i) {
    std::string wrong = bytes;
    for (uint64_t changes = 1 + rng.below(8); changes > 0; --changes) {
      wrong[rng.below(wrong.size())] = static_cast<char>(rng.next());
    }
    wrong.resize(rng.below(wrong.size() + 1));
    state_of(wrong);
    Forged forged;
    const auto kind = static_cast<uint32_t>(rng.below(12));
    forged.record(kind, std::string_view(wrong).substr(0, rng.below(300)));
    forged.state();
  }
}

TEST(Segments, WhichClassesAreToldIsTheSameForAllAndHalvesWithEveryBit) {
  Rng rng(2);
  int told[4] = {};
  for (int i = 0; i < 40'000; ++i) {
    const uint64_t hash = rng.next();
    for (uint32_t bits = 0; bits < 4; ++bits) {
      told[bits] += is_sent(hash, bits);
      if (bits != 0 && is_sent(hash, bits)) {
        EXPECT_TRUE(is_sent(hash, bits - 1));
      }
    }
  }
  EXPECT_EQ(told[0], 40'000);
  EXPECT_NEAR(told[1], 20'000, 600);
  EXPECT_NEAR(told[3], 5'000, 300);
}

}  // namespace
}  // namespace jostle::cli
