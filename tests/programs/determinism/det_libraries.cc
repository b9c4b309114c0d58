// What garbage collectors read: the data of every library. Jostle's own differs from run to run,
// and is not shown. Two threads look, in turns that the schedule chooses.
#include <link.h>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

static std::mutex turn;

struct Seen {
  char who;
  unsigned long sum;
  int code;  // segments of code: those are shown, for unwinders
};

static int look(dl_phdr_info* info, size_t, void* argument) {
  auto& seen = *static_cast<Seen*>(argument);
  if (!std::strstr(info->dlpi_name, "libtsan") && !std::strstr(info->dlpi_name, "libjostle")) {
    return 0;
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    if (header.p_flags & PF_X) ++seen.code;
    if (!(header.p_flags & PF_W)) continue;
    const auto* words = reinterpret_cast<const unsigned long*>(info->dlpi_addr + header.p_vaddr);
    for (size_t k = 0; k < header.p_memsz / sizeof *words; ++k) seen.sum = seen.sum * 31 + words[k];
  }
  return 0;
}

static void work(char who) {
  for (int i = 0; i < 3; ++i) {
    Seen seen = {who, 0, 0};
    dl_iterate_phdr(look, &seen);
    const std::lock_guard lock(turn);
    std::printf("%c: %lx, %d\n", seen.who, seen.sum, seen.code);
  }
}

int main() {
  std::thread a(work, 'a'), b(work, 'b');
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
