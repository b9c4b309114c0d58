// SPDX-License-Identifier: Apache-2.0
#include "src/base/check.h"

#include <signal.h>
#include <sys/syscall.h>

#include "src/base/in_handler.h"
#include "src/base/kept.h"
#include "src/base/raw_syscall.h"

namespace jostle {
namespace {

JOSTLE_KEPT char* g_report = nullptr;
JOSTLE_KEPT size_t g_report_size = 0;

// One line, on the stack of the violated check.
class CheckMessage {
 public:
  CheckMessage& operator<<(const char* text) {
    while (*text != '\0' && size_ < sizeof text_ - 1) text_[size_++] = *text++;
    return *this;
  }
  CheckMessage& operator<<(invariant::Value value) {
    const bool negative =
        value.kind == invariant::Value::integer && static_cast<int64_t>(value.bits) < 0;
    const uint64_t base = value.kind == invariant::Value::address ? 16 : 10;
    char digits[24] = {};
    char* first = digits + sizeof digits - 1;
    uint64_t rest = negative ? -value.bits : value.bits;
    do {
      *--first = "0123456789abcdef"[rest % base];
    } while (rest /= base);
    if (base == 16) *--first = 'x', *--first = '0';
    if (negative) *--first = '-';
    return *this << first;
  }
  const char* text() {
    text_[size_] = '\0';
    return text_;
  }
  size_t size() const { return size_; }

 private:
  char text_[512];
  size_t size_ = 0;
};

// Everything behind the last "src/": where the tree lies does not matter.
const char* within_tree(const char* file) {
  const char* found = file;
  for (const char* at = file; *at != '\0'; ++at) {
    if (at[0] == 's' && at[1] == 'r' && at[2] == 'c' && at[3] == '/') found = at;
  }
  return found;
}

// Handlers of the program's, of a fuzzer's and our own do not hear of it.
[[noreturn]] void abort_past_handlers() {
  struct {  // the kernel's own sigaction
    void* handler;
    unsigned long flags;
    void* restorer;
    uint64_t mask;
  } action = {};
  const uint64_t abort_only = uint64_t{1} << (SIGABRT - 1);
  raw_syscall(SYS_rt_sigaction, SIGABRT, reinterpret_cast<long>(&action), 0, sizeof(uint64_t));
  raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, reinterpret_cast<long>(&abort_only), 0,
              sizeof(uint64_t));
  raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), SIGABRT);
  for (;;) raw_syscall(SYS_exit_group, 70);  // a filter of the program's may refuse the others
}

[[noreturn]] void end_by(CheckMessage& message) {
  const char* text = message.text();
  size_t i = 0;
  for (; i + 1 < g_report_size && text[i] != '\0'; ++i) g_report[i] = text[i];
  if (g_report_size != 0) g_report[i] = '\0';
  CheckMessage line;
  line << "jostle: " << text << "\n";
  raw_syscall(SYS_write, 2, reinterpret_cast<long>(line.text()), static_cast<long>(line.size()));
  abort_past_handlers();
}

CheckMessage& begin(CheckMessage& message, const char* file, int line, const char* condition) {
  return message << "a bug in jostle, not in the program: " << within_tree(file) << ":"
                 << invariant::value_of(line) << ": violated: " << condition;
}

}  // namespace

void report_checks_to(char* text, size_t size) {
  g_report = text;
  g_report_size = text ? size : 0;
}

#ifdef JOSTLE_CHECKS
JOSTLE_KEPT bool g_in_handler = false;
#endif

namespace invariant {

void violated(const char* file, int line, const char* condition) {
  CheckMessage message;
  begin(message, file, line, condition);
  end_by(message);
}

void violated(const char* file, int line, const char* condition, Value a, Value b) {
  CheckMessage message;
  begin(message, file, line, condition) << " (" << a << ", " << b << ")";
  end_by(message);
}

}  // namespace invariant
}  // namespace jostle
