// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/process/processor_sites.h"

#include <link.h>
#include <string.h>

#include "src/base/kept.h"
#include "src/runtime/interpose/process/processor_counter.h"
#include "src/runtime/interpose/process/random_numbers.h"
#include "src/runtime/modules/function_table.h"
#include "src/runtime/modules/patched_code.h"

#if defined(__x86_64__)
#include <emmintrin.h>

#include <bit>

namespace jostle::rt {
namespace {

constexpr uint8_t kInvalid[] = {0x0f, 0x0b};  // ud2

enum class Wanted : uint8_t { nothing, number, counter, counter_and_processor };

struct Site {
  uintptr_t address = 0;
  Wanted wanted = Wanted::nothing;
  uint8_t length = 0;
  uint8_t width = 4,
          target = 0;  // of a number: its bytes; the register, as instructions count them
};
constexpr size_t kMostSites = 1024;
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

size_t length_of_site(uintptr_t address) {
  const Site* const site = site_at(address);
  return site ? site->length : 0;
}

uint8_t byte_at(uintptr_t address) { return *reinterpret_cast<const uint8_t*>(address); }

// rdrand or rdseed, of which the second byte is at `opcode + 1`, and the prefixes in front of it.
Site number_around(const FunctionTable& functions, uintptr_t opcode) {
  const uint8_t operand = byte_at(opcode + 2);
  constexpr uint8_t kRandom = 6, kSeed = 7;
  constexpr size_t kMostPrefixes = 2;  // of the operand's size, of the register's number
  const uint8_t which = operand >> 3 & 7;
  if (operand >> 6 != 3 || (which != kRandom && which != kSeed)) return {};
  for (size_t prefixes = 0; prefixes <= kMostPrefixes; ++prefixes) {
    const uintptr_t begin = opcode - prefixes;
    if (!begins_instruction(functions, begin, length_of_site)) continue;
    Site site = {begin, Wanted::number, static_cast<uint8_t>(prefixes + 3)};
    site.target = operand & 7;
    for (uintptr_t at = begin; at < opcode; ++at) {
      const uint8_t prefix = byte_at(at);
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

// The instruction whose opcode begins here; it wants nothing if there is none, or if the bytes
// belong to another.
Site site_around(const FunctionTable& functions, uintptr_t opcode) {
  const uint8_t second = byte_at(opcode + 1);
  if (second == 0xc7) return number_around(functions, opcode);
  const bool reads_processor = second == 0x01 && byte_at(opcode + 2) == 0xf9;  // rdtscp
  if (second != 0x31 && !reads_processor) return {};
  static const bool can = can_read_counter();
  if (!can || !begins_instruction(functions, opcode, length_of_site)) return {};
  if (reads_processor) return {opcode, Wanted::counter_and_processor, 3};
  return {opcode, Wanted::counter, 2};
}

void make_invalid(const Site& site) {
  size_t place = 0;  // that of a library that was here before, or a new one
  while (place < g_site_count && g_sites[place].address != site.address) ++place;
  if (place == kMostSites || !write_code(site.address, kInvalid, sizeof kInvalid)) return;
  g_sites[place] = site;
  if (place == g_site_count) ++g_site_count;
}

// Of libc, the loader and the kernel's part of the process we use what they are; their functions
// are hooks. The libraries for numbers and for unwinding read neither the counter nor random
// numbers.
bool is_left_alone(const dl_phdr_info& module) {
  const char* slash = strrchr(module.dlpi_name, '/');
  const char* name = slash ? slash + 1 : module.dlpi_name;
  constexpr const char* kLeftAlone[] = {"libc.so",    "ld-linux", "linux-vdso", "libjostle.so",
                                        "libtsan.so", "libm.so",  "libgcc_s.so"};
  for (const char* prefix : kLeftAlone) {
    if (strncmp(name, prefix, strlen(prefix)) == 0) return true;
  }
  return false;
}

// The next place before `end` that may be an opcode; behind it are two bytes more. Every process
// reads all code of its libraries here, some megabytes: sixteen bytes at a time.
uintptr_t next_opcode(uintptr_t at, uintptr_t end) {
  constexpr size_t kStep = sizeof(__m128i);
  const __m128i first = _mm_set1_epi8(0x0f);
  const __m128i seconds[] = {_mm_set1_epi8(char(0xc7)), _mm_set1_epi8(0x31), _mm_set1_epi8(0x01)};
  for (; at + kStep <= end; at += kStep) {
    const __m128i one = _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(at));
    const __m128i next = _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(at + 1));
    __m128i is_second = _mm_cmpeq_epi8(next, seconds[0]);
    is_second = _mm_or_si128(is_second, _mm_cmpeq_epi8(next, seconds[1]));
    is_second = _mm_or_si128(is_second, _mm_cmpeq_epi8(next, seconds[2]));
    const __m128i found = _mm_and_si128(_mm_cmpeq_epi8(one, first), is_second);
    const auto places = static_cast<unsigned>(_mm_movemask_epi8(found));
    if (places != 0) return at + static_cast<unsigned>(std::countr_zero(places));
  }
  while (at < end && *reinterpret_cast<const uint8_t*>(at) != 0x0f) ++at;
  return at;
}

int look_through(dl_phdr_info* module, size_t, void*) {
  if (is_left_alone(*module)) return 0;
  const FunctionTable functions(*module);
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const auto& header = module->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_X) || header.p_filesz < 3) continue;
    uintptr_t at = module->dlpi_addr + header.p_vaddr;
    const uintptr_t end = at + header.p_filesz - 2;  // the third byte is inside, too
    for (; (at = next_opcode(at, end)) < end; ++at) {
      const Site site = site_around(functions, at);
      if (site.wanted != Wanted::nothing) make_invalid(site);
    }
  }
  return 0;
}

void give_number(const Site& site, gregset_t& registers) {
  greg_t& target = registers[kRegisters[site.target]];
  uint64_t number = 0;
  fill_with_random(&number, site.width);
  // Sixteen bits leave the others of the register as they are, thirty-two clear them.
  const uint64_t kept = site.width == 2 ? static_cast<uint64_t>(target) & ~uint64_t{0xffff} : 0;
  target = static_cast<greg_t>(kept | number);
  constexpr greg_t kCarry = 1, kOthers = 0x8d4;  // there was a number; the rest is cleared
  registers[REG_EFL] = (registers[REG_EFL] & ~kOthers) | kCarry;
  registers[REG_RIP] += site.length;
}

}  // namespace

void take_over_processor_sites() { dl_iterate_phdr(look_through, nullptr); }

bool execute_processor_site(ucontext_t& context) {
  auto& registers = context.uc_mcontext.gregs;
  const Site* site = site_at(static_cast<uintptr_t>(registers[REG_RIP]));
  if (!site) return false;
  if (site->wanted == Wanted::number) {
    give_number(*site, registers);
    return true;
  }
  if (site->wanted == Wanted::counter_and_processor) registers[REG_RCX] = 0;
  go_on_with_counter(context, site->address + site->length);
  return true;
}

}  // namespace jostle::rt

#else

namespace jostle::rt {

void take_over_processor_sites() {}
bool execute_processor_site(ucontext_t&) { return false; }

}  // namespace jostle::rt

#endif
