#include "src/cli/event_options.h"

namespace jostle::cli {

void add_event_options(CommandLine& line, EventOptions& options) {
  line.flag("--plain-events",
            "event loops are told what is ready as the kernel does: in its order, all at once",
            options.plain);
  line.flag("--io-faults", "reads and writes of streams may be short, or fail with EAGAIN",
            options.io_faults);
}

void set_event_options(const EventOptions& options, channel::Config& config) {
  config.plain_events = options.plain ? 1 : 0;
  config.io_faults = options.io_faults ? 1 : 0;
}

}  // namespace jostle::cli
