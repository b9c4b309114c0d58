// SPDX-License-Identifier: Apache-2.0
// Which of how many workers this is: as the user says, or as the scheduler that started us does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "src/cli/support/error.h"

namespace jostle::cli {

struct WorkerPlace {
  uint32_t index = 0;  // from 0
  uint32_t count = 0;  // 0: not known
  std::string source;  // "--worker", "SLURM_ARRAY_TASK_ID"
  // "PARALLEL_SEQ=9 of JOSTLE_WORKERS=8": one more than there should be, so that nobody knows how
  // many there are; empty: it is not.
  std::string beyond = {};
  bool operator==(const WorkerPlace&) const = default;
};

inline constexpr uint32_t kMostCampaignWorkers = 1'000'000;

// "3/16": worker 3 of those numbered 0 to 15. "3": of nobody knows how many.
std::optional<WorkerPlace> parse_worker(const std::string& text);

// Null: there is no such variable.
using Environment = std::function<const char*(const char* name)>;

// JOSTLE_WORKER=i/n, or what the schedulers say, see docs/campaign.md. The first of those that
// start jobs:
//   SLURM_ARRAY_TASK_ID, _COUNT, _MIN, _MAX, _STEP    sbatch --array
//   JOB_COMPLETION_INDEX and JOSTLE_WORKERS           Kubernetes' indexed jobs
//   CI_NODE_INDEX, CI_NODE_TOTAL                      GitLab's parallel jobs; from 1
// times the first of those that start processes, in one of these jobs or without any:
//   OMPI_COMM_WORLD_RANK, _SIZE                       OpenMPI's mpirun
//   SLURM_PROCID, SLURM_STEP_NUM_TASKS                srun -n
// times, in one of these or without any:
//   PARALLEL_SEQ and JOSTLE_WORKERS                   GNU parallel; from 1
// None: nobody says; a worker like any other. An error: it says something impossible.
Result<std::optional<WorkerPlace>> worker_from(const Environment& environment);

}  // namespace jostle::cli
