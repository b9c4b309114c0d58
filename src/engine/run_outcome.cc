// SPDX-License-Identifier: Apache-2.0
#include "src/engine/run_outcome.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "src/base/check.h"

namespace jostle::engine {

bool is_failure(const channel::Config& config, const channel::Failure& end) {
  JOSTLE_CHECK(end.outcome != channel::Outcome::running);
  if (end.outcome == channel::Outcome::stopped || end.outcome == channel::Outcome::cut_off) {
    return false;
  }
  if (end.outcome != channel::Outcome::exited) return true;
  if (end.code == 0 || config.any_exit_code_ok) return false;
  JOSTLE_CHECK(end.code > 0 && end.code < 256);
  return (config.exit_codes_ok[end.code / 64] >> (end.code % 64) & 1) == 0;
}

void settle_outcome(channel::RunRecord& run, int wait_status) {
  channel::Failure& end = run.end;
  if (end.outcome != channel::Outcome::running && end.outcome != channel::Outcome::exited) return;
  if (WIFSIGNALED(wait_status)) {
    end.outcome = channel::Outcome::signalled;
    end.code = WTERMSIG(wait_status);
  } else {
    end.outcome = channel::Outcome::exited;
    end.code = WEXITSTATUS(wait_status);
  }
}

void settle_refused_call(channel::Channel& channel, int wait_status) {
  channel::Failure& end = channel.record.end;
  if (!WIFSIGNALED(wait_status) || WTERMSIG(wait_status) != SIGSYS ||
      !(channel.status.uncontrolled.load() & channel::kFiltersCalls)) {
    return;
  }
  end.outcome = channel::Outcome::unsupported;
  snprintf(end.message, sizeof end.message,
           "the program's seccomp filter ended the process at a system call: perhaps at one that "
           "jostle makes in its place (poll, mprotect, futex, …)");
}

}  // namespace jostle::engine
