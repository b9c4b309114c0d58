// The end of a run in which a thread starves.
#pragma once

namespace jostle::rt {

struct Thread;

// `waiter` was passed over too often.
[[noreturn]] void fail_starved(const Thread& waiter);

}  // namespace jostle::rt
