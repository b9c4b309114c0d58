// epoll sets: which of their members only the outside makes ready.
#pragma once

namespace jostle::rt {

bool is_epoll(int fd);
bool has_external_member(int epoll);
// The set has an event, and none of its external members is the reason.
bool epoll_ready_from_inside(int epoll);

void epoll_closed(int fd);
void epoll_duplicated(int from, int to);

}  // namespace jostle::rt
