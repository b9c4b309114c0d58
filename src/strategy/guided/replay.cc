// SPDX-License-Identifier: Apache-2.0
// Every run follows a recorded one (--from replay.json), as far as the program lets it: for a
// campaign that asks how often a failure comes, or whether it still comes after a change of the
// program. `jostle replay` is strict instead, and says where a run leaves the recording.
#include "src/strategy/guided/guide.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class Replay final : public GuidedStrategy {
 public:
  explicit Replay(const StrategyInput& input) {
    if (input.schedule) log_.copy(*input.schedule);
  }
};

}  // namespace

JOSTLE_STRATEGY(kReplay) = {"replay", "every run follows the one in --from FILE as far as it can",
                            {},       made<Replay>,
                            false,    StrategyTakes::schedule,
                            true};

}  // namespace jostle
