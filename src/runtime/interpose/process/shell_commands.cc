// SPDX-License-Identifier: Apache-2.0
// Commands of the shell: system, popen, pclose. The caller waits for them, the other threads do
// not; libc's own would make everybody wait.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/process/children.h"
#include "src/runtime/interpose/process/process.h"
#include "src/runtime/interpose/signal/signal.h"

extern char** environ;

namespace jostle::rt {
namespace {

// The shell with `command`, with the signal mask of the caller from before. 0 or an error number.
int start_shell(const char* command, const sigset_t& mask, uint64_t by_default,
                const posix_spawn_file_actions_t* actions, pid_t* shell) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attributes, &mask);
  const sigset_t defaults = set_of(by_default);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  const char* const arguments[] = {"sh", "-c", "--", command, nullptr};
  const int error = REAL(posix_spawn)(shell, "/bin/sh", actions, &attributes,
                                      const_cast<char* const*>(arguments), environ);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) note_child(*shell);
  return error;
}

// SIGINT and SIGQUIT are for the command while it runs, and its end is nobody else's news.
class CommandSignals {
 public:
  CommandSignals()
      : interrupt_(*program_action(SIGINT)),
        quit_(*program_action(SIGQUIT)),
        mask_(g_current->signal_mask) {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    set_program_action(SIGINT, ignore);
    set_program_action(SIGQUIT, ignore);
    change_mask(set_of(signal_bits(mask_) | signal_bit(SIGCHLD)));
  }
  ~CommandSignals() {
    set_program_action(SIGINT, interrupt_);
    set_program_action(SIGQUIT, quit_);
    change_mask(mask_);
  }
  CommandSignals(const CommandSignals&) = delete;
  CommandSignals& operator=(const CommandSignals&) = delete;

  const sigset_t& mask_before() const { return mask_; }
  uint64_t not_ignored_before() const {
    const auto bit = [](const struct sigaction& action, int sig) {
      return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN ? 0 : signal_bit(sig);
    };
    return bit(interrupt_, SIGINT) | bit(quit_, SIGQUIT);
  }

 private:
  const struct sigaction interrupt_, quit_;
  const sigset_t mask_;
};

pid_t wait_to_the_end(pid_t process, int* status, uintptr_t pc) {
  pid_t ended;
  do {
    ended = wait_for_pid(process, status, 0, pc);
  } while (ended < 0 && errno == EINTR);
  return ended;
}

constexpr int kNoShell = 127 << 8;  // as if it had exited with 127

struct Stream {
  FILE* file;
  pid_t shell;
};
RunVector<Stream> g_streams;

// "r", "w", either with "e" behind.
bool parse(const char* mode, bool& reads, bool& closes_on_exec) {
  bool writes = false;
  reads = closes_on_exec = false;
  for (; *mode; ++mode) {
    if (*mode != 'r' && *mode != 'w' && *mode != 'e') return false;
    reads |= *mode == 'r';
    writes |= *mode == 'w';
    closes_on_exec |= *mode == 'e';
  }
  return reads != writes;
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK int system(const char* command) {
  if (!controlled()) return REAL(system)(command);
  const uintptr_t pc = CALLER();
  cancellation_point();
  g_scheduler.reach(operation(OpKind::process_wait, nullptr, pc));
  if (!command) return REAL(system)(nullptr);
  before_child();
  const CommandSignals signals;
  pid_t shell;
  int status = kNoShell;
  const int error =
      start_shell(command, signals.mask_before(), signals.not_ignored_before(), nullptr, &shell);
  if (error != 0) {
    errno = error;
    return error == ENOENT || error == EACCES ? kNoShell : -1;
  }
  return wait_to_the_end(shell, &status, pc) == shell ? status : -1;
}

JOSTLE_HOOK FILE* popen(const char* command, const char* mode) {
  if (!controlled()) return REAL(popen)(command, mode);
  bool reads, closes_on_exec;
  if (!parse(mode, reads, closes_on_exec)) {
    errno = EINVAL;
    return nullptr;
  }
  before_child();
  int ends[2];
  if (REAL(pipe2)(ends, O_CLOEXEC) != 0) return nullptr;
  const int ours = ends[!reads], theirs = ends[reads];
  note_closed(ours);  // an earlier owner of the number that libc closed by itself
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs, reads ? STDOUT_FILENO : STDIN_FILENO);
  pid_t shell;
  const int error = start_shell(command, g_current->signal_mask, 0, &actions, &shell);
  posix_spawn_file_actions_destroy(&actions);
  REAL(close)(theirs);
  FILE* file = error == 0 ? REAL(fdopen)(ours, reads ? "r" : "w") : nullptr;
  if (!file) {
    REAL(close)(ours);
    if (error != 0) errno = error;
    return nullptr;
  }
  if (!closes_on_exec) REAL(fcntl)(ours, F_SETFD, 0);
  note_given_to_libc(ours);
  g_streams.push_back({file, shell});
  return file;
}

JOSTLE_HOOK int pclose(FILE* file) {
  if (!controlled()) return REAL(pclose)(file);
  const uintptr_t pc = CALLER();
  for (size_t i = 0; i < g_streams.size(); ++i) {
    if (g_streams[i].file != file) continue;
    const pid_t shell = g_streams[i].shell;
    g_streams[i] = g_streams.back();
    g_streams.pop_back();
    fclose(file);
    int status = 0;
    return wait_to_the_end(shell, &status, pc) == shell ? status : -1;
  }
  return REAL(pclose)(file);  // from before we were in control
}
