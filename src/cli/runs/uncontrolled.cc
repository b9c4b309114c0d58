// SPDX-License-Identifier: Apache-2.0
#include "src/cli/runs/uncontrolled.h"

#include "src/schedule/before_main.h"
#include "src/schedule/channel.h"

namespace jostle::cli {
namespace {

struct Description {
  uint64_t bit;
  std::string_view text;
};

constexpr Description kDescriptions[] = {
    {channel::kExternalSocket, "talks to a peer outside the process: replay may differ there"},
    {channel::kForks, "creates processes: what runs in them is not controlled"},
    {channel::kRawThread, "creates threads behind libc's back: they run freely"},
    {channel::kRealRandom,
     "reads real random numbers (a stream that becomes /dev/urandom): they differ in every run"},
    {channel::kIoUring, "wants io_uring: it fails with ENOSYS, and programs do without it"},
    {channel::kTerminalInput, "reads a terminal or a pipe that others write: replay may differ"},
    {channel::kAsyncIo, "uses asynchronous input/output (aio)"},
    {channel::kNotRandomised,
     "addresses differ in every run: the system does not let us switch "
     "randomisation off (in a container: --security-opt seccomp=unconfined)"},
    {channel::kPriorityFutex,
     "wants futexes with priority inheritance (FUTEX_LOCK_PI): they fail with ENOSYS"},
    {channel::kProcessId,
     "asks for its process id (getpid, getppid, gettid): it differs in every process"},
    {channel::kProcessFigures,
     "reads figures of the kernel (/proc/self/stat and the like): they vary"},
    {channel::kFiltersCalls,
     "filters its system calls (seccomp): those that jostle makes in its place are filtered, too"},
    {channel::kVaries,
     "does not do the same twice under the same schedule: something else decides, too"},
    {channel::kThreadsBeforeMain,
     "starts threads before main (or jostle_ready): what they do until then happens once, in one "
     "order, and is not searched"},
};

}  // namespace

uint64_t matters_always(uint64_t bits) {
  return bits & ~uint64_t{channel::kProcessId | channel::kProcessFigures};
}

std::vector<std::string_view> describe_uncontrolled(uint64_t bits) {
  std::vector<std::string_view> lines;
  for (const Description& description : kDescriptions) {
    if ((bits & description.bit) != 0) lines.push_back(description.text);
    bits &= ~description.bit;
  }
  if (bits != 0) lines.emplace_back("does something this jostle has no words for");
  return lines;
}

}  // namespace jostle::cli
