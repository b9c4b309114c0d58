// SPDX-License-Identifier: Apache-2.0
// Random programs for dpor_machine.h.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "src/base/rng.h"
#include "tests/unit/dpor_machine.h"

namespace jostle::dpor_machine {

struct Instruction {
  Op op;
  int skipped_on_zero = 0;   // instructions, if the result is 0
  bool uses_result = false;  // it stores the last result instead of a constant
};
using Code = std::vector<Instruction>;

inline Task run(const Code& code) {
  int64_t last = 0;
  for (size_t at = 0; at < code.size(); ++at) {
    Op op = code[at].op;
    if (code[at].uses_result) op.a = last + 1;
    last = co_await Awaitable{op};
    if (last == 0) at += code[at].skipped_on_zero;
  }
}

// Objects by number: memory 0 and 1, mutexes 10 and 11, a read-write lock 20, semaphore 30,
// condition 40, barrier 50.
class Generator {
 public:
  // `kinds`: which primitives besides memory, a bit each.
  Generator(uint64_t seed, uint32_t kinds) : rng_(seed), kinds_(kinds) {}

  enum Kind : uint32_t {
    locks = 1,
    shared_locks = 2,
    semaphores = 4,
    conditions = 8,
    awaits = 16,
    barriers = 32,
    choices = 64,
    creation = 128,
    time_outs = 256,
  };

  std::vector<Code> program(int threads, int most) {
    std::vector<Code> codes(threads);
    for (Code& code : codes) {
      const auto wanted = 1 + rng_.below(most);
      while (code.size() < wanted) append_item(code);
    }
    return codes;
  }
  bool draw(uint32_t one_in) { return rng_.below(one_in) == 0; }
  int64_t below(uint32_t n) { return static_cast<int64_t>(rng_.below(n)); }

 private:
  bool has(Kind kind) { return (kinds_ & kind) != 0 && draw(3); }
  int variable() { return static_cast<int>(below(2)); }

  Op memory() {
    switch (rng_.below(7)) {
      case 0:
      case 1:
        return load(variable()).op;
      case 2:
        return store(variable(), below(3)).op;
      case 3:
        return add(variable()).op;
      case 4:
        return cas(variable(), below(2), 1 + below(2)).op;
      case 5:
        return store_both(variable(), variable(), below(3)).op;
      default:
        return store(variable(), 1).op;
    }
  }

  // What follows may depend on the result, by its value or by being left out.
  void append_memory(Code& code) {
    code.push_back({memory()});
    if (code.back().op.what == Do::act && draw(6)) code.back().op.also_stores = variable();
    if (draw(3)) {
      code.back().skipped_on_zero = 1;
      code.push_back({memory()});
    } else if (draw(2)) {
      code.push_back({store(variable(), 0).op, 0, true});
    }
  }

  // An item between two operations; the second is left out now and then.
  void append_section(Code& code, const Op& begin, const Op& end, bool may_fail) {
    code.push_back({begin});
    const size_t first = code.size();
    if (draw(2)) code.push_back({memory()});
    if (!draw(6)) code.push_back({end});
    if (may_fail) code[first - 1].skipped_on_zero = static_cast<int>(code.size() - first);
  }

  void append_wait(Code& code) {
    code.push_back({lock(10).op});
    if (draw(2)) code.push_back({load(variable()).op, static_cast<int>(below(2))});
    const bool has_time_out = (kinds_ & time_outs) && draw(2);
    code.push_back({has_time_out ? timed_wait(40, 10).op : wait(40, 10).op});
    code.push_back({unlock(10).op});
  }

  void append_signal(Code& code) {
    const Op wake = draw(4) ? broadcast(40).op : signal(40).op;
    if (draw(2)) return code.push_back({wake});
    code.push_back({lock(10).op});
    code.push_back({wake});
    code.push_back({unlock(10).op});
  }

  void append_item(Code& code) {
    if (has(locks)) {
      const int m = 10 + variable();
      const bool tries = draw(2);
      append_section(code, tries ? try_lock(m).op : lock(m).op, unlock(m).op, tries);
    } else if (has(shared_locks)) {
      const bool tries = draw(3);
      if (draw(2)) {
        append_section(code, on(tries ? Act::try_lock : Act::lock, 20).op, unlock(20).op, tries);
      } else {
        append_section(code, on(tries ? Act::try_share : Act::share, 20).op,
                       on(Act::unshare, 20).op, tries);
      }
    } else if (has(semaphores)) {
      const Act acts[] = {Act::post, Act::take, Act::try_take};
      code.push_back({on(acts[below(3)], 30).op});
    } else if (has(conditions)) {
      draw(2) ? append_wait(code) : append_signal(code);
    } else if (has(awaits)) {
      code.push_back({draw(2) ? await_equal(variable(), below(3)).op
                              : await_differs(variable(), below(3)).op});
      if (draw(3)) code.back().op.also_stores = variable();
    } else if (has(barriers)) {
      code.push_back({arrive(50, 2).op});
    } else if (has(choices)) {
      code.push_back({choose(2 + static_cast<int>(below(2))).op, static_cast<int>(below(2))});
      code.push_back({store(variable(), 0).op, 0, true});
    } else {
      append_memory(code);
    }
  }

  Rng rng_;
  uint32_t kinds_;
};

// Programs of one kind that a test draws.
struct Drawn {
  const char* name;
  uint32_t kinds;
  int threads, most;  // operations of a thread
  uint64_t programs;
};

inline void PrintTo(const Drawn& drawn, std::ostream* to) { *to << drawn.name; }

// Every kind by itself, `programs` of them; all together, and more of those.
inline std::vector<Drawn> drawn_of_all_kinds(uint64_t programs, uint64_t mixed) {
  using G = Generator;
  constexpr uint32_t kAll = 2 * G::time_outs - 1;
  return {{"memory", 0, 3, 3, programs},
          {"locks", G::locks, 3, 4, programs},
          {"shared locks", G::shared_locks, 3, 4, programs},
          {"shared locks, four threads", G::shared_locks, 4, 2, programs},
          {"semaphores", G::semaphores, 3, 4, programs},
          {"conditions", G::conditions, 3, 4, programs},
          {"time-outs", G::conditions | G::time_outs, 3, 4, programs},
          {"awaits", G::awaits, 3, 4, programs},
          {"barriers", G::barriers, 3, 4, programs},
          {"choices", G::choices, 3, 2, programs},
          {"creation", G::creation | G::locks, 3, 4, programs},
          {"everything", kAll, 3, 4, mixed},
          {"everything, four threads", kAll, 4, 2, programs},
          {"everything, two threads", kAll, 2, 7, mixed}};
}

inline std::vector<Drawn> drawn_with_awaits(uint64_t programs) {
  using G = Generator;
  return {{"awaits", G::awaits, 3, 3, programs},
          {"awaits, four threads", G::awaits, 4, 2, programs}};
}

inline std::string text_of(const std::vector<Code>& codes) {
  std::string text;
  for (const Code& code : codes) {
    for (const Instruction& i : code) {
      text += "do" + std::to_string(static_cast<int>(i.op.what)) + " act" +
              std::to_string(static_cast<int>(i.op.act)) + " x" + std::to_string(i.op.object) +
              "(" + std::to_string(i.op.a) + "," + std::to_string(i.op.b) + "," +
              std::to_string(i.op.condition) + ")" + (i.uses_result ? "r" : "") +
              (i.skipped_on_zero ? "?" + std::to_string(i.skipped_on_zero) : "") + "; ";
    }
    text += "\n";
  }
  return text;
}

// `codes` as a program, which refers to them; with a thread that is created and joined, perhaps.
inline Program program_of(std::vector<Code>& codes, Generator& generator, uint32_t kinds) {
  Program program;
  program.initial[30] = generator.below(2);
  if ((kinds & Generator::creation) && generator.draw(2)) {
    const int last = static_cast<int>(codes.size()) - 1;
    program.created_later.insert(last);
    codes[0].insert(codes[0].begin() + generator.below(static_cast<uint32_t>(codes[0].size()) + 1),
                    {create(last).op});
    if (generator.draw(2)) codes[0].push_back({join(last).op});
  }
  for (const Code& code : codes) program.threads.push_back([&code] { return run(code); });
  return program;
}

}  // namespace jostle::dpor_machine
