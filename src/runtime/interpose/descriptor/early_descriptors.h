// SPDX-License-Identifier: Apache-2.0
// eventfds, timerfds and epoll sets that the program made before its runs begin (a global
// asio::io_context has all three).
//
// Memory is rewound after a run, what such a descriptor holds is not; and with a process per run
// all of them share it. So every run gets new ones under the old numbers, with the same count and
// the same members.
#pragma once

namespace jostle::rt {

// Notes what there is now; once, before the first run.
void keep_early_descriptors();
// Before each run, in the process that runs it.
void renew_early_descriptors();

// An eventfd (or what stands for a timerfd) was made with these flags.
void note_event_descriptor(int fd, int flags);
void event_descriptor_closed(int fd);
bool is_event_descriptor(int fd);

}  // namespace jostle::rt
