// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/event_options.h"

namespace jostle::cli {

void add_event_options(CommandLine& line, EventOptions& options) {
  line.flag("--plain-events",
            "event loops are told what is ready as the kernel does: in its order, all at once",
            options.plain);
  line.flag("--io-faults", "reads and writes of streams may be short, or fail with EAGAIN",
            options.io_faults);
  line.flag("--spurious",
            "waits for condition variables and futexes may end without a signal in "
            "every run (default: in some runs, with strategies that sample)",
            options.spurious);
  line.flag("--no-spurious", "they never do", options.no_spurious);
}

void set_event_options(const EventOptions& options, channel::Config& config) {
  config.plain_events = options.plain ? 1 : 0;
  config.io_faults = options.io_faults ? 1 : 0;
  config.spurious = options.no_spurious ? channel::SpuriousWakeups::never
                    : options.spurious  ? channel::SpuriousWakeups::always
                                        : channel::SpuriousWakeups::rarely;
}

}  // namespace jostle::cli
