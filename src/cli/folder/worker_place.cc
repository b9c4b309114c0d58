// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/worker_place.h"

#include <fmt/format.h>

#include <charconv>

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
  const char* step = nullptr;   // from one number to the next
  uint64_t usual_first = 0;
};
constexpr Convention kConventions[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_STEP"},
    {"JOB_COMPLETION_INDEX", "JOSTLE_WORKERS"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS"},
    {"PARALLEL_SEQ", "JOSTLE_WORKERS", nullptr, nullptr, 1},
    {"CI_NODE_INDEX", "CI_NODE_TOTAL", nullptr, nullptr, 1},
};

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
  for (const Convention& convention : kConventions) {
    const char* index = environment(convention.index);
    if (index == nullptr || *index == '\0') continue;
    Variables variables(environment);
    const uint64_t number = variables.number(convention.index, 0);
    const uint64_t count = variables.number(convention.count, 0);
    const uint64_t first = variables.number(convention.first, convention.usual_first);
    const uint64_t step = variables.number(convention.step, 1);
    if (!variables.wrong().empty()) return impossible(variables.wrong());
    const uint64_t place = number < first || step == 0 ? UINT64_MAX : (number - first) / step;
    if (place >= kMostCampaignWorkers || count > kMostCampaignWorkers) {
      return impossible(fmt::format("{}={}", convention.index, index));
    }
    // GNU parallel counts jobs, of which there may be more than workers at a time: they take turns.
    const uint64_t share = count == 0 ? place : place % count;
    return std::optional(
        WorkerPlace{static_cast<uint32_t>(share), static_cast<uint32_t>(count), convention.index});
  }
  return std::optional<WorkerPlace>();
}

}  // namespace jostle::cli
