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
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

enum AtEnd : uint64_t { kZeros, kLoop, kStop, kRandom };

class Bytes final : public Strategy {
 public:
  Bytes(const StrategyValues& values, const StrategyInput& input)
      : at_end_(static_cast<AtEnd>(values.of[0])), length_(values.of[1]) {
    for (size_t i = 0; i < input.byte_count; ++i) given_.push_back(input.bytes[i]);
  }

  void begin(uint64_t seed) override {
    rng_.reseed(seed);
    stream_.clear();
    if (given_.empty()) {
      for (uint64_t i = 0; i < length_; ++i) stream_.push_back(random_byte());
    } else {
      for (const uint8_t byte : given_) stream_.push_back(byte);
      if (!first_) edit();
    }
    first_ = false;
    next_ = 0;
  }

  ThreadId pick(const View& view) override {
    in_order(view, order_);
    const uint32_t n = number(static_cast<uint32_t>(order_.size()));
    return n == kNothing ? kNoThread : order_[n];
  }

  uint32_t choose(ChoiceKind, uint32_t alternatives) override {
    const uint32_t n = number(alternatives);
    return n == kNothing ? 0 : n;
  }

 private:
  static constexpr uint32_t kNothing = UINT32_MAX;

  uint8_t random_byte() { return static_cast<uint8_t>(rng_.below(256)); }

  void edit() {
    for (uint64_t edits = 1 + rng_.below(4); edits > 0 && !stream_.empty(); --edits) {
      stream_[rng_.below(stream_.size())] = rng_.below(4) == 0 ? 0 : random_byte();
    }
  }

  uint32_t number(uint32_t alternatives) {
    const int bytes = alternatives <= 1 << 8 ? 1 : alternatives <= 1 << 16 ? 2 : 4;
    uint64_t number = 0;
    for (int i = 0; i < bytes; ++i) {
      if (next_ >= stream_.size() && at_end_ == kLoop) next_ = 0;
      if (next_ < stream_.size()) {
        number = number << 8 | stream_[next_++];
      } else if (at_end_ == kStop) {
        return kNothing;
      } else if (at_end_ == kRandom) {
        number = number << 8 | random_byte();
      }
    }
    return static_cast<uint32_t>(number % alternatives);
  }

  AtEnd at_end_;
  uint64_t length_;
  bool first_ = true;
  size_t next_ = 0;
  Rng rng_;
  EngineVector<uint8_t> given_, stream_;
  EngineVector<ThreadId> order_;
};

}  // namespace

Strategy* make_bytes(const StrategyValues& values, const StrategyInput& input) {
  return make_in_engine_memory<Bytes>(values, input);
}

}  // namespace jostle
