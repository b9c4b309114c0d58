// SPDX-License-Identifier: Apache-2.0
// What survives a rewind.
//
// After a run the process image is put back to how it was before (src/runtime/snapshot): also the
// variables of libjostle itself, because most of them are about the run: descriptors, signal
// handlers, virtual time. The few that are about the campaign are marked JOSTLE_KEPT and live in a
// section of their own, which the rewind leaves alone.
#pragma once

// An extern variable of the hot path: found without the detour through the global offset table.
#define JOSTLE_HIDDEN __attribute__((visibility("hidden")))

#define JOSTLE_KEPT __attribute__((section("jostle_kept")))

// A large table that few runs write: behind all others, so that those lie on as few pages as can
// be. What is put back after a run is pages.
#define JOSTLE_LARGE __attribute__((section(".bss.large")))
