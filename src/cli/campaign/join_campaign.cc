// SPDX-License-Identifier: Apache-2.0
#include "src/cli/campaign/join_campaign.h"

#include <fmt/format.h>

#include <cstdlib>

#include "src/cli/campaign/corpus.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

std::string exits_of(const FuzzOptions& options) {
  if (options.ignore_exit) return "any";
  std::string text;
  for (int code = 0; code < 256; ++code) {
    if ((options.config.exit_codes_ok[code / 64] >> (code % 64) & 1) == 0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ",", code);
  }
  return text;
}

std::string_view name_of(channel::SpuriousWakeups spurious) {
  switch (spurious) {
    case channel::SpuriousWakeups::rarely:
      return "rarely";
    case channel::SpuriousWakeups::never:
      return "never";
    case channel::SpuriousWakeups::always:
      return "always";
  }
  return "?";
}

// What runs there are, and which of them fail. Not so limits of time, executors, formats.
CampaignDescription description_of(const FuzzOptions& options, const Target& target) {
  const channel::Config& config = options.config;
  const auto yes_no = [](bool value) { return std::string(value ? "yes" : "no"); };
  CampaignDescription own;
  own.program = target.name;
  own.path = target.given;
  own.arguments.assign(options.program.begin() + 1, options.program.end());
  own.seed = config.seed;
  own.settings = {
      {"--strategy", std::string(report::bounded(config.strategy))},
      {"--points", options.point_options.typed()},
      {"--check", check_names(config.checks)},
      {"--fail-on", check_names(config.fail_on)},
      {"--volatile", config.volatile_atomic != 0 ? "atomic" : "plain"},
      {"--memory", config.memory == channel::MemoryModel::c11 ? "c11" : "sc"},
      {"--spurious", std::string(name_of(config.spurious))},
      {"--io-faults", yes_no(config.io_faults != 0)},
      {"--plain-events", yes_no(config.plain_events != 0)},
      {"--max-steps", fmt::format("{}", config.max_steps)},
      {"--starvation-limit", fmt::format("{}", config.starvation_limit)},
      {"--ok-exit", exits_of(options)},
      {"--input", yes_no(!options.inputs.empty())},
  };
  if (options.verifies) {
    own.settings.emplace_back("--time-outs", config.any_time_outs != 0 ? "any" : "late");
    own.settings.emplace_back("--sync-only", yes_no(options.sync_only));
    own.settings.emplace_back("--atomic", std::string(report::bounded(config.atomic)));
    own.settings.emplace_back("standard input", options.input_name);
  }
  return own;
}

// Inputs may be worth something for another build; executions of it are others.
MaybeError refuse_other_build(const CampaignFolder& folder, const std::string& build) {
  for (const std::string& other : folder.builds()) {
    if (other == build || !SearchView::is_there(folder.build(other))) continue;
    return Error{Exit::program_changed,
                 fmt::format("the search in {} is of another build of {} ({}, not {}): use another "
                             "folder",
                             report::escape(folder.path()),
                             report::escape(folder.description().program), other, build)};
  }
  return std::nullopt;
}

}  // namespace

Result<CampaignWorker> join_campaign(FuzzOptions& options, const Target& target) {
  std::optional<WorkerPlace> place = options.worker;
  if (!place) {
    Result<std::optional<WorkerPlace>> given =
        worker_from([](const char* name) -> const char* { return std::getenv(name); });
    if (!given) return given.error();
    place = std::move(*given);
    if (place && !place->beyond.empty()) {
      note(fmt::format("{}: one more than was said, what is divided is left to the others",
                       place->beyond));
    }
  }
  const std::string build = build_of(target);
  if (build.empty()) {
    return Error{Exit::missing, fmt::format("cannot read {}: which build is it?", target.path)};
  }
  Result<CampaignFolder> folder =
      CampaignFolder::join(options.campaign, description_of(options, target), options.seed_given);
  if (!folder) return folder.error();
  if (folder->is_stopped()) {
    return Error{Exit::usage,
                 fmt::format("the campaign in {} was stopped: jostle stop --undo {} lets it go on",
                             report::escape(folder->path()), shell_quote(folder->path()))};
  }
  if (options.verifies) {
    if (MaybeError error = refuse_other_build(*folder, build)) return *error;
  }
  Result<CampaignWorker> worker =
      CampaignWorker::join(std::move(*folder), build, place, options.workers);
  if (!worker) return worker;
  options.config.seed = worker->seed();
  if (place && place->count != 0) {
    options.config.part = place->index;
    options.config.parts = place->count;
  } else if (place && !place->beyond.empty()) {
    options.config.part = options.config.parts = 1;  // of one share the second: nothing
  }
  options.resume = false;  // the corpus is the campaign's
  if (options.verifies) {
    worker->beat_every(
        std::min<CampaignWorker::Clock::duration>(kHeartbeatEvery, options.lease / 4));
  }
  return worker;
}

}  // namespace jostle::cli
