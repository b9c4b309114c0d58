// SPDX-License-Identifier: Apache-2.0
// How threads meet in a run: which write a read observed, and between which places they were
// switched. Called as it happens; coverage/coverage.cc defines these.
//
// On the hot path: they are called only while somebody wants to know.
#pragma once

#include <cstdint>

#include "src/base/kept.h"

namespace jostle::rt {

struct Thread;

// Somebody wants to know.
extern JOSTLE_HIDDEN bool g_meetings_wanted;

void note_switch(const Thread& from, const Thread& to);
// A read has observed a write, for the first time in the run. Both are events' hashes.
void note_observed(uint64_t write, uint64_t read);
// The running thread writes something others can notice, at `time` of the run.
void note_write(uint32_t time);
// The running thread observes what `writer` wrote at `time`; every time it does.
void note_meeting(uint32_t writer, uint32_t time);

}  // namespace jostle::rt
