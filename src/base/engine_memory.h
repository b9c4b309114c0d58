// Memory for Jostle itself inside the target process.
//
// The target's heap is interposed and, later, rewound after every run; nothing of ours may live
// there. This allocator takes address space straight from the kernel and never gives it back. It is
// meant for few, long-lived, mostly growing tables; the hot path allocates nothing.
#pragma once

#include <cstddef>
#include <utility>

namespace jostle {

// Reservations of address space (ours, the heap's, the stacks') are divided by this. 1 normally;
// under emulators, where reserved space costs real memory, JOSTLE_SMALL_RESERVE in the environment
// makes it 64.
extern size_t g_reserve_divisor;

// Zeroed memory, 64-byte aligned. Ends the process with a message when there is none.
void* engine_allocate(size_t bytes);
void engine_release(void* block, size_t bytes);
// Is this one of ours?
bool is_engine_memory(const void* address);

// A growing array of plain data in engine memory.
template <typename T>
class EngineVector {
 public:
  EngineVector() = default;
  EngineVector(const EngineVector&) = delete;
  EngineVector& operator=(const EngineVector&) = delete;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& back() { return data_[size_ - 1]; }

  void push_back(const T& value) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = value;
  }
  T pop_back() { return data_[--size_]; }
  void clear() { size_ = 0; }
  void resize(size_t size) {
    if (size > capacity_) grow(size);
    for (size_t i = size_; i < size; ++i) data_[i] = T{};
    size_ = size;
  }

 private:
  void grow(size_t at_least) {
    size_t capacity = capacity_ ? capacity_ * 2 : 16;
    while (capacity < at_least) capacity *= 2;
    T* data = static_cast<T*>(engine_allocate(capacity * sizeof(T)));
    for (size_t i = 0; i < size_; ++i) data[i] = std::move(data_[i]);
    if (data_) engine_release(data_, capacity_ * sizeof(T));
    data_ = data;
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace jostle
