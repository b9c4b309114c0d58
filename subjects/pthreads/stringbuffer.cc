// A string buffer every method of which is synchronized: one is appended to another while a second
// thread erases it.
//
// Wrong: append asks the other buffer for its length and then for its characters; each call takes
// the lock, but nothing holds it in between.
// Shown when: the other buffer is erased between the two.
// Failure: assert (characters beyond the end are asked for).
// From: StringBuffer.append of JDK 1.4, as modelled in C++ by Jie Yu; "CB/stringbuffer-jdk1.4" of
// SCTBench and the reads-from fuzzer paper, "stringbuffer" of Taming pthreads.
#include <cassert>
#include <cstring>
#include <mutex>
#include <thread>

class StringBuffer {
 public:
  explicit StringBuffer(const char* text) { append_characters(text, std::strlen(text)); }

  size_t length() {
    const std::lock_guard lock(mutex_);
    return length_;
  }

  void get_characters(size_t begin, size_t end, char* out) {
    const std::lock_guard lock(mutex_);
    assert(begin <= end && end <= length_);
    std::memcpy(out, text_ + begin, end - begin);
  }

  void erase(size_t begin, size_t end) {
    const std::lock_guard lock(mutex_);
    if (end > length_) end = length_;
    assert(begin <= end);
    std::memmove(text_ + begin, text_ + end, length_ - end);
    length_ -= end - begin;
  }

  void append(StringBuffer& other) {
#ifdef FIXED
    const std::scoped_lock lock(mutex_, other.mutex_);
    append_characters(other.text_, other.length_);
#else
    const std::lock_guard lock(mutex_);
    char copy[kCapacity];
    const size_t length = other.length();
    other.get_characters(0, length, copy);
    append_characters(copy, length);
#endif
  }

 private:
  static constexpr size_t kCapacity = 64;

  void append_characters(const char* text, size_t length) {
    assert(length_ + length <= kCapacity);
    std::memcpy(text_ + length_, text, length);
    length_ += length;
  }

  std::mutex mutex_;
  size_t length_ = 0;
  char text_[kCapacity];
};

static StringBuffer buffer("abc");

static void erase_all() { buffer.erase(0, 3); }

int main() {
  std::thread eraser(erase_all);
  StringBuffer all("");
  all.append(buffer);
  eraser.join();
}

// SPDX-License-Identifier: Apache-2.0
