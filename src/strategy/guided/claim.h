// SPDX-License-Identifier: Apache-2.0
// "What if this had come later?" A claim changes one thing about a recorded run; the strategy of
// that name runs it, so that a report says only what really happens then.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jostle {

// Threads by their order of creation, operations by the thread's own event number.
struct Claim {
  enum class Kind : uint8_t {
    after,    // `thread` does `event` only when `other` has done `other_event`
    through,  // `thread` goes on from `event` to `other_event` as long as it can
    certain,  // no wait ends without a signal, no comparison of equals fails; without numbers
  };
  Kind kind = Kind::after;
  uint32_t thread = 0;
  uint64_t event = 0;
  uint32_t other = 0;
  uint64_t other_event = 0;
  bool operator==(const Claim&) const = default;
};

// As a strategy's specification, "claim:after,1,20,2,31", and back. It is none that users see.
inline constexpr std::string_view kClaimPrefix = "claim:";
void write_claim(const Claim& claim, char* to, uint64_t room);
std::optional<Claim> read_claim(std::string_view text);

}  // namespace jostle
