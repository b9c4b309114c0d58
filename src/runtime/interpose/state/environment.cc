// SPDX-License-Identifier: Apache-2.0
// The environment: a look at a variable comes before or after each change of it.
#include <stdlib.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/state/state_step.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

StateStep looks_at_environment(uintptr_t pc) {
  return {OpKind::state_read, SharedState::environment, pc};
}
StateStep changes_environment(uintptr_t pc) {
  return {OpKind::state_write, SharedState::environment, pc};
}

}  // namespace

JOSTLE_HOOK char* getenv(const char* name) noexcept {
  looks_at_environment(CALLER()).looks_at_variable(name);
  return REAL(getenv)(name);
}
JOSTLE_HOOK char* secure_getenv(const char* name) noexcept {
  looks_at_environment(CALLER()).looks_at_variable(name);
  return REAL(secure_getenv)(name);
}
JOSTLE_HOOK int setenv(const char* name, const char* value, int replaces) noexcept {
  changes_environment(CALLER()).changes_variable(name);
  return REAL(setenv)(name, value, replaces);
}
JOSTLE_HOOK int putenv(char* entry) noexcept {
  changes_environment(CALLER()).changes_variable(entry);
  return REAL(putenv)(entry);
}
JOSTLE_HOOK int unsetenv(const char* name) noexcept {
  changes_environment(CALLER()).changes_variable(name);
  return REAL(unsetenv)(name);
}
JOSTLE_HOOK int clearenv() noexcept {
  changes_environment(CALLER()).changes(SharedState::environment);
  return REAL(clearenv)();
}
