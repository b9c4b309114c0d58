// SPDX-License-Identifier: Apache-2.0
// The usual order of the candidates: first who would run without us, then the others as they
// follow. So 0 means "no preemption" wherever a strategy counts alternatives.
#pragma once

#include "src/base/engine_memory.h"
#include "src/strategy/strategy.h"

namespace jostle {

// The current thread is about to let others run.
inline bool gives_way(const View& view) { return view.pending(view.current).kind == OpKind::yield; }

// The current thread could go on, and wants to.
inline bool goes_on(const View& view) {
  return view.candidates->contains(view.current) && !gives_way(view);
}

// Who runs when nobody is preempted.
inline ThreadId without_preemption(const View& view) {
  return goes_on(view) ? view.current : next_after(view.current, *view.candidates);
}

// The same in the opposite order: the next one down. In turn, so that threads which only yield to
// each other do not keep out a third.
inline ThreadId in_reverse(const View& view) {
  if (goes_on(view)) return view.current;
  ThreadId last = kNoThread, below = kNoThread;
  view.candidates->for_each([&](ThreadId id) {
    last = id;
    if (id < view.current) below = id;
  });
  return below != kNoThread ? below : last;
}

inline void in_order(const View& view, EngineVector<ThreadId>& order) {
  order.clear();
  const ThreadId first = without_preemption(view);
  view.candidates->for_each([&](ThreadId id) {
    if (id >= first) order.push_back(id);
  });
  view.candidates->for_each([&](ThreadId id) {
    if (id < first) order.push_back(id);
  });
}

}  // namespace jostle
