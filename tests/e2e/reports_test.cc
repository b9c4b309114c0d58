// SPDX-License-Identifier: Apache-2.0
// What is written about a failure besides the text, as other programs read it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "src/report/words/text.h"
#include "tests/e2e/support.h"
#include "tests/sarif_check.h"
#include "tests/trace_check.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

constexpr int kFound = 77;

// The only finding below <folder>/jostle-out.
fs::path finding_in(const fs::path& folder) {
  const fs::path file = recording_in(folder);
  EXPECT_FALSE(file.empty()) << "no finding in " << folder;
  return file.parent_path();
}

Json parse(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << text.substr(0, 400);
  return json;
}

// The data in a page; it must end where the page says.
Json page_data(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const size_t at = page.find(begin) + begin.size();
  return parse(page.substr(at, page.find("</script>", at) - at));
}

class Reports : public testing::Test {
 protected:
  Result fuzz(std::vector<std::string> options, const std::string& name = "bugs/abba_std") {
    options.insert(options.begin(), {"fuzz", "--seed", "1"});
    options.push_back(program("gcc", name));
    return jostle(options, {.cwd = dir_.path()});
  }
  TempDir dir_;
};

TEST_F(Reports, EveryFindingHasItsPageAndItsData) {
  const Result result = fuzz({});
  ASSERT_EQ(result.exit_code, kFound) << result;
  EXPECT_THAT(result.out,
              ContainsRegex("report   jostle-out/abba_std/deadlock-[0-9a-f]+/report.html"));
  const fs::path folder = finding_in(dir_.path());
  const Json report = parse(read_file(folder / "report.json"));
  EXPECT_EQ(report["kind"], "deadlock");
  EXPECT_EQ(report["threads"].size(), 3u);
  size_t in_cycle = 0;
  for (const Json& thread : report["threads"]) in_cycle += thread.value("in_cycle", false);
  EXPECT_EQ(in_cycle, 2u);
  bool locks = false;
  for (const Json& event : report["events"]) locks |= event["op"] == "lock";
  EXPECT_TRUE(locks);
  const Json data = page_data(read_file(folder / "report.html"));
  EXPECT_EQ(data["summary"], report["summary"]);
  EXPECT_THAT(data["sources"].dump(), HasSubstr("std::lock_guard"));
  EXPECT_THAT(TraceCheck::problems_of(parse(read_file(folder / "trace.json"))), IsEmpty());
}

TEST_F(Reports, AHeapFailureComesWithTheBlockAndItsStacks) {
  const Result result = fuzz({"--fresh"}, "bugs/use_after_free");
  ASSERT_EQ(result.exit_code, kFound) << result;
  const fs::path folder = finding_in(dir_.path());
  const Json report = parse(read_file(folder / "report.json"));
  ASSERT_EQ(report["kind"], "heap");
  const Json& block = report["block"];
  EXPECT_THAT(block["address"].get<std::string>(), HasSubstr("freed heap block"));
  EXPECT_EQ(report["threads"][block["freed_by"].get<size_t>()]["label"], "T2");
  EXPECT_THAT(block["freed_at"].dump(), HasSubstr("use_after_free.cc"));
  EXPECT_EQ(report["threads"][block["allocated_by"].get<size_t>()]["label"], "main");
  EXPECT_THAT(block["allocated_at"].dump(), HasSubstr("main"));
  EXPECT_EQ(page_data(read_file(folder / "report.html"))["block"], block);
  EXPECT_THAT(TraceCheck::problems_of(parse(read_file(folder / "trace.json"))), IsEmpty());
}

TEST_F(Reports, ARaceComesWithBothStacks) {
  const Result result = fuzz({"--fresh", "--check=race", "--fail-on=race"}, "bugs/data_race");
  ASSERT_EQ(result.exit_code, kFound) << result;
  const Json report = parse(read_file(finding_in(dir_.path()) / "report.json"));
  ASSERT_EQ(report["race"].size(), 2u) << report["race"];
  EXPECT_NE(report["race"][0]["thread"], report["race"][1]["thread"]);
  for (const Json& side : report["race"]) {
    EXPECT_THAT(side["access"].get<std::string>(), HasSubstr(" of 8 bytes"));
    EXPECT_EQ(side["stack"][0]["function"], "send");
  }
  ASSERT_EQ(report["explained"].size(), 2u) << "the two accesses";
  for (const Json& index : report["explained"]) {
    const Json& event = report["events"][index.get<size_t>()];
    EXPECT_EQ(report["objects"][event["object"].get<size_t>()]["name"], "bytes_sent");
  }
}

TEST_F(Reports, ALostSignalIsNotWhatTheWaitObserved) {
  ASSERT_EQ(fuzz({"--fresh"}, "bugs/lost_wakeup").exit_code, kFound);
  const Json report = parse(read_file(finding_in(dir_.path()) / "report.json"));
  bool waits = false;
  for (const Json& event : report["events"]) {
    if (event["op"] != "cond_wait") continue;
    waits = true;
    EXPECT_FALSE(event.contains("reads_from")) << event;
  }
  EXPECT_TRUE(waits);
}

TEST_F(Reports, ThePageSaysWhereItComesFrom) {
  const Result result = jostle({"fuzz", "--seed", "4711", program("gcc", "bugs/lost_update")},
                               {.env = {{"SOURCE_DATE_EPOCH", "86400"}}, .cwd = dir_.path()});
  ASSERT_EQ(result.exit_code, kFound) << result;
  const fs::path folder = finding_in(dir_.path());
  const Json report = parse(read_file(folder / "report.json"));
  EXPECT_EQ(report["seed"], 4711);
  EXPECT_EQ(report["found"], "1970-01-02T00:00:00Z");
  const std::string page = read_file(folder / "report.html");
  EXPECT_THAT(page, HasSubstr("seed <b>4711</b>"));
  EXPECT_THAT(page, HasSubstr(">1970-01-02 00:00 UTC<"));
  EXPECT_THAT(page, HasSubstr("class=\"op\" href=\"#event-")) << "operations are linked";
  const Result again = jostle({"replay", folder, "--format", "html"}, {.cwd = dir_.path()});
  EXPECT_THAT(again.out, HasSubstr("seed <b>4711</b>"));
}

TEST_F(Reports, EveryLineFitsAHundredColumns) {
  for (const char* name : {"bugs/abba_std", "bugs/lost_update", "bugs/use_after_free"}) {
    fs::remove_all(dir_.path() / "jostle-out");
    ASSERT_EQ(fuzz({"--fresh"}, name).exit_code, kFound);
    std::istringstream lines(read_file(finding_in(dir_.path()) / "report.txt"));
    for (std::string line; std::getline(lines, line);) {
      // A command to copy is one line, whatever it takes.
      if (line.starts_with("  replay ") || line.starts_with("  report ")) continue;
      EXPECT_LE(report::width(line), report::kColumns) << line;
    }
  }
}

TEST_F(Reports, TheSameSeedGivesTheSameReports) {
  std::string texts[2];
  for (std::string& text : texts) {
    fs::remove_all(dir_.path() / "jostle-out");
    const Result result =
        jostle({"fuzz", "--seed", "1", "--fresh", program("gcc", "bugs/lost_update")},
               {.env = {{"SOURCE_DATE_EPOCH", "86400"}}, .cwd = dir_.path()});
    ASSERT_EQ(result.exit_code, kFound) << result;
    const fs::path folder = finding_in(dir_.path());
    for (const char* name : {"report.json", "trace.json", "report.html"}) {
      text += read_file(folder / name);
    }
  }
  EXPECT_FALSE(texts[0].empty());
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(Reports, ADocumentGoesToStdoutAndTextToStderr) {
  Result result = fuzz({"--format", "json"});
  ASSERT_EQ(result.exit_code, kFound) << result;
  EXPECT_THAT(result.err, HasSubstr("DEADLOCK after"));
  const Json json = parse(result.out);
  EXPECT_EQ(json["format"], "jostle-stats");
  EXPECT_EQ(json["findings"][0]["kind"], "deadlock");

  result = fuzz({"--format=sarif"});
  EXPECT_EQ(result.exit_code, kFound);
  const Json sarif = parse(result.out);
  EXPECT_THAT(SarifCheck::problems_of(sarif), IsEmpty());
  const Json& finding = sarif["runs"][0]["results"][0];
  EXPECT_EQ(finding["ruleId"], "jostle/deadlock");
  EXPECT_EQ(finding["codeFlows"][0]["threadFlows"].size(), 3u);

  result = fuzz({"--format", "junit"});
  EXPECT_THAT(result.out, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"));
  EXPECT_THAT(result.out, HasSubstr("failures=\"1\" errors=\"0\""));
}

TEST_F(Reports, WithAnOutputFolderItIsAFile) {
  const Result result = fuzz({"--format", "sarif", "-o", "out"});
  EXPECT_EQ(result.exit_code, kFound) << result;
  EXPECT_THAT(result.out, HasSubstr("out/abba_std/results.sarif\n"));
  EXPECT_THAT(SarifCheck::problems_of(parse(read_file(dir_.path() / "out/abba_std/results.sarif"))),
              IsEmpty());
}

TEST_F(Reports, NothingFoundIsADocumentToo) {
  const Result sarif = fuzz({"--format", "sarif", "-n", "20"}, "bugs/abba_std_ok");
  EXPECT_EQ(sarif.exit_code, 0) << sarif;
  EXPECT_THAT(SarifCheck::problems_of(parse(sarif.out)), IsEmpty());
  EXPECT_THAT(parse(sarif.out)["runs"][0]["results"], IsEmpty());
  const Result junit = fuzz({"--format", "junit", "-n", "20"}, "bugs/abba_std_ok");
  EXPECT_THAT(junit.out, HasSubstr("tests=\"1\" failures=\"0\""));
}

TEST_F(Reports, WrongFormatsAreRefused) {
  EXPECT_THAT(fuzz({"--format", "yaml"}).err, HasSubstr("json, sarif, junit"));
  EXPECT_EQ(fuzz({"--format", "html"}).exit_code, 2) << "of one run only";
  EXPECT_EQ(fuzz({"--format", "json", "--json"}).exit_code, 2);
}

TEST_F(Reports, AReplayGivesTheSameDocuments) {
  ASSERT_EQ(fuzz({}).exit_code, kFound);
  const std::string folder = finding_in(dir_.path());
  const Json first = parse(read_file(folder + "/report.json"));
  const Result json = jostle({"replay", folder, "--format", "json"}, {.cwd = dir_.path()});
  EXPECT_EQ(json.exit_code, kFound) << json;
  const Json again = parse(json.out)["findings"][0];
  EXPECT_EQ(again["events"], first["events"]);
  EXPECT_EQ(again["signature"], first["signature"]);
  const Result html =
      jostle({"replay", folder, "--format", "html", "-o", "page.html"}, {.cwd = dir_.path()});
  EXPECT_EQ(html.exit_code, kFound) << html;
  const std::string page = read_file(dir_.path() / "page.html");
  EXPECT_EQ(page_data(page)["kind"], "deadlock");
  EXPECT_THAT(page, HasSubstr("<dt>replayed</dt>"));
}

TEST_F(Reports, TheProgramsOutputStaysOutOfTheDocument) {
  const std::string source =
      dir_.write("talk.c", "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 3; }\n");
  ASSERT_TRUE(jostle({"cc", "-g", source, "-o", dir_.file("talk")}).ok());
  const Result result = jostle({"run", "--format", "json", dir_.file("talk")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("hello"));
  EXPECT_EQ(parse(result.out)["findings"][0]["kind"], "exit");
  const Result file =
      jostle({"run", "--format", "json", "-o", dir_.file("x.json"), dir_.file("talk")});
  EXPECT_EQ(file.out, "hello\n");
  EXPECT_EQ(parse(read_file(dir_.path() / "x.json"))["exit_code"], 3);
}

TEST_F(Reports, HostileNamesDoNoHarm) {
  const std::string source = dir_.write("we<i>rd&\"' \xE2\x80\xAE.cc", R"(
#include <cassert>
#include <pthread.h>
#include <thread>
int main() {
  std::thread worker([] {
    pthread_setname_np(pthread_self(), "</script>\x1b[2J\xff");
    const char* text = "</script><script>alert(1)</script>";
    assert(text == nullptr && "<!-- \" ' & ]]>");
  });
  worker.join();
}
)");
  ASSERT_TRUE(jostle({"c++", "-g", "-pthread", source, "-o", dir_.file("hostile")}).ok());
  const Result sarif = jostle({"fuzz", "--seed", "1", "--format", "sarif", dir_.file("hostile")},
                              {.cwd = dir_.path()});
  ASSERT_EQ(sarif.exit_code, kFound) << sarif;
  EXPECT_THAT(SarifCheck::problems_of(parse(sarif.out)), IsEmpty());
  EXPECT_THAT(sarif.out, HasSubstr("we%3Ci%3Erd%26%22%27%20%E2%80%AE.cc"));
  const fs::path folder = finding_in(dir_.path());
  const std::string page = read_file(folder / "report.html");
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_EQ(page_data(page)["threads"][1]["title"], "T1 </script>\\x1b[2J\\xff");
  EXPECT_TRUE(parse(read_file(folder / "trace.json")).is_object());
  const Result junit = jostle({"replay", folder, "--format", "junit"}, {.cwd = dir_.path()});
  EXPECT_THAT(junit.out, Not(HasSubstr("<script")));
  EXPECT_THAT(junit.out, Not(HasSubstr("]]>")));
}

TEST_F(Reports, ACampaignBecomesAPage) {
  ASSERT_EQ(fuzz({"-k", "-n", "300", "--strategy", "pos"}).exit_code, kFound);
  const fs::path folder = dir_.path() / "jostle-out/abba_std";
  EXPECT_THAT(read_file(folder / "plot_data"), StartsWith("# relative_time, schedules,"));
  const Result result = jostle({"report", "jostle-out/abba_std/"}, {.cwd = dir_.path()});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, HasSubstr("abba_std: 1 failure"));
  EXPECT_THAT(result.out, HasSubstr("300 schedules"));
  EXPECT_THAT(result.out, HasSubstr("page      jostle-out/abba_std/index.html"));
  const Json data = page_data(read_file(folder / "index.html"));
  EXPECT_EQ(data["stats"]["schedules"], 300);
  EXPECT_GE(data["plot"].size(), 2u);
  const std::string link = data["findings"][0]["report"];
  EXPECT_TRUE(fs::exists(folder / link)) << link;

  // The folder above has all campaigns; JSON is the same as the page's.
  const Result json = jostle({"report", "--format", "json"}, {.cwd = dir_.path()});
  EXPECT_EQ(parse(json.out), data);
}

TEST_F(Reports, NoCampaignIsSaid) {
  EXPECT_EQ(jostle({"report", dir_.file("nowhere")}).exit_code, 11);
  const Result empty = jostle({"report", dir_.path()});
  EXPECT_EQ(empty.exit_code, 11);
  EXPECT_THAT(empty.err, HasSubstr("holds no campaign"));
  dir_.write("jostle-out/x/stats.json", "no json");
  dir_.write("jostle-out/x/plot_data", "1,2\n0.1, 1, 1, 1, 1, 1, 0, 0, \n");
  dir_.write("jostle-out/x/assert-1/report.json", "[]");
  const Result broken = jostle({"report"}, {.cwd = dir_.path()});
  EXPECT_EQ(broken.exit_code, 0) << broken;
  EXPECT_THAT(broken.out, HasSubstr("it has not ended"));
}

}  // namespace
}  // namespace jostle::test
