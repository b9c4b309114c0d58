// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace jostle::cli {
namespace {

constexpr int kPreferredNumber = 900;

// The same file under a high number, below the limit for descriptors.
Descriptor move_up(Descriptor file) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int below_limit = limit.rlim_cur > 32 && limit.rlim_cur < kPreferredNumber
                              ? static_cast<int>(limit.rlim_cur) - 8
                              : kPreferredNumber;
  for (const int lowest : {kPreferredNumber, below_limit}) {
    const int fd = fcntl(file.get(), F_DUPFD_CLOEXEC, lowest);
    if (fd >= 0) return Descriptor(fd);
  }
  return file;
}

// The limit on the size of files is meant for others: this one is memory.
bool make_large(int fd, size_t size) {
  rlimit given{};
  getrlimit(RLIMIT_FSIZE, &given);
  const rlimit raised{given.rlim_max, given.rlim_max};
  setrlimit(RLIMIT_FSIZE, &raised);
  const bool done = ftruncate(fd, static_cast<off_t>(size)) == 0;
  const int error = errno;
  setrlimit(RLIMIT_FSIZE, &given);
  errno = error;
  return done;
}

Error no_memory(const char* call) {
  return {Exit::internal, fmt::format("cannot make the shared memory ({}: {}): raise the limits on "
                                      "file size and address space (ulimit -f, ulimit -v)",
                                      call, std::strerror(errno))};
}

}  // namespace

Result<MappedFile> map_shared_memory(const char* name, size_t size) {
  Descriptor file(memfd_create(name, MFD_CLOEXEC));
  if (!file.valid()) return no_memory("memfd_create");
  file = move_up(std::move(file));
  if (!make_large(file.get(), size)) return no_memory("ftruncate");
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) return no_memory("mmap");
  return MappedFile{std::move(file), memory};
}

}  // namespace jostle::cli
