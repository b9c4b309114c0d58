// SPDX-License-Identifier: Apache-2.0
// Who holds an object, as the objects in this folder store it.
//
// All state of a synchronisation object lives in the object itself, in glibc's own layout: static
// initialisers, objects that the real libc initialised before our control began, and memory that is
// simply used again all mean the same to us as to glibc. Nothing here knows of threads or of a
// scheduler: a function either applies one step and returns the POSIX code, or answers "would this
// step have to wait?". Waiting itself is the scheduler's business.
//
// Where glibc stores a kernel thread id we store the thread's index in the run with a tag that no
// thread id has (they end at 2^22). So an id without the tag is recognised: the object was taken by
// the main thread before our control began.
#pragma once

#include <cstdint>

#include "src/base/check.h"

namespace jostle::sync {

enum class Owner : int32_t { nobody = 0 };

inline constexpr int32_t kOwnerTag = 1 << 30;
// The first thread of a run.
inline constexpr Owner kMainThread{kOwnerTag | 1};

// `index`: n-th thread created in the run, 0 for the main thread.
constexpr Owner owner_with_index(uint32_t index) {
  JOSTLE_CHECK_LT(index, kOwnerTag - 1);
  return Owner{static_cast<int32_t>(index + 1) | kOwnerTag};
}

// The inverse. Not for nobody.
constexpr uint32_t index_of(Owner who) {
  JOSTLE_CHECK(who != Owner::nobody);
  return static_cast<uint32_t>(static_cast<int32_t>(who) & ~kOwnerTag) - 1;
}

// What is stored in an object, as an owner.
constexpr Owner stored_owner(int32_t stored) {
  if (stored == 0 || (stored & kOwnerTag)) return Owner{stored};
  return kMainThread;
}

// A step that POSIX leaves undefined and glibc lets pass (unlocking what another thread holds). The
// object is unchanged. Outside the range of errno values.
inline constexpr int kMisuse = -1;

}  // namespace jostle::sync
