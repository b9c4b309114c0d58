// The floating-point environment belongs to the processor, not to memory.
// build: -lm
#include <fenv.h>

#include "pristine.h"

static int done;

static void* work(void* number) {
  PRISTINE(fegetround() == FE_TONEAREST && fetestexcept(FE_ALL_EXCEPT) == 0);
  MUST(fesetround(number ? FE_UPWARD : FE_TOWARDZERO) == 0);
  feraiseexcept(FE_DIVBYZERO | FE_INEXACT);
  __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
  MUST(fegetround() == (number ? FE_UPWARD : FE_TOWARDZERO));
  return NULL;
}

int main(void) {
  PRISTINE(done == 0 && fegetround() == FE_TONEAREST && fetestexcept(FE_ALL_EXCEPT) == 0);
  in_threads(3, work);
  MUST(fegetround() == FE_TONEAREST);
  MUST(fesetround(FE_DOWNWARD) == 0);
  feraiseexcept(FE_OVERFLOW);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
