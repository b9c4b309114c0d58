// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/once.h"

#include "src/base/check.h"

namespace jostle::sync {
namespace {

constexpr int32_t kRunning = 1;
constexpr int32_t kDone = 2;
constexpr int kRunnerShift = 2;

}  // namespace

bool is_done(const Once& once) { return once.word & kDone; }
bool is_running(const Once& once) { return once.word & kRunning && !is_done(once); }

Owner runner(const Once& once) {
  const int32_t untagged = once.word >> kRunnerShift;
  return is_running(once) && untagged ? Owner{untagged | kOwnerTag} : Owner::nobody;
}

void begin(Once& once, Owner me) {
  JOSTLE_CHECK(!is_done(once));
  const int32_t untagged = static_cast<int32_t>(me) & ~kOwnerTag;
  once.word = untagged << kRunnerShift | kRunning;
  JOSTLE_CHECK_EQ(runner(once), me);
}
void finish(Once& once) { once.word = kDone; }
void abandon(Once& once) { once.word = 0; }

bool is_done(const Guard& guard) { return guard.done; }
bool is_running(const Guard& guard) { return guard.running && !guard.done; }
Owner runner(const Guard& guard) { return is_running(guard) ? Owner{guard.runner} : Owner::nobody; }

void begin(Guard& guard, Owner me) {
  JOSTLE_CHECK(!is_done(guard) && !is_running(guard));
  guard.running = 1;
  guard.runner = static_cast<int32_t>(me);
}
void finish(Guard& guard) { guard = {.done = 1, .running = 0, .unused = {}, .runner = 0}; }
void abandon(Guard& guard) { guard = {}; }

bool is_done(const OnceFlag& flag) { return flag.word == ~0UL; }
bool is_running(const OnceFlag& flag) { return flag.word != 0 && !is_done(flag); }
Owner runner(const OnceFlag& flag) {
  return is_running(flag) ? Owner{static_cast<int32_t>(flag.word >> 1)} : Owner::nobody;
}

void begin(OnceFlag& flag, Owner me) {
  JOSTLE_CHECK(!is_done(flag) && !is_running(flag));
  flag.word = static_cast<unsigned long>(me) << 1 | 1;
  JOSTLE_CHECK_EQ(runner(flag), me);
}
void finish(OnceFlag& flag) { flag.word = ~0UL; }
void abandon(OnceFlag& flag) { flag.word = 0; }

}  // namespace jostle::sync
