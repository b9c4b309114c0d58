// SPDX-License-Identifier: Apache-2.0
// Tests of what operations return when threads call them side by side.
//
//     JOSTLE_LINEARIZABLE(Lifo) {
//       auto stack = share<TreiberStack<int>>();
//       operation("push", gen::range(0, 3), [=](int v) { stack->push(v); });
//       operation("pop", [=] { return stack->pop(); });
//     }
//
// Small scenarios are drawn (some operations first, then two or three threads with some each, then
// some more), and run under one schedule after another. A run is right when some order of its
// operations, one after the other, returns the same on the same object, and keeps to the order in
// which they returned and were called. Nothing else has to be written down. docs/linearizability.md
//
// A test of GoogleTest, Catch2 or doctest when the header of one comes before this; otherwise of a
// program whose main() is `return jostle::run_tests(argc, argv);`.
#pragma once

#if __cplusplus <= 201703L
#error "<jostle/linearizable.hpp> needs C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#endif

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <jostle/fingerprint.hpp>
#include <jostle/gen_members.hpp>
#include <jostle/property.hpp>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <utility>
#include <vector>

// Tells the runtime that runs of this program have histories.
extern "C" __attribute__((weak, visibility("default"))) const char jostle_has_histories = 1;

namespace jostle {

// Which scenarios are drawn, and which orders count.
struct scenarios {
  struct range {
    unsigned least, most;
  };
  range threads = {2, 3};
  range operations = {1, 3};  // of each thread
  range before = {0, 3};      // by one thread alone, first
  range after = {0, 2};       // … and last
  // Instead: every scenario of exactly so many threads with so many operations each, verified.
  struct size {
    unsigned threads = 0, operations = 0;
  } all = {};
  options how = {};
};

enum class consistency {
  linearizable,  // an operation that had returned before another was called comes first
  sequential,    // only operations of the same thread keep their order
  quiescent,     // only operations with a moment between them at which nobody is in any
};

// Operations of one thread only, whichever: `operation(…).only_by(producer)`.
struct group {
  const char* name;
};

namespace detail {

// What an operation promises, whatever becomes of the threads beside it.
struct promise {
  jostle_promise kind = {};  // 0: nothing
  unsigned bound = 0;        // of wait_free: steps
};

// An operation of a scenario: which, with its arguments.
struct drawn_operation {
  std::function<void(unsigned number)> run;
  std::function<std::string()> text;
  promise promised;
};

// Of what is run besides, and belongs to no history.
inline constexpr unsigned no_number = ~0u;

struct operation_kind {
  std::string name;
  std::function<drawn_operation(const operation_kind&)> draw;
  std::string group;
  bool is_weak = false;
  bool has_model = false;
  promise promised;
};

template <typename T>
std::string result_text(const T& value) {
  if constexpr (std::is_pointer_v<T>) {
    return value == nullptr ? "null" : "an address";
  } else if constexpr (smart_pointer<T> && !has_own_text<T>) {
    return value ? show(*value) : "null";
  } else {
    return show(value);
  }
}

inline std::string exception_text() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  int status = 0;
  char* name = type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, &status) : nullptr;
  const std::string text = std::string("throws ") + (name ? name : "something");
  std::free(name);
  return text;
}

// Texts are made only when somebody reads them.
template <typename Make>
void show_result(unsigned number, Make&& make) {
  if (!jostle_begin_showing()) return;
  {
    const std::string text = make();
    jostle_show_operation(number, nullptr, text.c_str());
  }
  jostle_end_showing();
}

// Calls it as operation `number` of the run's history. What is compared is made aside, so that it
// is no part of the run.
template <typename Call>
void run_operation(unsigned number, bool is_weak, Call&& call) {
  using Result = std::remove_cvref_t<std::invoke_result_t<Call>>;
  jostle_operation_begin(number);
  try {
    if constexpr (std::is_void_v<Result>) {
      call();
      jostle_operation_end(number, 0, 0);
      show_result(number, [] { return std::string(); });
    } else {
      const Result result = call();
      uint64_t compared;
      if constexpr (std::is_pointer_v<Result>) {
        compared = reinterpret_cast<uintptr_t>(result);
      } else if constexpr (plain_result<Result>) {
        compared = fingerprint(result);
      } else {
        jostle_begin_aside();
        compared = fingerprint(result);
        jostle_end_showing();
      }
      jostle_operation_end(number, is_weak ? 0 : compared,
                           std::is_pointer_v<Result> && !is_weak ? 1 : 0);
      show_result(number, [&] { return result_text(result); });
    }
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    const uint64_t which = type ? fingerprint_of_text(type->name()) : 1;
    jostle_operation_end(number, is_weak ? 0 : mixed(which, 7), 0);
    show_result(number, [] { return exception_text(); });
  }
}

template <typename... V>
std::string call_text(const std::string& name, const std::tuple<V...>& values) {
  std::string text = name + "(";
  std::apply(
      [&](const auto&... value) {
        bool first = true;
        ((text += (std::exchange(first, false) ? "" : ", ") + show(value)), ...);
      },
      values);
  return text + ")";
}

}  // namespace detail

// What `operation` returns: more about it, by chaining.
template <typename Values>
class operation_handle {
 public:
  explicit operation_handle(detail::operation_kind& kind,
                            std::shared_ptr<std::function<void(unsigned, const Values&)>> modelled)
      : kind_(kind), modelled_(std::move(modelled)) {}

  // Of the group's operations only one thread has any: a queue for a single producer.
  operation_handle& only_by(const char* name) {
    kind_.group = name;
    return *this;
  }
  operation_handle& only_by(const group& which) { return only_by(which.name); }
  // Its result is not compared: a size that is only about right.
  operation_handle& weak() {
    kind_.is_weak = true;
    return *this;
  }
  // It returns when all other threads have been stopped, wherever they are.
  operation_handle& obstruction_free() { return promises({JOSTLE_OBSTRUCTION_FREE}); }
  // … and of two that go on, however they take turns, one returns.
  operation_handle& lock_free() { return promises({JOSTLE_LOCK_FREE}); }
  // … and it does itself, within `steps` accesses and synchronisations of its own.
  operation_handle& wait_free(unsigned steps = 1000) { return promises({JOSTLE_WAIT_FREE, steps}); }
  // What it does to the model: the right results are the model's then.
  template <typename F>
  operation_handle& model(F function) {
    const bool* is_weak = &kind_.is_weak;
    *modelled_ = [function = std::move(function), is_weak](unsigned number, const Values& values) {
      detail::run_operation(number, *is_weak, [&] { return std::apply(function, values); });
    };
    kind_.has_model = true;
    return *this;
  }

 private:
  operation_handle& promises(detail::promise promised) {
    kind_.promised = promised;
    return *this;
  }

  detail::operation_kind& kind_;
  std::shared_ptr<std::function<void(unsigned, const Values&)>> modelled_;
};

// One run of the test: what JOSTLE_LINEARIZABLE's body is a member of.
class linearizable_run {
 public:
  explicit linearizable_run(const scenarios& wanted) : wanted_(wanted) {}
  virtual ~linearizable_run() = default;
  linearizable_run(const linearizable_run&) = delete;
  linearizable_run& operator=(const linearizable_run&) = delete;

  void run(const location& where) {
    define();
    check_definition();
    draw_scenario();
    jostle_history_order(static_cast<jostle_consistency>(consistency_));
    jostle_history_slack(slack_);
    jostle_history_begin(static_cast<unsigned>(slots_.size()), slots_.data());
    draw_standstill();
    show_scenario();
    play();
    if (invariant_ && !jostle_in_reference() && !invariant_()) {
      jostle_fail("the invariant does not hold when all operations are done", where.file_name(),
                  where.line());
    }
    jostle_history_end(where.file_name(), where.line());
  }

 protected:
  virtual void define() = 0;

  using gen = detail::gen_members;

  // Made anew for every run, and destroyed when it is over.
  template <typename T, typename... A>
  std::shared_ptr<T> share(A&&... arguments) {
    return std::make_shared<T>(std::forward<A>(arguments)...);
  }
  template <typename T, typename... A>
  std::shared_ptr<T> model(A&&... arguments) {
    return std::make_shared<T>(std::forward<A>(arguments)...);
  }

  // operation(name, generators…, function)
  template <typename... Parts>
  requires(sizeof...(Parts) >= 1) auto operation(std::string name, Parts... parts) {
    return add(std::move(name), std::tuple<Parts...>(std::move(parts)...),
               std::make_index_sequence<sizeof...(Parts) - 1>{});
  }

  // All operations are, that promise nothing else.
  void obstruction_free() { promised_ = {JOSTLE_OBSTRUCTION_FREE}; }
  void lock_free() { promised_ = {JOSTLE_LOCK_FREE}; }
  void wait_free(unsigned steps = 1000) { promised_ = {JOSTLE_WAIT_FREE, steps}; }

  // Holds when all operations are done.
  void invariant(std::function<bool()> holds) { invariant_ = std::move(holds); }
  // Compared like a result, when all operations are done.
  template <typename F>
  void state(F describe) {
    state_ = [describe = std::move(describe)](unsigned number) {
      detail::run_operation(number, false, describe);
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
  template <typename All, size_t... I>
  auto add(std::string name, All all, std::index_sequence<I...>) {
    using Function = std::tuple_element_t<sizeof...(I), All>;
    using Values = std::tuple<std::decay_t<typename std::tuple_element_t<I, All>::value_type>...>;
    auto modelled = std::make_shared<std::function<void(unsigned, const Values&)>>();
    detail::operation_kind& kind = kinds_.emplace_back();
    kind.name = std::move(name);
    kind.draw = [all = std::move(all), modelled](const detail::operation_kind& self) {
      auto values = std::make_shared<Values>(
          detail::draw_safely([&] { return Values{std::get<I>(all)()...}; }));
      const Function& function = std::get<sizeof...(I)>(all);
      detail::drawn_operation drawn;
      drawn.text = [values, &self] { return detail::call_text(self.name, *values); };
      drawn.run = [values, function, modelled, is_weak = self.is_weak](unsigned number) {
        if (*modelled && jostle_in_reference()) return (*modelled)(number, *values);
        detail::run_operation(number, is_weak, [&] { return std::apply(function, *values); });
      };
      return drawn;
    };
    return operation_handle<Values>(kind, modelled);
  }

  void check_definition() const {
    const auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
    if (kinds_.empty()) refuse("JOSTLE_LINEARIZABLE: there is no operation");
    size_t models = 0;
    for (const detail::operation_kind& kind : kinds_) models += kind.has_model;
    if (models != 0 && models != kinds_.size()) {
      refuse("JOSTLE_LINEARIZABLE: either all operations have a model or none has");
    }
  }

  // Which kinds a thread may have: those of a group that another has are not among them.
  std::vector<detail::operation_kind*> allowed(size_t slot) {
    std::vector<detail::operation_kind*> list;
    for (detail::operation_kind& kind : kinds_) {
      const auto owner = std::find_if(owners_.begin(), owners_.end(),
                                      [&](const auto& one) { return one.first == kind.group; });
      if (kind.group.empty() || slot == 0 || owner == owners_.end() || owner->second == slot) {
        list.push_back(&kind);
      }
    }
    return list;
  }

  bool draw_operation(size_t slot) {
    const std::vector<detail::operation_kind*> kinds = allowed(slot);
    if (kinds.empty()) return false;
    const size_t which = kinds.size() == 1 ? 0 : jostle_draw_unsigned(0, kinds.size() - 1);
    const detail::operation_kind& kind = *kinds[which];
    if (!kind.group.empty() && slot != 0) owners_.emplace_back(kind.group, slot);
    operations_.push_back(kind.draw(kind));
    operations_.back().promised = kind.promised.kind != 0 ? kind.promised : promised_;
    slots_.push_back(static_cast<unsigned char>(slot));
    return true;
  }

  // Is there one more, after `count` of them? Asked before each and behind the last, so that to
  // leave out an operation, or a thread, is to leave out its draws.
  static bool draw_one_more(unsigned count, scenarios::range wanted) {
    return jostle_draw_unsigned(count < wanted.least, count < wanted.most) != 0;
  }

  void draw_operations(size_t slot, scenarios::range count) {
    for (unsigned n = 0; draw_one_more(n, count) && draw_operation(slot); ++n) {
    }
  }

  void draw_scenario() {
    const scenarios::size& all = wanted_.all;
    const bool is_fixed = all.threads != 0;
    const scenarios::range none = {0, 0};
    const scenarios::range threads =
        is_fixed ? scenarios::range{all.threads, all.threads} : wanted_.threads;
    const scenarios::range each =
        is_fixed ? scenarios::range{all.operations, all.operations} : wanted_.operations;
    draw_operations(0, is_fixed ? none : wanted_.before);
    first_ = operations_.size();
    while (draw_one_more(threads_, threads)) draw_operations(++threads_, each);
    last_ = operations_.size();
    draw_operations(0, is_fixed ? none : wanted_.after);
    if (state_) slots_.push_back(0);
  }

  // Tests what one of the operations promises. Not in the runs that show what is right, which have
  // the same draws up to here; and where all executions are explored, threads are not stopped.
  void draw_standstill() {
    if (jostle_in_reference() || wanted_.all.threads != 0 || threads_ < 2) return;
    std::vector<unsigned> candidates;
    for (size_t i = first_; i < last_; ++i) {
      if (operations_[i].promised.kind != 0) candidates.push_back(static_cast<unsigned>(i));
    }
    if (candidates.empty()) return;
    const size_t which = jostle_draw_unsigned(0, candidates.size());
    if (which == 0) return;
    const unsigned tested = candidates[which - 1];
    const detail::promise& promised = operations_[tested].promised;
    jostle_standstill test = {promised.kind, tested, 0, 0, 1, 1, promised.bound};
    const auto draw = [](unsigned least, unsigned most) {
      return static_cast<unsigned>(jostle_draw_unsigned(least, most));
    };
    // Early in it as often as late.
    constexpr unsigned most_doublings = 7;
    if (const unsigned doublings = draw(0, most_doublings); doublings != 0) {
      test.after = draw(1, (1u << doublings) - 1);
    }
    if (promised.kind != JOSTLE_OBSTRUCTION_FREE && draw(0, 1) != 0) {
      constexpr unsigned most_turns = 6;
      test.partner = draw(1, threads_ - 1);
      test.partner += test.partner >= slots_[tested];
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
    for (unsigned i = 0; i < operations_.size(); ++i) {
      jostle_show_operation(i, operations_[i].text().c_str(), nullptr);
    }
    if (state_) {
      jostle_show_operation(static_cast<unsigned>(operations_.size()), "the state", nullptr);
    }
    jostle_end_showing();
  }

  // In any order: which one is a choice.
  void play_in_any_order() {
    std::vector<unsigned> left;
    for (unsigned i = 0; i < operations_.size(); ++i) left.push_back(i);
    while (!left.empty()) {
      const size_t next = left.size() == 1 ? 0 : jostle_choose(static_cast<unsigned>(left.size()));
      operations_[left[next]].run(left[next]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(next));
    }
  }

  void play() {
    if (slack_ != 0 && jostle_in_reference()) {
      play_in_any_order();
      if (state_) state_(static_cast<unsigned>(operations_.size()));
      return;
    }
    for (unsigned i = 0; i < first_; ++i) operations_[i].run(i);
    {
      std::list<std::thread> threads;
      for (unsigned t = 1; t <= threads_; ++t) {
        threads.emplace_back([this, t] {
          for (size_t i = first_; i < last_; ++i) {
            if (slots_[i] == t) operations_[i].run(static_cast<unsigned>(i));
          }
          if (t == repeats_) repeat(t);
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
    for (size_t i = last_; i < operations_.size(); ++i) {
      operations_[i].run(static_cast<unsigned>(i));
    }
    if (state_) state_(static_cast<unsigned>(operations_.size()));
  }

  // Again and again, to keep another from returning.
  void repeat(unsigned slot) {
    constexpr unsigned least_rounds = 8;
    for (unsigned round = 0; round < least_rounds || jostle_stands_still(); ++round) {
      for (size_t i = first_; i < last_; ++i) {
        if (slots_[i] == slot) operations_[i].run(detail::no_number);
      }
    }
  }

  const scenarios& wanted_;
  std::list<detail::operation_kind> kinds_;
  std::vector<std::pair<std::string, size_t>> owners_;  // of groups: which slot has it
  std::vector<detail::drawn_operation> operations_;
  std::vector<unsigned char> slots_;
  size_t first_ = 0, last_ = 0;  // of those side by side
  unsigned threads_ = 0;
  unsigned slack_ = 0;
  unsigned repeats_ = 0;  // slot whose operations are repeated; 0: none
  detail::promise promised_;
  std::function<bool()> invariant_;
  std::function<void(unsigned)> state_;
  jostle::consistency consistency_ = jostle::consistency::linearizable;
};

namespace detail {

// "2x3" of --jostle_all=2x3 or JOSTLE_ALL=2x3.
inline scenarios::size asked_for_all() {
  const auto parse = [](const char* text) {
    scenarios::size size;
    if (std::sscanf(text, "%ux%u", &size.threads, &size.operations) != 2 || size.threads < 1 ||
        size.operations < 1 || size.threads * size.operations > 31) {
      throw std::invalid_argument(std::string("--jostle_all=") + text +
                                  ": expected threads and operations of each, like 2x2");
    }
    return size;
  };
  scenarios::size size;
  if (const char* given = std::getenv("JOSTLE_ALL"); given && *given) size = parse(given);
  if (std::FILE* file = std::fopen("/proc/self/cmdline", "re")) {
    char* word = nullptr;
    size_t room = 0;
    constexpr char kFlag[] = "--jostle_all=";
    while (getdelim(&word, &room, '\0', file) > 0) {
      if (std::strncmp(word, kFlag, sizeof kFlag - 1) == 0) size = parse(word + sizeof kFlag - 1);
    }
    std::free(word);
    std::fclose(file);
  }
  return size;
}

inline void check_scenarios(const scenarios& wanted) {
  const auto refuse = [](const std::string& why) {
    throw std::invalid_argument("jostle::scenarios: " + why);
  };
  const auto is_range = [](const scenarios::range& range) { return range.least <= range.most; };
  if (!is_range(wanted.threads) || !is_range(wanted.operations) || !is_range(wanted.before) ||
      !is_range(wanted.after)) {
    refuse("a range ends before it begins");
  }
  if (wanted.threads.least < 1 || wanted.operations.least < 1) {
    refuse("at least one thread and one operation of each");
  }
  const unsigned most =
      wanted.before.most + wanted.threads.most * wanted.operations.most + wanted.after.most + 1;
  if (most > 32)
    refuse("at most 31 operations in all; this would be up to " + std::to_string(most - 1));
}

}  // namespace detail

namespace detail {

inline std::string with_commas(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

// In a sentence, what a test that passed has shown.
inline std::string passed_text(const result& found) {
  const scenarios::size all = asked_for_all();
  std::string text;
  if (all.threads != 0) {
    text = "linearizable: all " + with_commas(found.scenarios) + " scenarios of " +
           std::to_string(all.threads) + " threads x " + std::to_string(all.operations) +
           " operations, " + with_commas(found.executions) + " executions";
  } else {
    text = "no failure in " + with_commas(found.schedules) + " schedules of " +
           with_commas(found.scenarios) + " scenarios";
  }
  if (found.not_judged != 0) {
    text += "; " + with_commas(found.not_judged) + " of them had too many orders to be judged";
  }
  return text;
}

}  // namespace detail

// Explores the test and says what came of it.
template <typename Run>
result explore_linearizable(scenarios wanted, options how, const location& where) {
  if (const scenarios::size all = detail::asked_for_all(); all.threads != 0) wanted.all = all;
  if (wanted.all.threads == 0) detail::check_scenarios(wanted);
  how.has_history = true;
  if (wanted.all.threads != 0) how.verify = true;
  const auto body = [&] {
    Run run(wanted);
    run.run(where);
  };
  return explore(body, how, where);
}

namespace detail {

struct registered_test {
  const char* name;
  result (*explore)(const options& how);
};
inline std::vector<registered_test>& registered_tests() {
  static std::vector<registered_test> tests;
  return tests;
}
inline int register_test(const char* name, result (*explore)(const options&)) {
  registered_tests().push_back({name, explore});
  return 0;
}

}  // namespace detail

namespace detail {

inline constexpr char usage_of_tests[] =
    "usage: %s [--all THREADSxOPERATIONS] [OPTIONS] [TEST...]\n"
    "  --all 2x2     every scenario of two threads with two operations each, verified\n"
    "  --list        the names of the tests\n"
    "  OPTIONS       of `jostle fuzz`: -t 10s, -n 1000, -j 2, --seed 7, --memory=c11, ...\n"
    "  TEST          only these (default: all)\n";

inline bool is_test(const std::string& name) {
  const auto& tests = registered_tests();
  return std::any_of(tests.begin(), tests.end(),
                     [&](const registered_test& test) { return name == test.name; });
}

}  // namespace detail

// main() of a program of such tests: all of them, or those whose names are given.
// `--all 2x2`: every scenario of that size. Other options are those of `jostle fuzz`. 0: all
// passed, 77: one failed, 20: incomplete.
inline int run_tests(int argc, char** argv) {
  std::vector<std::string> wanted;
  std::string options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--all" && i + 1 < argc) {
      setenv("JOSTLE_ALL", argv[++i], 1);
    } else if (word == "--list") {
      for (const auto& test : detail::registered_tests()) std::printf("%s\n", test.name);
      return 0;
    } else if (word == "--help" || word == "-h") {
      std::printf(detail::usage_of_tests, argc > 0 ? argv[0] : "tests");
      return 0;
    } else if (word.rfind("--jostle_", 0) == 0) {
      continue;
    } else if (word.rfind("-", 0) == 0) {
      // What follows and is no test is the option's value.
      options += " " + word;
      const bool is_alone =
          word.find('=') != std::string::npos || i + 1 == argc || argv[i + 1][0] == '-';
      if (!is_alone && !detail::is_test(argv[i + 1])) options += std::string(" ") + argv[++i];
    } else {
      wanted.push_back(word);
    }
  }
  if (!options.empty()) {
    const char* before = std::getenv("JOSTLE_OPTIONS");
    setenv("JOSTLE_OPTIONS", ((before ? before : "") + options).c_str(), 1);
  }
  int status = 0;
  size_t done = 0;
  for (const detail::registered_test& test : detail::registered_tests()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), test.name) == wanted.end()) {
      continue;
    }
    ++done;
    const result found =
        test.explore({.name = test.name, .replay_argument = wanted.empty() ? test.name : ""});
    if (found.passed()) {
      std::printf("%s: %s\n", test.name, detail::passed_text(found).c_str());
    } else {
      std::printf("%s:%s\n", test.name,
                  found.broken() ? " the check could not be done: see above"
                                 : ("\n" + found.report).c_str());
      if (status != 77) status = found.exit_code;
    }
  }
  if (done == 0) {
    std::fprintf(stderr, "jostle: there is no such test; --list shows their names\n");
    return 2;
  }
  return status;
}

}  // namespace jostle

// The class whose member the body is, and how the framework calls it.
#define JOSTLE_LINEARIZABLE_RUN_(test_name)                                  \
  namespace {                                                                \
  class JostleLinearizable_##test_name : public ::jostle::linearizable_run { \
   public:                                                                   \
    using linearizable_run::linearizable_run;                                \
                                                                             \
   private:                                                                  \
    void define() override;                                                  \
  };                                                                         \
  }

// JOSTLE_LINEARIZABLE(Name) { … } or JOSTLE_LINEARIZABLE(Name, jostle::scenarios{…}) { … }
#if defined(GTEST_INCLUDE_GTEST_GTEST_H_) || defined(GOOGLETEST_INCLUDE_GTEST_GTEST_H_)
#include <jostle/gtest.hpp>
#define JOSTLE_LINEARIZABLE(test_name, ...)                                                \
  JOSTLE_LINEARIZABLE_RUN_(test_name)                                                      \
  TEST(Linearizable, test_name) {                                                          \
    using namespace ::jostle;                                                              \
    const scenarios wanted{__VA_ARGS__};                                                   \
    ::jostle::gtest::run_failures::install();                                              \
    const auto how = ::jostle::gtest::options_of_test(wanted.how);                         \
    const location here = location::current();                                             \
    ::jostle::gtest::report(                                                               \
        explore_linearizable<JostleLinearizable_##test_name>(wanted, how, here), __FILE__, \
        __LINE__);                                                                         \
  }                                                                                        \
  void JostleLinearizable_##test_name::define()
#elif defined(CATCH_VERSION_MAJOR) || defined(DOCTEST_VERSION)
#define JOSTLE_LINEARIZABLE(test_name, ...)                                                     \
  JOSTLE_LINEARIZABLE_RUN_(test_name)                                                           \
  TEST_CASE(#test_name) {                                                                       \
    using namespace ::jostle;                                                                   \
    const scenarios wanted{__VA_ARGS__};                                                        \
    options how = wanted.how;                                                                   \
    if (how.name.empty()) how.name = #test_name;                                                \
    const result found =                                                                        \
        explore_linearizable<JostleLinearizable_##test_name>(wanted, how, location::current()); \
    if (!found.passed()) throw failure(found);                                                  \
  }                                                                                             \
  void JostleLinearizable_##test_name::define()
#else
#define JOSTLE_LINEARIZABLE(test_name, ...)                                               \
  JOSTLE_LINEARIZABLE_RUN_(test_name)                                                     \
  namespace {                                                                             \
  [[maybe_unused]] const int JostleRegistered_##test_name =                               \
      ::jostle::detail::register_test(#test_name, [](const ::jostle::options& given) {    \
        using namespace ::jostle;                                                         \
        const scenarios wanted{__VA_ARGS__};                                              \
        options how = wanted.how;                                                         \
        if (how.name.empty()) how.name = given.name;                                      \
        how.replay_argument = given.replay_argument;                                      \
        return explore_linearizable<JostleLinearizable_##test_name>(wanted, how,          \
                                                                    location::current()); \
      });                                                                                 \
  }                                                                                       \
  void JostleLinearizable_##test_name::define()
#endif
