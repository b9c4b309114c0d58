// SPDX-License-Identifier: Apache-2.0
// Functions of libc whose result is memory of libc's own, the same for all threads: a call in
// another thread changes what an earlier one has returned. Their writes are accesses of the
// program.
#include <string.h>
#include <time.h>

#include "src/base/kept.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/access.h"

namespace jostle::rt {
namespace {

// Where libc has them: known from the first call on, in which nobody has a result to lose.
JOSTLE_KEPT tm* g_parts = nullptr;
JOSTLE_KEPT char* g_text = nullptr;

constexpr uint32_t kTextSize = 26;  // "Thu Jan  1 00:00:00 1970\n"

void write_parts(uintptr_t pc) {
  const time_t any = 0;
  if (!g_parts) g_parts = REAL(gmtime)(&any);
  write_access(g_parts, sizeof *g_parts, pc);
}

void write_text(uintptr_t pc) {
  const tm any = {};
  if (!g_text) g_text = REAL(asctime)(&any);
  write_access(g_text, kTextSize, pc);
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle::rt;

#define PARTS_OF_TIME(function)                           \
  JOSTLE_HOOK tm* function(const time_t* time) noexcept { \
    if (controlled()) write_parts(CALLER());              \
    tm* const result = REAL(function)(time);              \
    if (result) g_parts = result;                         \
    return result;                                        \
  }
PARTS_OF_TIME(gmtime)
PARTS_OF_TIME(localtime)

JOSTLE_HOOK char* asctime(const tm* parts) noexcept {
  if (controlled()) write_text(CALLER());
  char* const result = REAL(asctime)(parts);
  if (result) g_text = result;
  return result;
}

// asctime(localtime(time)).
JOSTLE_HOOK char* ctime(const time_t* time) noexcept {
  if (controlled()) {
    write_parts(CALLER());
    write_text(CALLER());
  }
  char* const result = REAL(ctime)(time);
  if (result) g_text = result;
  return result;
}

// What it keeps between two calls nobody sees: this stands for it, and has no value.
static struct { char bytes[16]; } strtok_state;

JOSTLE_HOOK char* strtok(char* text, const char* delimiters) noexcept {
  if (controlled()) write_access(&strtok_state, sizeof strtok_state, CALLER());
  return REAL(strtok)(text, delimiters);
}
