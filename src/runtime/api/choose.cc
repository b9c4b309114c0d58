// SPDX-License-Identifier: Apache-2.0
// jostle_choose(), jostle_permute(): the program asks for choices of its own.
#include "include/jostle/choose.h"

#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/access.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

// Moves the element at `from` to the front, and those before it one further.
void bring_to_front(char* items, size_t from, size_t size) {
  for (size_t byte = 0; byte < size; ++byte) {
    char* const p = items + byte;
    const char moved = p[from * size];
    for (size_t i = from; i > 0; --i) p[i * size] = p[(i - 1) * size];
    p[0] = moved;
  }
}

}  // namespace

JOSTLE_HOOK unsigned jostle_choose(unsigned alternatives) {
  return controlled() ? g_scheduler.choose(ChoiceKind::target, alternatives) : 0;
}

JOSTLE_HOOK void jostle_permute(void* items, size_t count, size_t size) {
  if (!controlled() || count < 2 || size == 0) return;
  write_access(items, static_cast<uint32_t>(count * size), CALLER());
  g_current->loop.changed_something();  // written later
  auto* rest = static_cast<char*>(items);
  for (; count > 1; --count, rest += size) {
    bring_to_front(rest, g_scheduler.choose(ChoiceKind::target, static_cast<uint32_t>(count)),
                   size);
  }
}
