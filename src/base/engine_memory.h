// SPDX-License-Identifier: Apache-2.0
// Memory for Jostle itself inside the target process: nothing of ours may live in the target's
// heap, which is interposed.
//
// Two of a kind. *Engine* memory is the campaign's and survives the rewind after a run (see
// kept.h); *run* memory is what the hooks keep about the program that runs, and is rewound with it.
// Both take address space straight from the kernel and never give it back. They are meant for few,
// mostly growing tables; the hot path allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/base/check.h"

namespace jostle {

// Reservations of address space (ours, the heap's, the stacks') are divided by this. 1 normally;
// under emulators, where reserved space costs real memory, JOSTLE_SMALL_RESERVE in the environment
// makes it 32.
extern size_t g_reserve_divisor;

// Zeroed memory, 64-byte aligned. Ends the process with a message when there is none.
void* engine_allocate(size_t bytes);
void engine_release(void* block, size_t bytes);
// Is this one of ours?
bool is_engine_memory(const void* address);

void* run_allocate(size_t bytes);
void run_release(void* block, size_t bytes);

// The part of each that has been handed out, and all that is reserved, for the snapshot.
struct MemoryUse {
  char* begin;
  char* next;
  char* end;
};
MemoryUse engine_memory_use();
MemoryUse run_memory_use();

// A mapping of `size` bytes that forked runs share, outside both; null when there is none.
void* map_shared_engine_memory(size_t size);
// Announces one that was mapped elsewhere.
void note_shared_engine_memory(const void* begin, size_t size);
bool is_shared_engine_memory(uintptr_t address);
// The n-th of them; begin is null behind the last.
MemoryUse shared_engine_memory(int n);

struct EngineMemory {
  static void* allocate(size_t bytes) { return engine_allocate(bytes); }
  static void release(void* block, size_t bytes) { engine_release(block, bytes); }
};
struct RunMemory {
  static void* allocate(size_t bytes) { return run_allocate(bytes); }
  static void release(void* block, size_t bytes) { run_release(block, bytes); }
};

// A growing array of plain data.
template <typename T, typename Memory>
class GrowingArray {
 public:
  GrowingArray() = default;
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;

  size_t size() const { return size_; }
  // For who reads this memory from outside.
  constexpr const void* where_data_is() const { return &data_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) {
    JOSTLE_CHECK_LT(i, size_);
    return data_[i];
  }
  const T& operator[](size_t i) const {
    JOSTLE_CHECK_LT(i, size_);
    return data_[i];
  }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& back() {
    JOSTLE_CHECK(size_ != 0);
    return data_[size_ - 1];
  }

  void push_back(const T& value) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = value;
  }
  T pop_back() {
    JOSTLE_CHECK(size_ != 0);
    return data_[--size_];
  }
  void clear() { size_ = 0; }
  void resize(size_t size) {
    if (size > capacity_) grow(size);
    for (size_t i = size_; i < size; ++i) data_[i] = T{};
    size_ = size;
  }

 private:
  // Rare, and not in the way of who only adds.
  __attribute__((noinline, cold)) void grow(size_t at_least) {
    size_t capacity = capacity_ ? capacity_ * 2 : 16;
    while (capacity < at_least) capacity *= 2;
    T* data = static_cast<T*>(Memory::allocate(capacity * sizeof(T)));
    for (size_t i = 0; i < size_; ++i) data[i] = std::move(data_[i]);
    if (data_) Memory::release(data_, capacity_ * sizeof(T));
    data_ = data;
    capacity_ = capacity;
    JOSTLE_CHECK_LE(at_least, capacity_);
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

template <typename T>
using EngineVector = GrowingArray<T, EngineMemory>;
template <typename T>
using RunVector = GrowingArray<T, RunMemory>;

}  // namespace jostle
