// SPDX-License-Identifier: Apache-2.0
// Thread-specific data: pthread keys, and the destructors of C++ thread_local objects.
#include "src/runtime/interpose/thread/thread_keys.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include <algorithm>

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/state/no_steps.h"
#include "src/runtime/interpose/thread/thread_end.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/race_annotations.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/modules/modules.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

// A key is in use when its generation is odd; values of an older generation do not count.
struct Key {
  uint32_t generation;
  void (*destructor)(void*);
};
JOSTLE_LARGE Key g_keys[kMaxKeys];

bool in_use(pthread_key_t key) { return key < kMaxKeys && g_keys[key].generation % 2 == 1; }

void ensure_storage(Thread& t) {
  if (t.key_values) return;
  t.key_values = static_cast<void**>(run_allocate(kMaxKeys * sizeof(void*)));
  t.key_generations = static_cast<uint32_t*>(run_allocate(kMaxKeys * sizeof(uint32_t)));
}

// In somebody else's process keys are libc's, and so are the values: every fiber has a libc thread
// of its own. Only that it ends is not known to libc.
struct LibcKey {
  bool in_use;
  void (*destructor)(void*);
};
JOSTLE_LARGE LibcKey g_libc_keys[kMaxKeys];
pthread_key_t g_libc_keys_end = 0;

int create_libc_key(pthread_key_t* key, void (*destructor)(void*)) {
  const int error = REAL(pthread_key_create)(key, destructor);
  if (error == 0 && *key < kMaxKeys) {
    g_libc_keys[*key] = {true, destructor};
    if (*key >= g_libc_keys_end) g_libc_keys_end = *key + 1;
  }
  return error;
}

int delete_libc_key(pthread_key_t key) {
  if (key < kMaxKeys) g_libc_keys[key] = {};
  return REAL(pthread_key_delete)(key);
}

void run_libc_key_destructors() {
  bool called = true;
  for (int round = 0; called && round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    called = false;
    for (pthread_key_t key = 0; key < g_libc_keys_end; ++key) {
      if (!g_libc_keys[key].in_use) continue;
      void* value = REAL(pthread_getspecific)(key);
      if (!value) continue;
      REAL(pthread_setspecific)(key, nullptr);
      if (!g_libc_keys[key].destructor) continue;
      g_libc_keys[key].destructor(value);
      called = true;
    }
  }
}

void* value_of(const Thread& t, pthread_key_t key) {
  if (!t.key_values || !in_use(key) || t.key_generations[key] != g_keys[key].generation) {
    return nullptr;
  }
  return t.key_values[key];
}

// libc++ has a value in every thread: a pointer to two vectors of what is to be done at its end,
// all zero as long as nothing was ever asked for.
bool asks_for_nothing(uintptr_t destructor, void* value) {
  if (!is_libcxx(destructor)) return false;
  const auto* vectors = *static_cast<uintptr_t* const*>(value);
  return std::none_of(vectors, vectors + 6, [](uintptr_t word) { return word != 0; });
}

// The C++ library works off at a thread's end what it was asked to do there. To notify, it calls
// what has hooks. To set the result of a future (set_value_at_thread_exit) it uses atomics of its
// own, and so may another library do for everything.
bool is_unseen(const Thread& t, uintptr_t destructor, void* value) {
  if (!is_cxx_library(destructor) || asks_for_nothing(destructor, value)) return false;
  return t.sets_results_at_end || !t.notifies_at_end;
}

}  // namespace

namespace jostle::rt {

void run_key_destructors(Thread& t) {
  if (g_embedded) return run_libc_key_destructors();
  if (!t.key_values) return;
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool called = false;
    for (pthread_key_t key = 0; key < kMaxKeys; ++key) {
      void* value = value_of(t, key);
      if (!value) continue;
      t.key_values[key] = nullptr;
      if (!g_keys[key].destructor) continue;
      const auto code = reinterpret_cast<uintptr_t>(g_keys[key].destructor);
      const bool is_unseen_work = is_unseen(t, code, value);
      if (is_unseen_work) {
        if (g_races.active()) g_races.released_unseen();
        if (g_actions.active()) g_actions.gap(TrailGap::library, code);
      }
      // Who gives a result back last destroys it, ordered by the library's count, which is not
      // seen.
      const uint64_t ignored = t.ignored_accesses;
      if (is_unseen_work) t.ignored_accesses += kOneIgnoredRead + kOneIgnoredWrite;
      g_keys[key].destructor(value);
      t.ignored_accesses = ignored;
      called = true;
    }
    if (!called) break;
  }
  forget_key_values(t);
}

void forget_key_values(Thread& t) {
  if (!t.key_values) return;
  for (pthread_key_t key = 0; key < kMaxKeys; ++key) t.key_generations[key] = 0;
}

void adopt_thread_keys() {
  Thread& t = *g_current;
  for (pthread_key_t key = 0; key < kMaxKeys; ++key) {
    if (g_libc_keys[key].in_use) g_keys[key] = {1, g_libc_keys[key].destructor};
    void* value = in_use(key) ? REAL(pthread_getspecific)(key) : nullptr;
    if (!value) continue;
    ensure_storage(t);
    t.key_values[key] = value;
    t.key_generations[key] = g_keys[key].generation;
  }
}

void run_tls_destructors(Thread& t) {
  while (t.tls_destructor_count) {
    const TlsDestructor next = t.tls_destructors[--t.tls_destructor_count];
    next.function(next.object);
  }
}

}  // namespace jostle::rt

JOSTLE_HOOK int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  if (g_embedded || !controlled()) return create_libc_key(key, destructor);
  for (pthread_key_t i = 0; i < kMaxKeys; ++i) {
    if (in_use(i)) continue;
    ++g_keys[i].generation;
    g_keys[i].destructor = destructor;
    *key = i;
    return 0;
  }
  return EAGAIN;
}

JOSTLE_HOOK int pthread_key_delete(pthread_key_t key) noexcept {
  if (g_embedded || !controlled()) return delete_libc_key(key);
  if (!in_use(key)) return EINVAL;
  is_no_step();  // a thread that ends may have a value there
  ++g_keys[key].generation;
  return 0;
}

JOSTLE_HOOK void* pthread_getspecific(pthread_key_t key) noexcept {
  if (g_embedded || !controlled()) return REAL(pthread_getspecific)(key);
  return value_of(*g_current, key);
}

JOSTLE_HOOK int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  if (g_embedded || !controlled()) return REAL(pthread_setspecific)(key, value);
  if (!in_use(key)) return EINVAL;
  Thread& t = *g_current;
  ensure_storage(t);
  t.key_values[key] = const_cast<void*>(value);
  t.key_generations[key] = g_keys[key].generation;
  return 0;
}

extern "C" int __cxa_thread_atexit_impl(void (*)(void*), void*, void*);

JOSTLE_HOOK int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* module) {
  // The thread that runs us in somebody else's process outlives the run.
  if (!controlled() || (g_embedded && g_current->index == 0)) {
    return REAL(__cxa_thread_atexit_impl)(function, object, module);
  }
  Thread& t = *g_current;
  if (t.tls_destructor_count == t.tls_destructor_capacity) {
    const uint32_t capacity = t.tls_destructor_capacity ? 2 * t.tls_destructor_capacity : 16;
    auto* grown = static_cast<TlsDestructor*>(run_allocate(capacity * sizeof(TlsDestructor)));
    for (uint32_t i = 0; i < t.tls_destructor_count; ++i) grown[i] = t.tls_destructors[i];
    if (t.tls_destructors) {
      run_release(t.tls_destructors, t.tls_destructor_capacity * sizeof(TlsDestructor));
    }
    t.tls_destructors = grown;
    t.tls_destructor_capacity = capacity;
  }
  t.tls_destructors[t.tls_destructor_count++] = {function, object, module};
  return 0;
}

// notify_all_at_thread_exit and, of all that sets a result at a thread's end, what registers it.
extern "C" void _ZSt25notify_all_at_thread_exitRSt18condition_variableSt11unique_lockISt5mutexE(
    void* condition, void* lock);
extern "C" void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(void* result);

JOSTLE_HOOK void _ZSt25notify_all_at_thread_exitRSt18condition_variableSt11unique_lockISt5mutexE(
    void* condition, void* lock) {
  if (controlled()) g_current->notifies_at_end = true;
  REAL(_ZSt25notify_all_at_thread_exitRSt18condition_variableSt11unique_lockISt5mutexE)
  (condition, lock);
}

JOSTLE_HOOK void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(void* result) {
  if (controlled()) g_current->sets_results_at_end = true;
  REAL(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv)(result);
}
