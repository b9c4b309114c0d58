// SPDX-License-Identifier: Apache-2.0
// <threads.h>. glibc's objects are those of POSIX with other names; so are ours.
#include <pthread.h>
#include <sched.h>
#include <threads.h>
#include <time.h>

#include <cerrno>
#include <cstdint>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/sync/sync_calls.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

int as_thrd(int code) {
  switch (code) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

pthread_mutex_t* posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* posix(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }
pthread_once_t* posix(once_flag* flag) { return reinterpret_cast<pthread_once_t*>(flag); }

}  // namespace

// ---- threads: an int result is the lower half of a pointer's register --------------------------

JOSTLE_HOOK int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  if (!controlled()) return REAL(thrd_create)(thread, start, argument);
  // Through void(*)() because compilers warn about the cast, for good reasons elsewhere.
  auto* any = reinterpret_cast<void (*)()>(start);
  return as_thrd(
      pthread_create(thread, nullptr, reinterpret_cast<void* (*)(void*)>(any), argument));
}

JOSTLE_HOOK int thrd_join(thrd_t thread, int* result) {
  if (!controlled()) return REAL(thrd_join)(thread, result);
  void* value = nullptr;
  const int code = pthread_join(thread, &value);
  if (code == 0 && result) *result = static_cast<int>(reinterpret_cast<intptr_t>(value));
  return as_thrd(code);
}

JOSTLE_HOOK int thrd_detach(thrd_t thread) {
  if (!controlled()) return REAL(thrd_detach)(thread);
  return as_thrd(pthread_detach(thread));
}

JOSTLE_HOOK void thrd_exit(int result) {
  if (!controlled()) REAL(thrd_exit)(result);
  pthread_exit(reinterpret_cast<void*>(intptr_t{result}));
}

JOSTLE_HOOK void thrd_yield() {
  if (!controlled()) return REAL(thrd_yield)();
  sched_yield();
}

JOSTLE_HOOK int thrd_sleep(const timespec* time, timespec* remaining) {
  if (!controlled()) return REAL(thrd_sleep)(time, remaining);
  const int code = clock_nanosleep(CLOCK_REALTIME, 0, time, remaining);
  if (code == 0) return 0;
  return code == EINTR ? -1 : -2;
}

JOSTLE_HOOK thrd_t thrd_current() { return pthread_self(); }

// ---- mutexes -----------------------------------------------------------------------------------

JOSTLE_HOOK int mtx_init(mtx_t* mutex, int type) {
  if (!controlled()) return REAL(mtx_init)(mutex, type);
  reach_rewrite(mutex, CALLER());
  return REAL(mtx_init)(mutex, type);
}

JOSTLE_HOOK void mtx_destroy(mtx_t* mutex) {
  if (!controlled()) return REAL(mtx_destroy)(mutex);
  destroy_mutex(posix(mutex), CALLER());
}

JOSTLE_HOOK int mtx_lock(mtx_t* mutex) {
  if (!controlled()) return REAL(mtx_lock)(mutex);
  return as_thrd(lock_mutex(posix(mutex), {}, CALLER()));
}

JOSTLE_HOOK int mtx_timedlock(mtx_t* mutex, const timespec* time) {
  if (!controlled()) return REAL(mtx_timedlock)(mutex, time);
  return as_thrd(lock_mutex(posix(mutex), {CLOCK_REALTIME, time}, CALLER()));
}

JOSTLE_HOOK int mtx_trylock(mtx_t* mutex) {
  if (!controlled()) return REAL(mtx_trylock)(mutex);
  return as_thrd(try_lock_mutex(posix(mutex), CALLER()));
}

JOSTLE_HOOK int mtx_unlock(mtx_t* mutex) {
  if (!controlled()) return REAL(mtx_unlock)(mutex);
  return as_thrd(unlock_mutex(posix(mutex), CALLER()));
}

// ---- condition variables -----------------------------------------------------------------------

JOSTLE_HOOK int cnd_init(cnd_t* condition) {
  if (!controlled()) return REAL(cnd_init)(condition);
  reach_rewrite(condition, CALLER());
  return REAL(cnd_init)(condition);
}

JOSTLE_HOOK void cnd_destroy(cnd_t* condition) {
  if (!controlled()) return REAL(cnd_destroy)(condition);
  destroy_condition(posix(condition), CALLER());
}

JOSTLE_HOOK int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  if (!controlled()) return REAL(cnd_wait)(condition, mutex);
  return as_thrd(wait_condition(posix(condition), posix(mutex), {}, CALLER()));
}

JOSTLE_HOOK int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* time) {
  if (!controlled()) return REAL(cnd_timedwait)(condition, mutex, time);
  return as_thrd(wait_condition(posix(condition), posix(mutex), {CLOCK_REALTIME, time}, CALLER()));
}

JOSTLE_HOOK int cnd_signal(cnd_t* condition) {
  if (!controlled()) return REAL(cnd_signal)(condition);
  return as_thrd(signal_condition(posix(condition), CALLER()));
}

JOSTLE_HOOK int cnd_broadcast(cnd_t* condition) {
  if (!controlled()) return REAL(cnd_broadcast)(condition);
  return as_thrd(broadcast_condition(posix(condition), CALLER()));
}

// ---- once, and thread-specific storage ---------------------------------------------------------

JOSTLE_HOOK void call_once(once_flag* flag, void (*routine)()) {
  if (!controlled()) return REAL(call_once)(flag, routine);
  run_once(posix(flag), routine, CALLER());
}

JOSTLE_HOOK int tss_create(tss_t* key, tss_dtor_t destructor) {
  if (!controlled()) return REAL(tss_create)(key, destructor);
  return as_thrd(pthread_key_create(key, destructor));
}

JOSTLE_HOOK void tss_delete(tss_t key) {
  if (!controlled()) return REAL(tss_delete)(key);
  pthread_key_delete(key);
}

JOSTLE_HOOK void* tss_get(tss_t key) {
  if (!controlled()) return REAL(tss_get)(key);
  return pthread_getspecific(key);
}

JOSTLE_HOOK int tss_set(tss_t key, void* value) {
  if (!controlled()) return REAL(tss_set)(key, value);
  return as_thrd(pthread_setspecific(key, value));
}
