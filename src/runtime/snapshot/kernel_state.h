// SPDX-License-Identifier: Apache-2.0
// What a run changes in the kernel, undone after it: descriptors, mappings, signal handlers, the
// working directory, umask, file offsets.
//
// The hooks say what the program is about to change (`kernel_changes`): an ordinary run changes
// nothing and costs one system call. What cannot be undone ends the run before it happens, see
// leave.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jostle::rt {

enum KernelChange : uint32_t {
  kOpensDescriptors = 1 << 0,
  kChangesDescriptors = 1 << 1,  // an inherited one is closed or replaced
  kChangesDirectory = 1 << 2,
  kChangesUmask = 1 << 3,
  kChangesSignals = 1 << 4,   // handlers, mask
  kChangesMappings = 1 << 5,  // at an address of the program's choice
  kChangesLimits = 1 << 6,
  kChangesAffinity = 1 << 7,
  kChangesBreak = 1 << 8,       // sbrk
  kChangesProtection = 1 << 9,  // of pages of the heap
  kChangesMask = 1 << 10,       // of signals; a context or a jump brought it along
};

// From here on are descriptors of ours that come and go: the program's own have the numbers they
// would have without us.
inline constexpr int kOutOfTheWay = 800;

// ---- for hooks
void kernel_changes(KernelChange what);
// Descriptors that the rewind needs; to the program they are not open.
bool is_kept_descriptor(int fd);
int first_kept_descriptor();
int last_kept_descriptor();
// What the hooks know (interpose/heap/mapping.cc): behind the last mapping whose address we chose.
uintptr_t program_mappings_end();

// ---- for the executor
// What runs share even when each has a process: offsets and flags of files open since before main.
void keep_open_files();
void rewind_open_files();

// In a process that was forked off behind keep_open_files: files that are read are read by it
// alone, from where they were, however far the other has come.
void open_files_anew();

// Null, or why the process cannot be rewound at all.
const char* keep_kernel_state();
void rewind_kernel_state();

}  // namespace jostle::rt
