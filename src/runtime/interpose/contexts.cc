// Contexts of the program's own (ucontext.h): they bring a signal mask along, which the kernel gets
// without a call that another hook could see.
#include <ucontext.h>

#include "src/runtime/interpose/hook.h"
#include "src/runtime/snapshot/kernel_state.h"

using namespace jostle::rt;

JOSTLE_HOOK int setcontext(const ucontext_t* context) noexcept {
  kernel_changes(kChangesMask);
  return REAL(setcontext)(context);
}

JOSTLE_HOOK int swapcontext(ucontext_t* from, const ucontext_t* to) noexcept {
  kernel_changes(kChangesMask);
  return REAL(swapcontext)(from, to);
}
