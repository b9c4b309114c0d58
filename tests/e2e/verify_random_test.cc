// SPDX-License-Identifier: Apache-2.0
// Random programs (programs/verify/operations.cc): `jostle verify` finds as many executions as all
// interleavings are.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using nlohmann::json;

// Operations of one kind. {} stands for something between.
using Kind = std::vector<std::string>;
const std::vector<Kind> kKinds = {
    {"r0", "r1", "w0", "w1", "a0", "a1", "c0", "d0", "d1", "v0", "n0", "m0"},
    {"L0{}U0", "L1{}U1", "T0", "T1", "s0{}u0"},
    {"P0", "Q0", "Y0"},
    {"R0{}E0", "W0{}E0", "K0", "J0"},
    {"S0", "A0", "C0", "D0", "L0S0U0", "L0v0S0U0"},
    {"B0"},
    {"X0", "Z0", "X0", "r0", "v0"},
    {"i0", "j0", "i1", "v0", "v1"},
    {"k0", "k1", "t0{}U0", "L0v0U0", "v1"},
    {"O0", "r2", "w2"},
    {"f0", "g0", "h0"},
    {"p0", "p1", "p0", "v0", "o0"},
    {"x0", "x0", "S0", "A0", "q0", "L0S0U0", "p0"},
    {"q0", "q1", "z0", "P0", "e0", "l0", "L0{}U0", "W0{}E0"},
};
const std::vector<std::string> kBetween = {"", "", "r0", "w0", "a1", "m0", "n0"};

class RandomPrograms {
 public:
  explicit RandomPrograms(uint32_t seed) : random_(seed) {}

  // What each thread does. The standard's distributions differ between libraries, so none of them.
  std::vector<std::string> next() {
    std::vector<const Kind*> kinds;
    for (uint32_t i = 0; i < 1 + below(3); ++i) kinds.push_back(&pick(kKinds));
    if (below(3) != 0) kinds.push_back(&kKinds[0]);
    if (below(4) == 0) return {operations(kinds, 1), operations(kinds, 2), operations(kinds, 1)};
    return {operations(kinds, 3), operations(kinds, 3)};
  }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(static_cast<uint32_t>(from.size()))];
  }
  std::string operations(const std::vector<const Kind*>& kinds, uint32_t most) {
    std::string text;
    for (uint32_t i = 0, n = 1 + below(most); i < n; ++i) {
      std::string operation = pick(*pick(kinds));
      if (const size_t gap = operation.find("{}"); gap != std::string::npos) {
        operation.replace(gap, 2, pick(kBetween));
      }
      text += operation;
    }
    return text;
  }

  std::mt19937 random_;
};

json search(const std::vector<std::string>& how, const std::vector<std::string>& threads) {
  const TempDir out;
  std::vector<std::string> words = how;
  words.insert(words.end(), {"-k", "--minimize", "off", "--quiet", "--json", "-o", out.file("out"),
                             "--", program("gcc", "verify/operations")});
  words.insert(words.end(), threads.begin(), threads.end());
  const Result result = jostle(words, {.time_limit = 120});
  json stats = json::parse(result.out, nullptr, false);
  EXPECT_TRUE(stats.is_object()) << result;
  return stats;
}

// Two ways to the same number: reversing races, and all schedules without those that follow a
// happens-before that was seen.
TEST(VerifyRandom, WaitersOfAFutexAreWokenInNoOrder) {
  for (const std::vector<std::string>& threads :
       {std::vector<std::string>{"h0", "f0", "f0"}, {"h0h0", "f0", "f0"}, {"g0", "f0"}}) {
    const json reduced = search({"verify"}, threads);
    const json seen = search({"verify", "--preemptions", "1000"}, threads);
    EXPECT_EQ(reduced["explored"], seen["explored"]) << threads[0];
    EXPECT_EQ(reduced["stopped"], "exhausted") << threads[0];
  }
}

bool deadlocks(const json& stats) { return stats["outcomes"].contains("deadlock"); }

TEST(VerifyRandom, ProgramsHaveAsManyExecutionsAsInterleavingsShow) {
  const int wanted = long_or_short(10'000, 8);
  const std::string most = std::to_string(long_or_short(50'000, 3000));
  const std::string longest = long_or_short(60, 1) == 1 ? "1s" : "60s";
  RandomPrograms programs(24);
  int compared = 0, left_out = 0, incomplete = 0;
  while (compared < wanted) {
    const std::vector<std::string> threads = programs.next();
    const std::string time_outs = compared % 2 == 0 ? "--time-outs=late" : "--time-outs=any";
    const json all = search(
        {"fuzz", "--strategy", "interleavings", "-n", most, "-t", longest, time_outs}, threads);
    if (all["stopped"] != "exhausted") {  // too many
      ASSERT_LT(++left_out, 10 * wanted);
      continue;
    }
    const json reduced = search({"verify", "-t", "20s", time_outs}, threads);
    ++compared;
    if (reduced["verdict"] == "incomplete") {  // and says so
      ASSERT_LT(++incomplete, 10 + wanted / 10);
      continue;
    }
    std::string text = time_outs + " ";
    for (const std::string& thread : threads) text += thread + " ";
    EXPECT_EQ(reduced["explored"], all["explored"]) << text;
    EXPECT_EQ(reduced["stopped"], "exhausted") << text << reduced["verdict_reason"];
    EXPECT_EQ(deadlocks(reduced), deadlocks(all)) << text;
  }
}

}  // namespace
}  // namespace jostle::test
