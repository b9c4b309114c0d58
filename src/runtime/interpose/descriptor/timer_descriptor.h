// SPDX-License-Identifier: Apache-2.0
// timerfd in virtual time.
//
// Such a descriptor is really an eventfd, which behaves the same when read and polled: a counter
// that a read takes. Whenever virtual time has reached an expiry of a timer, `fire_due_timers` adds
// it to the counter, so that the kernel's own poll, select and epoll see it ready. Who waits for
// descriptors with a timer among them must not sleep past `earliest_timer_expiry`, and looks again
// when `timer_epoch` has changed (somebody has set a timer since).
#pragma once

#include <cstdint>

#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

bool is_timer(int fd);
void fire_due_timers();
// kNever when none is set.
Nanoseconds earliest_timer_expiry();
uint64_t timer_epoch();

void timer_closed(int fd);
void timer_duplicated(int from, int to);

}  // namespace jostle::rt
