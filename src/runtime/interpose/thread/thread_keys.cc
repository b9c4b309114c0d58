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
#include "src/runtime/interpose/tsan/library_atomics.h"
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
// what has hooks, and results of futures are set below. Another library may use atomics of its own
// for everything.
bool is_unseen(const Thread& t, uintptr_t destructor, void* value) {
  if (!is_cxx_library(destructor) || asks_for_nothing(destructor, value)) return false;
  return !t.sets_results_at_end && !t.notifies_at_end;
}

// What libstdc++ has to do at the end of a thread is a list of these.
struct AtThreadEnd {
  AtThreadEnd* next;
  void (*run)(void* self);
};

// std::_Sp_counted_base.
struct SharedCount {
  void (**functions)(SharedCount*);
  volatile uint32_t owners, weak_owners;
  void dispose() { functions[2](this); }
  void destroy() { functions[3](this); }
};

// The result of a future (set_value_at_thread_exit), by a weak_ptr:
// std::__future_base::_State_baseV2::_Make_ready.
struct ResultAtThreadEnd : AtThreadEnd {
  char* state;
  SharedCount* count;
};
constexpr size_t kStatusInState = 16;
constexpr uint32_t kReady = 1, kHasWaiters = 0x80000000;

// What it does to those, once it is known.
void (*g_sets_result)(void* self) = nullptr;

uint32_t one_more_if_any(uint32_t owners) { return owners ? owners + 1 : 0; }
uint32_t one_less(uint32_t owners) { return owners - 1; }
uint32_t become_ready(uint32_t) { return kReady; }

}  // namespace

extern "C" void _ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj(uint32_t* word);

namespace {

void give_back(SharedCount& count, uintptr_t pc) {
  if (library_update(&count.weak_owners, one_less, __ATOMIC_ACQ_REL, pc) == 1) count.destroy();
}

// As the library does it, by atomics that are seen. Who gives the result back last destroys it.
void set_result(ResultAtThreadEnd& result, uintptr_t pc) {
  SharedCount& count = *result.count;
  if (library_update(&count.owners, one_more_if_any, __ATOMIC_ACQ_REL, pc) != 0) {
    auto* status = reinterpret_cast<uint32_t*>(result.state + kStatusInState);
    if (library_update(status, become_ready, __ATOMIC_RELEASE, pc) & kHasWaiters) {
      REAL(_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj)(status);
    }
    if (library_update(&count.owners, one_less, __ATOMIC_ACQ_REL, pc) == 1) {
      count.dispose();
      give_back(count, pc);
    }
  }
  // Nothing is left for the library to do.
  result.state = nullptr;
  result.count = nullptr;
  give_back(count, pc);
}

bool is_at_thread_end(uintptr_t destructor, void* value) {
  if (!is_cxx_library(destructor) || is_libcxx(destructor)) return false;
  return is_cxx_library(reinterpret_cast<uintptr_t>(static_cast<AtThreadEnd*>(value)->run));
}

void run_destructor(void (*destructor)(void*), void* value, const Thread& t) {
  const auto code = reinterpret_cast<uintptr_t>(destructor);
  if (!t.sets_results_at_end || !is_at_thread_end(code, value)) return destructor(value);
  for (auto* at_end = static_cast<AtThreadEnd*>(value); at_end;) {
    AtThreadEnd* const next = at_end->next;  // it destroys itself
    auto* result = static_cast<ResultAtThreadEnd*>(at_end);
    if (at_end->run == g_sets_result && result->count) set_result(*result, code);
    at_end->run(at_end);
    at_end = next;
  }
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
      run_destructor(g_keys[key].destructor, value, t);
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
  is_no_step();  // who is first has the first number
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
  REAL(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv)(result);
  if (!controlled()) return;
  g_current->sets_results_at_end = true;
  g_sets_result = static_cast<AtThreadEnd*>(result)->run;
}
