#include "src/cli/shared_channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <utility>

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

Error no_memory(const char* call) {
  return {Exit::internal, fmt::format("cannot make the shared memory ({}: {}): raise the limits on "
                                      "file size and address space (ulimit -f, ulimit -v)",
                                      call, std::strerror(errno))};
}

}  // namespace

Result<SharedChannel> SharedChannel::create() {
  Descriptor file(memfd_create("jostle-channel", MFD_CLOEXEC));
  if (!file.valid()) return no_memory("memfd_create");
  file = move_up(std::move(file));
  constexpr size_t kSize = sizeof(channel::Channel);
  if (ftruncate(file.get(), kSize) != 0) return no_memory("ftruncate");
  void* memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) return no_memory("mmap");
  auto* channel = static_cast<channel::Channel*>(memory);
  channel->magic = channel::kMagic;
  channel->version = channel::kVersion;
  channel->size = kSize;
  return SharedChannel(std::move(file), channel);
}

SharedChannel::~SharedChannel() {
  if (memory_ != nullptr) munmap(memory_, sizeof(channel::Channel));
}

SharedChannel::SharedChannel(SharedChannel&& other) noexcept
    : file_(std::move(other.file_)), memory_(std::exchange(other.memory_, nullptr)) {}

SharedChannel& SharedChannel::operator=(SharedChannel&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(memory_, other.memory_);
  return *this;
}

channel::Config default_config(channel::Mode mode) {
  channel::Config config{};
  config.mode = mode;
  config.record = 1;
  config.first_schedule = 1;
  config.clock_start = kClockStart;
  set_strategy(config, "random");
  return config;
}

bool set_strategy(channel::Config& config, std::string_view strategy) {
  if (strategy.size() >= sizeof config.strategy) return false;
  std::memset(config.strategy, 0, sizeof config.strategy);
  std::memcpy(config.strategy, strategy.data(), strategy.size());
  return true;
}

}  // namespace jostle::cli
