// SPDX-License-Identifier: Apache-2.0
// Every format from one small model, compared with files that people have looked at. After a
// deliberate change: JOSTLE_UPDATE_GOLDEN=1 build/release/tests/jostle_unit_tests
// --gtest_filter='Formats*', then git diff.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "src/cli/campaign/plot_data.h"
#include "src/report/formats/chrome_trace.h"
#include "src/report/formats/diagnostic_json.h"
#include "src/report/formats/failure_json.h"
#include "src/report/formats/html_report.h"
#include "src/report/formats/junit.h"
#include "src/report/formats/sarif.h"
#include "src/report/words/text.h"
#include "tests/sarif_check.h"
#include "tests/trace_check.h"

namespace jostle::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(JOSTLE_SOURCE_DIR) + "/tests/unit/golden/" + name;
  if (std::getenv("JOSTLE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream stream(path);
  std::ostringstream expected;
  expected << stream.rdbuf();
  EXPECT_EQ(text, expected.str()) << path;
}

// T1 takes money out, T2 adds up, T1 never gets to put it back.
TraceModel small_model() {
  TraceModel model;
  model.kind = "assert";
  model.verdict = "FAILED";
  model.summary = "assertion `total == 300' in audit at bank.cc:45";
  model.message = "total == 300";
  model.program = "./bank";
  model.arguments = {"--fast"};
  model.strategy = "pos";
  model.schedule_number = 12;
  model.signature = 0x5d0c1f0000000001;
  model.replay_command = "jostle replay jostle-out/bank/assert-5d0c1f/replay.json";
  model.explanation = "T2 read balance before T1 put the money back.";
  model.minimised_from = 23;
  model.seed = 7;
  model.found = 1'763'314'865;
  model.values = {"amount = 50"};
  model.preemptions = 1;
  model.switches = 2;
  model.steps = 90;
  model.left_out = {80, 3, 0, false};
  model.threads = {{"main", "main", "0"}, {"T1", "T1 transfer", "0.0"}, {"T2", "T2 audit", "0.1"}};
  model.threads[1].live = model.threads[2].live = true;
  model.threads[1].doing = "could go on: write balance";
  model.threads[2].doing = "runs";
  model.objects = {{"balance", true, 3, 2}, {"mutex", false, 3, 2}};
  model.places = {{"bank+0x10", "transfer", "/work/app/bank.cc", 22, "balance -= amount;", false},
                  {"bank+0x20", "audit", "/work/app/bank.cc", 38, "total += balance;", false},
                  {"libc+0x30", "", "", 0, "", true}};
  model.threads[1].at = model.places[0];
  model.threads[1].holds = {{1, "mutex", model.places[0]}};
  model.events = {{0, OpKind::thread_create, kNoIndex, 2, kNoIndex, 1},
                  {1, OpKind::mutex_lock, 1, 0, kNoIndex, 70},
                  {1, OpKind::write, 0, 0, kNoIndex, 71, 4, "50"},
                  {2, OpKind::read, 0, 1, 2, 90, 4, "50"},
                  {1, OpKind::write, 0, 0, kNoIndex, 91, 4}};
  model.events[1].left_out_before = 3;
  model.events[4].executed = false;
  model.explained = {2, 3};
  model.stretches = {{0, 0, 0, StretchEnd::blocked},
                     {1, 1, 2, StretchEnd::preempted},
                     {2, 3, 3, StretchEnd::failed}};
  model.holds = {{1, 1, 1, 3, false, false}};
  model.waits = {{0, kNoIndex, OpKind::thread_join, 1, 3, false}};
  model.failing_thread = 2;
  model.failing_place = model.places[1];
  model.failing_stack = {model.places[1], model.places[2]};
  return model;
}

RunResult small_result(TraceModel model) {
  RunResult result;
  result.command = "fuzz";
  result.version = "0.1.0";
  result.program = "./bank";
  result.directory = "/work/app";
  result.schedules = 12;
  result.seconds = 1.5;
  result.exit_code = 77;
  result.failures = {std::move(model)};
  result.unconfirmed = {{"crash", "SIGSEGV", "the replay diverged"}};
  return result;
}

TEST(Formats, Json) { expect_golden("report.json", json_text(failure_json(small_model()))); }

TEST(Formats, ChromeTrace) { expect_golden("trace.json", chrome_trace_text(small_model())); }

TEST(Formats, Sarif) {
  const std::string text = sarif_text(small_result(small_model()));
  expect_golden("results.sarif", text);
  EXPECT_THAT(test::SarifCheck::problems_of(Json::parse(text)), IsEmpty());
}

TEST(Formats, Gcc) {
  RunResult result = small_result(small_model());
  result.warnings = {{Diagnostic::Level::warning, {"/work/app/a b.cc", 3}, "data race on x"},
                     {Diagnostic::Level::note, {}, "somewhere\nelse"}};
  expect_golden("diagnostics.txt", gcc_text(result));
}

TEST(Formats, DiagnosticsAreReadAsTheyWereWritten) {
  const Diagnostics diagnostics = failure_diagnostics(small_model());
  EXPECT_EQ(gcc_text(read_diagnostics(diagnostics_json(diagnostics)), "./bank"),
            gcc_text(diagnostics, "./bank"));
  const Json hostile = Json::parse(R"([1, {}, {"level": "fatal", "text": "x"}, {"level": "note"},
      {"level": "error", "text": "no\nline", "line": -1, "file": "a"},
      {"level": "error", "text": "too far", "line": 99999999999, "file": "a"}, null])");
  EXPECT_EQ(gcc_text(read_diagnostics(hostile), "./bank"),
            "./bank:1:1: error: no\\x0aline\n./bank:1:1: error: too far\n");
  EXPECT_THAT(read_diagnostics(Json("text")), IsEmpty());
}

TEST(Formats, SleepsThatEndedEarlyAreTold) {
  TraceModel model = small_model();
  model.early = {"the sleep of 5 ms in main ended"};
  for (const std::string& text :
       {gcc_text(failure_diagnostics(model), "./bank"), junit_text(small_result(model)),
        sarif_text(small_result(model)), failure_json(model).dump()}) {
    EXPECT_THAT(text, HasSubstr("the sleep of 5 ms in main ended"));
  }
}

TEST(Formats, Junit) { expect_golden("junit.xml", junit_text(small_result(small_model()))); }

TEST(Formats, NothingFoundIsOnePassedTest) {
  RunResult result = small_result({});
  result.failures.clear();
  result.unconfirmed.clear();
  EXPECT_THAT(junit_text(result), HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\""));
  const Json sarif = Json::parse(sarif_text(result));
  EXPECT_THAT(test::SarifCheck::problems_of(sarif), IsEmpty());
  EXPECT_TRUE(sarif["runs"][0]["results"].is_array());
}

TEST(Formats, AModelOfNothingIsRendered) {
  RunResult result = small_result({});
  EXPECT_THAT(test::SarifCheck::problems_of(Json::parse(sarif_text(result))), IsEmpty());
  EXPECT_TRUE(Json::parse(json_text(failure_json({}))).is_object());
  EXPECT_TRUE(Json::parse(chrome_trace_text({}))["traceEvents"].is_array());
  EXPECT_FALSE(html_report({}).empty());
}

TEST(Formats, TheCheckOfSarifFindsMistakes) {
  Json sarif = Json::parse(sarif_text(small_result(small_model())));
  Json& result = sarif["runs"][0]["results"][0];
  result["ruleIndex"] = 7;
  result["codeFlows"][0]["threadFlows"][0]["locations"] = Json::array();
  result["colour"] = "red";
  EXPECT_EQ(test::SarifCheck::problems_of(sarif).size(), 3u);
}

TEST(Formats, TraceIsWhatViewersDemand) {
  for (const TraceModel& model : {small_model(), TraceModel{}}) {
    EXPECT_THAT(test::TraceCheck::problems_of(Json::parse(chrome_trace_text(model))), IsEmpty());
  }
}

TEST(Formats, TraceCheckFindsWhatIsWrong) {
  Json trace = Json::parse(chrome_trace_text(small_model()));
  for (Json& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event["cat"] == "run") event["dur"] = 15;  // across the next ones
    if (event["ph"] == "f") event["id"] = 4711;
  }
  EXPECT_GE(test::TraceCheck::problems_of(trace).size(), 2u);
}

// ---- hostile names ----

const std::string kHostile =
    "</script><script>alert(1)</script>\"'&<!--]]>\x01\x1b[2J\xff\xfe\xe2\x80\xae{{data}}\n";

TraceModel hostile_model() {
  TraceModel model = small_model();
  const std::string printable = escape(kHostile);
  model.summary = model.message = model.explanation = model.program = printable;
  model.replay_command = model.strategy = printable;
  model.arguments = model.values = {printable, printable + " = " + printable};
  for (ThreadModel& thread : model.threads) thread.title = thread.label = thread.doing = printable;
  for (ObjectModel& object : model.objects) object.name = printable;
  for (Place& place : model.places) {
    place.file = "/work/app/" + kHostile;  // as it is on the disk
    place.line = 3;
    place.function = place.text = place.where = printable;
  }
  model.failing_place = model.places[0];
  model.failing_stack = model.places;
  return model;
}

bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c >= 0x20 || c == '\n'; });
}

TEST(FormatsHostile, HtmlKeepsItInTheData) {
  const std::string page = html_report(hostile_model());
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_TRUE(is_printable(page));
  // The data ends where we end it, and is what went in.
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const size_t at = page.find(begin) + begin.size();
  const Json data = Json::parse(page.substr(at, page.find("</script>", at) - at));
  EXPECT_EQ(data["summary"], escape(kHostile));
  EXPECT_EQ(data["threads"][1]["title"], escape(kHostile));
  size_t scripts = 0;
  for (size_t i = 0; (i = page.find("</script>", i)) != std::string::npos; ++i) ++scripts;
  EXPECT_EQ(scripts, 2u);
  EXPECT_THAT(html_campaign(kHostile, {{"program", kHostile}}), Not(HasSubstr("<script>alert")));
}

TEST(FormatsHostile, JsonSarifAndTraceParse) {
  const Json json = Json::parse(json_text(failure_json(hostile_model())));
  EXPECT_EQ(json["places"][0]["file"], "/work/app/" + escape(kHostile));
  const std::string sarif = sarif_text(small_result(hostile_model()));
  EXPECT_TRUE(is_printable(sarif));
  EXPECT_THAT(test::SarifCheck::problems_of(Json::parse(sarif)), IsEmpty());
  EXPECT_THAT(sarif, HasSubstr("%3C/script%3E"));
  EXPECT_THAT(sarif, HasSubstr("%FF%FE%E2%80%AE"));
  const std::string trace = chrome_trace_text(hostile_model());
  EXPECT_TRUE(is_printable(trace));
  EXPECT_THAT(test::TraceCheck::problems_of(Json::parse(trace)), IsEmpty());
}

TEST(FormatsHostile, XmlIsWellFormed) {
  RunResult result = small_result(hostile_model());
  result.program = result.problem = kHostile;
  const std::string xml = junit_text(result);
  EXPECT_TRUE(is_printable(xml));
  EXPECT_THAT(xml, Not(HasSubstr("<script")));
  EXPECT_THAT(xml, Not(HasSubstr("]]>")));
  EXPECT_EQ(xml_quote("a<b>&\"\xEF\xBF\xBF\x07\nc"), "a&lt;b&gt;&amp;&quot;\xEF\xBF\xBD\\x07\nc");
}

TEST(Formats, FilesBelowTheDirectoryAreRelative) {
  TraceModel model = small_model();
  model.failing_place->file = "/work/app/src/a b.cc";
  const auto artifact = [&] {
    const Json sarif = Json::parse(sarif_text(small_result(model)));
    return sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
  };
  EXPECT_EQ(artifact()["uri"], "src/a%20b.cc");
  EXPECT_EQ(artifact()["uriBaseId"], "SRCROOT");
  model.failing_place->file = "/work/apple/x.cc";
  EXPECT_EQ(artifact()["uri"], "file:///work/apple/x.cc");
  EXPECT_FALSE(artifact().contains("uriBaseId"));
}

// ---- plot_data ----

TEST(PlotData, RowsAreReadBack) {
  const cli::PlotRow row{1.25, 100, 90, 7, 8, 3, 1, 2, {{"pct:d=2", 40}, {"rff", 60}}};
  const auto rows = cli::read_plot_data("# head, with, commas\n" + cli::plot_row_text(row) +
                                        "half a row, 1\n0.5, 1, 1, 1, 1, 1, 1, 1, \n");
  ASSERT_EQ(rows.size(), 1u) << "time does not go back";
  EXPECT_EQ(rows[0].schedules, 100u);
  EXPECT_EQ(rows[0].failing_schedules, 2u);
  EXPECT_THAT(rows[0].shares, ElementsAre(Pair("pct:d=2", 40), Pair("rff", 60)));
  EXPECT_THAT(cli::read_shares("rff 40 %, pct:d=2 60 %"),
              ElementsAre(Pair("rff", 40), Pair("pct:d=2", 60)));
  EXPECT_THAT(cli::read_shares("nonsense"), IsEmpty());
}

}  // namespace
}  // namespace jostle::report
