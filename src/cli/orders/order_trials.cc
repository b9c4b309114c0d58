// SPDX-License-Identifier: Apache-2.0
#include "src/cli/orders/order_trials.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/cli/findings/proof.h"
#include "src/cli/options/command_line.h"
#include "src/cli/runs/diagnosis.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

// Bugs of weak memory show within some hundred schedules.
constexpr uint64_t kTrialGlance = 300;
constexpr std::chrono::milliseconds kPoll{2};

std::string failure_text(const channel::Failure& end) {
  std::string text = report::summary(end);
  return text.empty() ? std::string(report::kind(end)) : text;
}

std::string line_at(uint64_t location, report::Symbolizer& symbols) {
  return report::source(symbols.line_that_matters(symbols.address_of(location)));
}

}  // namespace

OrderTrials::OrderTrials(const ManyRuns& ready, std::vector<std::string> program,
                         const channel::Config& config, std::chrono::nanoseconds time)
    : ready_(ready),
      program_(std::move(program)),
      config_(config),
      time_(time),
      plan_{ready.target.path, program_} {
  plan_.in = ready_.input.file.get();
  plan_.own_group = true;
  plan_.stops = library_code(plan_, ready_.installation);
}

channel::Config OrderTrials::config_for(Way way,
                                        const std::vector<channel::OrderChange>& changes) const {
  channel::Config config = config_;
  config.memory = channel::MemoryModel::c11;
  config.watch_orders = 1;
  config.fail_on |= channel::kCheckRace & config.checks;
  config.order_change_count = static_cast<uint32_t>(changes.size());
  std::copy(changes.begin(), changes.end(), config.order_changes);
  set_strategy(config, way == Way::all ? "dpor" : "portfolio");
  config.max_schedules = way == Way::glance ? kTrialGlance : 0;
  config.max_nanoseconds = static_cast<uint64_t>(time_.count());
  return config;
}

// Of the program as it is all is wanted. Later runs may come to code that was not seen then: if
// that belongs to a place that is changed, it has to be changed, too.
void OrderTrials::learn(const channel::OrderWatch& watch, report::Symbolizer& symbols, Ran& ran) {
  LateLoads late;
  for (uint32_t i = 0; i < std::min(watch.late_count, channel::kMaxLateLoads); ++i) {
    late.emplace(watch.late[i].load, watch.late[i].store);
  }
  if (is_first_) {
    add_places(watch, symbols, places_);
    late_.merge(late);
    left_out_ = left_out_ || watch.overflow != 0;
  } else {
    ran.has_more_code = add_locations(watch, symbols, places_);
    ran.late = std::move(late);
  }
}

Result<OrderTrials::Ran> OrderTrials::run(Way way,
                                          const std::vector<channel::OrderChange>& changes) {
  Result<Campaign> campaign = Campaign::start(plan_, config_for(way, changes), ready_.installation);
  if (!campaign) return campaign.error();
  Ran ran;
  bool fails = false;
  for (bool running = true; running;) {
    Result<bool> stepped = campaign->step(signals_, kPoll);
    if (!stepped) return stepped.error();
    running = *stepped;
    while (const std::optional<Finding> finding = campaign->next_finding()) {
      if (finding->role != channel::FindingRole::failure || fails) continue;
      fails = true;
      ran.trial.why = failure_text(finding->end);
    }
    if (fails && running) campaign->stop();
  }
  if (campaign->interrupted()) return Error{Exit::interrupted, "interrupted"};
  report::Symbolizer symbols(report::modules(campaign->channel()));
  learn(campaign->channel().orders, symbols, ran);
  ran.trial.schedules = campaign->totals().schedules;
  ran.trial.is_right = !fails;
  for (const auto& [load, store] : ran.late) {
    if (fails || late_.contains({load, store})) continue;
    ran.trial.is_right = false;
    ran.trial.why = fmt::format("the load at {} could come after the store at {} (load buffering)",
                                line_at(load, symbols), line_at(store, symbols));
    break;
  }
  if (way == Way::all && ran.trial.is_right) {
    CampaignResult result;
    result.target = ready_.target;
    result.config = campaign->config();
    result.totals = campaign->totals();
    result.stopped = std::string(name(campaign->stop_reason()));
    result.executor_note = campaign->executor_note();
    result.verifies = true;
    const Proof proof = proof_of(result);
    ran.trial.all = proof.kind == Proof::Kind::verified;
    ran.trial.executions = executions(result.totals.exploration);
    ran.trial.assumptions = proof.assumptions;
    ran.trial.why_not_all = proof.why;
  }
  return ran;
}

Result<OrderTrial> OrderTrials::judge(const std::vector<Orders>& orders) {
  OrderTrial trial;
  for (const Way way : {Way::glance, Way::all, Way::search}) {
    if ((way == Way::all && !few_) || (way == Way::search && trial.all)) continue;
    for (bool again = true; again;) {
      const std::vector<channel::OrderChange> changes =
          is_first_ ? std::vector<channel::OrderChange>{} : order_changes(places_, orders);
      if (changes.size() > channel::kMaxOrderChanges) {
        return OrderTrial{.why = "more places are changed than there is room for"};
      }
      Result<Ran> ran = run(way, changes);
      if (!ran) return ran.error();
      trial = std::move(ran->trial);
      if (!trial.is_right) return trial;
      again = ran->has_more_code;
    }
    if (way == Way::all && !trial.all) {
      // Weaker orders have more executions: there is no use in trying that again.
      few_ = false;
      why_not_all_ = trial.why_not_all;
    }
  }
  if (!trial.all) trial.why_not_all = why_not_all_;
  return trial;
}

Result<OrderTrial> OrderTrials::as_it_is() {
  Result<OrderTrial> trial = judge({});
  is_first_ = false;
  std::erase_if(places_, [](const OrderPlace& place) {
    const Ordered& operation = place.operation;
    return weaker_orders(operation.kind, operation.now.success).empty() &&
           (operation.now.failure == channel::kNoOrder ||
            weaker_orders(OpKind::atomic_load, operation.now.failure).empty());
  });
  return trial;
}

}  // namespace jostle::cli
