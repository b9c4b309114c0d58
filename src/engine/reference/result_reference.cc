// SPDX-License-Identifier: Apache-2.0
#include "src/engine/reference/result_reference.h"

#include <string.h>

#include <algorithm>

#include "src/runtime/history/atomic_calls.h"
#include "src/runtime/history/run_results.h"

namespace jostle::engine {
namespace {

using namespace jostle::rt;

// Runs, and different results, that are tried before it is not known whether one is right.
constexpr uint32_t kMostOutsideRuns = 20'000;
constexpr size_t kMostResults = 2'000;
// Which memory several threads use is learned in the first runs: then others are to follow.
constexpr uint32_t kMostRestarts = 64;

}  // namespace

ResultReference::ResultReference(ReferenceRuns& runs, ReferenceExchange& exchange)
    : runs_(runs), exchange_(exchange), decider_(atomic_call_of) {}

// What one thread alone has used in all runs so far may be what two have used in another.
void ResultReference::look_at_words_asked_for() {
  if (count_ == 0 && !run()) is_lost_ = true;
  bool any = false;
  for (uint32_t i = 0; i < exchange_.result.word_count; ++i) {
    const ResultWord& word = exchange_.result.words[i];
    if (word.is_at_home) any |= look_at_word({word.address, word.bytes});
  }
  if (!any) return;
  results_.clear();
  plans_.restart();
  count_ = 0;
}

Judgement ResultReference::judge() {
  look_at_words_asked_for();
  while (!is_known()) {
    if (!can_go_on()) return Judgement::unknown;
    if (plans_.finished()) {
      explain();
      return Judgement::wrong;
    }
    is_lost_ = !run();
  }
  return Judgement::right;
}

bool ResultReference::can_go_on() const {
  return !is_lost_ && count_ < kMostOutsideRuns && results_.size() < kMostResults;
}

void ResultReference::list_words() {
  while (can_go_on() && !plans_.finished()) is_lost_ = !run();
  ResultOfRun& all = exchange_.result;
  all.word_count = 0;
  for (const ResultOfRun* result : results_) {
    for (uint32_t i = 0; i < result->word_count; ++i) {
      const ResultWord& word = result->words[i];
      if (!word.is_at_home) continue;
      ResultWord* const end = all.words + all.word_count;
      ResultWord* const known = std::find_if(
          all.words, end, [&](const ResultWord& each) { return each.address == word.address; });
      if (known != end) {
        known->bytes |= word.bytes;
      } else if (all.word_count < ResultOfRun::kMostWords) {
        all.words[all.word_count++] = word;
      }
    }
  }
}

bool ResultReference::is_known() const {
  for (const ResultOfRun* known : results_) {
    if (difference(exchange_.result, *known).none()) return true;
  }
  return false;
}

bool ResultReference::run() {
  begin_atomic_calls();
  decider_.prepare(plans_.plan());
  if (!runs_.run(decider_)) return false;
  ++count_;
  const bool has_learned = runs_.last().newly_shared != 0;
  if (has_learned || decider_.has_failed() || !plans_.add(decider_.decisions())) {
    plans_.restart();
    if (++restarts_ > kMostRestarts) return false;
  }
  if (!shows_results(runs_.last().end.outcome)) return false;
  const ResultOfRun* result = last_result();
  if (!result) return true;  // it failed: that is another matter
  for (const ResultOfRun* known : results_) {
    if (known->key() == result->key()) return true;
  }
  auto* kept = static_cast<ResultOfRun*>(engine_allocate(sizeof(ResultOfRun)));
  memcpy(kept, result, sizeof *kept);
  results_.push_back(kept);
  return true;
}

// What is nearest to what was seen.
void ResultReference::explain() {
  ResultVerdict& verdict = exchange_.result_verdict;
  verdict = {};
  verdict.runs = count_;
  const ResultOfRun* nearest = nullptr;
  for (const ResultOfRun* known : results_) {
    const ResultDifference found = difference(exchange_.result, *known);
    if (nearest && !found.is_smaller_than(verdict.nearest)) continue;
    nearest = known;
    verdict.nearest = found;
  }
  if (!nearest) return;
  verdict.status_there = nearest->status;
  memcpy(verdict.output_there, nearest->output_begin, sizeof verdict.output_there);
}

}  // namespace jostle::engine
