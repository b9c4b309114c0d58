// SPDX-License-Identifier: Apache-2.0
// Which memory is shared? Accesses to memory that only one thread ever touches, or that nobody
// writes once there are several threads, cannot matter to the interleaving: they are no scheduling
// points and cost a few instructions.
//
// A table of 32-bit cells, one per 8-byte granule of memory, direct-mapped by address. Two granules
// that fall together cause needless scheduling points, and which ones do is decided by where the
// process was loaded: so the table is large, of which only what is used costs memory. A cell says
// who touched the granule last in this epoch of the run while nobody else could have, whether
// somebody else did, and whether it was written while there were several threads. A new epoch
// begins when one thread has joined all others: a program whose threads work each on its own part,
// which main then reads, shares nothing. Within an epoch a phase ends for a thread when it makes
// another: what it did before that is ordered before all that the new one does, which takes over
// its memory (what a thread is given to work on is mostly made by the one that made it). So does a
// thread that has joined another. The last two are kept over the whole campaign, in memory that
// forked runs share: what one run learns the next ones know from the start, but for the heap where
// runs are long (forget_sharing). A replay does not depend on this knowledge, because schedules
// count all accesses (see channel::Segment).
#pragma once

#include <cstdint>

#include "src/base/kept.h"

namespace jostle::rt {

using SharingCell = uint32_t;

inline constexpr SharingCell kTouchedByTwo = 1u << 31;
inline constexpr SharingCell kWritten = 1u << 30;
inline constexpr SharingCell kVisible = kTouchedByTwo | kWritten;
// The lowest bits: owner; the others up to bit 29: the phase of the run in which it was. Both wrap:
// a false "same" hides nothing for long, a false "different" costs a scheduling point.
inline constexpr SharingCell kOwnerMask = (1u << 30) - 1;
inline constexpr int kOwnerBits = 12;
constexpr SharingCell phase_of(SharingCell tag) { return tag >> kOwnerBits; }
constexpr uint32_t owner_of(SharingCell tag) { return tag & ((1u << kOwnerBits) - 1); }

inline constexpr unsigned kSharingBits = 32;
inline constexpr uintptr_t kSharingCells = uintptr_t{1} << kSharingBits;

// Null until init_sharing.
extern JOSTLE_HIDDEN SharingCell* g_sharing;
// The same table once more than one thread has existed in this run, and null before: then nothing
// is a scheduling point.
extern JOSTLE_HIDDEN SharingCell* g_watched;
// In place of an owner: the memory is nobody's to touch (see heap_check.h). Another one in every
// run.
extern JOSTLE_HIDDEN SharingCell g_mark;
inline bool several_threads() { return g_watched != nullptr; }
void note_second_thread();
void note_only_thread();

void init_sharing();
// An empty table; null when there is no memory.
SharingCell* map_sharing_table();
// A new run: owners of earlier runs no longer count.
void begin_sharing_run(uint64_t run);
SharingCell sharing_tag_of(uint32_t thread_index);
// All threads but one have been joined: nothing that they did can be concurrent with what comes.
// False: the run has had as many phases as cells can distinguish.
bool begin_sharing_epoch();
// How often that was so in this run.
extern JOSTLE_HIDDEN uint32_t g_sharing_epoch;
// The thread with this tag is about to make another one. The phase from which on its own accesses
// are not ordered before those of the new one.
uint32_t begin_sharing_phase(SharingCell& tag);
// A thread begins; it has been joined by another, which goes on.
void note_sharing_begins(SharingCell tag);
void note_sharing_joined(SharingCell tag, SharingCell by);

// Who touched memory, as its tag says, before the thread did: could the two have come the other way
// round?
struct SharingAge {
  SharingCell tag;         // of the thread
  uint32_t creator;        // owner_of its tags
  uint32_t creator_phase;  // the first in which it did not come before the thread
};
extern JOSTLE_HIDDEN uint32_t g_first_phase, g_last_phase;  // of this epoch
// By owner: who has joined it, with kIsJoined; 0: nobody.
inline constexpr uint16_t kIsJoined = 1u << 15;
static_assert(kIsJoined >= 1u << kOwnerBits);
extern JOSTLE_HIDDEN uint16_t g_joined_by[1u << kOwnerBits];
inline bool is_of_this_epoch(SharingCell tag) {
  return phase_of(tag) - g_first_phase <= g_last_phase - g_first_phase;
}
inline bool is_concurrent(SharingCell earlier, const SharingAge& now) {
  const uint32_t owner = owner_of(earlier), me = owner_of(now.tag);
  if (owner == me || !is_of_this_epoch(earlier)) return false;
  if (owner == now.creator && phase_of(earlier) < now.creator_phase) return false;
  return g_joined_by[owner] != (me | kIsJoined);
}

// What is learned lasts for a run only, from now on.
void keep_sharing_per_run();
// The run is over: forgets it, if so.
void forget_run_sharing();
extern JOSTLE_HIDDEN bool g_sharing_per_run;
// To be called for every cell that the run changes.
void note_touched_cell(uintptr_t address);

inline uintptr_t sharing_index(uintptr_t address) { return (address >> 3) & (kSharingCells - 1); }
inline SharingCell& sharing_cell(uintptr_t address) { return g_sharing[sharing_index(address)]; }

// Freshly allocated memory has no owner yet.
void forget_owners(uintptr_t begin, uintptr_t size);
// … and what is there now may have nothing to do with what was shared there in other runs. Where
// runs are short that is known all the same, from the begin of each; long ones would only get slow.
void forget_sharing(uintptr_t begin, uintptr_t size);

// Marks stay until somebody forgets them; the first access that is looked at and found right does.
void mark(uintptr_t begin, uintptr_t size);
void forget_marks(uintptr_t begin, uintptr_t size);
inline bool is_marked(uintptr_t address) { return (sharing_cell(address) & kOwnerMask) == g_mark; }
inline void forget_mark(uintptr_t address) {
  if (is_marked(address)) sharing_cell(address) &= kVisible;
}

}  // namespace jostle::rt
