// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/process/raw_calls.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/thread/scheduling.h"
#include "src/runtime/oracle/failure.h"

namespace jostle::rt {
namespace {

template <typename T>
T* at(long argument) {
  return reinterpret_cast<T*>(argument);
}
int number_of(long argument) { return static_cast<int>(argument); }
timer_t timer(long argument) {
  return reinterpret_cast<timer_t>(static_cast<uintptr_t>(static_cast<unsigned>(argument)));
}

// The kernel's timers have numbers of four bytes.
long create_timer(clockid_t clock, sigevent* event, int* number) {
  timer_t created;
  if (timer_create(clock, event, &created) != 0) return -1;
  *number = static_cast<int>(reinterpret_cast<uintptr_t>(created));
  return 0;
}

long refused() {
  errno = ENOSYS;
  return -1;
}

}  // namespace

bool call_about_time(long number, long a, long b, long c, long d, long e, long& result) {
  switch (number) {
#ifdef SYS_alarm
    case SYS_alarm:
      result = alarm(static_cast<unsigned>(a));
      return true;
#endif
#ifdef SYS_time
    case SYS_time:
      result = time(at<time_t>(a));
      return true;
#endif
#ifdef SYS_pause
    case SYS_pause:
      result = pause();
      return true;
#endif
    case SYS_setitimer:
      result =
          setitimer(static_cast<__itimer_which_t>(a), at<const itimerval>(b), at<itimerval>(c));
      return true;
    case SYS_getitimer:
      result = getitimer(static_cast<__itimer_which_t>(a), at<itimerval>(b));
      return true;
    case SYS_timer_create:
      result = create_timer(static_cast<clockid_t>(a), at<sigevent>(b), at<int>(c));
      return true;
    case SYS_timer_settime:
      result = timer_settime(timer(a), number_of(b), at<const itimerspec>(c), at<itimerspec>(d));
      return true;
    case SYS_timer_gettime:
      result = timer_gettime(timer(a), at<itimerspec>(b));
      return true;
    case SYS_timer_getoverrun:
      result = timer_getoverrun(timer(a));
      return true;
    case SYS_timer_delete:
      result = timer_delete(timer(a));
      return true;
    case SYS_clock_settime:
      result = clock_settime(static_cast<clockid_t>(a), at<const timespec>(b));
      return true;
    case SYS_settimeofday:
      result = settimeofday(at<const timeval>(a), at<const struct timezone>(b));
      return true;
    case SYS_adjtimex:
      result = adjtimex(at<timex>(a));
      return true;
    case SYS_clock_adjtime:
      result = clock_adjtime(static_cast<clockid_t>(a), at<timex>(b));
      return true;
    case SYS_times:
      result = times(at<tms>(a));
      return true;
    case SYS_getrusage:
      result = getrusage(static_cast<__rusage_who_t>(a), at<rusage>(b));
      return true;
    case SYS_wait4:
      result = wait4(static_cast<pid_t>(a), at<int>(b), number_of(c), at<rusage>(d));
      return true;
    case SYS_waitid:
      if (e) return false;  // with the resources used: rare
      result =
          waitid(static_cast<idtype_t>(a), static_cast<id_t>(b), at<siginfo_t>(c), number_of(d));
      return true;
    case SYS_sched_setscheduler:
      result = sched_setscheduler(static_cast<pid_t>(a), number_of(b), at<const sched_param>(c));
      return true;
    case SYS_sched_getscheduler:
      result = sched_getscheduler(static_cast<pid_t>(a));
      return true;
    case SYS_sched_setparam:
      result = sched_setparam(static_cast<pid_t>(a), at<const sched_param>(b));
      return true;
    case SYS_sched_getparam:
      result = sched_getparam(static_cast<pid_t>(a), at<sched_param>(b));
      return true;
    case SYS_sched_setattr:
      result = set_scheduling_attributes(static_cast<pid_t>(a), at<const void>(b),
                                         static_cast<unsigned>(c));
      return true;
    case SYS_sched_getattr:
      result = get_scheduling_attributes(static_cast<pid_t>(a), at<void>(b),
                                         static_cast<unsigned>(c), static_cast<unsigned>(d));
      return true;
    case SYS_setpriority:
      result = setpriority(static_cast<__priority_which_t>(a), static_cast<id_t>(b), number_of(c));
      return true;
    case SYS_getpriority: {
      errno = 0;
      const int nice = getpriority(static_cast<__priority_which_t>(a), static_cast<id_t>(b));
      result = nice == -1 && errno != 0 ? -1 : 20 - nice;  // the kernel shows no negative numbers
      return true;
    }
    case SYS_setrlimit:
      result = setrlimit(static_cast<__rlimit_resource_t>(a), at<const rlimit>(b));
      return true;
    case SYS_getrlimit:
      result = getrlimit(static_cast<__rlimit_resource_t>(a), at<rlimit>(b));
      return true;
    case SYS_prlimit64:
      result = prlimit(static_cast<pid_t>(a), static_cast<__rlimit_resource>(b),
                       at<const rlimit>(c), at<rlimit>(d));
      return true;
    case SYS_io_uring_setup:
    case SYS_io_uring_enter:
    case SYS_io_uring_register:
      // What it does would happen without us: programs fall back to calls that we see.
      note_uncontrolled(channel::kIoUring);
      result = refused();
      return true;
    default:
      return false;
  }
}

}  // namespace jostle::rt
