// What event loops are told, and how their transfers may fail: docs/events.md.
#pragma once

#include "src/cli/command_line.h"
#include "src/schedule/channel.h"

namespace jostle::cli {

struct EventOptions {
  bool plain = false, io_faults = false;
};

void add_event_options(CommandLine& line, EventOptions& options);
void set_event_options(const EventOptions& options, channel::Config& config);

}  // namespace jostle::cli
