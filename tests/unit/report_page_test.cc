// SPDX-License-Identifier: Apache-2.0
// What report.html has besides its script: which operations a sentence speaks of, the values that
// come first, names of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "src/report/explain/mentions.h"
#include "src/report/formats/date.h"
#include "src/report/formats/html_parts.h"
#include "src/report/formats/html_report.h"
#include "src/report/model/source_root.h"
#include "src/report/model/trace_selection.h"
#include "src/schedule/descriptor_use.h"

namespace jostle::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// T1 takes money out, T2 adds up; both in the same line once.
class ReportPage : public testing::Test {
 protected:
  ReportPage() {
    model_.verdict = "FAILED";
    model_.summary = "assertion fails";
    model_.threads = {{"main", "main", "0"}, {"T1", "T1 read", "0.0"}, {"T10", "T10 read", "0.1"}};
    model_.objects = {{"balance", true, 3, 2}, {"lock", false, 2, 2}};
    model_.places = {{"bank+1", "take", "/src/app/bank.cc", 22, "balance -= amount;"},
                     {"bank+2", "sum", "/src/app/bank.cc", 38, "total += balance;"}};
    model_.events = {{1, OpKind::read, 0, 0, kNoIndex, 1, 4, "100"},
                     {1, OpKind::write, 0, 0, kNoIndex, 2, 4, "50"},
                     {2, OpKind::read, 0, 1, 1, 3, 4, "50"},
                     {2, OpKind::read, 0, 0, 1, 4, 4, "50"},
                     {1, OpKind::mutex_lock, 1, 1, kNoIndex, 5}};
    model_.events[4].executed = false;
  }

  // "words of the text -> event"
  std::vector<std::string> found(const std::string& sentence) {
    model_.explanation = sentence;
    std::vector<std::string> texts;
    for (const Mention& mention : mentions(model_)) {
      texts.push_back(sentence.substr(mention.begin, mention.end - mention.begin) + " -> " +
                      (mention.event == kNoIndex ? "line" : std::to_string(mention.event)));
    }
    return texts;
  }

  TraceModel model_;
};

TEST_F(ReportPage, ASentenceNamesOperationsByThreadVerbAndPlace) {
  EXPECT_THAT(found("T1 read wrote balance = 50 (bank.cc:22) between T10 read's read (bank.cc:38) "
                    "and read (bank.cc:22). Without that in between it passes."),
              ElementsAre("T1 read wrote balance = 50 (bank.cc:22) -> 1",
                          "T10 read's read (bank.cc:38) -> 2", "read (bank.cc:22) -> 3"));
}

TEST_F(ReportPage, WhatIsAboutToHappenIsNamedToo) {
  EXPECT_THAT(found("T10 read read balance = 50 (bank.cc:38); T1 read wants lock (bank.cc:38)."),
              ElementsAre("T10 read read balance = 50 (bank.cc:38) -> 2",
                          "T1 read wants lock (bank.cc:38) -> 4"));
}

TEST_F(ReportPage, OnlyWhatTheExplanationIsAboutIsMeant) {
  model_.explained = {2};
  EXPECT_THAT(found("T1 read wrote balance = 50 (bank.cc:22)."),
              ElementsAre("T1 read wrote balance = 50 (bank.cc:22) -> line"));
  EXPECT_THAT(found("T10 read read balance = 50 (bank.cc:38)."),
              ElementsAre("T10 read read balance = 50 (bank.cc:38) -> 2"));
}

TEST_F(ReportPage, WhatIsDoneToDescriptorsAndFilesIsNamed) {
  model_.events.push_back({1, OpKind::io_write, 0, 0, kNoIndex, 6, kClosesDescriptor});
  model_.events.push_back({2, OpKind::io_write, 0, 1, kNoIndex, 7});
  model_.events.push_back({1, OpKind::state_write, 0, 1, kNoIndex, 8});
  model_.events.push_back({2, OpKind::state_read, 0, 0, kNoIndex, 9});
  EXPECT_THAT(found("T1 read closed a descriptor (bank.cc:22) before T10 read wrote output "
                    "(bank.cc:38)."),
              ElementsAre("T1 read closed a descriptor (bank.cc:22) -> 5",
                          "T10 read wrote output (bank.cc:38) -> 6"));
  EXPECT_THAT(found("T1 read changed names of files (bank.cc:38) before T10 read looked at names "
                    "of files (bank.cc:22)."),
              ElementsAre("T1 read changed names of files (bank.cc:38) -> 7",
                          "T10 read looked at names of files (bank.cc:22) -> 8"));
}

TEST_F(ReportPage, WhatIsNotCertainIsNotNamed) {
  model_.events.push_back(model_.events[2]);
  EXPECT_THAT(found("T10 read read balance = 50 (bank.cc:38)."),
              ElementsAre("T10 read read balance = 50 (bank.cc:38) -> line"))
      << "twice the same";
  EXPECT_THAT(found("T10 read used it (bank.cc:38)."),
              ElementsAre("T10 read used it (bank.cc:38) -> line"))
      << "no verb that we know";
  EXPECT_THAT(found("T1 read wrote balance (other.cc:22)."), IsEmpty()) << "an unknown file";
  EXPECT_THAT(found("f(int) at (12:30 (bank.cc:x) () and ("), IsEmpty());
}

TEST_F(ReportPage, ValuesAndWhyComeFirst) {
  model_.explanation = "T1 read wrote balance = 50 (bank.cc:22).";
  model_.values = {"amount = <3>", "{1, 2}"};
  const std::string page = html_report(model_);
  const size_t values = page.find("<dt>amount</dt><dd>&lt;3&gt;</dd>");
  const size_t why = page.find("id=\"why-text\"");
  ASSERT_NE(values, page.npos);
  ASSERT_NE(why, page.npos);
  EXPECT_LT(values, why);
  EXPECT_LT(why, page.find("id=\"run\""));
  EXPECT_LT(why, page.find("id=\"trace\""));
  EXPECT_THAT(page, HasSubstr("href=\"#event-1\" data-event=\"1\""));
  EXPECT_THAT(page, HasSubstr("<tr id=\"event-1\">")) << "there without the script";
}

TEST_F(ReportPage, SleepsThatEndedEarlyAreThere) {
  EXPECT_THAT(html_report(model_), testing::Not(HasSubstr("id=\"time\"")));
  model_.early = {"the sleep of 5 ms in main (bank.cc:3) ended while <others> could run"};
  EXPECT_THAT(html_report(model_),
              HasSubstr("the sleep of 5 ms in main (bank.cc:3) ended while &lt;others&gt;"));
}

TEST_F(ReportPage, WithoutACounterexampleItIsWhatTheFailingLineRead) {
  EXPECT_EQ(values_html(model_), "");
  model_.failing_thread = 2;
  model_.failing_place = model_.places[0];
  EXPECT_THAT(values_html(model_), HasSubstr("Read at bank.cc:22 by T10 read"));
  EXPECT_THAT(values_html(model_), HasSubstr("<dt>balance</dt><dd>50</dd>"));
  model_.failing_place = model_.places[1];
  EXPECT_EQ(values_html(model_), "") << "its last step was in another line";
}

TEST_F(ReportPage, NegativeValuesAreNegative) {
  model_.events[1].value = "-1";
  EXPECT_THAT(html_report(model_), HasSubstr(R"("value":"-1")"));
}

TEST_F(ReportPage, SeedAndDateAreSaid) {
  EXPECT_THAT(facts_html(model_), Not(HasSubstr("seed")));
  model_.seed = 7;
  model_.found = 1'763'314'865;
  EXPECT_THAT(facts_html(model_), HasSubstr("seed <b>7</b>"));
  EXPECT_THAT(facts_html(model_),
              HasSubstr("datetime=\"2025-11-16T17:41:05Z\">2025-11-16 17:41 UTC<"));
}

TEST_F(ReportPage, FilesAreRelativeToTheWorkingFolderOrToEachOther) {
  EXPECT_EQ(source_root(model_, "/src"), "/src/");
  EXPECT_EQ(source_root(model_, "/sr"), "/src/app/") << "no folder of it";
  EXPECT_EQ(source_root(model_, "/"), "/src/app/");
  model_.places.push_back({"bank+3", "log", "/src/apples/log.cc", 5, "log();"});
  EXPECT_EQ(source_root(model_, "/tmp"), "/src/");
  model_.places.push_back({"libc+3", "f", "/usr/include/f.h", 5, "f();", true});
  EXPECT_EQ(source_root(model_, "/tmp"), "/src/") << "libraries do not count";
  model_.places.push_back({"bank+4", "g", "/other/g.cc", 5, "g();"});
  EXPECT_EQ(source_root(model_, "/tmp"), "");
  EXPECT_EQ(source_root({}, "/tmp"), "");
}

TEST(Date, CanBeGiven) {
  setenv("SOURCE_DATE_EPOCH", "86400", 1);
  EXPECT_EQ(date_text(now()), "1970-01-02T00:00:00Z");
  setenv("SOURCE_DATE_EPOCH", "yesterday", 1);
  EXPECT_GT(now(), 1'700'000'000);
  unsetenv("SOURCE_DATE_EPOCH");
}

TEST(TraceSelection, WhatIsExplainedIsKept) {
  std::vector<SelectableEvent> events(1000);
  events[3].explained = true;
  const std::vector<bool> kept = select_events(events, 30);
  EXPECT_TRUE(kept[3]);
  EXPECT_FALSE(kept[4]);
  EXPECT_TRUE(kept[999]);
}

}  // namespace
}  // namespace jostle::report
