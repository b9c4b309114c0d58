// SPDX-License-Identifier: Apache-2.0
// Contexts of the program's own (ucontext.h): they bring a signal mask along, which the kernel gets
// without a call that another hook could see.
#include <ucontext.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/stack_check.h"
#include "src/runtime/snapshot/kernel_state.h"

using namespace jostle::rt;

namespace {

void note_change() {
  kernel_changes(kChangesMask);
  end_stack_check();
}

}  // namespace

JOSTLE_HOOK int setcontext(const ucontext_t* context) noexcept {
  note_change();
  return REAL(setcontext)(context);
}

JOSTLE_HOOK int swapcontext(ucontext_t* from, const ucontext_t* to) noexcept {
  note_change();
  return REAL(swapcontext)(from, to);
}
