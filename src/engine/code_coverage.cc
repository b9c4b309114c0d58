// SPDX-License-Identifier: Apache-2.0
#include "src/engine/code_coverage.h"

#include "src/base/engine_memory.h"
#include "src/base/hash.h"
#include "src/runtime/coverage/edges.h"
#include "src/runtime/memory/target_hub.h"
#include "src/runtime/scheduler/fairness/recent_reads.h"

namespace jostle::engine {

using namespace jostle::rt;

void CodeCoverage::start() {
  if (g_edges) return;  // somebody else listens
  // Shared: a run may have a process of its own.
  feedback_ = static_cast<Feedback*>(map_shared_engine_memory(sizeof(Feedback)));
  if (feedback_) feedback_->lists = 1;
  listen_to_code(feedback_);
}

void CodeCoverage::begin() {
  if (!feedback_) return;
  feedback_->clear();
  g_recent_reads.clear();
}

void CodeCoverage::after_run(channel::RunRecord& run) {
  if (!feedback_ || !g_hub) return;
  draws_ |= run.draws.count != 0;
  ++runs_;
  listen_to_code(draws_ || feedback_->has_edges || runs_ < kListens ? feedback_ : nullptr);
  if (!draws_ && !feedback_->has_edges) return;
  for (uint32_t i = 0; i < feedback_->set_count; ++i) {
    const uint32_t feature = feedback_->set[i];
    const uint8_t bucket = bucket_of(feedback_->counts[feature]);
    run.new_features += g_hub->features.insert(combine(feature, bucket));
  }
}

}  // namespace jostle::engine
