// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/modules/atomic_sites.h"

#include "src/base/kept.h"
#include "src/runtime/modules/atomic_walk.h"
#include "src/runtime/modules/patched_code.h"

#if defined(__x86_64__)

namespace jostle::rt {
namespace {

struct AtomicSite {
  uintptr_t address;
  uint8_t first;
};
// Of all libraries together; who has more uses some.
constexpr size_t kMostAtomicSites = 1024;
constexpr uint8_t kNoInstruction = 0x06;  // in 64-bit mode
JOSTLE_KEPT AtomicSite g_atomic_sites[kMostAtomicSites];
JOSTLE_KEPT size_t g_atomic_site_count = 0;
JOSTLE_KEPT bool g_watches_atomics = false;

// Bytes between functions are data or code of which nothing is known.
bool is_in_function(const FunctionTable& functions, uintptr_t address) {
  const FunctionTable::Function function = functions.find(address);
  return function.begin != 0 && address < FunctionTable::end_of(function) &&
         begins_instruction(functions, address, [](uintptr_t) { return size_t{0}; });
}

void put_back(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    write_code(g_atomic_sites[i].address, &g_atomic_sites[i].first, 1);
  }
}

}  // namespace

bool note_atomic_sites(const dl_phdr_info& module, const FunctionTable& functions) {
  return each_atomic_instruction(module, [&](uintptr_t address) {
    if (g_atomic_site_count == kMostAtomicSites || !is_in_function(functions, address)) {
      return false;
    }
    const uint8_t first = *reinterpret_cast<const uint8_t*>(address);
    g_atomic_sites[g_atomic_site_count++] = {address, first};
    return true;
  });
}

void forget_atomic_sites() {
  unwatch_atomic_sites();
  g_atomic_site_count = 0;
}

bool watch_atomic_sites() {
  for (size_t i = 0; i < g_atomic_site_count; ++i) {
    if (write_code(g_atomic_sites[i].address, &kNoInstruction, 1)) continue;
    put_back(i);
    return false;
  }
  g_watches_atomics = true;
  return true;
}

void unwatch_atomic_sites() {
  if (g_watches_atomics) put_back(g_atomic_site_count);
  g_watches_atomics = false;
}

bool atomic_site_runs(const ucontext_t& context) {
  const auto address = static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  for (size_t i = 0; i < g_atomic_site_count; ++i) {
    if (g_atomic_sites[i].address != address) continue;
    // A thread that nobody controls may come here when they have just been put back.
    unwatch_atomic_sites();
    return true;
  }
  return false;
}

}  // namespace jostle::rt

#else

namespace jostle::rt {

bool note_atomic_sites(const dl_phdr_info&, const FunctionTable&) { return false; }
void forget_atomic_sites() {}
bool watch_atomic_sites() { return false; }
void unwatch_atomic_sites() {}
bool atomic_site_runs(const ucontext_t&) { return false; }

}  // namespace jostle::rt

#endif
