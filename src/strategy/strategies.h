// The strategies' makers. A new strategy: one file, one line here, one line in strategy.cc.
#pragma once

#include <new>

#include "src/base/engine_memory.h"
#include "src/strategy/strategy.h"

namespace jostle {

Strategy* make_none();
Strategy* make_random();
Strategy* make_pos();

template <typename T>
T* make_in_engine_memory() {
  return new (engine_allocate(sizeof(T))) T;
}

}  // namespace jostle
