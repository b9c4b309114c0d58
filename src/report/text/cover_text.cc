// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/cover_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/report/symbols/function_names.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

std::string place_name(channel::CodeLocation location, bool only_function, Symbolizer& symbols) {
  const uintptr_t pc = symbols.address_of(location);
  if (pc == 0) return location == 0 ? "(start)" : symbols.where(location);
  const Frame frame = symbols.line_that_matters(pc);
  const std::string function =
      frame.function.empty() ? frame.where : plain_name(qualified_name(frame.function));
  if (only_function || frame.line == 0) return escape(function);
  return escape(fmt::format("{} ({}:{})", function, base_name(frame.file), frame.line));
}

std::string name_of(const channel::CodeLocation* places, PairKind kind, Symbolizer& symbols) {
  std::string text = place_name(places[0], kind == PairKind::functions, symbols);
  if (kind != PairKind::contexts) return text;
  for (uint32_t i = 1; i < CoverTable::kMostDepth && places[i] != 0; ++i) {
    text += " < " + place_name(places[i], true, symbols);
  }
  return text;
}

constexpr const char* kTitles[kPairKinds] = {
    "concurrent function pairs", "context pairs at switches", "reads-from pairs", "lock pairs"};
constexpr const char* kBetween[kPairKinds] = {"and", "then", "to", "to"};

}  // namespace

std::vector<CoveredPair> covered_pairs(const CoverTable& table, PairKind kind,
                                       Symbolizer& symbols) {
  std::map<std::pair<std::string, std::string>, uint64_t> counts;
  for (const CoverTable::Pair& pair : table.pairs) {
    if (pair.is_complete.load(std::memory_order_acquire) == 0 || pair.kind != kind) continue;
    const uint64_t count = pair.count.load(std::memory_order_relaxed);
    std::string left = name_of(pair.left, kind, symbols);
    std::string right = name_of(pair.right, kind, symbols);
    // Who of the two is first means nothing where both are at the same time.
    if (kind == PairKind::functions && right < left) std::swap(left, right);
    counts[{std::move(left), std::move(right)}] += count;
  }
  std::vector<CoveredPair> pairs;
  pairs.reserve(counts.size());
  for (const auto& [names, count] : counts) pairs.push_back({names.first, names.second, count});
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  return pairs;
}

std::string cover_text(const CoverTable& table, Symbolizer& symbols, size_t most) {
  std::string text;
  for (uint32_t kind = 0; kind < kPairKinds; ++kind) {
    const std::vector<CoveredPair> pairs =
        covered_pairs(table, static_cast<PairKind>(kind), symbols);
    text +=
        fmt::format("{}{}: {}\n", kind == 0 ? "" : "\n", kTitles[kind], thousands(pairs.size()));
    for (size_t i = 0; i < pairs.size() && i < most; ++i) {
      text += fmt::format("  {:>11}  {} {} {}\n", thousands(pairs[i].count), pairs[i].left,
                          kBetween[kind], pairs[i].right);
    }
    if (pairs.size() > most) {
      text += fmt::format("  {:>11}  (and {} more: --top)\n", "…", thousands(pairs.size() - most));
    }
  }
  return text;
}

}  // namespace jostle::report
