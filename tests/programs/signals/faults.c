// Handlers of faults, and the stacks that handlers run on: each on its thread's own, or on the
// alternate stack that the thread has set, with the truth about what was interrupted.
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "cases.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static __thread sigjmp_buf target;
static __thread volatile int runs;
static sem_t arrived, handled;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void on_information(int sig, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action = {0};
  action.sa_sigaction = handler;
  action.sa_flags = flags | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  CHECK_OK(sigaction(sig, &action, NULL));
}

static int is_blocked(int sig) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  return sigismember(&mask, sig);
}

static void jump(int sig) {
  (void)sig;
  ++runs;
  siglongjmp(target, 1);
}

static void write_to(volatile int* address) { *address = 1; }
static int* volatile nowhere = NULL;

// ---- jumping out

static void* fault_three_times(void* unused) {
  runs = 0;
  for (volatile int i = 0; i < 3; i = i + 1) {
    if (sigsetjmp(target, 1) == 0) write_to(nowhere);
    CHECK_EQ(is_blocked(SIGSEGV), 0);
  }
  CHECK_EQ(runs, 3);
  return unused;
}
static void jump_out(void) {
  on_signal(SIGSEGV, jump, 0);
  const pthread_t one = start(fault_three_times), other = start(fault_three_times);
  fault_three_times(NULL);
  join(one);
  join(other);
}
static void jump_out_undeferred(void) {
  on_signal(SIGSEGV, jump, SA_NODEFER);
  const pthread_t one = start(fault_three_times), other = start(fault_three_times);
  join(one);
  join(other);
}

enum { kStackSize = 128 * 1024 };

static char* set_stack(int flags) {
  stack_t stack = {0};
  stack.ss_size = kStackSize;
  stack.ss_sp = malloc(kStackSize);
  stack.ss_flags = flags;
  CHECK_OK(sigaltstack(&stack, NULL));
  return stack.ss_sp;
}
static void drop_stack(char* stack) {
  stack_t none = {0};
  none.ss_flags = SS_DISABLE;
  CHECK_OK(sigaltstack(&none, NULL));
  free(stack);
}
static void* fault_with_stack(void* unused) {
  char* const stack = set_stack(0);
  fault_three_times(NULL);
  drop_stack(stack);
  return unused;
}
static void jump_out_alternate(void) {
  on_signal(SIGSEGV, jump, SA_NODEFER | SA_ONSTACK);
  const pthread_t one = start(fault_with_stack), other = start(fault_with_stack);
  fault_with_stack(NULL);
  join(one);
  join(other);
}

// ---- two threads in their handlers at once

static pthread_barrier_t barrier;
static void meet_in_handler(int sig) {
  volatile char locals[512];
  (void)sig;
  for (int i = 0; i < 512; ++i) locals[i] = (char)(uintptr_t)locals;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < 512; ++i) CHECK_EQ(locals[i], (char)(uintptr_t)locals);
  pthread_barrier_wait(&barrier);
  siglongjmp(target, 1);
}
static void* fault_once(void* unused) {
  if (sigsetjmp(target, 1) == 0) write_to(nowhere);
  return unused;
}
static void two_at_once(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  on_signal(SIGSEGV, meet_in_handler, 0);
  const pthread_t one = start(fault_once), other = start(fault_once);
  join(one);
  join(other);
}

// ---- repairing the cause

static char* page;

static void make_accessible(int sig, siginfo_t* info, void* context) {
  (void)sig;
  (void)context;
  ++runs;
  CHECK_EQ(info->si_code, SEGV_ACCERR);
  CHECK(info->si_addr == page + 8);
  CHECK_OK(mprotect(page, 4096, PROT_READ | PROT_WRITE));
}
static void map_page(int protection) {
  page = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
}
static void repair_and_return(void) {
  runs = 0;
  map_page(PROT_READ);
  on_information(SIGSEGV, make_accessible, 0);
  double sum = 0;  // what the handler must not touch
  for (int i = 0; i < 10; ++i) {
    sum += i * 0.5;
    if (i == 5) write_to((int*)(page + 8));
  }
  CHECK_EQ((int)(sum * 10), 225);
  CHECK_EQ(*(int*)(page + 8), 1);
  CHECK_EQ(runs, 1);
  munmap(page, 4096);
}
static void* repair_in_thread(void* unused) {
  repair_and_return();
  return unused;
}
static void repair_in_a_thread(void) { join(start(repair_in_thread)); }

// ---- what the handler is told, and what it changes

static void* told_address;
static int told_code;
static void tell_and_jump(int sig, siginfo_t* info, void* context) {
  (void)context;
  CHECK_EQ(info->si_signo, sig);
  told_address = info->si_addr;
  told_code = info->si_code;
  siglongjmp(target, 1);
}
static void address_and_code(void) {
  on_information(SIGSEGV, tell_and_jump, 0);
  map_page(PROT_NONE);
  if (sigsetjmp(target, 1) == 0) write_to((int*)(page + 12));
  CHECK(told_address == page + 12);
  CHECK_EQ(told_code, SEGV_ACCERR);
  munmap(page, 4096);
  if (sigsetjmp(target, 1) == 0) write_to((int*)(page + 16));
  CHECK(told_address == page + 16);
  CHECK_EQ(told_code, SEGV_MAPERR);
}
static void behind_the_end_of_a_file(void) {
  on_information(SIGBUS, tell_and_jump, 0);
  const int fd = memfd_create("empty", 0);
  char* const mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(mapped != MAP_FAILED);
  if (sigsetjmp(target, 1) == 0) write_to((int*)mapped);
  CHECK(told_address == mapped);
  CHECK_EQ(told_code, BUS_ADRERR);
  munmap(mapped, 4096);
  close(fd);
}

#if defined(__x86_64__)
#define PC(context) ((context)->uc_mcontext.gregs[REG_RIP])
enum { kUndefinedSize = 2, kTrapSize = 0 };
static void undefined_instruction(void) { asm volatile("ud2"); }
static void trap_instruction(void) { asm volatile("int3"); }
static int load_through_register(int* address) {
  int value;
  asm volatile("movl (%%rcx), %0" : "=r"(value) : "c"(address));
  return value;
}
static void set_register(ucontext_t* context, int* address) {
  context->uc_mcontext.gregs[REG_RCX] = (greg_t)address;
}
#else
#define PC(context) ((context)->uc_mcontext.pc)
enum { kUndefinedSize = 4, kTrapSize = 4 };
static void undefined_instruction(void) { asm volatile(".inst 0"); }
static void trap_instruction(void) { asm volatile("brk #0"); }
static int load_through_register(int* address) {
  register int* x9 asm("x9") = address;
  int value;
  asm volatile("ldr %w0, [x9]" : "=r"(value) : "r"(x9));
  return value;
}
static void set_register(ucontext_t* context, int* address) {
  context->uc_mcontext.regs[9] = (uintptr_t)address;
}
#endif

static void skip(int sig, siginfo_t* info, void* context) {
  (void)info;
  ++runs;
  PC((ucontext_t*)context) += sig == SIGILL ? kUndefinedSize : kTrapSize;
}
static void skip_instructions(void) {
  runs = 0;
  on_information(SIGILL, skip, 0);
  on_information(SIGTRAP, skip, 0);
  undefined_instruction();
  CHECK_EQ(runs, 1);
  trap_instruction();
  undefined_instruction();
  CHECK_EQ(runs, 3);
}
static int somewhere = 42;
static void point_somewhere(int sig, siginfo_t* info, void* context) {
  (void)sig;
  (void)info;
  set_register(context, &somewhere);
}
static void change_a_register(void) {
  on_information(SIGSEGV, point_somewhere, 0);
  CHECK_EQ(load_through_register(NULL), 42);
}

static void divide(void) {
#if defined(__x86_64__)
  asm volatile("xorl %%ecx, %%ecx; idivl %%ecx" : : : "eax", "ecx", "edx", "cc");
#else
  raise(SIGFPE);
#endif
}
static void division_by_zero(void) {
  on_signal(SIGFPE, jump, 0);
  runs = 0;
  if (sigsetjmp(target, 1) == 0) divide();
  CHECK_EQ(runs, 1);
}

// ---- masks

static void check_mask(int sig, siginfo_t* info, void* context) {
  ucontext_t* const interrupted = context;
  (void)info;
  ++runs;
  CHECK_EQ(is_blocked(sig), 1);
  CHECK_EQ(is_blocked(SIGUSR2), 1);  // by sa_mask
  CHECK_EQ(is_blocked(SIGUSR1), 0);
  CHECK_EQ(sigismember(&interrupted->uc_sigmask, SIGUSR2), 0);
  sigaddset(&interrupted->uc_sigmask, SIGUSR1);  // blocked from here on
  if (sig == SIGILL) PC(interrupted) += kUndefinedSize;
}
static void masks_with(int sig, void (*cause)(void)) {
  struct sigaction action = {0};
  action.sa_sigaction = check_mask;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGUSR2);
  CHECK_OK(sigaction(sig, &action, NULL));
  runs = 0;
  cause();
  CHECK_EQ(runs, 1);
  CHECK_EQ(is_blocked(sig), 0);
  CHECK_EQ(is_blocked(SIGUSR2), 0);
  CHECK_EQ(is_blocked(SIGUSR1), 1);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
static void raise_window(void) { raise(SIGWINCH); }
static void masks_of_a_fault(void) { masks_with(SIGILL, undefined_instruction); }
static void masks_of_a_signal(void) { masks_with(SIGWINCH, raise_window); }

static void block(int how, int sig) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, sig);
  pthread_sigmask(how, &set, NULL);
}
static void jumps_and_masks(void) {
  sigjmp_buf here;
  block(SIG_BLOCK, SIGUSR2);
  if (sigsetjmp(here, 1) == 0) {
    block(SIG_UNBLOCK, SIGUSR2);
    block(SIG_BLOCK, SIGUSR1);
    siglongjmp(here, 1);
  }
  CHECK_EQ(is_blocked(SIGUSR2), 1);  // as it was saved
  CHECK_EQ(is_blocked(SIGUSR1), 0);
  if (setjmp(here) == 0) {
    block(SIG_UNBLOCK, SIGUSR2);
    longjmp(here, 1);
  }
  CHECK_EQ(is_blocked(SIGUSR2), 0);  // as it is
  // What is pending is handled before the jump is over.
  on_signal(SIGUSR1, jump, 0);
  runs = 0;
  if (sigsetjmp(here, 1) == 0) {
    block(SIG_BLOCK, SIGUSR1);
    raise(SIGUSR1);
    CHECK_EQ(runs, 0);
    if (sigsetjmp(target, 0) == 0) siglongjmp(here, 1);
    CHECK_EQ(runs, 1);
    siglongjmp(here, 1);
  }
  CHECK_EQ(is_blocked(SIGUSR1), 0);
  // Out of a handler without a mask: its own stays.
  if (sigsetjmp(target, 0) == 0) raise(SIGUSR1);
  CHECK_EQ(is_blocked(SIGUSR1), 1);
  block(SIG_UNBLOCK, SIGUSR1);
}

static void fault_again(int sig) {
  (void)sig;
  if (++runs < 3) write_to(nowhere);
  siglongjmp(target, 1);
}
static void faults_in_faults(void) {
  on_signal(SIGSEGV, fault_again, SA_NODEFER);
  runs = 0;
  if (sigsetjmp(target, 1) == 0) write_to(nowhere);
  CHECK_EQ(runs, 3);
}
static void is_reset(int sig) {
  struct sigaction now;
  CHECK_OK(sigaction(sig, NULL, &now));
  CHECK(now.sa_handler == SIG_DFL);
  siglongjmp(target, 1);
}
static void reset_by_the_first(void) {
  on_signal(SIGSEGV, is_reset, (int)SA_RESETHAND);
  if (sigsetjmp(target, 1) == 0) write_to(nowhere);
  on_signal(SIGUSR1, is_reset, (int)SA_RESETHAND);
  if (sigsetjmp(target, 1) == 0) raise(SIGUSR1);
}
static void sent_not_caused(void) {
  on_signal(SIGSEGV, jump, 0);
  runs = 0;
  if (sigsetjmp(target, 1) == 0) raise(SIGSEGV);
  if (sigsetjmp(target, 1) == 0) pthread_kill(pthread_self(), SIGSEGV);
  CHECK_EQ(runs, 2);
}

// ---- which stack

static char* stack_of_thread;
static char* alternate;
static size_t size_of_stack;

static int lies_in(const volatile void* address, const char* stack, size_t size) {
  return (const char*)address >= stack && (const char*)address < stack + size;
}
static void learn_stack(void) {
  pthread_attr_t attributes;
  CHECK_RC(pthread_getattr_np(pthread_self(), &attributes), 0);
  void* lowest;
  CHECK_RC(pthread_attr_getstack(&attributes, &lowest, &size_of_stack), 0);
  stack_of_thread = lowest;
  pthread_attr_destroy(&attributes);
}
static void on_own_stack(int sig) {
  volatile int local = sig;
  stack_t now;
  CHECK(lies_in(&local, stack_of_thread, size_of_stack));
  CHECK_OK(sigaltstack(NULL, &now));
  CHECK_EQ(now.ss_flags & SS_ONSTACK, 0);
  ++runs;
  if (sig == SIGSEGV) siglongjmp(target, 1);
}
static void on_alternate_stack(int sig) {
  volatile int local = sig;
  stack_t now;
  CHECK(lies_in(&local, alternate, kStackSize));
  CHECK_OK(sigaltstack(NULL, &now));
  CHECK_EQ(now.ss_flags, SS_ONSTACK);
  CHECK(now.ss_sp == alternate);
  CHECK_ERRNO(sigaltstack(&now, NULL), EPERM);
  ++runs;
  if (sig == SIGUSR1) raise(SIGUSR2);  // on the same stack, further down
  if (sig == SIGSEGV) siglongjmp(target, 1);
}
static void* run_all_kinds(void* unused) {
  learn_stack();
  alternate = set_stack(0);
  on_signal(SIGSEGV, on_own_stack, 0);
  on_signal(SIGUSR1, on_own_stack, 0);
  runs = 0;
  raise(SIGUSR1);
  if (sigsetjmp(target, 1) == 0) write_to(nowhere);
  CHECK_EQ(runs, 2);
  on_signal(SIGSEGV, on_alternate_stack, SA_ONSTACK);
  on_signal(SIGUSR1, on_alternate_stack, SA_ONSTACK);
  on_signal(SIGUSR2, on_alternate_stack, SA_ONSTACK);
  raise(SIGUSR1);
  if (sigsetjmp(target, 1) == 0) write_to(nowhere);
  CHECK_EQ(runs, 5);
  drop_stack(alternate);
  on_signal(SIGUSR1, on_own_stack, SA_ONSTACK);
  raise(SIGUSR1);
  CHECK_EQ(runs, 6);
  return unused;
}
static void stacks_of_main(void) { run_all_kinds(NULL); }
static void stacks_of_a_thread(void) { join(start(run_all_kinds)); }

// A thread that waits runs its handler there, too, and other threads meanwhile.
static void wait_on_alternate_stack(int sig) {
  volatile int local = sig;
  CHECK(lies_in(&local, alternate, kStackSize));
  sem_post(&handled);
  nap();
  CHECK_EQ(local, sig);
}
static void* lock_with_stack(void* unused) {
  alternate = set_stack(0);
  sem_post(&arrived);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  drop_stack(alternate);
  return unused;
}
static void stack_of_a_waiting_thread(void) {
  sem_init(&arrived, 0, 0);
  sem_init(&handled, 0, 0);
  on_signal(SIGUSR1, wait_on_alternate_stack, SA_ONSTACK);
  pthread_mutex_lock(&mutex);
  const pthread_t thread = start(lock_with_stack);
  take(&arrived);
  nap();
  CHECK_RC(pthread_kill(thread, SIGUSR1), 0);
  take(&handled);
  pthread_mutex_unlock(&mutex);
  join(thread);
}
static void end_on_alternate_stack(int sig) {
  volatile int local = sig;
  CHECK(lies_in(&local, alternate, kStackSize));
  pthread_exit((void*)3);
}
static void free_stack(void* stack) { drop_stack(stack); }
static void* lock_and_end(void* unused) {
  alternate = set_stack(0);
  pthread_cleanup_push(free_stack, alternate);
  sem_post(&arrived);
  pthread_mutex_lock(&mutex);
  pthread_cleanup_pop(0);
  return unused;
}
static void* fault_and_end(void* unused) {
  alternate = set_stack(0);
  pthread_cleanup_push(free_stack, alternate);
  write_to(nowhere);
  pthread_cleanup_pop(0);
  return unused;
}
static void end_thread_on_alternate_stack(void) {
  sem_init(&arrived, 0, 0);
  on_signal(SIGUSR1, end_on_alternate_stack, SA_ONSTACK);
  on_signal(SIGSEGV, end_on_alternate_stack, SA_ONSTACK);
  pthread_mutex_lock(&mutex);
  const pthread_t thread = start(lock_and_end);
  take(&arrived);
  CHECK_RC(pthread_kill(thread, SIGUSR1), 0);
  CHECK_EQ((long)join(thread), 3);
  pthread_mutex_unlock(&mutex);
  CHECK_EQ((long)join(start(fault_and_end)), 3);
}

static void stack_disarms_itself_handler(int sig) {
  volatile int local = sig;
  stack_t now;
  CHECK(lies_in(&local, alternate, kStackSize));
  CHECK_OK(sigaltstack(NULL, &now));
  CHECK_EQ(now.ss_flags, SS_DISABLE);
  ++runs;
}
static void stack_disarms_itself(void) {
  stack_t now;
  alternate = set_stack((int)SS_AUTODISARM);
  on_signal(SIGUSR1, stack_disarms_itself_handler, SA_ONSTACK);
  runs = 0;
  raise(SIGUSR1);
  raise(SIGUSR1);
  CHECK_EQ(runs, 2);
  CHECK_OK(sigaltstack(NULL, &now));
  CHECK_EQ(now.ss_flags, (int)SS_AUTODISARM);
  drop_stack(alternate);
}
static void stack_errors(void) {
  stack_t stack = {0};
  static char small[1024];
  stack.ss_sp = small;
  stack.ss_size = sizeof small;
  CHECK_ERRNO(sigaltstack(&stack, NULL), ENOMEM);
  stack.ss_size = kStackSize;
  stack.ss_flags = 0x40;
  CHECK_ERRNO(sigaltstack(&stack, NULL), EINVAL);
  CHECK_OK(sigaltstack(NULL, &stack));
  CHECK_EQ(stack.ss_flags, SS_DISABLE);
}

// ---- a stack that overflows

static volatile int depth;
__attribute__((noinline)) static int dive(int n) {
  volatile char block[4096];
  depth = n;
  block[n % 4096] = 1;
  if (n == 1000000) return 0;
  return dive(n + 1) + block[0];
}
static void* overflow(void* unused) {
  char* const stack = set_stack(0);
  runs = 0;
  for (volatile int i = 0; i < 2; i = i + 1) {
    if (sigsetjmp(target, 1) == 0) dive(0);
  }
  CHECK_EQ(runs, 2);
  CHECK(depth > 10);
  drop_stack(stack);
  return unused;
}
static void overflowing_stack(void) {
  on_signal(SIGSEGV, jump, SA_ONSTACK);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread;
  CHECK_RC(pthread_create(&thread, &attributes, overflow, NULL), 0);
  join(thread);
}

// ---- abort

static void abort_is_caught(void) {
  on_signal(SIGABRT, jump, 0);
  runs = 0;
  if (sigsetjmp(target, 1) == 0) abort();
  CHECK_EQ(runs, 1);
  sigset_t set;  // it is let through although it is blocked
  sigemptyset(&set);
  sigaddset(&set, SIGABRT);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (sigsetjmp(target, 0) == 0) abort();
  CHECK_EQ(runs, 2);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
static void* abort_in_thread(void* unused) {
  runs = 0;
  if (sigsetjmp(target, 1) == 0) abort();
  CHECK_EQ(runs, 1);
  return unused;
}
static void abort_in_two_threads(void) {
  on_signal(SIGABRT, jump, 0);
  const pthread_t one = start(abort_in_thread), other = start(abort_in_thread);
  join(one);
  join(other);
}

// ---- several signals at once: the kernel sets up the lowest first, so that the highest runs first

static volatile int order[8], order_count;  // written by handlers
static void note_order(int sig, siginfo_t* info, void* context) {
  (void)context;
  order[order_count++] = sig * 100 + (info->si_code == SI_QUEUE ? info->si_value.sival_int : 0);
}
static void several_at_once(void) {
  const int sigs[] = {SIGUSR1, SIGUSR2, SIGRTMIN};
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < 3; ++i) {
    on_information(sigs[i], note_order, 0);
    sigaddset(&set, sigs[i]);
  }
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  for (int i = 1; i <= 2; ++i) {
    const union sigval value = {.sival_int = i};
    CHECK_OK(sigqueue(getpid(), SIGRTMIN, value));
    raise(SIGUSR2);  // does not queue
    raise(SIGUSR1);
  }
  order_count = 0;
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  for (int i = 0; i < order_count; ++i) printf("%d ", order[i]);
}
static void ignored_while_pending(void) {
  sigset_t set, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  on_signal(SIGUSR1, jump, 0);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  raise(SIGUSR1);
  CHECK_OK(sigpending(&pending));
  CHECK_EQ(sigismember(&pending, SIGUSR1), 1);
  on_signal(SIGUSR1, SIG_IGN, 0);
  CHECK_OK(sigpending(&pending));
  CHECK_EQ(sigismember(&pending, SIGUSR1), 0);
  on_signal(SIGUSR1, jump, 0);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static const Case cases[] = {
    CASE(jump_out),
    CASE(jump_out_undeferred),
    CASE(jump_out_alternate),
    CASE(two_at_once),
    CASE(repair_and_return),
    CASE(repair_in_a_thread),
    CASE(address_and_code),
    CASE(behind_the_end_of_a_file),
    CASE(skip_instructions),
    CASE(change_a_register),
    CASE(division_by_zero),
    CASE(masks_of_a_fault),
    CASE(masks_of_a_signal),
    CASE(jumps_and_masks),
    CASE(faults_in_faults),
    CASE(reset_by_the_first),
    CASE(sent_not_caused),
    CASE(stacks_of_main),
    CASE(stacks_of_a_thread),
    CASE(stack_of_a_waiting_thread),
    CASE(end_thread_on_alternate_stack),
    CASE(stack_disarms_itself),
    CASE(stack_errors),
    CASE(overflowing_stack),
    CASE(abort_is_caught),
    CASE(abort_in_two_threads),
    CASE(several_at_once),
    CASE(ignored_while_pending),
};

int main(int argc, char** argv) { return RUN_CASES("faults", cases, argc, argv); }

// SPDX-License-Identifier: Apache-2.0
