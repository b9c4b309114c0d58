// SPDX-License-Identifier: Apache-2.0
// What event loops see, how their transfers may fail (docs/events.md), whether waits end
// without a signal, and which stores atomic loads may read (docs/weak-memory.md).
#pragma once

#include <optional>
#include <string>

#include "src/cli/options/command_line.h"
#include "src/schedule/config.h"

namespace jostle::cli {

struct EventOptions {
  bool plain = false, io_faults = false;
  bool spurious = false, no_spurious = false;
  std::optional<channel::MemoryModel> memory = {};  // when it was said
};

void add_event_options(CommandLine& line, EventOptions& options);
// The last of them, for who has no use for the others.
void add_memory_option(CommandLine& line, EventOptions& options, const char* text);
void set_event_options(const EventOptions& options, channel::Config& config);
// Which memory, to be typed again: " --memory=c11", or nothing.
std::string typed_memory(const EventOptions& options);

}  // namespace jostle::cli
