// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/modules/system_call_sites.h"

#include <string.h>

#include "src/base/kept.h"
#include "src/runtime/modules/function_table.h"
#include "src/runtime/modules/patched_code.h"

#if defined(__x86_64__)

// Entered with all registers as they were at the instruction, and below the 128 bytes that a
// function may use under its stack pointer the address behind it. A system call keeps all registers
// but rax, rcx and r11.
asm(R"(
        .text
        .type   jostle_enter_system_call, @function
jostle_enter_system_call:
        .cfi_startproc
        .cfi_def_cfa %rsp, 136
        .cfi_offset %rip, -136
        pushfq
        .cfi_adjust_cfa_offset 8
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_offset %rbp, -152
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %rcx
        pushq   %rdx
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        pushq   %r11
        subq    $512, %rsp
        andq    $-16, %rsp
        fxsave64 (%rsp)
        pushq   16(%rbp)
        pushq   %r9
        movq    %r8, %r9
        movq    %r10, %r8
        movq    %rdx, %rcx
        movq    %rsi, %rdx
        movq    %rdi, %rsi
        movq    %rax, %rdi
        cld
        call    jostle_system_call
        addq    $16, %rsp
        fxrstor64 (%rsp)
        leaq    -64(%rbp), %rsp
        popq    %r11
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        popq    %rdx
        popq    %rcx
        popq    %rbp
        .cfi_def_cfa %rsp, 144
        popfq
        .cfi_adjust_cfa_offset -8
        ret     $128
        .cfi_endproc
        .size   jostle_enter_system_call, .-jostle_enter_system_call
)");
extern "C" JOSTLE_HIDDEN void jostle_enter_system_call();

namespace jostle::rt {
namespace {

constexpr uint8_t kSystemCall[] = {0x0f, 0x05};
constexpr uint8_t kBreakpoint = 0xcc;
constexpr size_t kMostSites = 256;
JOSTLE_KEPT uintptr_t g_sites[kMostSites];
JOSTLE_KEPT size_t g_site_count = 0;

size_t length_of_site(uintptr_t address) {
  for (size_t i = 0; i < g_site_count; ++i) {
    if (g_sites[i] == address) return sizeof kSystemCall;
  }
  return 0;
}

void set_breakpoint(uintptr_t address) {
  if (g_site_count == kMostSites || !write_code(address, &kBreakpoint, 1)) return;
  if (length_of_site(address) != 0) return;  // the library was loaded before
  g_sites[g_site_count++] = address;
}

}  // namespace

void take_over_system_calls(const dl_phdr_info& module, const char* name) {
  if (strncmp(name, "libgomp.so", 10) != 0 && strncmp(name, "libitm.so", 9) != 0) return;
  const FunctionTable functions(module);
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& header = module.dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_X)) continue;
    uintptr_t at = module.dlpi_addr + header.p_vaddr;
    const uintptr_t end = at + header.p_filesz;
    while (const void* found = memmem(reinterpret_cast<const void*>(at), end - at, kSystemCall,
                                      sizeof kSystemCall)) {
      const auto address = reinterpret_cast<uintptr_t>(found);
      if (begins_instruction(functions, address, length_of_site)) set_breakpoint(address);
      at = address + 1;
    }
  }
}

bool enter_system_call(ucontext_t& context) {
  const auto site = static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]) - 1;
  if (length_of_site(site) == 0) return false;
  enter_from_handler(context, jostle_enter_system_call, site + sizeof kSystemCall);
  return true;
}

}  // namespace jostle::rt

#else

namespace jostle::rt {

void take_over_system_calls(const dl_phdr_info&, const char*) {}
bool enter_system_call(ucontext_t&) { return false; }

}  // namespace jostle::rt

#endif
