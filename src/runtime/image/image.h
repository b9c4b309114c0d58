// SPDX-License-Identifier: Apache-2.0
// The process image: stretches of writable memory, saved once and put back after every run.
//
// Only what a run has touched is copied back. A page that no run has written so far is *cold*: it
// is write-protected, and the first write to it faults, comes to `on_fault`, and makes it *hot*.
// Hot pages are writable and copied back after every run, without a fault ever again. So a run
// costs what it touches, however large the image is. From time to time hot pages that have not
// changed for long are made cold again.
//
// The first runs are done without protection and their changes found by comparing everything: the
// kernel does not fault when it writes to a protected page for a system call, the call fails. After
// them the pages that a program hands to the kernel are known; and hooks that pass buffers on
// announce them (`open_for_kernel`).
#pragma once

#include <cstddef>
#include <cstdint>

namespace jostle::rt {

// ---- for the executor

// Forgets all stretches: the next save starts afresh. Everything is writable.
void image_reset();
void image_add(uintptr_t begin, uintptr_t end);
// Part of what is added: what a run leaves there stays.
void image_adopt(uintptr_t begin, uintptr_t end);
// Copies everything. False when there is no memory for it.
bool image_save();
// Puts everything back.
void image_rewind();
size_t image_bytes();
size_t image_hot_pages();
// Over what is saved where; changes with image_save only.
uint64_t image_checksum();

// ---- for everybody else

// A write fault: true when it was ours and the write can be tried again.
bool image_on_fault(uintptr_t address);
// The kernel, or code with all signals blocked, is about to write there.
void image_open(const volatile void* begin, size_t size);
// … or we do not know where. Everything is writable until the end of the run.
void image_open_all();
// Does the stretch belong to the saved image?
bool image_overlaps(const volatile void* begin, size_t size);

}  // namespace jostle::rt
