// SPDX-License-Identifier: Apache-2.0
// A machine for abstract programs: threads are coroutines whose visible actions the machine
// executes one by one, in the order that a search asks for.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/strategy/dpor/reduced_search.h"

namespace jostle::dpor_machine {

using dpor::kNone;
using jostle::Act;

enum class Do : uint8_t { act, store_both, wait, timed_wait, arrive, create, join, choose, stop };

struct Op {
  Do what;
  Act act = Act::read;
  int object = 0;
  int64_t a = 0, b = 0;
  enum { equal, differs } condition = equal;
  int also_stores = -1;  // to this object, in the same action
};

struct Task {
  struct promise_type {
    Op op = {};
    int64_t result = 0;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle;
};

struct Awaitable {
  Op op;
  std::coroutine_handle<Task::promise_type> handle = {};
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<Task::promise_type> h) {
    handle = h;
    h.promise().op = op;
  }
  int64_t await_resume() { return handle.promise().result; }
};

// The language. Objects are numbers; memory is 0 at first.
inline Awaitable on(Act act, int x, int64_t a = 0, int64_t b = 0) {
  return {{Do::act, act, x, a, b}};
}
inline Awaitable load(int x) { return on(Act::read, x); }
inline Awaitable store(int x, int64_t v) { return on(Act::write, x, v); }
// One action.
inline Awaitable store_both(int x, int y, int64_t v) {
  return {{Do::store_both, Act::write, x, v, y}};
}
inline Awaitable add(int x, int64_t d = 1) { return on(Act::update, x, d); }
// The result: did it store?
inline Awaitable cas(int x, int64_t expected, int64_t v) {
  return {{Do::act, Act::update, x, v, expected, Op::differs}};
}
inline Awaitable await_equal(int x, int64_t v) { return on(Act::await, x, v); }
inline Awaitable await_differs(int x, int64_t v) {
  return {{Do::act, Act::await, x, v, 0, Op::differs}};
}
inline Awaitable lock(int m) { return on(Act::lock, m); }
inline Awaitable unlock(int m) { return on(Act::unlock, m); }
inline Awaitable try_lock(int m) { return on(Act::try_lock, m); }
inline Awaitable wait(int c, int m) { return {{Do::wait, Act::enter, c, m}}; }
// The result: was it signalled?
inline Awaitable timed_wait(int c, int m) { return {{Do::timed_wait, Act::enter, c, m}}; }
inline Awaitable signal(int c) { return on(Act::signal, c); }
inline Awaitable broadcast(int c) { return on(Act::broadcast, c); }
inline Awaitable arrive(int barrier, int of) { return {{Do::arrive, Act::arrive, barrier, of}}; }
inline Awaitable create(int thread) { return {{Do::create, Act::read, thread}}; }
inline Awaitable join(int thread) { return {{Do::join, Act::read, thread}}; }
inline Awaitable choose(int n) { return {{Do::choose, Act::read, 0, n}}; }
// The thread does nothing any more: a failed assumption.
inline Awaitable stop() { return {{Do::stop}}; }

struct Program {
  std::vector<std::function<Task()>> threads;
  std::map<int, int64_t> initial = {};  // values of objects
  std::set<int> created_later = {};
};

// What was executed, as the oracle sees it.
struct Record {
  dpor::Action action;
  std::vector<dpor::Part> parts;
  std::vector<dpor::Choice> choices;
};

struct Conditions : dpor::AwaitConditions {
  static uint64_t name(const Op& op) {
    return static_cast<uint64_t>(op.a) << 1 | (op.condition == Op::differs);
  }
  bool passes(uint64_t condition, uint64_t value) const override {
    return ((condition >> 1) == value) != ((condition & 1) != 0);
  }
};

class Machine {
 public:
  explicit Machine(const Program& program);
  ~Machine();
  Machine(const Machine&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }
  bool is_enabled(int t) const;
  // 1: its action is no choice. A signal: between those that wait.
  uint32_t alternatives(int t) const;
  void step(int t, uint32_t choice);
  // In front of an action that blocks.
  bool waits(int t) const;
  Record pending(int t) const;
  const std::vector<Record>& records() const { return records_; }
  // The time-outs that the last step has made impossible.
  const std::vector<Record>& taken_away() const { return taken_away_; }

  bool is_any_enabled() const;
  bool is_deadlocked() const;
  bool has_stopped_thread() const;
  // Everything that the rest of the run depends on.
  std::string state() const;

 private:
  enum class Phase : uint8_t { not_created, ready, in_wait, woken, at_barrier, stopped, done };
  struct Running {
    std::coroutine_handle<Task::promise_type> handle;
    Phase phase = Phase::ready;
    uint32_t enabler = kNone;
    uint32_t last_event = kNone;
    std::vector<int64_t> results = {};
  };
  struct Object {
    int64_t value = 0;
    bool is_locked = false;
    int readers = 0;
    std::vector<int> members = {};  // waiters, arrived
    auto operator<=>(const Object&) const = default;
  };

  const Op& op(int t) const { return threads_[t].handle.promise().op; }
  const Object& object(int x) const;
  bool admits(const Op& op) const;
  bool takes_effect(const Op& op) const;
  void apply(const Op& op, bool took_effect, int woken);
  void advance(int t, int64_t result);
  void let_go(int t, Phase phase);

  std::vector<Running> threads_;
  std::map<int, Object> objects_;
  std::vector<Record> records_;
  std::vector<Record> taken_away_;
};

inline Machine::Machine(const Program& program) {
  for (const auto& [x, value] : program.initial) objects_[x].value = value;
  for (size_t t = 0; t < program.threads.size(); ++t) {
    threads_.push_back({program.threads[t]().handle});
    threads_[t].handle.resume();
    if (program.created_later.count(static_cast<int>(t))) {
      threads_[t].phase = Phase::not_created;
    } else {
      let_go(static_cast<int>(t), Phase::ready);
    }
  }
}

inline Machine::~Machine() {
  for (const Running& thread : threads_) thread.handle.destroy();
}

inline void Machine::let_go(int t, Phase phase) {
  Running& thread = threads_[t];
  thread.phase = phase;
  if (thread.handle.done()) {
    thread.phase = Phase::done;
  } else if (phase == Phase::ready && op(t).what == Do::stop) {
    thread.phase = Phase::stopped;
  }
}

inline const Machine::Object& Machine::object(int x) const {
  static const Object fresh;
  const auto found = objects_.find(x);
  return found == objects_.end() ? fresh : found->second;
}

inline bool Machine::admits(const Op& op) const {
  const Object& x = object(op.object);
  switch (op.act) {
    case Act::lock:
      return !x.is_locked && x.readers == 0;
    case Act::share:
      return !x.is_locked;
    case Act::take:
      return x.value > 0;
    case Act::await:
      return (x.value == op.a) == (op.condition == Op::equal);
    default:
      return true;
  }
}

inline bool Machine::is_enabled(int t) const {
  const Op lock_again = {Do::act, Act::lock, static_cast<int>(op(t).a)};
  switch (threads_[t].phase) {
    case Phase::ready:
      break;
    case Phase::woken:
      return admits(lock_again);
    case Phase::in_wait:
      return op(t).what == Do::timed_wait && admits(lock_again);
    default:
      return false;
  }
  if (op(t).what == Do::act) return admits(op(t));
  return op(t).what != Do::join || threads_[op(t).object].phase == Phase::done;
}

inline uint32_t Machine::alternatives(int t) const {
  if (threads_[t].phase != Phase::ready) return 1;
  if (op(t).what == Do::choose) return static_cast<uint32_t>(op(t).a);
  if (op(t).what != Do::act || op(t).act != Act::signal) return 1;
  return std::max<uint32_t>(1, static_cast<uint32_t>(object(op(t).object).members.size()));
}

inline bool Machine::takes_effect(const Op& op) const {
  const Object& x = object(op.object);
  switch (op.act) {
    case Act::update:
      return op.condition == Op::equal || x.value == op.b;
    case Act::try_lock:
      return !x.is_locked && x.readers == 0;
    case Act::try_share:
      return !x.is_locked;
    case Act::try_take:
      return x.value > 0;
    case Act::signal:
    case Act::broadcast:
      return !x.members.empty();
    default:
      return true;
  }
}

inline Record Machine::pending(int t) const {
  const Op& op = this->op(t);
  const Running& thread = threads_[t];
  Record record;
  record.action.thread = t;
  record.action.enabler = thread.enabler;
  const auto name = static_cast<uint64_t>(op.object);
  const auto mutex = static_cast<uint64_t>(op.a);
  if (op.what == Do::wait || op.what == Do::timed_wait) {
    if (thread.phase == Phase::ready) record.parts = {{name, Act::enter}, {mutex, Act::unlock}};
    if (thread.phase == Phase::woken) record.parts = {{mutex, Act::lock}};
    if (thread.phase == Phase::in_wait) record.parts = {{name, Act::leave}, {mutex, Act::lock}};
  } else if (op.what == Do::act || op.what == Do::arrive) {
    const auto value = static_cast<uint64_t>(object(op.object).value);
    record.parts = {{name, op.act, value, value}};
    record.parts[0].took_effect = takes_effect(op);
    record.parts[0].compares = op.act == Act::update && op.condition == Op::differs;
    record.parts[0].operand = static_cast<uint64_t>(op.b);
    if (op.act == Act::await) record.parts[0].condition = Conditions::name(op);
    if (op.also_stores >= 0) {
      const auto before = static_cast<uint64_t>(object(op.also_stores).value);
      record.parts.push_back({static_cast<uint64_t>(op.also_stores), Act::write, before, 7});
    }
  } else if (op.what == Do::store_both) {
    for (const int x : {op.object, static_cast<int>(op.b)}) {
      record.parts.push_back({static_cast<uint64_t>(x), Act::write,
                              static_cast<uint64_t>(object(x).value), static_cast<uint64_t>(op.a)});
    }
  } else if (op.what == Do::join) {
    const Running& joined = threads_[op.object];
    record.action.enabler = joined.last_event == kNone ? joined.enabler : joined.last_event;
  }
  return record;
}

inline void Machine::apply(const Op& op, bool took_effect, int woken) {
  Object& x = objects_[op.object];
  if (!took_effect) return;
  switch (op.act) {
    case Act::write:
      x.value = op.a;
      break;
    case Act::update:
      x.value = op.condition == Op::equal ? x.value + op.a : op.a;
      break;
    case Act::lock:
    case Act::try_lock:
      x.is_locked = true;
      break;
    case Act::unlock:
      x.is_locked = false;
      break;
    case Act::share:
    case Act::try_share:
      ++x.readers;
      break;
    case Act::unshare:
      --x.readers;
      break;
    case Act::post:
      ++x.value;
      break;
    case Act::take:
    case Act::try_take:
      --x.value;
      break;
    case Act::signal:
    case Act::broadcast: {
      std::vector<int> left;
      for (const int waiter : x.members) {
        if (op.act == Act::signal && waiter != woken) {
          left.push_back(waiter);
          continue;
        }
        if (this->op(waiter).what == Do::timed_wait) taken_away_.push_back(pending(waiter));
        threads_[waiter].phase = Phase::woken;
        threads_[waiter].enabler = static_cast<uint32_t>(records_.size());
      }
      x.members = left;
      break;
    }
    default:
      break;
  }
}

inline void Machine::advance(int t, int64_t result) {
  Running& thread = threads_[t];
  thread.results.push_back(result);
  thread.handle.promise().result = result;
  thread.handle.resume();
  let_go(t, Phase::ready);
}

inline void Machine::step(int t, uint32_t choice) {
  taken_away_.clear();
  Record record = pending(t);
  if (alternatives(t) > 1) record.choices = {{alternatives(t), choice}};
  const Op op = this->op(t);
  const auto event = static_cast<uint32_t>(records_.size());
  const Phase phase = threads_[t].phase;
  threads_[t].enabler = kNone;
  std::vector<int>& members = objects_[op.object].members;
  bool goes_on = true;
  int64_t result = 0;
  if (op.what == Do::wait || op.what == Do::timed_wait) {
    objects_[static_cast<int>(op.a)].is_locked = phase != Phase::ready;
    result = phase == Phase::woken;
    if (phase == Phase::ready) {
      members.push_back(t);
      threads_[t].phase = Phase::in_wait;
      goes_on = false;
    } else if (phase == Phase::in_wait) {
      members.erase(std::find(members.begin(), members.end(), t));
    }
  } else if (op.what == Do::act) {
    const bool wakes = op.act == Act::signal && !members.empty();
    const int woken = wakes ? members[choice] : -1;
    if (wakes) record.parts[0].operand = static_cast<uint64_t>(woken);
    result = op.act == Act::read || op.act == Act::await ||
                     (op.act == Act::update && !record.parts[0].compares)
                 ? object(op.object).value
                 : record.parts[0].took_effect;
    apply(op, record.parts[0].took_effect, woken);
    record.parts[0].after = static_cast<uint64_t>(object(op.object).value);
    if (op.also_stores >= 0) {
      record.parts[1].before = static_cast<uint64_t>(object(op.also_stores).value);
      objects_[op.also_stores].value = 7;
    }
  } else if (op.what == Do::arrive) {
    result = static_cast<int64_t>(members.size()) + 1 == op.a;
    if (result) {
      const std::vector<int> others = std::move(members);
      members.clear();
      for (const int other : others) {
        threads_[other].enabler = event;
        advance(other, 0);
      }
    } else {
      members.push_back(t);
      std::sort(members.begin(), members.end());
      threads_[t].phase = Phase::at_barrier;
      goes_on = false;
    }
  } else if (op.what == Do::store_both) {
    objects_[op.object].value = objects_[static_cast<int>(op.b)].value = op.a;
  } else if (op.what == Do::create) {
    threads_[op.object].enabler = event;
    let_go(op.object, Phase::ready);
  } else if (op.what == Do::choose) {
    result = choice;
  }
  threads_[t].last_event = event;
  records_.push_back(std::move(record));
  if (goes_on) advance(t, result);
}

inline bool Machine::waits(int t) const {
  if (is_enabled(t)) return false;
  const Phase phase = threads_[t].phase;
  if (phase == Phase::in_wait) return op(t).what == Do::timed_wait;
  return phase == Phase::woken || (phase == Phase::ready && op(t).what == Do::act);
}

inline bool Machine::is_any_enabled() const {
  for (int t = 0; t < threads(); ++t) {
    if (is_enabled(t)) return true;
  }
  return false;
}

inline bool Machine::has_stopped_thread() const {
  return std::any_of(threads_.begin(), threads_.end(),
                     [](const Running& thread) { return thread.phase == Phase::stopped; });
}

inline bool Machine::is_deadlocked() const {
  if (is_any_enabled()) return false;
  return std::any_of(threads_.begin(), threads_.end(), [](const Running& thread) {
    return thread.phase != Phase::stopped && thread.phase != Phase::done &&
           thread.phase != Phase::not_created;
  });
}

inline std::string Machine::state() const {
  std::string text;
  for (const Running& thread : threads_) {
    text += std::to_string(static_cast<int>(thread.phase)) + ":";
    for (const int64_t result : thread.results) text += std::to_string(result) + ",";
    text += "|";
  }
  for (const auto& [name, x] : objects_) {
    if (x == Object{}) continue;
    text += std::to_string(name) + "=" + std::to_string(x.value) + (x.is_locked ? "L" : "") +
            std::to_string(x.readers);
    for (const int member : x.members) text += "," + std::to_string(member);
    text += "|";
  }
  return text;
}

}  // namespace jostle::dpor_machine
