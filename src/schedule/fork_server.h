// SPDX-License-Identifier: Apache-2.0
// What the command and a program that waits in jostle::check say to each other.
//
// The program starts the command, which does with the check all that it does with a program of its
// own, except that a target is no program to be started but a child of the one that waits: the
// command asks for one, with the descriptors of its channel attached, and later how it ended. Each
// request has one answer, but for the last, which brings the result. Both sides are of one build.
#pragma once

#include <cstdint>

namespace jostle::fork_server {

enum class Ask : uint32_t {
  start,  // fork a target: its pid, or an error
  ended,  // has it ended? It stays to be asked for its status
  reap,   // wait for its end: its status
  done,   // no answer: the result follows, with `text_bytes` of the report and `replay_bytes`
};

// Which descriptors come with a request, in this order.
enum Attached : uint32_t {
  kChannel = 1 << 0,
  kHub = 1 << 1,
  kInput = 1 << 2,
  kOutput = 1 << 3,
  kErrors = 1 << 4,
};
inline constexpr int kMostAttached = 5;

struct Request {
  Ask ask;
  int32_t pid;
  uint32_t attached;   // Attached bits
  uint32_t own_group;  // start: a process group of its own
  // done:
  int32_t exit_code;  // of the command
  uint32_t reserved;
  uint64_t schedules, inputs, rejected, scenarios, not_judged, executions;
  double seconds;
  uint64_t text_bytes, replay_bytes;
};

struct Answer {
  int32_t pid;     // start: -1 when there is none
  int32_t error;   // errno then
  int32_t status;  // reap: of waitpid
  uint32_t ended;
};

}  // namespace jostle::fork_server
