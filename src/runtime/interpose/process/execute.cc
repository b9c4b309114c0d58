// SPDX-License-Identifier: Apache-2.0
// The exec family: another program in this process, and no way back.
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/process/family.h"
#include "src/runtime/interpose/time/interval_timer.h"
#include "src/runtime/snapshot/leave.h"

using namespace jostle::rt;

namespace {

// Around the call, from which there is normally no return.
class Execution {
 public:
  Execution() : controlled_(controlled()) {
    if (!controlled_) return;
    needs_own_process("executes another program");
    hand_alarm_to_kernel();
    leave_family();
  }
  ~Execution() {
    if (!controlled_) return;
    return_to_family();
    take_alarm_from_kernel();
  }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

 private:
  const bool controlled_;
};

}  // namespace

JOSTLE_HOOK int execve(const char* path, char* const arguments[],
                       char* const environment[]) noexcept {
  const Execution execution;
  return REAL(execve)(path, arguments, environment);
}
JOSTLE_HOOK int execv(const char* path, char* const arguments[]) noexcept {
  const Execution execution;
  return REAL(execv)(path, arguments);
}
JOSTLE_HOOK int execvp(const char* file, char* const arguments[]) noexcept {
  const Execution execution;
  return REAL(execvp)(file, arguments);
}
JOSTLE_HOOK int execvpe(const char* file, char* const arguments[],
                        char* const environment[]) noexcept {
  const Execution execution;
  return REAL(execvpe)(file, arguments, environment);
}
JOSTLE_HOOK int fexecve(int fd, char* const arguments[], char* const environment[]) noexcept {
  const Execution execution;
  return REAL(fexecve)(fd, arguments, environment);
}
JOSTLE_HOOK int execveat(int directory, const char* path, char* const arguments[],
                         char* const environment[], int flags) noexcept {
  const Execution execution;
  return REAL(execveat)(directory, path, arguments, environment, flags);
}

// The arguments, up to and with the null pointer, as an array on the caller's stack.
#define GATHER(first, list, array)                                             \
  va_list list;                                                                \
  va_start(list, first);                                                       \
  size_t count = 2;                                                            \
  while (va_arg(list, char*)) ++count;                                         \
  va_end(list);                                                                \
  auto** array = static_cast<char**>(__builtin_alloca(count * sizeof(char*))); \
  array[0] = const_cast<char*>(first);                                         \
  va_start(list, first);                                                       \
  for (size_t i = 1; i < count; ++i) array[i] = va_arg(list, char*)

JOSTLE_HOOK int execl(const char* path, const char* first, ...) noexcept {
  const Execution execution;
  GATHER(first, list, arguments);
  va_end(list);
  return REAL(execv)(path, arguments);
}
JOSTLE_HOOK int execlp(const char* file, const char* first, ...) noexcept {
  const Execution execution;
  GATHER(first, list, arguments);
  va_end(list);
  return REAL(execvp)(file, arguments);
}
JOSTLE_HOOK int execle(const char* path, const char* first, ...) noexcept {
  const Execution execution;
  GATHER(first, list, arguments);
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  return REAL(execve)(path, arguments, environment);
}
