// SPDX-License-Identifier: Apache-2.0
// The rest of libtsan's interface: annotations (<sanitizer/tsan_interface.h>, dynamic annotations)
// and the sanitizers' common calls. A binary built for libtsan may refer to any of them, and it
// must start with us in libtsan's place. Our scheduler sees the real operations; only what
// annotations say about order and about races adds to that: race_hooks.cc.
#include <cstring>

#include "src/runtime/hook/hook.h"

// Whatever the arguments are, the callee ignores them: the calling conventions allow it. 0 is
// "none" or "no" for those that return something.
#define NOTHING(name) \
  JOSTLE_HOOK long name() { return 0; }

NOTHING(AnnotateCondVarSignal)
NOTHING(AnnotateCondVarSignalAll)
NOTHING(AnnotateCondVarWait)
NOTHING(AnnotateEnableRaceDetection)
NOTHING(AnnotateExpectRace)
NOTHING(AnnotateFlushExpectedRaces)
NOTHING(AnnotateFlushState)
NOTHING(AnnotateIgnoreSyncBegin)
NOTHING(AnnotateIgnoreSyncEnd)
NOTHING(AnnotateMemoryIsInitialized)
NOTHING(AnnotateMemoryIsUninitialized)
NOTHING(AnnotateMutexIsNotPHB)
NOTHING(AnnotateMutexIsUsedAsCondVar)
NOTHING(AnnotateNewMemory)
NOTHING(AnnotateNoOp)
NOTHING(AnnotatePCQCreate)
NOTHING(AnnotatePCQDestroy)
NOTHING(AnnotatePCQGet)
NOTHING(AnnotatePCQPut)
NOTHING(AnnotatePublishMemoryRange)
NOTHING(AnnotateRWLockCreate)
NOTHING(AnnotateRWLockCreateStatic)
NOTHING(AnnotateRWLockDestroy)
NOTHING(AnnotateThreadName)
NOTHING(AnnotateTraceMemory)
NOTHING(AnnotateUnpublishMemoryRange)
NOTHING(RunningOnValgrind)
NOTHING(__sanitizer_acquire_crash_state)
NOTHING(__sanitizer_dump_coverage)
NOTHING(__sanitizer_dump_trace_pc_guard_coverage)
NOTHING(__sanitizer_free_hook)
NOTHING(__sanitizer_get_allocated_size)
NOTHING(__sanitizer_get_current_allocated_bytes)
NOTHING(__sanitizer_get_estimated_allocated_size)
NOTHING(__sanitizer_get_free_bytes)
NOTHING(__sanitizer_get_heap_size)
NOTHING(__sanitizer_get_module_and_offset_for_pc)
NOTHING(__sanitizer_get_ownership)
NOTHING(__sanitizer_get_unmapped_bytes)
NOTHING(__sanitizer_install_malloc_and_free_hooks)
NOTHING(__sanitizer_malloc_hook)
NOTHING(__sanitizer_on_print)
NOTHING(__sanitizer_print_stack_trace)
NOTHING(__sanitizer_report_error_summary)
NOTHING(__sanitizer_sandbox_on_notify)
NOTHING(__sanitizer_set_death_callback)
NOTHING(__sanitizer_set_report_fd)
NOTHING(__sanitizer_set_report_path)
NOTHING(__sanitizer_weak_hook_memcmp)
NOTHING(__sanitizer_weak_hook_memmem)
NOTHING(__sanitizer_weak_hook_strcasecmp)
NOTHING(__sanitizer_weak_hook_strcasestr)
NOTHING(__sanitizer_weak_hook_strcmp)
NOTHING(__sanitizer_weak_hook_strncasecmp)
NOTHING(__sanitizer_weak_hook_strncmp)
NOTHING(__sanitizer_weak_hook_strstr)
NOTHING(__tsan_destroy_fiber)
NOTHING(__tsan_external_assign_tag)
NOTHING(__tsan_external_read)
NOTHING(__tsan_external_register_header)
NOTHING(__tsan_external_register_tag)
NOTHING(__tsan_external_write)
NOTHING(__tsan_flush_memory)
NOTHING(__tsan_get_alloc_stack)
NOTHING(__tsan_get_current_report)
NOTHING(__tsan_get_report_data)
NOTHING(__tsan_get_report_loc)
NOTHING(__tsan_get_report_loc_object_type)
NOTHING(__tsan_get_report_mop)
NOTHING(__tsan_get_report_mutex)
NOTHING(__tsan_get_report_stack)
NOTHING(__tsan_get_report_tag)
NOTHING(__tsan_get_report_thread)
NOTHING(__tsan_get_report_unique_tid)
NOTHING(__tsan_locate_address)
NOTHING(__tsan_mutex_create)
NOTHING(__tsan_mutex_destroy)
NOTHING(__tsan_mutex_post_divert)
NOTHING(__tsan_mutex_post_signal)
NOTHING(__tsan_mutex_post_unlock)
NOTHING(__tsan_mutex_pre_divert)
NOTHING(__tsan_mutex_pre_lock)
NOTHING(__tsan_mutex_pre_signal)
NOTHING(__tsan_on_report)
NOTHING(__tsan_set_fiber_name)
NOTHING(__tsan_switch_to_fiber)
NOTHING(__tsan_symbolize_external)
NOTHING(__tsan_symbolize_external_ex)

JOSTLE_HOOK double ValgrindSlowdown() { return 1; }

// Loads and stores that programs ask the sanitizer to do.
#define UNALIGNED(bits)                                                               \
  JOSTLE_HOOK uint##bits##_t __sanitizer_unaligned_load##bits(const void* p) {        \
    uint##bits##_t value;                                                             \
    __builtin_memcpy(&value, p, sizeof value);                                        \
    return value;                                                                     \
  }                                                                                   \
  JOSTLE_HOOK void __sanitizer_unaligned_store##bits(void* p, uint##bits##_t value) { \
    __builtin_memcpy(p, &value, sizeof value);                                        \
  }
UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)

JOSTLE_HOOK void __sanitizer_symbolize_pc(void*, const char*, char* to, size_t room) {
  if (room) *to = 0;
}
JOSTLE_HOOK void __sanitizer_symbolize_global(void*, const char*, char* to, size_t room) {
  if (room) *to = 0;
}
JOSTLE_HOOK const char* __sanitizer_get_report_path() { return ""; }

// Programs with fibers of their own tell libtsan about them; any value but null will do.
JOSTLE_HOOK void* __tsan_create_fiber(unsigned) {
  static char fiber;
  return &fiber;
}
JOSTLE_HOOK void* __tsan_get_current_fiber() { return __tsan_create_fiber(0); }
