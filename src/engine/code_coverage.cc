#include "src/engine/code_coverage.h"

#include "src/base/engine_memory.h"
#include "src/base/hash.h"
#include "src/runtime/coverage/edges.h"
#include "src/runtime/memory/hub.h"

namespace jostle::engine {

using namespace jostle::rt;

void CodeCoverage::want() {
  if (feedback_ || g_edges) return;
  // Shared: a run may have a process of its own.
  feedback_ = static_cast<Feedback*>(map_shared_engine_memory(sizeof(Feedback)));
  if (!feedback_) return;
  feedback_->lists = 1;
  g_edges = feedback_;
}

void CodeCoverage::after_run(channel::RunRecord& run) {
  if (!feedback_ || !g_hub) return;
  for (uint32_t i = 0; i < feedback_->set_count; ++i) {
    const uint32_t feature = feedback_->set[i];
    const uint8_t bucket = bucket_of(feedback_->counts[feature]);
    run.new_features += g_hub->features.insert(combine(feature, bucket));
  }
}

}  // namespace jostle::engine
