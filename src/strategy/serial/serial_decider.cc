// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/serial/serial_decider.h"

namespace jostle {

void SerialDecider::begin(const RunStart&) {
  run_.clear();
  of_test_ = 0;
  has_failed_ = false;
}

void SerialDecider::thread_created(ThreadId parent, ThreadId child) {
  const bool is_of_test =
      now_->count != 0 && parent == now_->caller && !now_->is_in_operation(parent);
  if (is_of_test && child < kMostThreads) of_test_ |= uint64_t{1} << child;
}

bool SerialDecider::is_in_middle(const View& view, ThreadId id) const {
  return view.pending(id).kind != OpKind::operation_begin && now_->is_in_operation(id);
}

ThreadId SerialDecider::pick(const View& view) {
  const EnabledSet& candidates = *view.candidates;
  if (candidates.contains(view.current) &&
      view.pending(view.current).kind != OpKind::operation_begin) {
    return view.current;
  }
  if (candidates.count() > kMostThreads) {
    has_failed_ = true;
    return kNoThread;
  }
  // A thread of the test has nothing to do before its first operation.
  ThreadId starts = kNoThread;
  candidates.for_each([&](ThreadId id) {
    if (starts == kNoThread && id < kMostThreads && (of_test_ >> id & 1) != 0 &&
        view.pending(id).kind == OpKind::thread_begin) {
      starts = id;
    }
  });
  if (starts != kNoThread) return starts;
  ThreadId ids[kMostThreads];
  SerialDecision decision = {static_cast<uint32_t>(run_.candidates.size()), 0, 0, now_->position};
  // An operation that had to wait and need not any more comes first, as when nobody else is there:
  // that another overtakes it is the same as that it is called later.
  bool resumes = false;
  candidates.for_each([&](ThreadId id) { resumes |= is_in_middle(view, id); });
  candidates.for_each([&](ThreadId id) {
    if (resumes && !is_in_middle(view, id)) return;
    const Operation& op = view.pending(id);
    const bool begins = op.kind == OpKind::operation_begin && op.size < kMostOperations;
    run_.candidates.push_back({view.path(id), begins ? op.size : SerialCandidate::kGoesOn, 0});
    ids[decision.count++] = id;
  });
  const uint32_t taken = decide(decision);
  return has_failed_ ? kNoThread : ids[taken];
}

// Whether a time-out strikes, whom a signal wakes: results may depend on it.
uint32_t SerialDecider::choose(const Question& question) {
  if (now_->count == 0 || question.alternatives > kMostThreads) return 0;
  SerialDecision decision = {static_cast<uint32_t>(run_.candidates.size()), question.alternatives,
                             0, now_->position};
  for (uint32_t i = 0; i < question.alternatives; ++i) {
    run_.candidates.push_back({i, SerialCandidate::kGoesOn, 0});
  }
  return decide(decision);
}

uint32_t SerialDecider::decide(SerialDecision decision) {
  const size_t number = run_.decisions.size();
  decision.taken = number < plan_->size() ? (*plan_)[number]
                                          : suggested(*wanted_, &run_.candidates[decision.first],
                                                      decision.count, now_->returned());
  if (decision.taken >= decision.count) {
    has_failed_ = true;
    return 0;
  }
  run_.decisions.push_back(decision);
  return decision.taken;
}

}  // namespace jostle
