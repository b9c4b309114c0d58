// SPDX-License-Identifier: Apache-2.0
// `jostle orders`: orders that may be weaker are those that were derived by hand, what is needed
// stays, and no more is said than was shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/support.h"
#include "tests/sarif_check.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = {""};
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

std::string source_of(const std::string& name) {
  return read_file(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/orders" / (name + ".cc"));
}

json orders_of(const std::string& path, std::vector<std::string> options = {}) {
  std::vector<std::string> words = {"orders", "--json"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", path});
  const Result result = jostle(words, {.time_limit = 120});
  EXPECT_TRUE(result.ok()) << result;
  json found = json::parse(result.out, nullptr, false);
  if (!found.is_object()) ADD_FAILURE() << result;
  return found;
}

// "head.store(at + 1); release": the line, and what it may be; "!" when it has to stay.
std::vector<std::string> told(const json& found, const std::string& source) {
  const std::vector<std::string> lines = lines_of(source);
  std::vector<std::string> told;
  for (const json& operation : found["operations"]) {
    std::string line = lines[operation["line"].get<size_t>() - 1];
    line.erase(0, line.find_first_not_of(' '));
    std::string order = operation["may_be"]["order"];
    if (operation["may_be"].contains("failure")) {
      order += "/" + operation["may_be"]["failure"].get<std::string>();
    }
    told.push_back(line + " " + (operation["weaker"].get<bool>() ? order : "!"));
  }
  return told;
}

struct Derived {
  const char* name;
  std::vector<std::string> orders;  // by hand: see the comments of the programs
};

const Derived kDerived[] = {
    {"ring_orders",
     {"const unsigned at = head.load(); relaxed", "if (at != tail.load()) return false; acquire",
      "head.store(at + 1); release", "const unsigned at = tail.load(); relaxed",
      "if (at == head.load()) return false; acquire", "++tail; release"}},
    {"seqlock_orders",
     {"version.store(1); relaxed", "first.store(value); release", "second.store(value); release",
      "version.store(2); release", "const int before = version.load(); acquire",
      "a = first.load(); acquire", "b = second.load(); acquire",
      "return version.load() == before; relaxed"}},
    {"treiber_orders",
     {"node->next = top.load(); relaxed",
      "while (!top.compare_exchange_strong(node->next, node)) { release/relaxed",
      "Node* node = top.load(); acquire",
      "while (node != nullptr && !top.compare_exchange_strong(node, node->next)) { "
      "acquire/acquire"}},
    {"dekker_orders",
     {"comes[me].store(true); !", "looks[me]++; relaxed", "if (comes[1 - me].load()) return; !"}},
    {"late_load_orders",
     {"done.store(1, std::memory_order_release); !",
      "if (done.load(std::memory_order_acquire) == 1) data.store(7, std::memory_order_relaxed); "
      "!"}},
};

class OrdersDerived : public testing::TestWithParam<Derived> {};

TEST_P(OrdersDerived, AreFound) {
  const std::string name = GetParam().name;
  const json found = orders_of(program("gcc", "orders/" + name));
  EXPECT_THAT(told(found, source_of(name)), ElementsAreArray(GetParam().orders));
  EXPECT_EQ(found["shown"], "all executions") << found;
  EXPECT_EQ(found["finished"], true);
  for (const json& operation : found["operations"]) {
    EXPECT_TRUE(operation["weaker"] || !operation["refused"].empty()) << operation;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OrdersDerived, testing::ValuesIn(kDerived),
                         [](const auto& info) { return std::string(info.param.name); });

// Without optimisation all operations are the same instructions of std::atomic.
TEST(Orders, AreThoseOfPlacesInTheProgram) {
  const TempDir folder;
  const std::string source = source_of("ring_orders");
  const std::string path = folder.write("ring.cc", source);
  ASSERT_TRUE(jostle({"c++", "-g", "-O0", "-std=c++20", path, "-o", folder.file("ring")}).ok());
  EXPECT_THAT(told(orders_of(folder.file("ring")), source), ElementsAreArray(kDerived[0].orders));
}

// ---- fixes --------------------------------------------------------------------------------------

std::string apply_fixes(const json& sarif, const std::string& source) {
  std::vector<json> replacements;
  for (const json& result : sarif["runs"][0]["results"]) {
    for (const json& fix : result.value("fixes", json::array())) {
      for (const json& change : fix["artifactChanges"]) {
        for (const json& replacement : change["replacements"]) replacements.push_back(replacement);
      }
    }
  }
  std::vector<size_t> begins = {0};
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\n') begins.push_back(i + 1);
  }
  const auto offset = [&](const json& region, const char* line, const char* column) {
    return begins[region[line].get<size_t>() - 1] + region[column].get<size_t>() - 1;
  };
  std::ranges::sort(replacements, std::ranges::greater{}, [&](const json& replacement) {
    return offset(replacement["deletedRegion"], "startLine", "startColumn");
  });
  std::string text = source;
  for (const json& replacement : replacements) {
    const json& region = replacement["deletedRegion"];
    const size_t begin = offset(region, "startLine", "startColumn");
    text.replace(begin, offset(region, "endLine", "endColumn") - begin,
                 replacement["insertedContent"]["text"].get<std::string>());
  }
  return text;
}

// The program with all fixes is right in every execution, and has nothing more to weaken.
TEST(Orders, FixesMakeTheProgramThatWasShownToBeRight) {
  for (const char* name : {"ring_orders", "seqlock_orders", "treiber_orders", "dekker_orders"}) {
    const TempDir folder;
    const std::string binary = folder.file("program"),
                      file = folder.write("program.cc", source_of(name));
    const auto build = [&] {
      return jostle(
          {"c++", "-g", "-O1", "-std=c++20", "-Wall", "-Wextra", "-Werror", file, "-o", binary});
    };
    ASSERT_TRUE(build().ok());
    const Result result = jostle({"orders", "--sarif", binary}, {.cwd = folder.path()});
    const json sarif = json::parse(result.out, nullptr, false);
    ASSERT_TRUE(sarif.is_object()) << result;
    EXPECT_THAT(SarifCheck::problems_of(sarif), testing::IsEmpty()) << name;
    const json before = orders_of(binary);
    const auto weaker = std::ranges::count_if(
        before["operations"], [](const json& one) { return one["weaker"].get<bool>(); });
    ASSERT_EQ(sarif["runs"][0]["results"].size(), static_cast<size_t>(weaker));
    for (const json& one : sarif["runs"][0]["results"]) EXPECT_TRUE(one.contains("fixes")) << one;

    folder.write("program.cc", apply_fixes(sarif, source_of(name)));
    const Result built = build();
    ASSERT_TRUE(built.ok()) << built;
    const Result verified =
        jostle({"verify", "--memory=c11", "--fail-on", "race", "-o", folder.file("out"), binary});
    EXPECT_THAT(verified.out, HasSubstr("VERIFIED")) << verified;
    for (const json& one : orders_of(binary)["operations"]) EXPECT_FALSE(one["weaker"]) << one;
  }
}

// ---- what is said -------------------------------------------------------------------------------

TEST(Orders, SayHowFarTheyWereShown) {
  const Result all = jostle({"orders", program("gcc", "orders/seqlock_orders")});
  EXPECT_TRUE(all.ok());
  EXPECT_THAT(all.out,
              HasSubstr("8 of 8 operations may be weaker; with all of that every one of "));
  EXPECT_THAT(all.out, HasSubstr("a local minimum: none can be weaker while the others"));
  EXPECT_THAT(all.out, HasSubstr("assertion `a == b' in main"));
  // One with more executions than can be run in this time.
  const Result some = jostle({"orders", "-t", "100ms", program("gcc", "conform/cxx_shared_ptr")},
                             {.time_limit = 120});
  EXPECT_TRUE(some.ok()) << some;
  EXPECT_THAT(some.out, HasSubstr("may be weaker; with all of that no failure in ")) << some;
  EXPECT_THAT(some.out, HasSubstr("not all executions were run: ")) << some;
  EXPECT_THAT(some.out, Not(HasSubstr("every one of "))) << some;
}

TEST(Orders, OfTheLibraryAreNotTheProgramsToChange) {
  const json found = orders_of(program("gcc", "conform/cxx_latch"), {"-t", "200ms"});
  EXPECT_TRUE(found["operations"].empty()) << found;
}

TEST(Orders, NeedAProgramThatIsRight) {
  const Result wrong = jostle({"orders", program("gcc", "weak/dekker")});
  EXPECT_EQ(wrong.exit_code, 77) << wrong;
  EXPECT_THAT(wrong.err, HasSubstr("dekker fails as it is: assertion "));
  EXPECT_THAT(wrong.err, HasSubstr("jostle fuzz --memory=c11"));
  const Result unseen = jostle({"orders", program("plain", "conform/mutex_normal")});
  EXPECT_EQ(unseen.exit_code, 16) << unseen;
  EXPECT_EQ(jostle({"orders"}).exit_code, 2);
  EXPECT_EQ(jostle({"orders", "--json", "--sarif", "./x"}).exit_code, 2);
  EXPECT_EQ(jostle({"orders", "./no-such-program"}).exit_code, 3);
}

}  // namespace
}  // namespace jostle::test
