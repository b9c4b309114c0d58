// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/object_state.h"

namespace jostle::dpor {

namespace {

bool has_value(Act act) {
  switch (act) {
    case Act::read:
    case Act::write:
    case Act::update:
    case Act::await:
    case Act::await_update:
    case Act::post:
    case Act::take:
    case Act::try_take:
      return true;
    default:
      return false;
  }
}

}  // namespace

void ObjectState::start(uint64_t value) {
  value_ = value;
  is_locked_ = false;
  readers_ = 0;
  waiters_.clear();
}

void ObjectState::apply(const Part& part, Thread thread) {
  // Something that nobody sees may have changed it since.
  if (has_value(part.act)) value_ = part.before;
  if (!part.took_effect) return;
  switch (part.act) {
    case Act::write:
    case Act::update:
    case Act::await_update:
      value_ = part.after;
      break;
    case Act::lock:
    case Act::try_lock:
      is_locked_ = true;
      break;
    case Act::unlock:
      is_locked_ = false;
      break;
    case Act::share:
    case Act::try_share:
      ++readers_;
      break;
    case Act::unshare:
      --readers_;
      break;
    case Act::post:
      ++value_;
      break;
    case Act::take:
    case Act::try_take:
      --value_;
      break;
    case Act::enter:
      waiters_.push_back(thread);
      break;
    case Act::leave:
      forget_waiter(thread);
      break;
    case Act::signal:
    case Act::expel:
      forget_waiter(static_cast<Thread>(part.operand));
      break;
    case Act::broadcast:
      waiters_.clear();
      break;
    case Act::read:
    case Act::await:
    case Act::arrive:
    case Act::transfer:
      break;
  }
}

void ObjectState::forget_waiter(Thread thread) {
  size_t left = 0;
  for (const Thread waiter : waiters_) {
    if (waiter != thread) waiters_[left++] = waiter;
  }
  waiters_.resize(left);
}

bool ObjectState::admits(const Part& part, const AwaitConditions* conditions) const {
  switch (part.act) {
    case Act::lock:
      return !is_locked_ && readers_ == 0;
    case Act::share:
      return !is_locked_;
    case Act::take:
      return value_ > 0;
    case Act::await:
    case Act::await_update:
      return conditions && conditions->passes(part.condition, value_);
    default:
      return true;
  }
}

bool ObjectState::takes_effect(const Part& part) const {
  switch (part.act) {
    case Act::update:
    case Act::await_update:
      return !part.compares || value_ == part.operand;
    case Act::try_lock:
      return !is_locked_ && readers_ == 0;
    case Act::try_share:
      return !is_locked_;
    case Act::try_take:
      return value_ > 0;
    case Act::signal:
    case Act::broadcast:
      return !waiters_.empty();
    default:
      return true;
  }
}

}  // namespace jostle::dpor
