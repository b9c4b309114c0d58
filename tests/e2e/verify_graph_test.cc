// SPDX-License-Identifier: Apache-2.0
// `jostle verify --graph`: executions, and the race whose reversal leads from one to the next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class VerifyGraph : public testing::Test {
 protected:
  Result draw(const std::string& file, const std::string& path,
              const std::vector<std::string>& arguments = {},
              const std::vector<std::string>& options = {"-k", "--minimize", "off", "--quiet"}) {
    std::vector<std::string> words = {"verify", "-o", folder_.file("out"), "--graph",
                                      folder_.file(file)};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", path});
    words.insert(words.end(), arguments.begin(), arguments.end());
    return jostle(words, {.time_limit = 120});
  }
  json tree(const std::string& path, const std::vector<std::string>& arguments = {}) {
    const Result result = draw("tree.json", path, arguments);
    json tree = json::parse(read_file(folder_.file("tree.json")), nullptr, false);
    EXPECT_TRUE(tree.is_object()) << result;
    return tree.is_object() ? tree : json::object();
  }

  TempDir folder_;
};

// Of executions that are counted elsewhere (verify_test) every one is there, below one before it.
TEST_F(VerifyGraph, HasEveryExecutionOnce) {
  const std::vector<std::tuple<const char*, const char*, const char*, size_t, size_t>> rows = {
      {"memory_counts", "lastzero", "5", 64, 0},
      {"mutex_counts", "trylock", "3", 21, 0},
      {"loop_counts", "peterson", "0", 4, 6},
      {"condition_counts", "signal_each", "2", 60, 0},
      {"loop_counts", "ticket", "3", 6, 0}};
  for (const auto& [file, name, number, executions, blocked] : rows) {
    const json found = tree(program("gcc", std::string("verify/") + file), {name, number});
    SCOPED_TRACE(name);
    ASSERT_EQ(found["executions"].size(), executions + blocked);
    EXPECT_EQ(found["left_out"], 0);
    std::set<uint64_t> numbers;
    size_t roots = 0, blocked_ones = 0;
    for (const json& node : found["executions"]) {
      blocked_ones += node["blocked"].get<bool>();
      EXPECT_FALSE(node["fails"].get<bool>());
      if (node["parent"].is_null()) {
        ++roots;
      } else {
        EXPECT_TRUE(numbers.count(node["parent"].get<uint64_t>())) << node;
        EXPECT_FALSE(node["before"]["thread"].get<std::string>().empty()) << node;
      }
      EXPECT_TRUE(numbers.insert(node["number"].get<uint64_t>()).second) << node;
    }
    EXPECT_EQ(roots, 1u);
    EXPECT_EQ(blocked_ones, blocked);
  }
}

TEST_F(VerifyGraph, MarksWhatFailsAndNamesTheLines) {
  const json found = tree(program("gcc", "bugs/check_then_act"));
  size_t failing = 0;
  bool names_lines = false;
  for (const json& node : found["executions"]) {
    failing += node["fails"].get<bool>();
    if (node["fails"].get<bool>()) {
      EXPECT_EQ(node["end"], "assert") << node;
    }
    if (node["first"].is_null()) continue;
    names_lines |=
        node["first"]["place"].get<std::string>().find("check_then_act.cc:") != std::string::npos;
  }
  EXPECT_GT(failing, 0u);
  EXPECT_LT(failing, found["executions"].size());
  EXPECT_TRUE(names_lines);
  const Result dot = draw("tree.dot", program("gcc", "bugs/check_then_act"));
  const std::string text = read_file(folder_.file("tree.dot"));
  EXPECT_THAT(text, HasSubstr("digraph executions {")) << dot;
  EXPECT_THAT(text, HasSubstr("fillcolor")) << dot;
  EXPECT_THAT(text, HasSubstr(" before ")) << dot;
}

// Large trees are cut, and say so; the page of the campaign has the tree, too.
TEST_F(VerifyGraph, SaysWhatIsLeftOut) {
  const std::string path = program("gcc", "verify/memory_counts");
  draw("tree.dot", path, {"lastzero", "10"});
  EXPECT_THAT(read_file(folder_.file("tree.dot")),
              HasSubstr("2,328 more executions are not drawn"));
  draw("tree.html", path, {"lastzero", "10"});
  EXPECT_THAT(read_file(folder_.file("tree.html")),
              HasSubstr("2,328 more executions are not drawn"));
  EXPECT_EQ(jostle({"report", folder_.file("out/memory_counts")}).exit_code, 0);
  EXPECT_THAT(read_file(folder_.file("out/memory_counts/index.html")),
              HasSubstr("jostle-executions"));
  // That of an earlier search is not shown for one that has none.
  EXPECT_TRUE(
      jostle({"verify", "-q", "-o", folder_.file("out"), "--", path, "lastzero", "3"}).ok());
  EXPECT_FALSE(fs::exists(folder_.file("out/memory_counts/executions.json")));
}

TEST_F(VerifyGraph, IsForOneSearchFromItsBeginning) {
  const std::string path = program("gcc", "verify/memory_counts");
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-j", "2"}, std::vector<std::string>{"--resume"},
        std::vector<std::string>{"--preemptions", "1"}}) {
    EXPECT_EQ(draw("tree.dot", path, {"lastzero", "3"}, options).exit_code, 2);
  }
  EXPECT_EQ(draw("no/such/folder/tree.dot", path, {"lastzero", "3"}).exit_code, 10);
}

}  // namespace
}  // namespace jostle::test
