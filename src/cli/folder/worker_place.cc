// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/worker_place.h"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <string_view>

namespace jostle::cli {
namespace {

std::optional<uint64_t> number_in(std::string_view text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number) != std::from_chars_result{end, {}}) {
    return std::nullopt;
  }
  return number;
}

// How a scheduler tells. What is null it does not.
struct Convention {
  const char* index;
  const char* count;
  const char* first = nullptr;  // number of the first
  const char* last = nullptr;   // number of the last
  const char* step = nullptr;   // from one number to the next
  uint64_t usual_first = 0;
};
constexpr char kWorkers[] = "JOSTLE_WORKERS";

// What starts jobs, on many machines.
constexpr Convention kJobs[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"},
    {"JOB_COMPLETION_INDEX", kWorkers},
    {"CI_NODE_INDEX", "CI_NODE_TOTAL", nullptr, nullptr, nullptr, 1},
};
// What starts processes, in one of these jobs or without any. SLURM_NTASKS is no count of them: it
// is what a job asked for, and in its script, too, where SLURM_PROCID is 0 for all.
constexpr Convention kRanks[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
};
// What may do so in each of those.
constexpr Convention kParallel[] = {
    {"PARALLEL_SEQ", kWorkers, nullptr, nullptr, nullptr, 1},
};
constexpr std::span<const Convention> kLevels[] = {kJobs, kRanks, kParallel};

class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}

  // `usual` if there is none.
  uint64_t number(const char* name, uint64_t usual) {
    const char* text = name == nullptr ? nullptr : environment_(name);
    if (text == nullptr || *text == '\0') return usual;
    const auto number = number_in(text);
    if (!number && wrong_.empty()) wrong_ = fmt::format("{}={}", name, text);
    return number.value_or(usual);
  }
  const std::string& wrong() const { return wrong_; }

 private:
  const Environment& environment_;
  std::string wrong_;
};

Error impossible(const std::string& what) {
  return {Exit::usage, fmt::format("{} is no worker: expected a number, and fewer than there are "
                                   "workers; --worker I/N says it otherwise",
                                   what)};
}

bool is_set(const Environment& environment, const char* name) {
  const char* text = environment(name);
  return text != nullptr && *text != '\0';
}

Result<WorkerPlace> place_of(const Convention& convention, const Environment& environment) {
  Variables variables(environment);
  const uint64_t number = variables.number(convention.index, 0);
  uint64_t count = variables.number(convention.count, 0);
  const uint64_t first = variables.number(convention.first, convention.usual_first);
  const uint64_t last = variables.number(convention.last, number);
  const uint64_t step = variables.number(convention.step, 1);
  if (!variables.wrong().empty()) return impossible(variables.wrong());
  const std::string given = fmt::format("{}={}", convention.index, environment(convention.index));
  const uint64_t place = number < first || step == 0 ? UINT64_MAX : (number - first) / step;
  if (place >= kMostCampaignWorkers || count > kMostCampaignWorkers) return impossible(given);
  if (count != 0 && place >= count && convention.count == kWorkers) {
    // There may be more jobs of GNU parallel than workers at a time. What is divided is the
    // others'.
    return WorkerPlace{static_cast<uint32_t>(place), 0, convention.index,
                       fmt::format("{} of {}={}", given, kWorkers, count)};
  }
  if (convention.step != nullptr && last >= first && (last - first) / step >= count) {
    count = 0;  // --array=0,3,6: which of them this is does not follow from its number
  }
  if (count != 0 && place >= count) {
    return impossible(
        fmt::format("{} of {}={}", given, convention.count, environment(convention.count)));
  }
  return WorkerPlace{static_cast<uint32_t>(place), static_cast<uint32_t>(count), convention.index};
}

// The first that says something.
const Convention* first_of(std::span<const Convention> level, const Environment& environment) {
  for (const Convention& convention : level) {
    if (!is_set(environment, convention.index)) continue;
    const bool in_script = std::string_view(convention.index) == "SLURM_PROCID" &&
                           !is_set(environment, convention.count);
    if (!in_script) return &convention;
  }
  return nullptr;
}

}  // namespace

std::optional<WorkerPlace> parse_worker(const std::string& text) {
  const size_t slash = text.find('/');
  const auto index = number_in(std::string_view(text).substr(0, slash));
  const auto count =
      slash == std::string::npos ? std::optional<uint64_t>(0) : number_in(text.substr(slash + 1));
  if (!index || !count || *index >= kMostCampaignWorkers || *count > kMostCampaignWorkers) {
    return std::nullopt;
  }
  if (slash != std::string::npos && *index >= *count) return std::nullopt;
  return WorkerPlace{static_cast<uint32_t>(*index), static_cast<uint32_t>(*count), "--worker"};
}

Result<std::optional<WorkerPlace>> worker_from(const Environment& environment) {
  constexpr char kOwn[] = "JOSTLE_WORKER";
  if (const char* own = environment(kOwn); own != nullptr && *own != '\0') {
    std::optional<WorkerPlace> place = parse_worker(own);
    if (!place) return impossible(fmt::format("{}={}", kOwn, own));
    place->source = kOwn;
    return place;
  }
  // A job of many that starts processes: which of them this is, and in which job.
  std::optional<WorkerPlace> known, unknown;
  bool workers_are_jobs = false;
  for (const std::span<const Convention> level : kLevels) {
    const Convention* convention = first_of(level, environment);
    const bool counts_workers = convention != nullptr && convention->count == kWorkers;
    if (convention == nullptr || (counts_workers && workers_are_jobs)) continue;
    workers_are_jobs = counts_workers;
    Result<WorkerPlace> place = place_of(*convention, environment);
    if (!place) return place.error();
    if (!place->beyond.empty()) return std::optional(std::move(*place));
    if (place->count == 0) {
      if (!unknown) unknown = std::move(*place);
    } else if (!known) {
      known = std::move(*place);
    } else if (const uint64_t all = uint64_t{known->count} * place->count;
               all <= kMostCampaignWorkers) {
      known = WorkerPlace{known->index * place->count + place->index, static_cast<uint32_t>(all),
                          known->source + ", " + place->source};
    }
  }
  const bool is_alone = known && known->count == 1;
  return known && !(is_alone && unknown) ? known : unknown;
}

}  // namespace jostle::cli
