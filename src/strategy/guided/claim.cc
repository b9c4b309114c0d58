// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/guided/claim.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>

#include "src/strategy/guided/guide.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

// By Claim::Kind.
constexpr std::string_view kKinds[] = {"after", "through", "certain"};

// The next number behind a comma.
template <typename T>
bool read_number(std::string_view& text, T& number) {
  if (text.empty() || text[0] != ',') return false;
  text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

// Follows the recorded run, but for what is claimed; what that makes impossible falls away.
class Claimed final : public GuidedStrategy {
 public:
  Claimed(const Claim& claim, const StrategyInput& input) : claim_(claim) {
    if (input.schedule) log_.copy(*input.schedule);
  }

  void begin(const RunStart& start) override {
    GuidedStrategy::begin(start);
    done_ = false;
  }

  uint32_t choose(const Question& question) override {
    const uint32_t chosen = GuidedStrategy::choose(question);
    const bool without_reason =
        question.kind == ChoiceKind::spurious || question.kind == ChoiceKind::fails;
    return claim_.kind == Claim::Kind::certain && without_reason ? 0 : chosen;
  }

  ThreadId pick(const View& view) override {
    if (claim_.kind == Claim::Kind::certain) return GuidedStrategy::pick(view);
    const ThreadId thread = id_of(claim_.thread);
    if (thread == kNoThread || !is_thread(thread, claim_.thread) ||
        !view.candidates->contains(thread)) {
      return GuidedStrategy::pick(view);
    }
    const uint64_t event = view.events(thread);
    if (claim_.kind == Claim::Kind::through) {
      const bool inside = event > claim_.event && event <= claim_.other_event;
      return inside ? thread : GuidedStrategy::pick(view);
    }
    if (!is_held(view, event)) return GuidedStrategy::pick(view);
    others_.clear();
    view.candidates->for_each([&](ThreadId id) {
      if (id != thread) others_.insert(id);
    });
    if (others_.count() == 0) return thread;  // it cannot be: the run will show it
    View without = view;
    without.candidates = &others_;
    return GuidedStrategy::pick(without);
  }

  void executed(const View& view, ThreadId id, const Operation& op) override {
    GuidedStrategy::executed(view, id, op);
    if (is_thread(id, claim_.other) && view.events(id) >= claim_.other_event) done_ = true;
  }

  uint64_t stop_for(ThreadId id) const override {
    uint64_t stop = GuidedStrategy::stop_for(id);
    if (claim_.kind != Claim::Kind::after || done_) return stop;
    if (is_thread(id, claim_.thread) && claim_.event < stop) stop = claim_.event;
    if (is_thread(id, claim_.other) && claim_.other_event + 1 < stop) stop = claim_.other_event + 1;
    return stop;
  }

 private:
  // The thread is where it has to wait for the other.
  bool is_held(const View& view, uint64_t event) {
    const ThreadId other = id_of(claim_.other);
    const bool lives = other != kNoThread && is_thread(other, claim_.other);
    if (lives && view.events(other) > claim_.other_event) done_ = true;
    return !done_ && event >= claim_.event;
  }

  Claim claim_;
  bool done_ = false;
  EnabledSet others_;
};

}  // namespace

void write_claim(const Claim& claim, char* to, uint64_t room) {
  const std::string_view kind = kKinds[static_cast<size_t>(claim.kind)];
  snprintf(to, room, "%.*s%.*s,%u,%llu,%u,%llu", static_cast<int>(kClaimPrefix.size()),
           kClaimPrefix.data(), static_cast<int>(kind.size()), kind.data(), claim.thread,
           static_cast<unsigned long long>(claim.event), claim.other,
           static_cast<unsigned long long>(claim.other_event));
}

std::optional<Claim> read_claim(std::string_view text) {
  if (!text.starts_with(kClaimPrefix)) return std::nullopt;
  text.remove_prefix(kClaimPrefix.size());
  const auto kind =
      std::ranges::find_if(kKinds, [&](std::string_view k) { return text.starts_with(k); });
  if (kind == std::end(kKinds)) return std::nullopt;
  Claim claim;
  claim.kind = static_cast<Claim::Kind>(kind - std::begin(kKinds));
  text.remove_prefix(kind->size());
  const bool complete = read_number(text, claim.thread) && read_number(text, claim.event) &&
                        read_number(text, claim.other) && read_number(text, claim.other_event);
  if (!complete || !text.empty()) return std::nullopt;
  return claim;
}

Strategy* make_claimed(const Claim& claim, const StrategyInput& input) {
  return make_in_engine_memory<Claimed>(claim, input);
}

}  // namespace jostle
