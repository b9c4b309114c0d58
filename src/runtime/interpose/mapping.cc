// Addresses of the program's own mappings: the same in every process.
//
// The kernel puts a new mapping next to the others, and those of the engine and its donors are
// among them. Where the program leaves the choice open it gets the next address of a region of its
// own. Straight system calls: libc and the loader map memory before anything is initialised.
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/runtime/interpose/alias.h"
#include "src/runtime/interpose/hook.h"

namespace jostle::rt {
namespace {

// Free in the 47 bits of x86-64 and the 48 of aarch64, far from where kernels start by themselves.
constexpr uintptr_t kBegin = 0x7000'0000'0000;
constexpr uintptr_t kEnd = 0x7800'0000'0000;

uintptr_t g_next = kBegin;

long raw(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
#elif defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#endif
}

bool failed(long result) { return result < 0 && result > -4096; }

void* as_pointer(long result) {
  if (!failed(result)) return reinterpret_cast<void*>(result);
  errno = static_cast<int>(-result);
  return MAP_FAILED;
}

long map(uintptr_t address, size_t size, int protection, int flags, int fd, off_t offset) {
  return raw(SYS_mmap, static_cast<long>(address), static_cast<long>(size), protection, flags, fd,
             offset);
}

// The next `size` bytes of the region, or 0 when it is used up.
uintptr_t next_address(size_t size) {
  const size_t page = getauxval(AT_PAGESZ);
  if (size == 0 || size > kEnd - g_next) return 0;
  const uintptr_t address = g_next;
  g_next += (size + page - 1) / page * page;
  return address;
}

// Minus an error number when it cannot be had there: somebody else's, or a machine with less room.
long map_at_next(size_t size, int protection, int flags, int fd, off_t offset) {
  const uintptr_t address = next_address(size);
  if (!address) return -ENOMEM;
  const long result = map(address, size, protection, flags | MAP_FIXED_NOREPLACE, fd, offset);
  if (failed(result) || result == static_cast<long>(address)) return result;
  raw(SYS_munmap, result, static_cast<long>(size), 0, 0, 0, 0);  // an old kernel, that took a hint
  return -EEXIST;
}

long remap(void* old, size_t old_size, size_t size, int flags, void* target) {
  return raw(SYS_mremap, reinterpret_cast<long>(old), static_cast<long>(old_size),
             static_cast<long>(size), flags, reinterpret_cast<long>(target), 0);
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle::rt;

JOSTLE_HOOK void* mmap(void* address, size_t size, int protection, int flags, int fd,
                       off_t offset) noexcept {
  const bool anywhere = !address && !(flags & (MAP_FIXED | MAP_GROWSDOWN | MAP_HUGETLB
#ifdef MAP_32BIT
                                               | MAP_32BIT
#endif
                                               ));
  if (controlled() && anywhere) {
    const long result = map_at_next(size, protection, flags, fd, offset);
    if (!failed(result)) return as_pointer(result);
  }
  return as_pointer(map(reinterpret_cast<uintptr_t>(address), size, protection, flags, fd, offset));
}

JOSTLE_HOOK int munmap(void* address, size_t size) noexcept {
  const long result =
      raw(SYS_munmap, reinterpret_cast<long>(address), static_cast<long>(size), 0, 0, 0, 0);
  if (!failed(result)) return 0;
  errno = static_cast<int>(-result);
  return -1;
}

JOSTLE_HOOK void* mremap(void* old, size_t old_size, size_t size, int flags, ...) noexcept {
  va_list arguments;
  va_start(arguments, flags);
  void* target = va_arg(arguments, void*);
  va_end(arguments);
  if (controlled() && flags == MREMAP_MAYMOVE) {
    const long in_place = remap(old, old_size, size, 0, nullptr);
    if (in_place != -ENOMEM) return as_pointer(in_place);
    // A place is taken first, so that nothing else can be there.
    const long place = map_at_next(size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!failed(place)) {
      const long moved =
          remap(old, old_size, size, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(place));
      if (!failed(moved)) return as_pointer(moved);
      raw(SYS_munmap, place, static_cast<long>(size), 0, 0, 0, 0);
    }
  }
  return as_pointer(remap(old, old_size, size, flags, target));
}

// The same functions on 64-bit machines.
JOSTLE_ALIAS(mmap64, mmap);
JOSTLE_ALIAS(__mmap, mmap);
JOSTLE_ALIAS(__munmap, munmap);
