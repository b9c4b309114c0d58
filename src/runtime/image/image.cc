// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/image/image.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/base/hash.h"
#include "src/base/in_handler.h"
#include "src/base/kept.h"
#include "src/base/raw_syscall.h"
#include "src/runtime/image/zero_pieces.h"

namespace jostle::rt {
namespace {

// Rewinds that compare everything before pages are protected for the first time.
constexpr uint64_t kRunsToLearn = 3;
// Every so many rewinds it is looked which hot pages still change; one that has not so many times
// in a row is cold again.
constexpr uint64_t kRunsPerAudit = 256;
constexpr uint8_t kIdleAudits = 16;
// Each protected stretch is a mapping of its own to the kernel, which allows 65,530.
constexpr size_t kMostStretches = 20'000;

enum class Heat : uint8_t {
  cold,    // as saved; protected once the image is
  hot,     // writable, copied back
  always,  // shares its page with memory outside the image: never protected
};

struct Stretch {
  uintptr_t begin, end;  // not necessarily on page boundaries
  char* saved;
  size_t first_page;  // index of its first page in g_heat
};

// Lies in a page whose other parts are put back.
struct Adopted {
  uintptr_t begin, end;
  char* saved;
  size_t page;
};

struct HotPage {
  uintptr_t begin;
  uint32_t size;
  uint32_t idle;  // audits without a change
  char* saved;
  size_t page;
  ZeroPieces zeros;  // of the saved copy
};

JOSTLE_KEPT constinit EngineVector<Stretch> g_stretches;
JOSTLE_KEPT constinit EngineVector<Adopted> g_adopted;
JOSTLE_KEPT constinit EngineVector<Heat> g_heat;
JOSTLE_KEPT constinit EngineVector<HotPage> g_hot;
JOSTLE_KEPT uintptr_t g_page = 0;
JOSTLE_KEPT uint64_t g_rewinds = 0;
JOSTLE_KEPT size_t g_bytes = 0;
JOSTLE_KEPT char* g_copies = nullptr;
JOSTLE_KEPT size_t g_copies_size = 0;
JOSTLE_KEPT bool g_protecting = false;  // cold pages are protected now
JOSTLE_KEPT bool g_all_open = false;    // … but not until the end of this run

uintptr_t page_of(uintptr_t address) { return address & ~(g_page - 1); }
size_t piece_size() { return g_page / 64; }

bool protect(uintptr_t begin, uintptr_t end, int protection) {
  return raw_syscall(SYS_mprotect, static_cast<long>(begin), static_cast<long>(end - begin),
                     protection) == 0;
}

size_t pages_in(const Stretch& s) { return (page_of(s.end - 1) - page_of(s.begin)) / g_page + 1; }

// The part of the n-th page that belongs to the stretch.
HotPage part_of(const Stretch& s, size_t n) {
  JOSTLE_CHECK_LT(n, pages_in(s));
  const uintptr_t page = page_of(s.begin) + n * g_page;
  const uintptr_t begin = page < s.begin ? s.begin : page;
  const uintptr_t end = page + g_page > s.end ? s.end : page + g_page;
  return {
      begin, static_cast<uint32_t>(end - begin), 0, s.saved + (begin - s.begin), s.first_page + n,
      {}};
}

[[maybe_unused]] bool is_as_saved(const HotPage& part) {
  return memcmp(reinterpret_cast<void*>(part.begin), part.saved, part.size) == 0;
}

void note_zeros(HotPage& part) { part.zeros = ZeroPieces(part.saved, part.size, piece_size()); }

void add_hot(HotPage part) {
  note_zeros(part);
  g_hot.push_back(part);
}

// No wild write of the program shall reach what it is rewound to.
void protect_copies(int protection) {
  const auto begin = reinterpret_cast<uintptr_t>(g_copies);
  protect(begin, begin + g_copies_size, protection);
}

bool is_whole(const HotPage& part) { return part.size == g_page; }

void make_hot(const Stretch& s, size_t n) {
  const HotPage part = part_of(s, n);
  if (g_heat[part.page] != Heat::cold) return;
  JOSTLE_CHECK(is_whole(part));  // what shares its page is never cold
  g_heat[part.page] = Heat::hot;
  add_hot(part);
  if (g_protecting && !g_all_open &&
      !protect(part.begin, part.begin + part.size, PROT_READ | PROT_WRITE)) {
    image_open_all();  // too many mappings for a piece more: fewer, then
    protect(part.begin, part.begin + part.size, PROT_READ | PROT_WRITE);
  }
}

// f(begin, end) for every run of pages that are cold.
template <typename F>
void for_each_cold(F&& f) {
  for (const Stretch& s : g_stretches) {
    const size_t pages = pages_in(s);
    for (size_t n = 0; n < pages;) {
      if (g_heat[s.first_page + n] != Heat::cold) {
        ++n;
        continue;
      }
      const size_t first = n;
      while (n < pages && g_heat[s.first_page + n] == Heat::cold) ++n;
      f(page_of(s.begin) + first * g_page, page_of(s.begin) + n * g_page);
    }
  }
}

// Where that fails everything stays writable, and is compared after every run.
void protect_cold_pages() {
  if (g_hot.size() > kMostStretches) return;
  bool all = true;
  for_each_cold(
      [&](uintptr_t begin, uintptr_t end) { all = all && protect(begin, end, PROT_READ); });
  g_protecting = true;
  g_all_open = false;
  if (!all) image_open_all();
}

// Without protection: whatever differs from the saved image has been touched.
void find_changed_pages() {
  for (const Stretch& s : g_stretches) {
    for (size_t n = 0, pages = pages_in(s); n < pages; ++n) {
      if (g_heat[s.first_page + n] != Heat::cold) continue;
      const HotPage part = part_of(s, n);
      if (memcmp(reinterpret_cast<void*>(part.begin), part.saved, part.size) != 0) make_hot(s, n);
    }
  }
}

// Before the pages are copied back: which of them did this run change?
void audit() {
  for (size_t i = 0; i < g_hot.size();) {
    HotPage& hot = g_hot[i];
    const bool changed = memcmp(reinterpret_cast<void*>(hot.begin), hot.saved, hot.size) != 0;
    hot.idle = changed ? 0 : hot.idle + 1;
    if (hot.idle < kIdleAudits || g_heat[hot.page] == Heat::always) {
      ++i;
      continue;
    }
    if (!protect(hot.begin, hot.begin + hot.size, PROT_READ)) return;
    g_heat[hot.page] = Heat::cold;
    JOSTLE_CHECK(is_as_saved(hot));
    hot = g_hot.back();
    g_hot.pop_back();
  }
}

// Before anything is put back. What is adopted becomes part of the saved copy.
void adopt() {
  for (const Adopted& one : g_adopted) {
    if (g_protecting && !g_all_open && g_heat[one.page] == Heat::cold) continue;
    const auto* now = reinterpret_cast<const char*>(one.begin);
    const size_t size = one.end - one.begin;
    if (memcmp(now, one.saved, size) == 0) continue;
    protect_copies(PROT_READ | PROT_WRITE);
    memcpy(one.saved, now, size);
    protect_copies(PROT_READ);
    for (HotPage& hot : g_hot) {
      if (hot.page == one.page) note_zeros(hot);
    }
  }
}

const Stretch* stretch_of(uintptr_t address) {
  for (const Stretch& s : g_stretches) {
    if (address >= page_of(s.begin) && address < page_of(s.end - 1) + g_page) return &s;
  }
  return nullptr;
}

#ifdef JOSTLE_CHECKS
// Every page is as it was saved, also those that nobody is known to have written: not after every
// rewind, for it reads all there is.
void check_rewound() {
  if (g_rewinds > 2 * kRunsToLearn && g_rewinds % 64 != 0) return;
  for (const Stretch& s : g_stretches) {
    for (size_t n = 0, pages = pages_in(s); n < pages; ++n)
      JOSTLE_CHECK(is_as_saved(part_of(s, n)));
  }
}
#endif

// Where the copies of what is adopted are. What is not in the image stays as it is anyway.
void place_adopted() {
  size_t known = 0;
  for (Adopted& one : g_adopted) {
    const Stretch* s = stretch_of(one.begin);
    if (!s || one.begin >= s->end || one.end <= s->begin) continue;
    if (one.begin < s->begin) one.begin = s->begin;
    if (one.end > s->end) one.end = s->end;
    one.saved = s->saved + (one.begin - s->begin);
    one.page = s->first_page + (page_of(one.begin) - page_of(s->begin)) / g_page;
    JOSTLE_CHECK_EQ(page_of(one.begin), page_of(one.end - 1));
    g_adopted[known++] = one;
  }
  g_adopted.resize(known);
}

}  // namespace

void image_reset() {
  if (!g_page) g_page = getauxval(AT_PAGESZ);
  image_open_all();
  g_protecting = g_all_open = false;
  g_stretches.clear();
  g_adopted.clear();
  g_heat.clear();
  g_hot.clear();
  g_bytes = 0;
  g_rewinds = 0;
  if (g_copies)
    raw_syscall(SYS_munmap, reinterpret_cast<long>(g_copies), static_cast<long>(g_copies_size));
  g_copies = nullptr;
}

void image_add(uintptr_t begin, uintptr_t end) {
  if (begin >= end) return;
  JOSTLE_CHECK(!g_copies && !image_overlaps(reinterpret_cast<void*>(begin), end - begin));
  g_stretches.push_back({begin, end, nullptr, 0});
  g_bytes += end - begin;
}

void image_adopt(uintptr_t begin, uintptr_t end) {
  for (uintptr_t next; begin < end; begin = next) {
    next = page_of(begin) + g_page < end ? page_of(begin) + g_page : end;
    g_adopted.push_back({begin, next, nullptr, 0});
  }
}

bool image_save() {
  g_copies_size = g_bytes + g_stretches.size() * 64;
  const long p = raw_syscall(SYS_mmap, 0, static_cast<long>(g_copies_size), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p < 0 && p > -4096) return false;
  g_copies = reinterpret_cast<char*>(p);
  raw_syscall(SYS_madvise, p, static_cast<long>(g_copies_size), MADV_DONTDUMP);
  char* to = g_copies;
  for (Stretch& s : g_stretches) {
    s.saved = to;
    s.first_page = g_heat.size();
    const size_t pages = pages_in(s);
    for (size_t n = 0; n < pages; ++n) {
      g_heat.push_back(Heat::cold);
      const HotPage part = part_of(s, n);
      // What is zero is not written: the copy of an untouched page then costs no memory.
      const char* from = reinterpret_cast<const char*>(part.begin);
      size_t used = part.size;
      const auto ends_with_zeros = [&] {
        uint64_t last;
        __builtin_memcpy(&last, from + used - sizeof last, sizeof last);
        return last == 0;
      };
      while (used >= sizeof(uint64_t) && ends_with_zeros()) used -= sizeof(uint64_t);
      memcpy(part.saved, from, used);
      if (is_whole(part)) continue;
      g_heat[part.page] = Heat::always;
      add_hot(part);
    }
    to += (s.end - s.begin + 63) & ~uintptr_t{63};
    JOSTLE_CHECK_LE(to, g_copies + g_copies_size);
  }
  place_adopted();
  protect_copies(PROT_READ);
  return true;
}

void image_rewind() {
  JOSTLE_CHECK(!in_handler());
  ++g_rewinds;
  adopt();
  if (!g_protecting || g_all_open) find_changed_pages();
  if (g_protecting && !g_all_open && g_rewinds % kRunsPerAudit == 0) audit();
  for (const HotPage& hot : g_hot) {
    hot.zeros.put_back(reinterpret_cast<char*>(hot.begin), hot.saved, hot.size, piece_size());
    JOSTLE_CHECK(is_as_saved(hot));
  }
  JOSTLE_CHECKED(check_rewound());
  if (g_all_open || (!g_protecting && g_rewinds >= kRunsToLearn)) protect_cold_pages();
}

size_t image_bytes() { return g_bytes; }
size_t image_hot_pages() { return g_hot.size(); }
uint64_t image_checksum() {
  return fnv1a(reinterpret_cast<const char*>(g_stretches.begin()),
               g_stretches.size() * sizeof(Stretch));
}

bool image_on_fault(uintptr_t address) {
  if (!g_protecting) return false;
  const Stretch* s = stretch_of(address);
  if (!s) return false;
  const size_t n = (page_of(address) - page_of(s->begin)) / g_page;
  JOSTLE_CHECK_LT(n, pages_in(*s));
  if (g_heat[s->first_page + n] != Heat::cold) return false;
  if (g_hot.size() > kMostStretches) {
    image_open_all();
    return true;
  }
  make_hot(*s, n);
  return true;
}

void image_open(const volatile void* begin, size_t size) {
  if (!g_protecting || size == 0) return;
  const auto from = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t to = from + size < from ? UINTPTR_MAX : from + size;
  for (const Stretch& s : g_stretches) {
    if (from >= s.end || to <= s.begin) continue;
    const uintptr_t first = page_of(from < s.begin ? s.begin : from);
    const uintptr_t last = page_of((to > s.end ? s.end : to) - 1);
    for (uintptr_t p = first; p <= last; p += g_page) make_hot(s, (p - page_of(s.begin)) / g_page);
  }
}

void image_open_all() {
  if (!g_protecting || g_all_open) return;
  for_each_cold(
      [](uintptr_t begin, uintptr_t end) { protect(begin, end, PROT_READ | PROT_WRITE); });
  g_all_open = true;
}

bool image_overlaps(const volatile void* begin, size_t size) {
  const auto from = reinterpret_cast<uintptr_t>(begin);
  for (const Stretch& s : g_stretches) {
    if (from < s.end && from + size > s.begin) return true;
  }
  return false;
}

}  // namespace jostle::rt
