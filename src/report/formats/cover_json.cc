// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats/cover_json.h"

#include <nlohmann/json.hpp>

#include "src/report/text/cover_text.h"

namespace jostle::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNames[kPairKinds] = {"functions", "contexts", "reads_from", "locks"};

}  // namespace

std::string cover_json(const CoverTable& table, Symbolizer& symbols,
                       const CoveredCampaign& campaign) {
  Json root = {{"format", "jostle-cover"},        {"version", 1},
               {"schedules", campaign.schedules}, {"failing_schedules", campaign.failing_schedules},
               {"seed", campaign.seed},           {"depth", campaign.depth},
               {"lost", table.lost.load()}};
  for (uint32_t kind = 0; kind < kPairKinds; ++kind) {
    Json list = Json::array();
    for (const CoveredPair& pair : covered_pairs(table, static_cast<PairKind>(kind), symbols)) {
      list.push_back({{"left", pair.left}, {"right", pair.right}, {"count", pair.count}});
    }
    root["pairs"][kNames[kind]] = std::move(list);
  }
  return root.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace jostle::report
