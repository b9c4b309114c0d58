// SPDX-License-Identifier: Apache-2.0
// The part of a scattered buffer that is still to be written. Cuts off what has been written
// already without touching the program's own array.
#pragma once

#include <limits.h>
#include <sys/uio.h>

#include <cstddef>

namespace jostle::rt {

class IoVector {
 public:
  // False when the kernel would refuse it (let the kernel say so) or has nothing to write.
  bool assign(const iovec* parts, int count) {
    if (count <= 0 || count > IOV_MAX) return false;
    whole_ = rest_ = parts;
    whole_count_ = rest_count_ = count;
    size_ = 0;
    for (int i = 0; i < count; ++i) {
      if (__builtin_add_overflow(size_, parts[i].iov_len, &size_)) return false;
    }
    load();
    return size_ > 0 && size_ <= SSIZE_MAX;
  }

  size_t size() const { return size_; }
  // What to write next: all at the first attempt, so that a small write stays in one piece.
  const iovec* parts() const { return whole_ ? whole_ : window_; }
  int count() const { return whole_ ? whole_count_ : window_count_; }

  void skip(size_t bytes) {
    whole_ = nullptr;
    size_ -= bytes;
    int i = 0;
    for (;;) {
      for (; i < window_count_ && bytes >= window_[i].iov_len; ++i) bytes -= window_[i].iov_len;
      if (i < window_count_ || rest_count_ == 0) break;
      load();
      i = 0;
    }
    if (size_ == 0) return;
    window_[i].iov_base = static_cast<char*>(window_[i].iov_base) + bytes;
    window_[i].iov_len -= bytes;
    for (int j = i; j < window_count_; ++j) window_[j - i] = window_[j];
    window_count_ -= i;
  }

 private:
  static constexpr int kWindow = 16;

  void load() {
    window_count_ = rest_count_ < kWindow ? rest_count_ : kWindow;
    for (int i = 0; i < window_count_; ++i) window_[i] = rest_[i];
    rest_ += window_count_;
    rest_count_ -= window_count_;
  }

  const iovec* whole_ = nullptr;
  int whole_count_ = 0;
  const iovec* rest_ = nullptr;  // behind the window
  int rest_count_ = 0;
  size_t size_ = 0;
  iovec window_[kWindow];
  int window_count_ = 0;
};

}  // namespace jostle::rt
