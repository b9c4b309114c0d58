// SPDX-License-Identifier: Apache-2.0
// All executions of a litmus test: every schedule, every choice of what memory offers.
//
// A memory offers alternatives for the next operation of a thread and is told which was taken:
//   ModelMemory   the model that is tested
//   AnyMemory     whatever the axioms allow: loads read any store, stores go anywhere
// A state that was reached before is not entered again: it is the graph so far and, for the model,
// the order of the sequentially consistent operations.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/runtime/race/detector.h"
#include "src/runtime/weak/weak_memory.h"
#include "tests/unit/litmus_graph.h"
#include "tests/unit/litmus_program.h"

namespace jostle::litmus {

// Positions in the modification order; the first is the newest.
using Positions = std::vector<uint32_t>;

inline weak::Strength strength_of(Order order) {
  const int bits = (acquires(order) ? race::kAcquire : 0) | (releases(order) ? race::kRelease : 0);
  return {static_cast<race::Order>(bits), order == Order::sequential};
}

class ModelMemory {
 public:
  static constexpr bool kOrdersSequential = true;

  void begin(const Program& program) {
    detector().begin_run(
        0, [](void*, const race::Access&, const race::Access&) {}, nullptr);
    memory().begin_run(detector(), weak::kLongestHistory);
    for (uint32_t i = 0; i < program.threads.size(); ++i) detector().create(0, i + 1);
    newest_.assign(static_cast<size_t>(program.locations), 0);
    step_ = 0;
  }

  Positions offers(const Graph&, int thread, const Instruction& op, int64_t expected) {
    const weak::Alternatives all = alternatives(thread, op, expected);
    return {all.position, all.position + all.count};
  }
  weak::Alternatives alternatives(int thread, const Instruction& op, int64_t expected) {
    if (op.kind == Instruction::Kind::fence) return {1, {0}};
    const auto t = static_cast<uint32_t>(thread + 1);
    weak::History& history = find(op.location);
    const weak::Strength strength = strength_of(op.order);
    return op.kind == Instruction::Kind::load    ? memory().readable(t, history, strength)
           : op.kind == Instruction::Kind::store ? memory().places(t, history, strength)
           : op.kind == Instruction::Kind::compare
               ? memory().comparable(t, history, static_cast<uint64_t>(expected), strength,
                                     failing(strength))
               : memory().modifiable(t, history, strength);
  }

  void done(int thread, const Instruction& op, const Event& event, uint32_t position) {
    const auto t = static_cast<uint32_t>(thread + 1);
    weak::Strength strength = strength_of(op.order);
    if (op.kind == Instruction::Kind::fence) {
      ++step_;
      return memory().fence(t, strength);
    }
    weak::History& history = find(op.location);
    const auto value = static_cast<uint64_t>(event.written);
    bool is_newest = false;
    const weak::Origin origin = {.step = step_++};
    if (event.reads && event.writes) {
      is_newest = memory().modify(t, history, position, value, strength, origin);
    } else if (event.writes) {
      is_newest = memory().write(t, history, position, value, strength, origin);
    } else {
      if (op.kind == Instruction::Kind::compare) strength = failing(strength);
      memory().read(t, history, position, strength);
    }
    if (is_newest) newest_[static_cast<size_t>(op.location)] = value;
  }

  bool allows(const Graph&) { return true; }

  // For who explores by dependence.
  weak::History& find(int location) {
    const auto address = static_cast<uintptr_t>(0x1000 + 4 * location);
    return *memory().find(address, 4, newest_[static_cast<size_t>(location)]);
  }
  bool has_raised() { return memory().has_raised(); }
  weak::Cut cut() { return memory().cut(); }

 private:
  // A compare-exchange that fails does not release.
  static weak::Strength failing(weak::Strength strength) {
    return {static_cast<race::Order>(strength.order & race::kAcquire), strength.sequential};
  }
  // Their tables are large and, as in the target, made once.
  static race::Detector& detector() {
    static auto* one = new race::Detector;
    return *one;
  }
  static weak::WeakMemory& memory() {
    static auto* one = new weak::WeakMemory;
    return *one;
  }

  uint32_t step_ = 0;             // operations so far
  std::vector<uint64_t> newest_;  // what real memory would hold
};

class AnyMemory {
 public:
  static constexpr bool kOrdersSequential = false;

  void begin(const Program&) {}
  Positions offers(const Graph& graph, int, const Instruction& op, int64_t expected) {
    if (op.kind == Instruction::Kind::fence) return {0};
    const std::vector<int>& order = graph.modified[static_cast<size_t>(op.location)];
    const auto modifies = [&](size_t i) {
      return i < order.size() && graph.events[static_cast<size_t>(order[i])].reads;
    };
    Positions all;
    for (size_t i = order.size() + 1; i-- > 0;) {
      const bool stores = op.kind == Instruction::Kind::store;
      if (stores ? i == 0 : i == order.size()) continue;
      bool taken = stores && modifies(i);
      if (op.kind == Instruction::Kind::add || op.kind == Instruction::Kind::exchange) {
        taken = modifies(i + 1);
      }
      if (op.kind == Instruction::Kind::compare) {
        const int64_t value = graph.events[static_cast<size_t>(order[i])].written;
        taken = value == expected && modifies(i + 1);
      }
      if (!taken) all.push_back(static_cast<uint32_t>(i));
    }
    return all;
  }
  void done(int, const Instruction&, const Event&, uint32_t) {}
  bool allows(const Graph& graph) { return Consistency(graph).holds(); }
};

template <typename Memory>
class Explorer {
 public:
  explicit Explorer(const Program& program) : program_(program) {}

  // Loads read the newest, stores are the newest: sequential consistency.
  Explorer& only_newest() {
    only_newest_ = true;
    return *this;
  }
  // Without recognising states: every schedule on its own.
  Explorer& every_path() {
    every_path_ = true;
    return *this;
  }

  std::set<std::string> executions() {
    visit();
    return executions_;
  }
  const std::vector<Graph>& graphs() const { return graphs_; }

 protected:
  using Kind = Instruction::Kind;
  struct Step {
    int thread;
    uint32_t position;
  };
  struct State {
    Graph graph;
    std::vector<size_t> at;  // per thread: its next instruction
    std::vector<int64_t> registers;
    std::vector<int> ordinals;
    std::string sequential;  // operations in their order
    bool rejected = false;   // by assume
  };

  void visit() {
    State state = run();
    if (state.rejected || !memory_.allows(state.graph)) return;
    const int threads = static_cast<int>(program_.threads.size());
    const std::string key = state.graph.key(threads);
    if (!every_path_ && !seen_.insert(key + state.sequential).second) return;
    std::vector<Step> steps;
    bool ended = true;
    for (int t = 0; t < threads; ++t) {
      const size_t at = state.at[static_cast<size_t>(t)];
      if (at == program_.threads[static_cast<size_t>(t)].size()) continue;
      ended = false;
      const Instruction& op = program_.threads[static_cast<size_t>(t)][at];
      Positions offers = memory_.offers(state.graph, t, op, expected_by(state, op));
      if (only_newest_) offers.resize(1);
      for (const uint32_t position : offers) steps.push_back({t, position});
    }
    if (ended && executions_.insert(key).second) graphs_.push_back(state.graph);
    for (const Step& step : steps) {
      path_.push_back(step);
      visit();
      path_.pop_back();
    }
  }

  int64_t expected_by(const State& state, const Instruction& op) const {
    return op.kind == Kind::compare ? state.registers[static_cast<size_t>(op.target)] : 0;
  }

  // The run along the path, from its start: the model has no way back.
  State run() {
    memory_.begin(program_);
    State state{Graph(program_.locations),
                std::vector<size_t>(program_.threads.size()),
                std::vector<int64_t>(static_cast<size_t>(program_.registers)),
                std::vector<int>(program_.threads.size()),
                {}};
    for (size_t t = 0; t < program_.threads.size(); ++t) run_on(state, static_cast<int>(t));
    for (const Step& step : path_) {
      execute(state, step);
      run_on(state, step.thread);
    }
    return state;
  }

  // What touches no memory happens at once.
  void run_on(State& state, int thread) {
    const std::vector<Instruction>& code = program_.threads[static_cast<size_t>(thread)];
    size_t& at = state.at[static_cast<size_t>(thread)];
    for (; at < code.size(); ++at) {
      const Instruction& op = code[at];
      if (op.kind == Kind::assign) {
        state.registers[static_cast<size_t>(op.target)] = value_of(op.value, state.registers);
      } else if (op.kind == Kind::assume) {
        state.rejected |= value_of(op.value, state.registers) == 0;
      } else if (op.kind == Kind::guard) {
        if (value_of(op.value, state.registers) != 0) continue;
        at = code.size();
        return;
      } else {
        return;
      }
    }
  }

  void execute(State& state, const Step& step) {
    const auto t = static_cast<size_t>(step.thread);
    const Instruction& op = program_.threads[t][state.at[t]++];
    Graph& graph = state.graph;
    const auto id = static_cast<int>(graph.events.size());
    Event event;
    event.thread = step.thread;
    event.ordinal = state.ordinals[t]++;
    event.location = op.location;
    event.order = op.order;
    event.reads = op.kind != Kind::store && op.kind != Kind::fence;
    event.writes = event.reads ? op.kind != Kind::load : op.kind == Kind::store;
    if (event.reads) {
      event.from = graph.modified[static_cast<size_t>(op.location)][step.position];
      event.read = graph.events[static_cast<size_t>(event.from)].written;
    }
    if (op.kind == Kind::compare) {
      int64_t& expected = state.registers[static_cast<size_t>(op.target)];
      event.writes = event.read == expected;
      expected = event.read;
    }
    if (event.writes) {
      const int64_t value = value_of(op.value, state.registers);
      event.written = op.kind == Kind::add ? event.read + value : value;
      std::vector<int>& order = graph.modified[static_cast<size_t>(op.location)];
      order.insert(order.begin() + step.position + (event.reads ? 1 : 0), id);
    }
    if (op.kind == Kind::load && op.target >= 0) {
      state.registers[static_cast<size_t>(op.target)] = event.read;
    }
    if (Memory::kOrdersSequential && op.order == Order::sequential) {
      state.sequential += static_cast<char>('a' + step.thread);
    }
    // One that fails is a load, which does not release.
    if (op.kind == Kind::compare && !event.writes && event.order != Order::sequential) {
      event.order = acquires(event.order) ? Order::acquire : Order::relaxed;
    }
    graph.events.push_back(event);
    memory_.done(step.thread, op, event, step.position);
  }

  const Program& program_;
  Memory memory_;
  bool only_newest_ = false, every_path_ = false;
  std::vector<Step> path_;
  std::set<std::string> seen_, executions_;
  std::vector<Graph> graphs_;
};

}  // namespace jostle::litmus
