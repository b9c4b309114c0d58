// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/inputs/input_search.h"

namespace jostle {
namespace {

// A campaign that keeps so much has found its way.
constexpr size_t kMostEntries = 4096;
constexpr size_t kMostPooled = size_t{1} << 20;
constexpr uint32_t kLongestKept = 4096;
constexpr size_t kMostIdeas = 4096;
// Draws of an input whose straight lines are looked for, and comparisons it is done for.
constexpr uint32_t kMostProbed = 16;
// The index of a probe that changes nothing: what the others are compared with.
constexpr uint32_t kUnchanged = UINT32_MAX;
// Every example is run under so many schedules before anything else is.
constexpr uint64_t kRunsPerExample = 8;

// What operations return depends on the schedule more than on the scenario: each is run so often,
// and so often again when a run of it showed something new.
constexpr uint32_t kRunsPerScenario = 32;
constexpr uint32_t kMostRunsPerScenario = 1024;

// Of a hundred runs, once there is something to go on from.
constexpr uint64_t kIdeas = 40;
constexpr uint64_t kFresh = 30;
constexpr uint64_t kChanged = 35;

bool looks_like(uint64_t drawn, uint64_t compared, uint32_t size) {
  return sign_extended(drawn, size) == sign_extended(compared, size);
}

}  // namespace

void InputSearch::begin(uint64_t seed) {
  values_.begin(seed);
  ++runs_;
  plan_.clear();
  probing_ = repeats_ = is_small_ = false;
  if (scenario_left_ != 0) return repeat_scenario();
  is_small_ = (runs_ == 1 || has_scenarios_) && small_.next();
  if (is_small_) return;
  if (entries_.empty() || runs_ <= examples_ * kRunsPerExample) return;
  Rng& rng = values_.rng();
  if (next_idea_ < ideas_.size() && rng.below(100) < kIdeas) return take_idea();
  const uint64_t dice = rng.below(100);
  if (dice < kFresh) return;
  use_entry(dice < kFresh + kChanged);
}

void InputSearch::repeat_scenario() {
  --scenario_left_;
  for (const channel::Draw& draw : scenario_) plan_.push_back(draw);
  repeats_ = true;
}

// A test of operations: its scenario has further turns.
void InputSearch::note_scenario(const channel::RunRecord& run) {
  has_scenarios_ = true;
  if (!repeats_) {
    scenario_.clear();
    for (uint32_t i = 0; i < run.draws.count; ++i) scenario_.push_back(run.draws.list[i]);
    scenario_left_ = kRunsPerScenario;
    scenario_runs_ = 0;
  }
  ++scenario_runs_;
  const bool has_more = run.new_reads_from && scenario_runs_ < kMostRunsPerScenario;
  if (has_more && scenario_left_ < kRunsPerScenario) scenario_left_ = kRunsPerScenario;
}

void InputSearch::take_idea() {
  const Idea idea = ideas_[next_idea_++];
  if (next_idea_ == ideas_.size()) {
    ideas_.clear();
    next_idea_ = 0;
  }
  copy_to_plan(entries_[idea.entry]);
  if (idea.index < plan_.size()) plan_[idea.index].value = idea.value;
  probe_ = idea;
  probing_ = idea.is_probe;
}

void InputSearch::use_entry(bool change) {
  Entry& entry = entries_[choose_entry()];
  ++entry.uses;
  copy_to_plan(entry);
  repeats_ = !change;
  if (change) change_plan();
}

void InputSearch::copy_to_plan(const Entry& entry) {
  plan_.clear();
  for (uint32_t i = 0; i < entry.count; ++i) plan_.push_back(pool_[entry.first + i]);
}

// New ones and those that were rarely used first.
uint32_t InputSearch::choose_entry() {
  Rng& rng = values_.rng();
  const auto count = static_cast<uint32_t>(entries_.size());
  constexpr uint32_t kNew = 8;
  if (count > kNew && rng.below(2) == 0) {
    return count - 1 - static_cast<uint32_t>(rng.below(kNew));
  }
  const auto a = static_cast<uint32_t>(rng.below(count));
  const auto b = static_cast<uint32_t>(rng.below(count));
  return entries_[a].uses <= entries_[b].uses ? a : b;
}

void InputSearch::change_plan() {
  Rng& rng = values_.rng();
  do {
    const size_t n = plan_.size();
    if (n == 0) return;
    const size_t at = rng.below(n);
    switch (rng.below(8)) {
      case 0: {  // leave a stretch out
        const size_t length = 1 + rng.below(n - at < 4 ? n - at : 4);
        for (size_t i = at; i + length < n; ++i) plan_[i] = plan_[i + length];
        plan_.resize(n - length);
        break;
      }
      case 1: {  // a stretch twice
        const size_t length = 1 + rng.below(n - at < 4 ? n - at : 4);
        plan_.resize(n + length);
        for (size_t i = n; i-- > at;) plan_[i + length] = plan_[i];
        break;
      }
      case 2: {  // one like another
        plan_[at].value = plan_[rng.below(n)].value;
        break;
      }
      case 3:  // everything behind it is new
        plan_.resize(at);
        break;
      default:
        plan_[at].value = values_.changed(plan_[at]);
    }
  } while (rng.below(2) == 0);
}

uint64_t InputSearch::draw(const channel::Draw& asked, uint32_t index) {
  if (index < plan_.size()) return clamped(asked, plan_[index].value);
  if (uint64_t planned; is_small_ && small_.answer(asked, planned)) return clamped(asked, planned);
  if (asked.kind == DrawKind::example) {
    const bool first_runs = runs_ <= asked.high * kRunsPerExample;
    return first_runs ? 1 + (runs_ - 1) % asked.high : 0;
  }
  return values_.value(asked);
}

// ---- learning ---------------------------------------------------------------------------------

void InputSearch::after_run(const channel::RunRecord& run) {
  const uint32_t count = run.draws.count;
  if (count == 0 || run.draws.overflow) return;
  if (run.draws.list[0].kind == DrawKind::example) examples_ = run.draws.list[0].high;
  for (uint32_t i = 0; i < run.comparison_count; ++i) {
    const channel::Comparison& seen = run.comparisons[i];
    values_.learn(sign_extended(seen.left, seen.size));
    if (!seen.constant) values_.learn(sign_extended(seen.right, seen.size));
  }
  if (probing_) solve(run);
  if (run.rejected) return;
  if (run.history.count != 0) note_scenario(run);
  if ((run.new_reads_from || run.new_features) && !repeats_) keep(run);
}

void InputSearch::keep(const channel::RunRecord& run) {
  const uint32_t count = run.draws.count;
  if (entries_.size() == kMostEntries || count > kLongestKept) return;
  if (pool_.size() + count > kMostPooled) return;
  const Entry entry{static_cast<uint32_t>(pool_.size()), count, 0};
  for (uint32_t i = 0; i < count; ++i) pool_.push_back(run.draws.list[i]);
  entries_.push_back(entry);
  add_ideas(run, static_cast<uint32_t>(entries_.size() - 1));
}

void InputSearch::add_idea(uint32_t entry, uint32_t index, uint64_t value, bool is_probe) {
  if (ideas_.size() < kMostIdeas) ideas_.push_back({entry, index, value, is_probe});
}

void InputSearch::add_ideas(const channel::RunRecord& run, uint32_t entry) {
  if (run.comparison_count == 0) return;
  for (uint32_t i = 0; i < run.draws.count; ++i) {
    const channel::Draw& draw = run.draws.list[i];
    for (uint32_t k = 0; k < run.comparison_count; ++k) {
      const channel::Comparison& seen = run.comparisons[k];
      for (const bool other_way : {false, true}) {
        const uint64_t mine = other_way ? seen.right : seen.left;
        const uint64_t wanted = sign_extended(other_way ? seen.left : seen.right, seen.size);
        if (!looks_like(draw.value, mine, seen.size)) continue;
        for (const uint64_t value : {wanted, wanted + 1, wanted - 1}) {
          if (fits(draw, value)) add_idea(entry, i, value, false);
        }
      }
    }
  }
  add_idea(entry, kUnchanged, 0, true);
  for (uint32_t i = 0; i < run.draws.count && i < kMostProbed; ++i) {
    const channel::Draw& draw = run.draws.list[i];
    const uint64_t next = draw.value == draw.high ? draw.value - 1 : draw.value + 1;
    if (draw.low != draw.high && draw.kind != DrawKind::example) add_idea(entry, i, next, true);
  }
}

// The probe moved one draw by one: by how much did the two sides of each comparison move?
void InputSearch::solve(const channel::RunRecord& run) {
  if (probe_.index == kUnchanged) {
    base_entry_ = probe_.entry;
    return note_differences(run, base_);
  }
  if (probe_.entry != base_entry_) return;
  const Entry& entry = entries_[probe_.entry];
  if (probe_.index >= entry.count) return;
  const uint64_t before = pool_[entry.first + probe_.index].value;
  note_differences(run, now_);
  const channel::Draw& draw = pool_[entry.first + probe_.index];
  solve_lines(base_, now_, static_cast<int64_t>(probe_.value - before), [&](uint64_t shift) {
    const uint64_t value = before + shift;
    for (const uint64_t wanted : {value, value + 1, value - 1}) {
      if (fits(draw, wanted)) add_idea(probe_.entry, probe_.index, wanted, false);
    }
  });
}

}  // namespace jostle
