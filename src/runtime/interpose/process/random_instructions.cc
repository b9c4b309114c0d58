// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/process/random_instructions.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "src/base/kept.h"
#include "src/base/raw_syscall.h"
#include "src/base/x86_length.h"
#include "src/runtime/interpose/process/random_numbers.h"
#include "src/runtime/modules/function_table.h"

#if defined(__x86_64__)

namespace jostle::rt {
namespace {

constexpr uint8_t kOpcode[] = {0x0f, 0xc7};
constexpr uint8_t kInvalid[] = {0x0f, 0x0b};  // ud2
constexpr size_t kMostPrefixes = 2;           // of the operand's size, of the register's number
constexpr uintptr_t kPage = 4096;

struct Site {
  uintptr_t address;
  uint8_t length, width, target;  // the register that is written, as instructions number them
};
constexpr size_t kMostSites = 256;
JOSTLE_KEPT Site g_sites[kMostSites];
JOSTLE_KEPT size_t g_site_count = 0;

// In the order of their numbers.
constexpr int kRegisters[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15};

const Site* site_at(uintptr_t address) {
  for (size_t i = 0; i < g_site_count; ++i) {
    if (g_sites[i].address == address) return &g_sites[i];
  }
  return nullptr;
}

// Does an instruction of the function around it begin at `address`? The same bytes may be a part of
// another one.
bool begins_instruction(const FunctionTable& functions, uintptr_t address) {
  uintptr_t at = functions.find(address).begin;
  while (at != 0 && at < address) {
    const Site* done = site_at(at);
    const size_t length =
        done ? done->length : x86_length(reinterpret_cast<const uint8_t*>(at), address + 16 - at);
    if (length == 0) return false;
    at += length;
  }
  return at == address;
}

// The instruction with this opcode, and its prefixes in front of it; of length 0 if it is no such
// instruction, or the bytes belong to another.
Site site_around(const FunctionTable& functions, uintptr_t opcode) {
  const uint8_t operand = *reinterpret_cast<const uint8_t*>(opcode + sizeof kOpcode);
  constexpr uint8_t kRandom = 6, kSeed = 7;
  const uint8_t which = operand >> 3 & 7;
  if (operand >> 6 != 3 || (which != kRandom && which != kSeed)) return {};
  for (size_t prefixes = 0; prefixes <= kMostPrefixes; ++prefixes) {
    const uintptr_t begin = opcode - prefixes;
    if (!begins_instruction(functions, begin)) continue;
    Site site = {begin, static_cast<uint8_t>(prefixes + 3), 4, static_cast<uint8_t>(operand & 7)};
    for (uintptr_t at = begin; at < opcode; ++at) {
      const uint8_t prefix = *reinterpret_cast<const uint8_t*>(at);
      if (prefix == 0x66) {
        site.width = 2;
      } else if ((prefix & 0xf0) == 0x40) {
        if (prefix & 8) site.width = 8;
        if (prefix & 1) site.target |= 8;
      } else {
        return {};
      }
    }
    return site;
  }
  return {};
}

void make_invalid(const Site& site) {
  if (g_site_count == kMostSites || site_at(site.address)) return;
  const auto page = static_cast<long>(site.address & ~(kPage - 1));
  const long size = static_cast<long>(site.address + sizeof kInvalid) - page;
  if (raw_syscall(SYS_mprotect, page, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  memcpy(reinterpret_cast<void*>(site.address), kInvalid, sizeof kInvalid);
  raw_syscall(SYS_mprotect, page, size, PROT_READ | PROT_EXEC);
  g_sites[g_site_count++] = site;
}

int look_through(dl_phdr_info* module, size_t, void*) {
  const FunctionTable functions(*module);
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const auto& header = module->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_X) || header.p_filesz < 16) continue;
    uintptr_t at = module->dlpi_addr + header.p_vaddr;
    const uintptr_t end = at + header.p_filesz - 1;  // the operand is inside, too
    while (const void* found =
               memmem(reinterpret_cast<const void*>(at), end - at, kOpcode, sizeof kOpcode)) {
      const auto opcode = reinterpret_cast<uintptr_t>(found);
      const Site site = site_around(functions, opcode);
      if (site.length != 0) make_invalid(site);
      at = opcode + 1;
    }
  }
  return 0;
}

}  // namespace

void take_over_random_instructions() { dl_iterate_phdr(look_through, nullptr); }

bool execute_random_instruction(ucontext_t& context) {
  auto& registers = context.uc_mcontext.gregs;
  const Site* site = site_at(static_cast<uintptr_t>(registers[REG_RIP]));
  if (!site) return false;
  greg_t& target = registers[kRegisters[site->target]];
  uint64_t number = 0;
  fill_with_random(&number, site->width);
  // Sixteen bits leave the others of the register as they are, thirty-two clear them.
  const uint64_t kept = site->width == 2 ? static_cast<uint64_t>(target) & ~uint64_t{0xffff} : 0;
  target = static_cast<greg_t>(kept | number);
  constexpr greg_t kCarry = 1, kOthers = 0x8d4;  // there was a number; the rest is cleared
  registers[REG_EFL] = (registers[REG_EFL] & ~kOthers) | kCarry;
  registers[REG_RIP] += site->length;
  return true;
}

}  // namespace jostle::rt

#else

namespace jostle::rt {

void take_over_random_instructions() {}
bool execute_random_instruction(ucontext_t&) { return false; }

}  // namespace jostle::rt

#endif
