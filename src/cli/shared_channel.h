// The command's end of the channel: makes the shared memory, keeps it mapped, names its descriptor.
#pragma once

#include <string_view>

#include "src/cli/descriptor.h"
#include "src/cli/error.h"
#include "src/schedule/channel.h"

namespace jostle::cli {

class SharedChannel {
 public:
  // Zeroed, with magic, version and size filled in.
  static Result<SharedChannel> create();
  ~SharedChannel();
  SharedChannel(SharedChannel&& other) noexcept;
  SharedChannel& operator=(SharedChannel&& other) noexcept;

  channel::Channel* operator->() const { return memory_; }
  channel::Channel& operator*() const { return *memory_; }

  // High, so that it is not in the way of the target's own; closed on exec unless the child says
  // otherwise.
  int descriptor() const { return file_.get(); }

 private:
  SharedChannel(Descriptor file, channel::Channel* memory)
      : file_(std::move(file)), memory_(memory) {}

  Descriptor file_;
  channel::Channel* memory_ = nullptr;
};

// The settings of a plain execution: strategy "random", no limits, a clock that always starts at
// the same time. Everything else is for the caller to say.
channel::Config default_config(channel::Mode mode);

// False when the name is too long for the channel.
bool set_strategy(channel::Config& config, std::string_view strategy);

// What CLOCK_REALTIME shows first unless --clock says otherwise: fixed, so that a seed determines
// all of a run, srand(time(0)) included. 14 November 2023.
inline constexpr int64_t kClockStart = 1'700'000'000;

}  // namespace jostle::cli
