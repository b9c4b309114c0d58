// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/serial/outside_decider.h"

namespace jostle {
namespace {

// Whether it comes sooner or later changes nothing for anybody: what the thread does next is
// decided about when it gets there.
bool is_of_no_consequence(OpKind kind) {
  constexpr uint64_t kKinds = op_bits(
      {OpKind::thread_begin, OpKind::thread_create, OpKind::thread_exit, OpKind::thread_join});
  return kKinds >> static_cast<int>(kind) & 1;
}

}  // namespace

void OutsideDecider::begin(const RunStart&) {
  decisions_.clear();
  has_failed_ = false;
  for (uint32_t& call : begun_) call = 0;
}

bool OutsideDecider::is_in_middle(ThreadId id) const {
  const uint32_t call = call_of_(id);
  return call != 0 && id < kMostThreads && begun_[id] == call;
}

ThreadId OutsideDecider::pick(const View& view) {
  const EnabledSet& candidates = *view.candidates;
  if (candidates.contains(view.current) && is_in_middle(view.current)) return view.current;
  if (candidates.count() > kMostThreads) {
    has_failed_ = true;
    return kNoThread;
  }
  ThreadId ids[kMostThreads];
  uint32_t count = 0;
  ThreadId first = kNoThread;
  candidates.for_each([&](ThreadId id) {
    if (first == kNoThread && is_of_no_consequence(view.pending(id).kind)) first = id;
    ids[count++] = id;
  });
  if (first != kNoThread) return first;
  const uint32_t taken = decide(count);
  return has_failed_ ? kNoThread : ids[taken];
}

// Whether a time-out strikes, whom a signal wakes: results may depend on it.
uint32_t OutsideDecider::choose(const Question& question) { return decide(question.alternatives); }

void OutsideDecider::executed(const View&, ThreadId id, const Operation&) {
  if (id < kMostThreads) begun_[id] = call_of_(id);
}

uint32_t OutsideDecider::decide(uint32_t count) {
  if (count == 1) return 0;
  const size_t number = decisions_.size();
  const uint32_t taken = number < plan_->size() ? (*plan_)[number] : 0;
  if (taken >= count) {
    has_failed_ = true;
    return 0;
  }
  decisions_.push_back({taken, count});
  return taken;
}

}  // namespace jostle
