// SPDX-License-Identifier: Apache-2.0
// The strategy of a run whose schedule somebody else has chosen, byte by byte: a fuzzer. As
// `bytes`, but it gets the stream before every run instead of editing one itself; and 0 lets the
// running thread go on also where it yields. A search that learns from what each switch brings
// finds the next one sooner when switches are its own: the bytes between two of them are zeros
// then.
#pragma once

#include "src/strategy/samplers/byte_numbers.h"
#include "src/strategy/strategy.h"

namespace jostle {

class GivenBytes final : public SelfDeciding {
 public:
  // For the next run. The bytes stay the caller's.
  void give(const uint8_t* bytes, size_t count, ByteNumbers::AtEnd at_end) {
    bytes_ = bytes;
    count_ = count;
    at_end_ = at_end;
  }
  // Numbers drawn in the run so far, or the last one.
  size_t drawn() const { return drawn_; }

  void begin(const RunStart& start) override {
    numbers_.start(bytes_, count_, at_end_, start.seed);
    drawn_ = 0;
  }
  ThreadId pick(const View& view) override {
    ++drawn_;
    uint32_t n = numbers_.below(view.candidates->count());
    if (n == ByteNumbers::kNone) return kNoThread;
    // Counted from the running thread, or from the one that follows it.
    ThreadId id = view.current;
    if (!view.candidates->contains(id)) id = next_after(id, *view.candidates);
    for (; n > 0; --n) id = next_after(id, *view.candidates);
    return id;
  }
  uint32_t choose(const Question& question) override {
    ++drawn_;
    const uint32_t n = numbers_.below(question.alternatives);
    return n == ByteNumbers::kNone ? 0 : n;
  }

 private:
  const uint8_t* bytes_ = nullptr;
  size_t count_ = 0;
  ByteNumbers::AtEnd at_end_ = ByteNumbers::kZeros;
  ByteNumbers numbers_;
  size_t drawn_ = 0;
};

}  // namespace jostle
