// SPDX-License-Identifier: Apache-2.0
#include "src/minimize/command/minimize_in_turn.h"

#include "src/cli/campaign/fuzz_inputs.h"

namespace jostle::cli {
namespace {

// Mostly the second brings nothing more.
constexpr int kMostRounds = 4;

Result<Minimized> minimize_with(LaunchPlan plan, const channel::Config& config,
                                const Finding& finding, const std::string& bytes,
                                std::chrono::nanoseconds time, const Installation& installation) {
  Result<StandardInput> input = input_of_bytes(bytes);
  if (!input) return input.error();
  plan.in = input->file.get();
  return minimize(plan, config, finding, time, installation);
}

}  // namespace

Result<MinimizedInTurn> minimize_in_turn(const LaunchPlan& plan, const channel::Config& config,
                                         const Finding& finding, const std::string& bytes,
                                         std::chrono::nanoseconds time,
                                         const Installation& installation) {
  Result<Minimized> first = minimize_with(plan, config, finding, bytes, time, installation);
  if (!first) return first.error();
  MinimizedInTurn best{std::move(*first), bytes};
  for (int round = 1; round < kMostRounds && best.schedule.found; ++round) {
    Result<ShrunkInput> smaller =
        shrink_input(plan, config, best.schedule.smallest, best.bytes, time, installation);
    if (!smaller || smaller->bytes == best.bytes) break;
    Result<Minimized> again =
        minimize_with(plan, config, smaller->finding, smaller->bytes, time, installation);
    if (!again || !again->found) break;
    again->original = best.schedule.original;
    again->runs += best.schedule.runs;
    again->elapsed += best.schedule.elapsed;
    best = {std::move(*again), std::move(smaller->bytes)};
  }
  return best;
}

}  // namespace jostle::cli
