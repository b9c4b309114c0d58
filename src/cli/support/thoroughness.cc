// SPDX-License-Identifier: Apache-2.0
#include "src/cli/support/thoroughness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr double kDoubt = 0.05;  // one minus the confidence

// "0.0012 %": two digits that count.
std::string percent(double chance) {
  const double value = 100 * chance;
  if (value >= 1) return fmt::format("{:.0f} %", value);
  const int digits = value > 0 ? 1 - static_cast<int>(std::floor(std::log10(value))) : 0;
  return fmt::format("{:.{}f} %", value, std::clamp(digits, 0, 12));
}

}  // namespace

uint64_t Thoroughness::runs_to_new_class() const {
  return singletons == 0 ? 0 : std::max<uint64_t>(1, runs / singletons);
}

Thoroughness thoroughness_of(uint64_t runs, const std::map<uint64_t, uint64_t>& histogram,
                             uint32_t bits) {
  Thoroughness result;
  result.runs = runs;
  result.is_estimate = bits != 0;
  for (const auto& [times, classes] : histogram) result.classes += classes << bits;
  const auto once = histogram.find(1);
  if (once != histogram.end()) result.singletons = std::min(once->second << bits, runs);
  if (!result.is_known()) return result;
  const auto n = static_cast<double>(runs);
  result.new_class = static_cast<double>(result.singletons) / n;
  // McAllester and Schapire (COLT 2000): the missing mass is at most Good and Turing's estimate and
  // this.
  const double deviation =
      (2 * std::sqrt(2.0) + std::sqrt(3.0)) * std::sqrt(std::log(3 / kDoubt) / n);
  result.new_class_below = std::min(1.0, result.new_class + deviation);
  // The largest chance with which n runs without a failure still happen one time in twenty.
  result.failure_below = std::min(result.new_class_below, 1 - std::pow(kDoubt, 1 / n));
  return result;
}

std::string describe(const Thoroughness& it) {
  if (!it.is_known()) return {};
  const std::string about = it.is_estimate ? "about " : "";
  std::string next =
      fmt::format("{}{} of {}{} came once, the next new one is expected after {}", about,
                  report::thousands(it.singletons), about, report::count(it.classes, "data flow"),
                  report::count(it.runs_to_new_class(), "run"));
  if (it.singletons == 0) {
    next = fmt::format("each of {}{} came more than once, no new one is expected soon", about,
                       report::count(it.classes, "data flow"));
  }
  return fmt::format(
      "{}; a further run fails with a chance below {} (95 %), if it is drawn like "
      "these",
      next, percent(it.failure_below));
}

}  // namespace jostle::cli
