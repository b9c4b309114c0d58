// SPDX-License-Identifier: Apache-2.0
// One run of a test of operations: what JOSTLE_LINEARIZABLE's body is a member of.
#pragma once

#include <cxxabi.h>
#include <jostle/jostle.h>

#include <functional>
#include <jostle/gen_members.hpp>
#include <jostle/linearizable/drawn_scenario.hpp>
#include <jostle/linearizable/operation.hpp>
#include <jostle/linearizable/scenarios.hpp>
#include <jostle/location.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace jostle {

class linearizable_run {
 public:
  [[gnu::noinline]] virtual ~linearizable_run() {}  // once, not in every test
  linearizable_run(const linearizable_run&) = delete;
  linearizable_run& operator=(const linearizable_run&) = delete;

  void run(const scenarios& wanted, const location& where) {
    where_ = &where;
    begin(wanted);
    jostle_history_order(static_cast<jostle_consistency>(consistency_));
    jostle_history_slack(slack_);
    std::vector<unsigned char> slots;
    for (unsigned i = 0; i < scenario_.count(); ++i) {
      slots.push_back(static_cast<unsigned char>(scenario_[i].slot));
    }
    if (state_) slots.push_back(0);
    jostle_history_begin(static_cast<unsigned>(slots.size()), slots.data());
    if (wanted.all.threads == 0) draw_standstill();
    show_scenario();
    play();
    if (invariant_ && !jostle_in_reference() && !invariant_()) {
      jostle_fail("the invariant does not hold when all operations are done", where.file_name(),
                  where.line());
    }
    jostle_history_end(where.file_name(), where.line());
  }

  // Without calling any.
  void draw(const scenarios& wanted) { begin(wanted); }
  detail::drawn_scenario take_scenario() { return std::move(scenario_); }
  // All by the caller, in this order.
  void replay(detail::drawn_scenario&& scenario, const unsigned char* order, unsigned count) {
    define();
    scenario_ = std::move(scenario);
    scenario_.use(kinds_);
    for (unsigned i = 0; i < count; ++i) {
      if (order[i] < scenario_.count()) {
        call(order[i]);
      } else {
        call_state();
      }
    }
  }

 protected:
  [[gnu::noinline]] linearizable_run() {}
  virtual void define() = 0;

  using gen = detail::gen_members;

  // Made anew for every run, and destroyed when it is over.
  template <typename T, typename... A>
  std::shared_ptr<T> share(A&&... arguments) {
    static_assert(std::is_constructible_v<T, A...>,
                  "share<T>(arguments...): T cannot be made of these arguments");
    return std::make_shared<T>(std::forward<A>(arguments)...);
  }
  template <typename T, typename... A>
  std::shared_ptr<T> model(A&&... arguments) {
    static_assert(std::is_constructible_v<T, A...>,
                  "model<T>(arguments...): T cannot be made of these arguments");
    return std::make_shared<T>(std::forward<A>(arguments)...);
  }

  // operation(name, generators…, function)
  template <typename... Parts>
  requires(sizeof...(Parts) >= 1) auto operation(const char* name, Parts... parts) {
    using Indices = std::make_index_sequence<sizeof...(Parts) - 1>;
    using Values = typename detail::values_of<Indices, Parts...>::type;
    auto* kind = new detail::typed_operation<Values, Indices, Parts...>(parts...);
    add(kind, name);
    return operation_handle<Values>(*kind);
  }
  template <typename... Parts>
  requires(sizeof...(Parts) >= 1) auto operation(const std::string& name, Parts... parts) {
    return operation(name.c_str(), std::move(parts)...);
  }

  // All operations are, that promise nothing else.
  void obstruction_free() { promised_ = {JOSTLE_OBSTRUCTION_FREE}; }
  void lock_free() { promised_ = {JOSTLE_LOCK_FREE}; }
  void wait_free(unsigned steps = 1000) { promised_ = {JOSTLE_WAIT_FREE, steps}; }

  // Holds whenever no operation is running.
  void invariant(std::function<bool()> holds) { invariant_ = std::move(holds); }
  // Compared like a result, when all operations are done.
  template <typename F>
  void state(F describe) {
    state_ = [describe = std::move(describe)](const detail::returned& to) {
      detail::call_with(describe, std::tuple<>(), to);
    };
  }
  void consistency(jostle::consistency wanted) { consistency_ = wanted; }
  // Results are those of an order in which every operation is at most `places` away from where it
  // is in one that keeps to the order of returns and calls: of a queue whose pop() may skip some.
  struct quasi {
    constexpr explicit quasi(unsigned places_) : places(places_) {}
    unsigned places;
  };
  void consistency(quasi wanted) { slack_ = wanted.places; }
  static constexpr auto linearizable = jostle::consistency::linearizable;
  static constexpr auto sequential = jostle::consistency::sequential;
  static constexpr auto quiescent = jostle::consistency::quiescent;

 private:
  [[gnu::noinline]] void add(detail::operation_kind* kind, const char* name) {
    kinds_.emplace_back(kind);
    kind->name = name;
  }

  void begin(const scenarios& wanted) {
    define();
    if (kinds_.empty()) throw std::invalid_argument("JOSTLE_LINEARIZABLE: there is no operation");
    size_t models = 0;
    for (const auto& kind : kinds_) models += kind->has_model;
    if (models != 0 && models != kinds_.size()) {
      throw std::invalid_argument(
          "JOSTLE_LINEARIZABLE: either all operations have a model or none has");
    }
    scenario_.draw(kinds_, wanted);
  }

  const detail::promise& promise_of(unsigned number) const {
    const detail::promise& own = scenario_[number].kind->promised;
    return own.kind != 0 ? own : promised_;
  }

  // Tests what one of the operations promises. Not in the runs that show what is right, which have
  // the same draws up to here; and where all executions are explored, threads are not stopped.
  void draw_standstill() {
    if (jostle_in_reference() || scenario_.threads() < 2) return;
    std::vector<unsigned> candidates;
    for (unsigned i = scenario_.first(); i < scenario_.last(); ++i) {
      if (promise_of(i).kind != 0) candidates.push_back(i);
    }
    if (candidates.empty()) return;
    const auto draw = [](unsigned least, unsigned most) {
      return static_cast<unsigned>(jostle_draw_unsigned(least, most));
    };
    const unsigned which = draw(0, static_cast<unsigned>(candidates.size()));
    if (which == 0) return;
    const unsigned tested = candidates[which - 1];
    const detail::promise& promised = promise_of(tested);
    jostle_standstill test = {promised.kind, tested, 0, 0, 1, 1, promised.bound};
    // Early in it as often as late.
    constexpr unsigned most_doublings = 7;
    if (const unsigned doublings = draw(0, most_doublings); doublings != 0) {
      test.after = draw(1, (1u << doublings) - 1);
    }
    if (promised.kind != JOSTLE_OBSTRUCTION_FREE && draw(0, 1) != 0) {
      constexpr unsigned most_turns = 6;
      test.partner = draw(1, scenario_.threads() - 1);
      test.partner += test.partner >= scenario_[tested].slot;
      test.turn = draw(1, most_turns);
      test.partner_turn = draw(0, 1) == 0 ? test.turn : draw(1, most_turns);
    }
    if (promised.kind == JOSTLE_WAIT_FREE && test.partner != 0) {
      repeats_ = test.partner;
      jostle_history_order(JOSTLE_ANY_ORDER);
    }
    jostle_history_standstill(&test);
  }

  void show_scenario() {
    if (!jostle_begin_showing()) return;
    for (unsigned i = 0; i < scenario_.count(); ++i) {
      jostle_show_operation(i, scenario_[i].drawn->text().c_str(), nullptr);
    }
    if (state_) jostle_show_operation(scenario_.count(), "the state", nullptr);
    jostle_end_showing();
  }

  // As operation `number` of the run's history; one that is done besides has no number in it.
  JOSTLE_NOT_SEEN_ void call(unsigned which, unsigned number) {
    const detail::drawn_scenario::operation& one = scenario_[which];
    const detail::returned to(number, one.kind->is_weak);
    jostle_operation_begin(number);
    try {
      one.drawn->call(to);
    } catch (const abi::__forced_unwind&) {
      throw;
    } catch (...) {
      to.exception();
    }
    if (invariant_) check_invariant();
  }
  void call(unsigned which) { call(which, which); }

  void call_state() {
    if (!state_) return;
    const detail::returned to(scenario_.count(), false);
    jostle_operation_begin(scenario_.count());
    try {
      state_(to);
    } catch (const abi::__forced_unwind&) {
      throw;
    } catch (...) {
      to.exception();
    }
  }

  // Aside: nobody else goes on meanwhile, and it orders nothing.
  void check_invariant() {
    if (!jostle_is_quiescent() || !jostle_begin_aside()) return;
    const bool holds = invariant_();
    jostle_end_showing();
    if (holds) return;
    jostle_fail("the invariant does not hold, and no operation is running", where_->file_name(),
                where_->line());
  }

  // In any order: which one is a choice.
  void play_in_any_order() {
    std::vector<unsigned> left;
    for (unsigned i = 0; i < scenario_.count(); ++i) left.push_back(i);
    while (!left.empty()) {
      const size_t next = left.size() == 1 ? 0 : jostle_choose(static_cast<unsigned>(left.size()));
      call(left[next]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(next));
    }
  }

  void play() {
    if (slack_ != 0 && jostle_in_reference()) {
      play_in_any_order();
    } else {
      for (unsigned i = 0; i < scenario_.first(); ++i) call(i);
      play_side_by_side();
      for (unsigned i = scenario_.last(); i < scenario_.count(); ++i) call(i);
    }
    call_state();
  }

  void play_side_by_side() {
    std::vector<std::thread> threads;
    threads.reserve(scenario_.threads());
    for (unsigned slot = 1; slot <= scenario_.threads(); ++slot) {
      threads.emplace_back([this, slot] { play_thread(slot); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  void play_thread(unsigned slot) {
    for (unsigned i = scenario_.first(); i < scenario_.last(); ++i) {
      if (scenario_[i].slot == slot) call(i);
    }
    if (slot == repeats_) repeat(slot);
  }

  // Again and again, to keep another from returning.
  void repeat(unsigned slot) {
    constexpr unsigned least_rounds = 8, no_number = ~0u;
    for (unsigned round = 0; round < least_rounds || jostle_stands_still(); ++round) {
      for (unsigned i = scenario_.first(); i < scenario_.last(); ++i) {
        if (scenario_[i].slot == slot) call(i, no_number);
      }
    }
  }

  detail::drawn_scenario::kinds kinds_;
  detail::drawn_scenario scenario_;
  unsigned slack_ = 0;
  unsigned repeats_ = 0;  // slot whose operations are repeated; 0: none
  detail::promise promised_;
  std::function<bool()> invariant_;
  std::function<void(const detail::returned&)> state_;
  jostle::consistency consistency_ = jostle::consistency::linearizable;
  const location* where_ = nullptr;
};

using make_linearizable_run = std::unique_ptr<linearizable_run>();

namespace detail {

inline void run_linearizable(make_linearizable_run* make, const scenarios& wanted,
                             const location& where) {
  if (!jostle_in_order_session()) return make()->run(wanted, where);
  unsigned count = 0;
  int is_new = 1;
  std::unique_ptr<linearizable_run> last;
  while (const unsigned char* order = jostle_next_order(&count, &is_new)) {
    if (is_new) last = make(), last->draw(wanted);
    std::unique_ptr<linearizable_run> next = make();
    next->replay(last->take_scenario(), order, count);
    last = std::move(next);
  }
}

}  // namespace detail

// Explores the test and says what came of it.
inline result explore_linearizable(make_linearizable_run* make, scenarios wanted, options how,
                                   const location& where) {
  if (const scenarios::size all = detail::asked_for_all(); all.threads != 0) wanted.all = all;
  if (wanted.all.threads == 0) detail::check_scenarios(wanted);
  how.has_history = true;
  if (wanted.all.threads != 0) how.verify = true;
  return explore([&] { detail::run_linearizable(make, wanted, where); }, how, where);
}

}  // namespace jostle
