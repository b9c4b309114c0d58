// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/heap/memory_limit.h"

#include <errno.h>
#include <linux/capability.h>

#include "src/runtime/heap/heap.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/process/privilege.h"

namespace jostle::rt {
namespace {

// Code, libraries and the first stack of a small program.
constexpr rlim_t kBesidesHeap = rlim_t{4} << 20;
constexpr rlim_t kStack = rlim_t{8} << 20;

struct Limit {
  bool known = false;
  rlimit value = {};
};
Limit g_limits[RLIM_NLIMITS];
bool g_limited = false;
long g_mapped = 0;

rlimit& limit_of(int what) {
  Limit& limit = g_limits[what];
  if (!limit.known) REAL(getrlimit)(static_cast<__rlimit_resource>(what), &limit.value);
  limit.known = true;
  return limit.value;
}

bool is_of_memory(int what) { return what == RLIMIT_AS || what == RLIMIT_DATA; }

rlim_t used_besides_heap() {
  const rlim_t mapped = g_mapped > 0 ? static_cast<rlim_t>(g_mapped) : 0;
  return kBesidesHeap + mapped + (g_scheduler.live_threads() - 1) * kStack;
}

void apply() {
  const rlim_t space = limit_of(RLIMIT_AS).rlim_cur, data = limit_of(RLIMIT_DATA).rlim_cur;
  const rlim_t limit = space < data ? space : data;
  if (limit == RLIM_INFINITY) return limit_heap(SIZE_MAX);
  limit_heap(limit > kBesidesHeap ? limit - kBesidesHeap : 0);
}

int set(int what, const rlimit& wanted) {
  rlimit& limit = limit_of(what);
  if (wanted.rlim_cur > wanted.rlim_max) return EINVAL;
  if (wanted.rlim_max > limit.rlim_max && !has_capability(CAP_SYS_RESOURCE)) return EPERM;
  g_limited = true;
  limit = wanted;
  apply();
  return 0;
}

}  // namespace

bool memory_limit(int what, const rlimit* wanted, rlimit* old, int& result) {
  if (!controlled() || !is_of_memory(what)) return false;
  const rlimit before = limit_of(what);
  const int error = wanted ? set(what, *wanted) : 0;
  if (error == 0 && old) *old = before;
  if (error != 0) errno = error;
  result = error == 0 ? 0 : -1;
  return true;
}

void note_mapped(long bytes) { g_mapped += bytes; }

bool memory_allows(size_t bytes) {
  if (!g_limited) return true;
  const rlim_t limit = limit_of(RLIMIT_AS).rlim_cur;
  return limit == RLIM_INFINITY || heap_live() + used_besides_heap() + bytes <= limit;
}

}  // namespace jostle::rt
