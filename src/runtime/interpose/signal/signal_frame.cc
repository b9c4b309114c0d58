// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/signal/signal_frame.h"

#include <string.h>

#include "src/runtime/fiber/handler_stack.h"

namespace jostle::rt {

uint64_t& mask_in(ucontext_t& context) { return *reinterpret_cast<uint64_t*>(&context.uc_sigmask); }

#if defined(__x86_64__)

namespace {

constexpr uintptr_t kRedZone = 128;
constexpr size_t kKernelContext = 304;  // glibc's structure is larger than the kernel's

// As the kernel lays it out; above it lies the floating-point state.
struct Frame {
  void (*returns_to)();
  alignas(8) char context[kKernelContext];
  siginfo_t info;
};

// With all that newer processors add, whose size the kernel notes in a reserved corner.
size_t floating_point_size(const void* state) {
  constexpr uint32_t kExtended = 0x46505853;
  uint32_t magic, size;
  memcpy(&magic, static_cast<const char*>(state) + 464, sizeof magic);
  memcpy(&size, static_cast<const char*>(state) + 468, sizeof size);
  return magic == kExtended ? size : 512;
}

}  // namespace

uintptr_t interrupted_at(const ucontext_t& context) {
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
}
uintptr_t interrupted_stack(const ucontext_t& context) {
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
}
void set_interrupted(ucontext_t& context, uintptr_t pc, uintptr_t stack) {
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(pc);
  context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(stack);
}

bool return_to_handler(int sig, siginfo_t* info, void* context, uintptr_t top, uintptr_t lowest,
                       SignalFunction function) {
  auto& kernels = *static_cast<ucontext_t*>(context);
  const void* state = kernels.uc_mcontext.fpregs;
  const size_t state_size = state ? floating_point_size(state) : 0;
  uintptr_t at = top ? top : interrupted_stack(kernels) - kRedZone;
  if (at < state_size + sizeof(Frame) + 128) return false;
  at = (at - state_size) & ~uintptr_t{63};
  const uintptr_t state_at = at;
  at = ((at - sizeof(Frame)) & ~uintptr_t{15}) - 8;  // as if a call had pushed where it returns to
  if (at < lowest) return false;

  auto& frame = *reinterpret_cast<Frame*>(at);
  if (state) memcpy(reinterpret_cast<void*>(state_at), state, state_size);
  frame.returns_to = jostle_sigreturn;
  memcpy(frame.context, context, kKernelContext);
  memcpy(&frame.info, info, sizeof frame.info);
  auto& copy = *reinterpret_cast<ucontext_t*>(frame.context);
  if (state) copy.uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(state_at);

  greg_t* const registers = kernels.uc_mcontext.gregs;
  set_interrupted(kernels, reinterpret_cast<uintptr_t>(function), at);
  registers[REG_RDI] = sig;
  registers[REG_RSI] = static_cast<greg_t>(reinterpret_cast<uintptr_t>(&frame.info));
  registers[REG_RDX] = static_cast<greg_t>(reinterpret_cast<uintptr_t>(frame.context));
  registers[REG_RAX] = 0;
  constexpr greg_t kDirection = 0x400, kTrap = 0x100, kResume = 0x10000;
  registers[REG_EFL] &= ~(kDirection | kTrap | kResume);
  return true;
}

#elif defined(__aarch64__)

namespace {

struct Frame {
  siginfo_t info;
  ucontext_t context;
};

struct FrameRecord {
  uint64_t fp, lr;
};

struct ExtraContext {
  uint32_t magic, size;  // 0, 0: the last
  uint64_t data;
  uint32_t data_size;
};

// Where the kernel put registers that the context has no room for; null: nowhere.
ExtraContext* extra_of(ucontext_t& context) {
  constexpr uint32_t kExtra = 0x45585401;
  auto* at = reinterpret_cast<char*>(context.uc_mcontext.__reserved);
  char* const end = at + sizeof context.uc_mcontext.__reserved;
  while (at + sizeof(ExtraContext) <= end) {
    auto* record = reinterpret_cast<ExtraContext*>(at);
    if (record->magic == 0 || record->size == 0) return nullptr;
    if (record->magic == kExtra) return record;
    at += record->size;
  }
  return nullptr;
}

}  // namespace

uintptr_t interrupted_at(const ucontext_t& context) { return context.uc_mcontext.pc; }
uintptr_t interrupted_stack(const ucontext_t& context) { return context.uc_mcontext.sp; }
void set_interrupted(ucontext_t& context, uintptr_t pc, uintptr_t stack) {
  context.uc_mcontext.pc = pc;
  context.uc_mcontext.sp = stack;
}

bool return_to_handler(int sig, siginfo_t* info, void* context, uintptr_t top, uintptr_t lowest,
                       SignalFunction function) {
  auto& kernels = *static_cast<ucontext_t*>(context);
  // The context and what follows it, in one piece.
  auto* const begin = reinterpret_cast<char*>(&kernels);
  size_t size = sizeof kernels;
  if (const ExtraContext* extra = extra_of(kernels)) {
    size = reinterpret_cast<char*>(extra->data) + extra->data_size - begin;
  }
  uintptr_t at = (top ? top : interrupted_stack(kernels)) & ~uintptr_t{15};
  if (at < size + sizeof(Frame)) return false;
  at -= sizeof(FrameRecord);
  auto& record = *reinterpret_cast<FrameRecord*>(at);
  at = (at - size - offsetof(Frame, context)) & ~uintptr_t{15};
  if (at < lowest) return false;

  auto& frame = *reinterpret_cast<Frame*>(at);
  record = {kernels.uc_mcontext.regs[29], kernels.uc_mcontext.regs[30]};
  memcpy(&frame.info, info, sizeof frame.info);
  memcpy(&frame.context, begin, size);
  if (ExtraContext* extra = extra_of(frame.context)) {
    extra->data += reinterpret_cast<char*>(&frame.context) - begin;
  }

  set_interrupted(kernels, reinterpret_cast<uintptr_t>(function), at);
  auto& registers = kernels.uc_mcontext.regs;
  registers[0] = static_cast<uint64_t>(sig);
  registers[1] = reinterpret_cast<uintptr_t>(&frame.info);
  registers[2] = reinterpret_cast<uintptr_t>(&frame.context);
  registers[29] = reinterpret_cast<uintptr_t>(&record);
  registers[30] = reinterpret_cast<uintptr_t>(jostle_sigreturn);
  return true;
}

#endif

}  // namespace jostle::rt
