// SPDX-License-Identifier: Apache-2.0
#include "src/engine/input_fuzzer.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/mutation/input_bytes.h"
#include "src/runtime/coverage/edges.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/start/start.h"

namespace jostle::engine {

using namespace jostle::rt;

namespace {

constexpr uint32_t kTurns = 32;
constexpr uint32_t kLeastRoom = 4096;

template <typename T>
T* map_descriptor(int descriptor) {
  void* p = REAL(mmap)(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                       descriptor, 0);
  REAL(close)(descriptor);
  if (p == MAP_FAILED) return nullptr;
  note_shared_engine_memory(p, sizeof(T));
  return static_cast<T*>(p);
}

}  // namespace

void InputFuzzer::start() {
  if (g_inputs_descriptor < 0) return;
  pool_ = map_descriptor<InputPool>(g_inputs_descriptor);
  // Shared: a run may have a process of its own.
  feedback_ = static_cast<Feedback*>(map_shared_engine_memory(sizeof(Feedback)));
  hints_ = static_cast<Feedback*>(engine_allocate(sizeof(Feedback)));
  input_ = static_cast<uint8_t*>(engine_allocate(InputPool::kLongest));
  file_ = static_cast<int>(REAL(syscall)(SYS_memfd_create, "input", 0));
  if (!pool_ || !feedback_ || file_ < 0) {
    pool_ = nullptr;
    return;
  }
  room_ = kLeastRoom;
  for (uint32_t i = 0; i < pool_->count(); ++i) {
    const uint32_t twice = pool_->entries[i].size * 2;
    if (twice > room_) room_ = twice < InputPool::kLongest ? twice : InputPool::kLongest;
  }
  listen_to_code(feedback_);
  // Where the program reads it is descriptor 0, and not before its beginning.
  REAL(dup2)(file_, 0);
  REAL(close)(file_);
  file_ = 0;
}

void InputFuzzer::write_file() {
  REAL(ftruncate)(file_, 0);
  for (uint32_t done = 0; done < size_;) {
    const ssize_t n = REAL(pwrite)(file_, input_ + done, size_ - done, done);
    if (n <= 0) break;
    done += static_cast<uint32_t>(n);
  }
}

void InputFuzzer::load(uint32_t number) {
  const InputPool::Entry& entry = pool_->entries[number];
  entry_ = number;
  size_ = entry.size < room_ ? entry.size : room_;
  memcpy(input_, pool_->data(entry), size_);
  changed_ = false;
}

// New ones rather than old ones, those that had few turns rather than those that had many.
uint32_t InputFuzzer::choose_entry() {
  const uint32_t count = pool_->count();
  uint32_t best = InputPool::kNone;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const auto number = static_cast<uint32_t>(
        rng_.below(2) ? count - 1 - rng_.below(count < 8 ? count : 8) : rng_.below(count));
    const InputPool::Entry& entry = pool_->entries[number];
    if (!entry.ready.load(std::memory_order_acquire)) continue;
    if (entry.origin == InputOrigin::failing) continue;
    if (best == InputPool::kNone ||
        entry.uses.load(std::memory_order_relaxed) < pool_->entries[best].uses.load()) {
      best = number;
    }
  }
  return best == InputPool::kNone ? 0 : best;
}

void InputFuzzer::begin_round() {
  turn_ = 0;
  turns_ = kTurns;
  if (next_given_ < pool_->count() && pool_->entries[next_given_].origin == InputOrigin::given) {
    load(next_given_++);
    turns_ = 1;
    return;
  }
  load(choose_entry());
  pool_->entries[entry_].uses.fetch_add(1, std::memory_order_relaxed);
}

void InputFuzzer::begin(uint64_t number) {
  if (!pool_) return;
  rng_.reseed(mix_seeds(channel_.config.seed ^ 0x696E707574, number));
  if (turn_ == turns_) {
    begin_round();
  } else {
    load(entry_);
    // Every fourth run is the input itself once more, under another schedule.
    if (turn_ % 4 != 0) {
      const InputPool::Entry& other = pool_->entries[rng_.below(pool_->count())];
      const bool has_other = other.ready.load(std::memory_order_acquire) != 0;
      const InputHints hints = {hints_, has_other ? pool_->data(other) : nullptr,
                                has_other ? other.size : 0};
      size_ = static_cast<uint32_t>(mutate_input(input_, size_, room_, hints, rng_));
      changed_ = true;
    }
  }
  ++turn_;
  kept_ = false;
  write_file();
  feedback_->clear();
  if (turn_ == 1) feedback_->clear_comparisons();
}

void InputFuzzer::after_run() {
  if (!pool_) return;
  if (turn_ == 1) *hints_ = *feedback_;
  const uint32_t fresh = pool_->take(*feedback_);
  channel_.status.inputs.store(pool_->count(), std::memory_order_relaxed);
  if (fresh != 0 && changed_) {
    pool_->add(input_, size_, InputOrigin::found);
    turn_ = turns_ = 0;  // the next round may well be its
  }
}

void InputFuzzer::keep(uint64_t number) {
  if (!pool_ || kept_) return;
  kept_ = true;
  pool_->add(input_, size_, InputOrigin::failing, number);
}

}  // namespace jostle::engine
