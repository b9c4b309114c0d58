#include "src/runtime/scheduler/run_begins.h"

#include "src/runtime/interpose/event_loop.h"
#include "src/runtime/oracle/lock_order.h"

namespace jostle::rt {

void run_begins(const channel::Channel& channel, const channel::Schedule* followed) {
  begin_lock_order(channel);
  begin_event_loops(channel.config, followed);
}

}  // namespace jostle::rt
