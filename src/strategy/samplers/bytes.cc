// SPDX-License-Identifier: Apache-2.0
// A stream of bytes decides (unthread's "schedule" mode; what libFuzzer, AFL++ and Centipede
// mutate): a number i at a decision among m candidates takes the (i mod m)-th in the usual order,
// and where there is no choice no number is used. 0 is "no preemption", so that a stream of zeros
// is the plain run and a small edit a small change. A number is one byte where that is enough, two
// or four otherwise.
//
// At the end of the stream: zeros; the stream again (`loop`); the end of the run (`stop`); or
// random numbers (`prng`). The first run of a campaign takes the stream as given (--from), or
// as drawn from the seed; further ones take it with a few random edits.
#include "src/base/rng.h"
#include "src/strategy/order.h"
#include "src/strategy/samplers/byte_numbers.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class Bytes final : public SelfDeciding {
 public:
  Bytes(const StrategyValues& values, const StrategyInput& input)
      : at_end_(static_cast<ByteNumbers::AtEnd>(values["end"])), length_(values["length"]) {
    for (size_t i = 0; i < input.byte_count; ++i) given_.push_back(input.bytes[i]);
  }

  void begin(const RunStart& start) override {
    rng_.reseed(start.seed);
    stream_.clear();
    if (given_.empty()) {
      for (uint64_t i = 0; i < length_; ++i) stream_.push_back(random_byte());
    } else {
      for (const uint8_t byte : given_) stream_.push_back(byte);
      if (!first_) edit();
    }
    first_ = false;
    numbers_.start(stream_.begin(), stream_.size(), at_end_, rng_.next());
  }

  ThreadId pick(const View& view) override {
    in_order(view, order_);
    const uint32_t n = numbers_.below(static_cast<uint32_t>(order_.size()));
    return n == ByteNumbers::kNone ? kNoThread : order_[n];
  }

  uint32_t choose(const Question& question) override {
    const uint32_t n = numbers_.below(question.alternatives);
    return n == ByteNumbers::kNone ? 0 : n;
  }

 private:
  uint8_t random_byte() { return static_cast<uint8_t>(rng_.below(256)); }

  void edit() {
    for (uint64_t edits = 1 + rng_.below(4); edits > 0 && !stream_.empty(); --edits) {
      stream_[rng_.below(stream_.size())] = rng_.below(4) == 0 ? 0 : random_byte();
    }
  }

  ByteNumbers::AtEnd at_end_;
  uint64_t length_;
  bool first_ = true;
  ByteNumbers numbers_;
  Rng rng_;
  EngineVector<uint8_t> given_, stream_;
  EngineVector<ThreadId> order_;
};

}  // namespace

JOSTLE_STRATEGY(kBytes) = {"bytes",
                           "a stream of bytes decides: --from FILE, or random ones",
                           {{"end", 0, 0, 3, "what follows the stream", "zeros|loop|stop|prng"},
                            {"length", 64, 0, 1'000'000, "bytes of a random stream"}},
                           made<Bytes>,
                           false,
                           StrategyTakes::bytes};

}  // namespace jostle
