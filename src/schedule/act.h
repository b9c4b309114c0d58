// SPDX-License-Identifier: Apache-2.0
// What a thread does to an object, as far as the order of such acts can matter.
#pragma once

#include <cstdint>

namespace jostle {

enum class Act : uint8_t {
  read,
  write,
  update,        // atomic read-modify-write; takes effect if it stores
  await,         // a read in a loop that goes on only with the right value: blocks
  await_update,  // the same with an update: takes effect if it stores
  lock,          // blocks
  try_lock,
  unlock,
  share,  // blocks; readers are preferred, as glibc does by default
  try_share,
  unshare,
  post,
  take,  // blocks
  try_take,
  enter,
  leave,
  signal,  // takes effect if somebody waits
  broadcast,
  expel,  // another thread waits there no more, and was not woken
  arrive,
  transfer,  // with the world outside: may block, and nobody knows for what
};

constexpr bool awaits(Act act) { return act == Act::await || act == Act::await_update; }

// Whether a thread can be disabled in front of it.
constexpr bool blocks(Act act) {
  return awaits(act) || act == Act::lock || act == Act::share || act == Act::take;
}

// Whether a thread is disabled in front of it is known only when it is there.
constexpr bool may_block(Act act) { return awaits(act) || act == Act::transfer; }

constexpr bool takes_lock(Act act) {
  return act == Act::lock || act == Act::try_lock || act == Act::share || act == Act::try_share;
}

// Whether it is known only afterwards if it did anything.
constexpr bool may_fail(Act act) {
  return act == Act::update || act == Act::await_update || act == Act::try_lock ||
         act == Act::try_share || act == Act::try_take || act == Act::signal ||
         act == Act::broadcast;
}

}  // namespace jostle
