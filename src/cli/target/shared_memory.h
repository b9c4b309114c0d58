// SPDX-License-Identifier: Apache-2.0
// Memory that the command shares with the processes it starts: a file without a name, mapped here
// and, by its descriptor, there.
#pragma once

#include <sys/mman.h>

#include <utility>

#include "src/cli/support/descriptor.h"
#include "src/cli/support/error.h"

namespace jostle::cli {

struct MappedFile {
  Descriptor file;  // high, so that it is not in the way of the target's own; closed on exec unless
                    // the child says otherwise
  void* memory = nullptr;
};
// Zeroed and sparse.
Result<MappedFile> map_shared_memory(const char* name, size_t size);

// Plain data of type T in such memory.
template <typename T>
class Shared {
 public:
  static Result<Shared> create(const char* name) {
    Result<MappedFile> mapped = map_shared_memory(name, sizeof(T));
    if (!mapped) return mapped.error();
    return Shared(std::move(mapped->file), static_cast<T*>(mapped->memory));
  }
  ~Shared() {
    if (memory_ != nullptr) munmap(memory_, sizeof(T));
  }
  Shared(Shared&& other) noexcept
      : file_(std::move(other.file_)), memory_(std::exchange(other.memory_, nullptr)) {}
  Shared& operator=(Shared&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(memory_, other.memory_);
    return *this;
  }

  T* operator->() const { return memory_; }
  T& operator*() const { return *memory_; }
  int descriptor() const { return file_.get(); }

 private:
  Shared(Descriptor file, T* memory) : file_(std::move(file)), memory_(memory) {}

  Descriptor file_;
  T* memory_ = nullptr;
};

}  // namespace jostle::cli
