// SPDX-License-Identifier: Apache-2.0
// What is mapped in this process, read from /proc/self/maps without allocating.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jostle::rt {

struct MapRange {
  uintptr_t begin, end;
};

struct Mapping {
  uintptr_t begin, end;
  bool readable, writable, shared;
  const char* name;  // "" when it has none; valid during the call only
};

void read_mappings(void (*visit)(void* context, const Mapping&), void* context);

template <typename F>
void for_each_mapping(F f) {
  read_mappings([](void* context, const Mapping& mapping) { (*static_cast<F*>(context))(mapping); },
                &f);
}

}  // namespace jostle::rt
