// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/names/step_names.h"

namespace jostle::report {
namespace {

// Which callback a thread is in, for events that come in its order. Callbacks may be nested.
class CallbackStack {
 public:
  void add(const Callback& callback, uint32_t index) { waiting_.push_back({&callback, index}); }

  uint32_t at(uint64_t event) {
    while (next_ < waiting_.size() && waiting_[next_].first->begin < event) {
      open_.push_back(waiting_[next_++]);
    }
    while (!open_.empty() && open_.back().first->end < event) open_.pop_back();
    return open_.empty() ? kNoActor : open_.back().second;
  }

 private:
  std::vector<std::pair<const Callback*, uint32_t>> waiting_, open_;
  size_t next_ = 0;
};

}  // namespace

StepNames::StepNames(const RunTrace& trace, Symbolizer& symbols)
    : callbacks_(callbacks_of(trace.record(), symbols)) {
  std::map<uint32_t, CallbackStack> stacks;
  std::vector<Actor> names;
  std::map<std::string, uint32_t> calls;
  for (uint32_t i = 0; i < callbacks_.size(); ++i) {
    const Callback& callback = callbacks_[i];
    std::string key = callback.name + '\n' + callback.trigger;
    const uint32_t call = calls[key]++;
    names.push_back({0, std::move(key), call});
    stacks[callback.thread].add(callback, i);
  }
  steps_.reserve(trace.steps().size());
  std::vector<uint32_t> of_thread[2], of_callback[2];
  for (uint32_t i = 0; i < trace.steps().size(); ++i) {
    const channel::TraceEvent& event = *trace.steps()[i].event;
    const auto stack = stacks.find(event.thread);
    const uint32_t callback = stack == stacks.end() ? kNoActor : stack->second.at(event.event);
    const bool accesses = is_memory(event.kind);
    std::vector<uint32_t>& table = (callback == kNoActor ? of_thread : of_callback)[accesses];
    const uint32_t index = callback == kNoActor ? event.thread : callback;
    if (index >= table.size()) table.resize(index + size_t{1}, kNoActor);
    uint32_t& known = table[index];
    if (known == kNoActor) {
      Actor name = callback == kNoActor ? Actor{trace.path(event.thread)} : names[callback];
      name.accesses = accesses;
      known = actor_for(name, callback);
    }
    std::vector<uint32_t>& steps = actors_[known].steps;
    steps_.push_back({known, static_cast<uint32_t>(steps.size())});
    steps.push_back(i);
  }
}

uint32_t StepNames::actor_for(const Actor& name, uint32_t callback) {
  const auto [entry, added] = index_.try_emplace(name, static_cast<uint32_t>(actors_.size()));
  if (added) actors_.push_back({name, callback});
  return entry->second;
}

uint32_t StepNames::find(const Actor& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? kNoActor : found->second;
}

uint32_t StepNames::find(const StepName& name) const {
  const uint32_t actor = find(name.actor);
  if (actor == kNoActor || name.number >= actors_[actor].steps.size()) return kNoStep;
  return actors_[actor].steps[name.number];
}

const Callback* StepNames::callback(uint32_t actor) const {
  const uint32_t index = actors_[actor].callback;
  return index == kNoActor ? nullptr : &callbacks_[index];
}

bool StepNames::is_called_again(uint32_t actor) const {
  const Actor& name = actors_[actor].name;
  return name.call != 0 || index_.contains({0, name.callback, 1, true}) ||
         index_.contains({0, name.callback, 1, false});
}

}  // namespace jostle::report
