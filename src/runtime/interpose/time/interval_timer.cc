// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/time/interval_timer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/thread/thread_start.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/scheduler/time/timers.h"

namespace jostle::rt {

NextTimers g_next_timers;

namespace {

enum class Measures : uint8_t { real, calendar, processor };

struct IntervalTimer {
  bool used = false;  // false: a free place in the table
  bool armed = false;
  bool absolute = false;  // set to a time, not to a span from now
  bool queued = false;    // its signal is on its way: what expires meanwhile is an overrun
  Measures measures = Measures::real;
  int notify = SIGEV_SIGNAL;
  int sig = 0;
  pid_t thread = 0;  // SIGEV_THREAD_ID
  sigval value = {};
  void (*function)(sigval) = nullptr;  // SIGEV_THREAD
  size_t stack_size = 0;
  clockid_t clock = CLOCK_REALTIME;
  Nanoseconds due = kNever;  // by the clock of the run, or of processor time
  Nanoseconds interval = 0;  // 0: once
  uint64_t overruns = 0;     // since its signal was queued
  int overruns_told = 0;     // with the signal that was taken last
  uint64_t strikes_at_step = UINT64_MAX;
  // It did nothing for anybody, and since then nobody has run: steps and events of the run then.
  uint64_t in_vain_at = UINT64_MAX;
};

// The three of setitimer come first.
constexpr uint32_t kIntervalTimers = 3;
RunVector<IntervalTimer> g_timers;

// Those who guard against hanging set seconds: they are not to be surprised. What is shorter may
// come before others have run.
constexpr Nanoseconds kMayBeEarly = kSecond;

Nanoseconds now_of(const IntervalTimer& timer) {
  return timer.measures == Measures::processor ? g_scheduler.processor_time() : g_scheduler.now();
}

uint64_t progress() { return g_scheduler.steps() + g_scheduler.total_events(); }

void find_next() {
  g_next_timers = {};
  for (const IntervalTimer& timer : g_timers) {
    if (!timer.armed || timer.notify == SIGEV_NONE) continue;
    Nanoseconds& next =
        timer.measures == Measures::processor ? g_next_timers.processor : g_next_timers.real;
    if (timer.due < next) {
      next = timer.due;
      if (&next == &g_next_timers.real) g_next_timers.strikes_at_step = timer.strikes_at_step;
    }
  }
}

uint32_t index_of(const IntervalTimer& timer) {
  return static_cast<uint32_t>(&timer - g_timers.begin());
}

siginfo_t info_of(const IntervalTimer& timer) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = timer.sig;
  if (index_of(timer) < kIntervalTimers) {
    info.si_code = SI_KERNEL;
  } else {
    info.si_code = SI_TIMER;
    info.si_timerid = static_cast<int>(index_of(timer) - kIntervalTimers);
    info.si_value = timer.value;
  }
  return info;
}

struct Call {
  void (*function)(sigval);
  sigval value;
};

// The start of a thread that runs a timer's function.
void* call_function(void* argument) {
  const auto index = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(argument));
  g_races.acquire(&g_timers);
  IntervalTimer& timer = g_timers[index];
  timer.queued = false;
  timer.overruns_told = static_cast<int>(timer.overruns);
  timer.overruns = 0;
  timer.function(timer.value);
  return nullptr;
}

void notify(IntervalTimer& timer) {
  if (timer.queued) {
    ++timer.overruns;
    return;
  }
  switch (timer.notify) {
    case SIGEV_THREAD: {
      const auto argument = reinterpret_cast<void*>(static_cast<uintptr_t>(index_of(timer)));
      // All are blocked, as in libc's thread: the process's signals are for the program's own.
      sigset_t all;
      sigfillset(&all);
      sigdelset(&all, SIGKILL);
      sigdelset(&all, SIGSTOP);
      timer.queued =
          start_own_thread(call_function, argument, reinterpret_cast<uintptr_t>(timer.function),
                           timer.stack_size, all) != nullptr;
      return;
    }
    case SIGEV_NONE:
      return;
    default: {
      Thread* thread =
          timer.notify == SIGEV_THREAD_ID ? thread_with_kernel_id(timer.thread) : nullptr;
      if (timer.notify == SIGEV_THREAD_ID && !thread) return;
      const bool queued = send_from_timer(thread, info_of(timer));
      timer.queued = queued && index_of(timer) >= kIntervalTimers;
    }
  }
}

// How often a timer that is due has expired by now; it is set to the next time.
uint64_t expirations(IntervalTimer& timer) {
  if (timer.interval == 0) {
    timer.armed = false;
    return 1;
  }
  const Nanoseconds more = (now_of(timer) - timer.due) / timer.interval;
  if (__builtin_add_overflow(timer.due, (more + 1) * timer.interval, &timer.due)) {
    timer.armed = false;
  }
  return static_cast<uint64_t>(more) + 1;
}

void expire(IntervalTimer& timer) {
  const uint64_t count = expirations(timer);
  timer.strikes_at_step = UINT64_MAX;  // a surprise is one only once
  const uint32_t could_run = g_scheduler.runnable_threads();
  notify(timer);
  if (timer.queued) timer.overruns += count - 1;
  timer.in_vain_at = g_scheduler.runnable_threads() == could_run ? progress() : UINT64_MAX;
}

IntervalTimer* earliest_due() {
  IntervalTimer* earliest = nullptr;
  for (IntervalTimer& timer : g_timers) {
    if (!timer.armed || timer.notify == SIGEV_NONE || timer.due > now_of(timer)) continue;
    const auto late = [](const IntervalTimer& t) { return now_of(t) - t.due; };
    if (!earliest || late(timer) > late(*earliest)) earliest = &timer;
  }
  return earliest;
}

// Those that notify nobody are not waited for: they catch up when somebody asks.
void catch_up(IntervalTimer& timer) {
  if (timer.armed && timer.notify == SIGEV_NONE && timer.due <= now_of(timer)) expirations(timer);
}

itimerspec setting_of(IntervalTimer& timer) {
  catch_up(timer);
  itimerspec setting = {};
  setting.it_interval = to_timespec(timer.interval);
  if (!timer.armed) return setting;
  const Nanoseconds left = timer.due - now_of(timer);
  setting.it_value = to_timespec(left > 0 ? left : 1);
  return setting;
}

bool is_zero(const timespec& time) { return time.tv_sec == 0 && time.tv_nsec == 0; }

// Its signal ends the program: it guards against hanging.
bool is_guard(const IntervalTimer& timer) { return timer.sig && would_be_fatal(timer.sig); }

// May it strike although others could run? Drawn when it is set; the answer is how many steps
// later. Many a timer is set before there are threads: steps begin with the second one.
uint64_t draw_early_strike(const IntervalTimer& timer, Nanoseconds span) {
  if (timer.measures == Measures::processor || timer.notify == SIGEV_NONE || span <= 0 ||
      span >= kMayBeEarly || is_guard(timer)) {
    return UINT64_MAX;
  }
  if (g_scheduler.choose(ChoiceKind::time, 2) == 0) return UINT64_MAX;
  constexpr uint32_t kDelays = 8;  // up to 128 steps
  return g_scheduler.steps() + (uint64_t{1} << g_scheduler.choose(ChoiceKind::wake, kDelays));
}

// When it strikes among what others do is not tried by who explores all executions.
void tell_explorer(const IntervalTimer& timer) {
  if (!g_actions.active() || !timer.armed || timer.notify == SIGEV_NONE) return;
  if (is_guard(timer)) return g_actions.assume(kTimeoutsAreLate);
  g_actions.gap(TrailGap::timers);
}

void set(IntervalTimer& timer, bool absolute, const itimerspec& value) {
  // What the kernel keeps of an earlier setting: the signal that is under way, no more.
  timer.interval = to_nanoseconds(value.it_interval);
  timer.armed = !is_zero(value.it_value);
  timer.absolute = absolute;
  timer.in_vain_at = UINT64_MAX;
  timer.strikes_at_step = UINT64_MAX;
  timer.overruns = 0;
  if (timer.armed) {
    const Nanoseconds now = now_of(timer);
    if (!absolute) {
      if (__builtin_add_overflow(now, to_nanoseconds(value.it_value), &timer.due)) {
        timer.due = kNever - 1;
      }
    } else if (timer.measures == Measures::processor) {
      timer.due = to_nanoseconds(value.it_value);
    } else {
      timer.due = virtual_deadline(timer.clock, value.it_value);
    }
    timer.strikes_at_step = draw_early_strike(timer, timer.due - now);
  }
  tell_explorer(timer);
  comes_before_signals();
  g_races.release(&g_timers);
  find_next();
  g_scheduler.watch_work();
  expire_timers();
  if (controlled()) deliver_pending_signals(nullptr);
}

void reach(uintptr_t pc) { g_scheduler.reach(operation(OpKind::clock, nullptr, pc)); }

int fail(int error) {
  errno = error;
  return -1;
}

// ---- the timers of setitimer --------------------------------------------------------------------

IntervalTimer& interval_timer(uint32_t which) {
  if (g_timers.empty()) {
    g_timers.resize(kIntervalTimers);
    constexpr int kSignals[] = {SIGALRM, SIGVTALRM, SIGPROF};
    for (uint32_t i = 0; i < kIntervalTimers; ++i) {
      g_timers[i].used = true;
      g_timers[i].sig = kSignals[i];
      g_timers[i].measures = i == ITIMER_REAL ? Measures::real : Measures::processor;
    }
  }
  return g_timers[which];
}

// Rounded up: a timer that runs is not shown as one that does not.
timeval to_timeval(const timespec& time) {
  timeval result = {.tv_sec = time.tv_sec, .tv_usec = (time.tv_nsec + 999) / 1000};
  if (result.tv_usec == 1'000'000) result = {.tv_sec = time.tv_sec + 1, .tv_usec = 0};
  return result;
}
timespec from_timeval(const timeval& time) {
  return {.tv_sec = time.tv_sec, .tv_nsec = time.tv_usec * 1000};
}
bool valid(const timeval& time) {
  return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < 1'000'000;
}

itimerval old_setting(uint32_t which) {
  const itimerspec old = setting_of(interval_timer(which));
  return {.it_interval = to_timeval(old.it_interval), .it_value = to_timeval(old.it_value)};
}

void set_interval_timer(uint32_t which, const itimerval& value) {
  set(interval_timer(which), false,
      {.it_interval = from_timeval(value.it_interval), .it_value = from_timeval(value.it_value)});
}

bool is_interval_timer(int which) {
  return which >= 0 && which < static_cast<int>(kIntervalTimers);
}

// ---- the timers of timer_create -----------------------------------------------------------------

IntervalTimer* timer_of(timer_t handle) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  if (number >= g_timers.size() || g_timers.size() - number <= kIntervalTimers) return nullptr;
  IntervalTimer& timer = g_timers[number + kIntervalTimers];
  return timer.used ? &timer : nullptr;
}

IntervalTimer& new_timer() {
  interval_timer(0);
  for (uint32_t i = kIntervalTimers; i < g_timers.size(); ++i) {
    // The number of one whose signal is under way is not used again.
    if (!g_timers[i].used && !g_timers[i].queued) return g_timers[i] = {};
  }
  g_timers.push_back({});
  return g_timers.back();
}

Measures measures_of(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
      return Measures::calendar;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      return Measures::processor;
    default:
      return clock < 0 ? Measures::processor : Measures::real;
  }
}

// Which clocks can be waited for is the kernel's decision.
bool kernel_accepts(clockid_t clock) {
  sigevent none = {};
  none.sigev_notify = SIGEV_NONE;
  timer_t judged;
  if (REAL(timer_create)(clock, &none, &judged) != 0) return false;
  REAL(timer_delete)(judged);
  return true;
}

bool is_acceptable(const sigevent& event) {
  switch (event.sigev_notify) {
    case SIGEV_NONE:
    case SIGEV_THREAD:
      return true;
    case SIGEV_THREAD_ID:
      if (!thread_with_kernel_id(event._sigev_un._tid)) return false;
      [[fallthrough]];
    case SIGEV_SIGNAL:
      return is_signal(event.sigev_signo);
    default:
      return false;
  }
}

bool valid(const itimerspec& value) {
  return rt::valid(value.it_value) && rt::valid(value.it_interval) && value.it_value.tv_sec >= 0 &&
         value.it_interval.tv_sec >= 0;
}

size_t stack_size_of(const pthread_attr_t* attributes) {
  size_t size = 0;
  if (attributes) pthread_attr_getstacksize(attributes, &size);
  return size;
}

}  // namespace

// ---- for the scheduler --------------------------------------------------------------------------

void expire_timers() {
  bool any = false;
  while (IntervalTimer* timer = earliest_due()) {
    expire(*timer);
    any = true;
  }
  if (!any) return;
  find_next();
  g_scheduler.watch_work();
}

Nanoseconds next_timer_of_use() {
  Nanoseconds next = kNever;
  for (const IntervalTimer& timer : g_timers) {
    if (!timer.armed || timer.notify == SIGEV_NONE || timer.measures == Measures::processor ||
        timer.in_vain_at == progress()) {
      continue;
    }
    if (timer.due < next) next = timer.due;
  }
  return next;
}

// ---- for other hooks ----------------------------------------------------------------------------

void timer_signal_taken(siginfo_t& info) {
  const auto index = static_cast<size_t>(info.si_timerid) + kIntervalTimers;
  if (index >= g_timers.size()) return;
  IntervalTimer& timer = g_timers[index];
  timer.queued = false;
  const uint64_t most = INT32_MAX;  // DELAYTIMER_MAX
  timer.overruns_told = static_cast<int>(timer.overruns < most ? timer.overruns : most);
  timer.overruns = 0;
  info.si_overrun = timer.overruns_told;
}

void forget_timers() {
  g_timers.clear();
  g_next_timers = {};
  if (controlled()) g_scheduler.watch_work();
}

void calendar_moved(Nanoseconds by) {
  for (IntervalTimer& timer : g_timers) {
    if (timer.armed && timer.absolute && timer.measures == Measures::calendar) timer.due -= by;
  }
  find_next();
  expire_timers();
}

void hand_alarm_to_kernel() {
  if (g_timers.empty() || !g_timers[ITIMER_REAL].armed) return;
  const itimerval value = old_setting(ITIMER_REAL);
  REAL(setitimer)(ITIMER_REAL, &value, nullptr);
}

void take_alarm_from_kernel() {
  if (g_timers.empty() || !g_timers[ITIMER_REAL].armed) return;
  const itimerval none = {};
  REAL(setitimer)(ITIMER_REAL, &none, nullptr);
}

}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

// ---- alarm, setitimer ---------------------------------------------------------------------------

JOSTLE_HOOK unsigned alarm(unsigned seconds) noexcept {
  if (!controlled()) return REAL(alarm)(seconds);
  reach(CALLER());
  const itimerval old = old_setting(ITIMER_REAL);
  set_interval_timer(ITIMER_REAL,
                     {.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}});
  // Rounded, but never to 0 while one is set: as Linux does.
  const auto left = static_cast<unsigned>(old.it_value.tv_sec);
  return left + (old.it_value.tv_usec >= 500'000 || (left == 0 && old.it_value.tv_usec));
}

JOSTLE_HOOK int setitimer(__itimer_which_t which, const itimerval* value, itimerval* old) noexcept {
  if (!controlled()) return REAL(setitimer)(which, value, old);
  if (!is_interval_timer(which)) return fail(EINVAL);
  // Linux takes a null pointer for zeros.
  const itimerval wanted = value ? *value : itimerval{};
  if (!valid(wanted.it_value) || !valid(wanted.it_interval)) return fail(EINVAL);
  reach(CALLER());
  const itimerval before = old_setting(which);
  set_interval_timer(which, wanted);
  if (old) *old = before;
  return 0;
}

JOSTLE_HOOK int getitimer(__itimer_which_t which, itimerval* value) noexcept {
  if (!controlled()) return REAL(getitimer)(which, value);
  if (!is_interval_timer(which)) return fail(EINVAL);
  reach(CALLER());
  g_scheduler.read_clock();  // a loop that waits for it this way has to end
  *value = old_setting(which);
  return 0;
}

JOSTLE_HOOK useconds_t ualarm(useconds_t value, useconds_t interval) noexcept {
  if (!controlled()) return REAL(ualarm)(value, interval);
  const auto span = [](useconds_t us) {
    return timeval{.tv_sec = us / 1'000'000, .tv_usec = us % 1'000'000};
  };
  reach(CALLER());
  const itimerval old = old_setting(ITIMER_REAL);
  set_interval_timer(ITIMER_REAL, {.it_interval = span(interval), .it_value = span(value)});
  return static_cast<useconds_t>(old.it_value.tv_sec * 1'000'000 + old.it_value.tv_usec);
}

// ---- timer_create -------------------------------------------------------------------------------

JOSTLE_HOOK int timer_create(clockid_t clock, sigevent* event, timer_t* handle) noexcept {
  if (!controlled()) return REAL(timer_create)(clock, event, handle);
  if (!kernel_accepts(clock)) return -1;
  const sigevent* given = event;
  asm("" : "+r"(given));  // the header promises that it is not null, programs do not
  if (given && !is_acceptable(*given)) return fail(EINVAL);
  reach(CALLER());
  IntervalTimer& timer = new_timer();
  const uint32_t number = index_of(timer) - kIntervalTimers;
  timer.used = true;
  timer.clock = clock;
  timer.measures = measures_of(clock);
  timer.sig = SIGALRM;
  timer.value.sival_int = static_cast<int>(number);
  if (given) {
    timer.notify = given->sigev_notify;
    timer.sig = timer.notify == SIGEV_THREAD ? 0 : given->sigev_signo;
    timer.value = given->sigev_value;
    if (timer.notify == SIGEV_THREAD_ID) timer.thread = given->_sigev_un._tid;
    if (timer.notify == SIGEV_THREAD) {
      timer.function = given->sigev_notify_function;
      timer.stack_size = stack_size_of(given->sigev_notify_attributes);
    }
  }
  *handle = reinterpret_cast<timer_t>(static_cast<uintptr_t>(number));
  return 0;
}

JOSTLE_HOOK int timer_settime(timer_t handle, int flags, const itimerspec* value,
                              itimerspec* old) noexcept {
  if (!controlled()) return REAL(timer_settime)(handle, flags, value, old);
  if (!timer_of(handle) || !valid(*value)) return fail(EINVAL);
  reach(CALLER());
  IntervalTimer* timer = timer_of(handle);
  if (!timer) return fail(EINVAL);  // deleted by another thread meanwhile
  const itimerspec before = setting_of(*timer);
  if (old) *old = before;
  set(*timer, flags & TIMER_ABSTIME, *value);
  return 0;
}

JOSTLE_HOOK int timer_gettime(timer_t handle, itimerspec* value) noexcept {
  if (!controlled()) return REAL(timer_gettime)(handle, value);
  if (!timer_of(handle)) return fail(EINVAL);
  reach(CALLER());
  g_scheduler.read_clock();  // as in getitimer
  IntervalTimer* timer = timer_of(handle);
  if (!timer) return fail(EINVAL);
  *value = setting_of(*timer);
  return 0;
}

JOSTLE_HOOK int timer_getoverrun(timer_t handle) noexcept {
  if (!controlled()) return REAL(timer_getoverrun)(handle);
  const IntervalTimer* timer = timer_of(handle);
  return timer ? timer->overruns_told : fail(EINVAL);
}

JOSTLE_HOOK int timer_delete(timer_t handle) noexcept {
  if (!controlled()) return REAL(timer_delete)(handle);
  if (!timer_of(handle)) return fail(EINVAL);
  reach(CALLER());
  IntervalTimer* timer = timer_of(handle);
  if (!timer) return fail(EINVAL);
  timer->used = timer->armed = false;
  find_next();
  g_scheduler.watch_work();
  return 0;
}
