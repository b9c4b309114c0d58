// SPDX-License-Identifier: Apache-2.0
// From races as they are seen to what a person would fix.
#include "src/report/text/race_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jostle::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

RaceSide side(const std::string& thread, const std::string& verb, const std::string& place) {
  RaceSide side;
  side.access = verb == "free" ? "free" : verb + " of 8 bytes";
  side.bytes = verb == "free" ? "" : "8 bytes";
  side.past = verb == "free" ? "freed" : verb == "read" ? "read" : "wrote";
  side.present = verb + "s";
  side.thread = thread;
  side.place = place;
  side.line = "/home/me/" + place;
  side.stack = "    #0 at " + place + "\n";
  side.frees = verb == "free";
  return side;
}

SeenRace seen(const std::string& object, const RaceSide& earlier, const RaceSide& later) {
  static uint64_t key = 0;
  return {++key, 3, object, object, earlier, later};
}

std::vector<std::string> lines(const std::vector<RaceGroup>& groups) {
  std::vector<std::string> result;
  for (const RaceGroup& group : groups) {
    for (const RaceEntry& entry : group.entries) {
      result.push_back(group.object + " | " + race_line(entry.race));
    }
  }
  return result;
}

TEST(RaceGroups, AreAboutWholeObjects) {
  EXPECT_EQ(whole_object("hits"), "hits");
  EXPECT_EQ(whole_object("accounts[1].balance"), "accounts");
  EXPECT_EQ(whole_object("account+48"), "account");
  EXPECT_EQ(whole_object("conn->state"), "conn");
  EXPECT_EQ(whole_object("Server.port of pool.cc:12"), "Server of pool.cc:12");
  EXPECT_EQ(whole_object("heap block+8 of a.cc:3"), "heap block of a.cc:3");
  EXPECT_EQ(whole_object("freed heap block+8 of a.cc:3"), "heap block of a.cc:3");
  EXPECT_EQ(whole_object("stack of T1"), "stack of T1");
  EXPECT_EQ(whole_object("long int of pool.cc:12"), "long int of pool.cc:12");
  EXPECT_EQ(whole_object("text of pair.first of pool.cc:12"), "text of pair of pool.cc:12");
}

TEST(RaceGroups, SameTwoLinesAreOneEntryWhicheverCameFirst) {
  const std::vector<RaceGroup> groups =
      group_races({seen("p.x", side("T1", "read", "a.cc:1"), side("T2", "write", "a.cc:2")),
                   seen("p.y", side("T1", "write", "a.cc:2"), side("T2", "read", "a.cc:1")),
                   seen("p.z", side("T2", "read", "a.cc:1"), side("T1", "write", "a.cc:2")),
                   seen("p.z", side("T2", "read", "a.cc:1"), side("T1", "write", "a.cc:3"))});
  EXPECT_THAT(lines(groups), ElementsAre("p | p.x: T1 read (a.cc:1), T2 writes (a.cc:2)",
                                         "p | p.z: T2 read (a.cc:1), T1 writes (a.cc:3)"));
  EXPECT_EQ(groups[0].entries[0].same.size(), 2u);
  EXPECT_TRUE(groups[0].entries[0].also.empty());
}

TEST(RaceGroups, LinesOfFilesWithTheSameNameAreNotTheSame) {
  SeenRace other = seen("q", side("T1", "write", "a.cc:1"), side("T2", "write", "a.cc:1"));
  other.earlier.line = "/home/you/a.cc:1";
  EXPECT_EQ(
      lines(group_races(
                {seen("p", side("T1", "write", "a.cc:1"), side("T2", "write", "a.cc:1")), other}))
          .size(),
      2u);
}

TEST(RaceGroups, OtherObjectsOfTheSameLinesAreNamed) {
  const std::vector<RaceGroup> groups =
      group_races({seen("a.x", side("T1", "write", "a.cc:1"), side("T2", "write", "a.cc:1")),
                   seen("b.x", side("T1", "write", "a.cc:1"), side("T2", "write", "a.cc:1")),
                   seen("b.y", side("T1", "write", "a.cc:1"), side("T2", "write", "a.cc:1"))});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_THAT(groups[0].entries[0].also, ElementsAre("b"));
  EXPECT_THAT(race_texts(groups), HasSubstr("the same lines also race on b\n"));
}

TEST(RaceGroups, AContainerSaysMoreThanItsBlocks) {
  const RaceSide one = side("T1", "write", "a.cc:1"), other = side("T2", "write", "a.cc:1");
  EXPECT_THAT(lines(group_races({seen("heap block+32 of a.cc:1", one, other),
                                 seen("table+16", one, other), seen("table+8", one, other)})),
              ElementsAre("table | table+16: T1 wrote (a.cc:1), T2 writes (a.cc:1)"));
}

TEST(RaceGroups, EntriesOfOneObjectStandTogether) {
  const std::vector<RaceGroup> groups =
      group_races({seen("p.x", side("T1", "write", "a.cc:1"), side("T2", "write", "a.cc:2")),
                   seen("q", side("T1", "write", "a.cc:5"), side("T2", "write", "a.cc:6")),
                   seen("p.y", side("T1", "write", "a.cc:3"), side("T2", "write", "a.cc:4"))});
  EXPECT_EQ(race_lines(groups, 10),
            "  p\n"
            "    .x: T1 wrote (a.cc:1), T2 writes (a.cc:2)\n"
            "    .y: T1 wrote (a.cc:3), T2 writes (a.cc:4)\n"
            "  q: T1 wrote (a.cc:5), T2 writes (a.cc:6)\n");
  EXPECT_EQ(race_lines(groups, 1),
            "  p\n"
            "    .x: T1 wrote (a.cc:1), T2 writes (a.cc:2)\n"
            "  … 2 more\n");
}

std::vector<SeenRace> one_free_and_five_accesses() {
  std::vector<SeenRace> races;
  for (int i = 1; i <= 5; ++i) {
    const std::string place = "a.cc:" + std::to_string(i);
    races.push_back(seen("C.m" + std::to_string(i) + " of a.cc:30", side("T1", "write", place),
                         side("T2", "free", "a.cc:20")));
  }
  return races;
}

TEST(RaceGroups, OneFreeIsOneEntry) {
  std::vector<SeenRace> races = one_free_and_five_accesses();
  // Another place in the code of a line that is known.
  races.push_back(races[2]);
  const std::vector<RaceGroup> groups = group_races(races);
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].entries.size(), 1u);
  EXPECT_EQ(groups[0].entries[0].accesses.size(), 4u);
  EXPECT_EQ(race_lines(groups, 10),
            "  C.m1 of a.cc:30: T1 wrote (a.cc:1), T2 frees (a.cc:20)\n"
            "    also T1 wrote (a.cc:2)\n"
            "    also T1 wrote (a.cc:3)\n"
            "    and 2 more\n");
}

TEST(RaceGroups, TheFileHasAllAccessesThatRaceWithAFree) {
  const std::string text = race_texts(group_races(one_free_and_five_accesses()));
  for (const char* place : {"a.cc:1", "a.cc:2", "a.cc:3", "a.cc:4", "a.cc:5"}) {
    EXPECT_THAT(text, HasSubstr(place));
  }
  EXPECT_THAT(text, HasSubstr("    #0 at a.cc:3\n"));
  EXPECT_THAT(text, Not(HasSubstr("    #0 at a.cc:4\n")));
  EXPECT_THAT(text, HasSubstr("  and with T1 wrote (a.cc:4)\n"));
}

TEST(RaceGroups, AFreeThatCameFirstIsTheSameFree) {
  EXPECT_EQ(
      lines(group_races({seen("b", side("T2", "free", "a.cc:20"), side("T1", "read", "a.cc:1")),
                         seen("b", side("T1", "write", "a.cc:2"), side("T2", "free", "a.cc:20"))}))
          .size(),
      1u);
}

TEST(RaceGroups, TheTextHasBothStacksAndTheSchedule) {
  EXPECT_EQ(race_texts(group_races(
                {seen("hits", side("T1 w", "write", "a.cc:1"), side("T2 w", "read", "a.cc:2"))})),
            "data race on hits: T1 w wrote (a.cc:1), T2 w reads (a.cc:2)\n"
            "  first seen in schedule 3\n"
            "  T2 w reads 8 bytes\n"
            "    #0 at a.cc:2\n"
            "  T1 w before that wrote 8 bytes\n"
            "    #0 at a.cc:1\n"
            "  on hits\n\n");
}

}  // namespace
}  // namespace jostle::report
