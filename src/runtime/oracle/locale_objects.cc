// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/oracle/locale_objects.h"

#include <dlfcn.h>
#include <string.h>

#include "src/base/kept.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/memory/safe_read.h"
#include "src/runtime/modules/modules.h"

namespace jostle::rt {
namespace {

// _M_cache(std::locale const&) of __numpunct_cache and __moneypunct_cache: their texts are blocks
// of their own.
constexpr const char* kFillsCache[] = {
    "_ZNSt16__numpunct_cacheIcE8_M_cacheERKSt6locale",
    "_ZNSt16__numpunct_cacheIwE8_M_cacheERKSt6locale",
    "_ZNSt18__moneypunct_cacheIcLb0EE8_M_cacheERKSt6locale",
    "_ZNSt18__moneypunct_cacheIcLb1EE8_M_cacheERKSt6locale",
    "_ZNSt18__moneypunct_cacheIwLb0EE8_M_cacheERKSt6locale",
    "_ZNSt18__moneypunct_cacheIwLb1EE8_M_cacheERKSt6locale",
};
constexpr size_t kFunctions = sizeof kFillsCache / sizeof *kFillsCache;
JOSTLE_KEPT uintptr_t g_fills_cache[kFunctions];

bool fills_cache(uintptr_t pc) {
  const uintptr_t function = function_begin(pc);
  for (const uintptr_t each : g_fills_cache) {
    if (each != 0 && each == function) return true;
  }
  return false;
}

// The Itanium ABI's type_info. Of a class with one base (__si_class_type_info) the third word is
// the base; with several (__vmi_class_type_info) how many there are, in its upper half.
struct Type {
  uintptr_t vtable;
  uintptr_t name;
  uintptr_t base_or_count;
  uintptr_t first_base;
  int64_t first_flags;  // its offset from bit 8 on

  uintptr_t base() const {
    constexpr uintptr_t kMostBases = 8;  // addresses are larger
    const uintptr_t count = base_or_count >> 32;
    if (count > kMostBases) return base_or_count;
    return count != 0 && first_flags >> 8 == 0 ? first_base : 0;
  }
};

// A facet of the library, or the part of one that the program has derived from std::ctype<char>.
bool is_facet(uintptr_t object, uintptr_t offset) {
  constexpr uintptr_t kSizeOfCtype = 576;
  constexpr int kDepth = 8;
  uintptr_t vtable, type_of;
  if (!safe_read(object, &vtable, sizeof vtable) ||
      !safe_read(vtable - sizeof type_of, &type_of, sizeof type_of)) {
    return false;
  }
  bool remembers = false;
  for (int depth = 0; depth < kDepth && type_of != 0; ++depth) {
    Type type = {};
    char name[20] = {};
    if (!safe_read(type_of, &type, sizeof type) || !safe_read(type.name, name, sizeof name - 1)) {
      return false;
    }
    if (strcmp(name, "NSt6locale5facetE") == 0) return remembers;
    const bool is_of_library = strncmp(name, "St", 2) == 0 || strncmp(name, "NSt", 3) == 0;
    const bool is_ctype = strcmp(name, "St5ctypeIcE") == 0;
    remembers |= depth == 0 ? is_of_library : is_ctype && offset < kSizeOfCtype;
    type_of = type.base();
  }
  return false;
}

}  // namespace

void find_locale_caches() {
  for (size_t i = 0; i < kFunctions; ++i) {
    g_fills_cache[i] = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, kFillsCache[i]));
  }
}

bool is_remembered_by_locale(uintptr_t address) {
  if (!in_heap(address)) return false;
  const HeapBlock block = heap_block_of(address);
  if (block.begin == 0) return false;
  return fills_cache(block.pc) || is_facet(block.begin, address - block.begin);
}

}  // namespace jostle::rt
