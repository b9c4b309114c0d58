// SPDX-License-Identifier: Apache-2.0
// epoll sets: their members, which of them only the outside makes ready, and what a loop has not
// learned of yet.
//
// The kernel's sets are used, but its events name our own entry of the member: so we know which
// descriptor an event is about, and what an edge-triggered or one-shot member was ready for when
// its event is passed over (the kernel tells of those only once).
#pragma once

#include <cstdint>

namespace jostle::rt {

bool is_epoll(int fd);
bool has_external_member(int epoll);
// The set has an event, and none of its external members is the reason.
bool epoll_ready_from_inside(int epoll);
// An event of the set has been passed over, and the kernel would not tell of it again.
bool epoll_owes_event(int epoll);

// Edge-triggered sets report (again) that the descriptor is ready.
void epoll_owes(int fd, uint32_t events);

// New sets with the same members, for a run that begins: see early_descriptors.h.
void renew_epoll_sets();

void epoll_closed(int fd);
void epoll_duplicated(int from, int to);

}  // namespace jostle::rt
