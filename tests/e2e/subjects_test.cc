// SPDX-License-Identifier: Apache-2.0
// The benchmark programs below subjects/: their manifest is right, each fails in the way it says,
// and their fixed twins stay silent. Figures are for `./dev bench`; here it only matters that the
// bugs are there and can be found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// What no strategy is sure to find in a few seconds: tried for a moment only.
const std::map<std::string, const char*> kHard = {
    {"checkpoints", "24 turns in one particular order"},
    {"interleave", "17 steps of one thread in six groups of certain sizes"},
    {"safestack", "eight preemptions of three threads at certain places"},
    {"twostage_100", "one of 99 writers has to be overtaken: some thousand slow schedules"},
};

// Tried in this order until one finds the bug; the empty one is the default of `jostle fuzz`. The
// default samples partial orders, to which reorder and twostage with many threads are all but
// impossible.
constexpr const char* kStrategies[] = {"", "surw", "mutate", "pct:d=3"};

using Row = std::map<std::string, std::string>;

fs::path subjects_directory() { return fs::path(JOSTLE_SOURCE_DIR) / "subjects"; }

std::string built(const std::string& name) {
  return fs::path(JOSTLE_BUILD_DIR) / "subjects" / name;
}

std::vector<std::string> split(const std::string& line, char separator = ',') {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == separator) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

// One map per line, from the names in the first line to the fields. No field has a comma or quotes.
std::vector<Row> read_manifest() {
  std::ifstream file(subjects_directory() / "manifest.csv");
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = split(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line);
    EXPECT_EQ(fields.size(), names.size()) << line;
    Row row;
    for (size_t i = 0; i < names.size() && i < fields.size(); i++) row[names[i]] = fields[i];
    rows.push_back(row);
  }
  return rows;
}

const Row& row_of(const std::string& name) {
  static const std::vector<Row> rows = read_manifest();
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const Row& row) { return row.at("name") == name; });
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Row& row : read_manifest()) names.push_back(row.at("name"));
  return names;
}

std::vector<std::string> names_with_twin() {
  std::vector<std::string> names = all_names();
  std::erase_if(names, [](const std::string& name) { return row_of(name).at("twin").empty(); });
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) { return info.param; }

json fuzz(const std::string& name, const Row& row, std::vector<std::string> options) {
  const TempDir out;
  std::vector<std::string> words = {"fuzz", "--seed",       "1", "--json", "--quiet",
                                    "-o",   out.file("out")};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back("--");
  words.push_back(built(name));
  std::istringstream arguments(row.at("arguments"));
  for (std::string argument; arguments >> argument;) words.push_back(argument);
  const Result result = jostle(words);
  json stats = json::parse(result.out, nullptr, false);
  EXPECT_TRUE(stats.is_object()) << result;
  return stats;
}

TEST(SubjectManifest, NamesAreUnique) {
  std::set<std::string> names;
  for (const Row& row : read_manifest()) {
    EXPECT_TRUE(names.insert(row.at("name")).second) << row.at("name");
    if (!row.at("twin").empty()) {
      EXPECT_TRUE(names.insert(row.at("twin")).second) << row.at("twin");
      EXPECT_THAT(row.at("twin"), testing::EndsWith("_ok"));
    }
  }
  EXPECT_GE(names_with_twin().size(), 20u);
  for (const auto& [name, why] : kHard) EXPECT_TRUE(names.contains(name)) << name << ": " << why;
}

TEST(SubjectManifest, ListsEverySource) {
  std::set<std::string> listed, present;
  for (const Row& row : read_manifest()) listed.insert(row.at("source"));
  for (const auto& entry : fs::recursive_directory_iterator(subjects_directory())) {
    const std::string extension = entry.path().extension();
    if (extension != ".c" && extension != ".cc") continue;
    present.insert(fs::relative(entry.path(), subjects_directory()));
  }
  EXPECT_EQ(listed, present);
}

// Properties are run by themselves, not by the command.
bool explores_itself(const Row& row) {
  const std::string text = read_file(subjects_directory() / row.at("source"));
  return text.find("#include <jostle/jostle.hpp>") != std::string::npos;
}

TEST(SubjectManifest, SourcesSayWhatIsWrong) {
  for (const Row& row : read_manifest()) {
    const std::string text = read_file(subjects_directory() / row.at("source"));
    for (const char* part : {"// Wrong: ", "// Shown when: ", "// From: "}) {
      EXPECT_THAT(text, testing::HasSubstr(part)) << row.at("source");
    }
    EXPECT_THAT(text, testing::HasSubstr("// Failure: " + split(row.at("kind"), '|').front()))
        << row.at("source");
    if (explores_itself(row)) continue;
    // Nothing of ours but the source of inputs.
    const std::string others = replaced(text, "jostle_choose", "");
    EXPECT_THAT(others, testing::Not(testing::HasSubstr("jostle"))) << row.at("source");
    EXPECT_TRUE(row.at("twin").empty() || text.find("FIXED") != std::string::npos)
        << row.at("source");
  }
}

// Those on event libraries are built where the library is.
bool may_be_missing(const Row& row) { return row.at("group") == "events"; }

class Subject : public testing::TestWithParam<std::string> {};

TEST_P(Subject, FailsAsExpected) {
  const std::string name = GetParam();
  const Row& row = row_of(name);
  if (may_be_missing(row) && !fs::exists(built(name))) GTEST_SKIP() << "no event library";
  ASSERT_TRUE(fs::exists(built(name))) << "build the target `subjects'";
  if (explores_itself(row)) {
    const TempDir out;
    RunOptions options;
    options.env = {{"JOSTLE_FUZZ_FOR", "30s"}, {"JOSTLE_OPTIONS", "--seed 1"}};
    options.cwd = out.path();
    const Result result = run({built(name)}, options);
    EXPECT_NE(result.signal, 0) << result;
    EXPECT_THAT(result.err, testing::HasSubstr(row.at("kind") == "deadlock" ? "DEADLOCK after"
                                                                            : "FAILED after"));
    return;
  }
  const auto hard = kHard.find(name);
  for (const char* strategy : kStrategies) {
    const char* time = hard != kHard.end() ? "300ms" : row.at("group") == "events" ? "15s" : "4s";
    std::vector<std::string> options = {"--time", time};
    if (*strategy != '\0') options.insert(options.end(), {"--strategy", strategy});
    const json stats = fuzz(name, row, options);
    ASSERT_EQ(stats.value("uncontrolled", json::array()).size(), 0u) << stats;
    if (stats["failures_by_kind"].empty()) continue;
    const json& kinds = stats["failures_by_kind"];
    EXPECT_EQ(kinds.size(), 1u) << stats;
    EXPECT_THAT(split(row.at("kind"), '|'), testing::Contains(kinds.items().begin().key()))
        << strategy;
    return;
  }
  if (hard != kHard.end()) GTEST_SKIP() << "not found: " << hard->second;
  ADD_FAILURE() << "not found by any strategy";
}

INSTANTIATE_TEST_SUITE_P(All, Subject, testing::ValuesIn(all_names()), test_name);

class SubjectTwin : public testing::TestWithParam<std::string> {};

TEST_P(SubjectTwin, StaysSilent) {
  const Row& row = row_of(GetParam());
  const std::string twin = row.at("twin");
  if (may_be_missing(row) && !fs::exists(built(twin))) GTEST_SKIP() << "no event library";
  ASSERT_TRUE(fs::exists(built(twin))) << "build the target `subjects'";
  if (explores_itself(row)) {
    const TempDir out;
    RunOptions options;
    options.cwd = out.path();
    const Result result = run({built(twin)}, options);
    EXPECT_TRUE(result.ok()) << result;
    return;
  }
  const json stats = fuzz(twin, row, {"--schedules", "2000"});
  EXPECT_EQ(stats["exit_code"], 0) << stats;
  EXPECT_TRUE(stats["schedules"] == 2000 || stats["exhausted"] == true) << stats;
}

INSTANTIATE_TEST_SUITE_P(All, SubjectTwin, testing::ValuesIn(names_with_twin()), test_name);

}  // namespace
}  // namespace jostle::test
