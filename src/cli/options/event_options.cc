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
            "in every run waits for condition variables and futexes may end without a signal, and "
            "compare_exchange_weak may fail without a reason (default: in some runs, with "
            "strategies that sample)",
            options.spurious);
  line.flag("--no-spurious", "they never do", options.no_spurious);
  add_memory_option(
      line, options,
      "which store an atomic load may read: sc, the newest; c11, in some runs any that "
      "C++ allows by the memory orders (default: sc; with the default strategy of "
      "fuzz c11 as soon as there is an order weaker than seq_cst)");
}

void add_memory_option(CommandLine& line, EventOptions& options, const char* text) {
  line.value("--memory", "MODEL", text,
             [&options](const std::string& text) -> std::optional<std::string> {
               if (text != "sc" && text != "c11") return "expected sc or c11";
               options.memory =
                   text == "c11" ? channel::MemoryModel::c11 : channel::MemoryModel::sequential;
               return std::nullopt;
             });
}

void set_event_options(const EventOptions& options, channel::Config& config) {
  config.plain_events = options.plain ? 1 : 0;
  config.io_faults = options.io_faults ? 1 : 0;
  config.memory = options.memory.value_or(channel::MemoryModel::sequential);
  config.spurious = options.no_spurious ? channel::SpuriousWakeups::never
                    : options.spurious  ? channel::SpuriousWakeups::always
                                        : channel::SpuriousWakeups::rarely;
}

std::string typed_memory(const EventOptions& options) {
  return options.memory == channel::MemoryModel::c11 ? " --memory=c11" : "";
}

}  // namespace jostle::cli
