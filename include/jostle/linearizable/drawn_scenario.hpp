// SPDX-License-Identifier: Apache-2.0
// A scenario: operations first, by one thread; some of each of several threads side by side; and
// some more at the end.
#pragma once

#include <jostle/jostle.h>

#include <exception>
#include <jostle/linearizable/operation.hpp>
#include <jostle/linearizable/scenarios.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jostle::detail {

class drawn_scenario {
 public:
  using kinds = std::vector<std::unique_ptr<operation_kind>>;

  struct operation {
    const operation_kind* kind;
    std::unique_ptr<drawn_operation> drawn;
    unsigned kind_number;
    unsigned slot;  // 0: first or last, by the thread that began; 1, 2, … side by side
  };

  void draw(const kinds& all, const scenarios& wanted) {
    const bool is_fixed = wanted.all.threads != 0;
    const auto exactly = [](unsigned count) { return scenarios::range{count, count}; };
    const scenarios::range threads = is_fixed ? exactly(wanted.all.threads) : wanted.threads;
    const scenarios::range each = is_fixed ? exactly(wanted.all.operations) : wanted.operations;
    draw_operations(all, 0, is_fixed ? exactly(0) : wanted.before);
    first_ = count();
    while (jostle_draw_more_threads(threads_ < threads.least, threads_ < threads.most)) {
      draw_operations(all, ++threads_, each);
    }
    last_ = count();
    draw_operations(all, 0, is_fixed ? exactly(0) : wanted.after);
  }

  // The same operations, of other objects.
  void use(const kinds& all) {
    for (operation& one : operations_) {
      const operation_kind& kind = *all[one.kind_number];
      one.drawn->use(kind);
      one.kind = &kind;
    }
  }

  const operation& operator[](unsigned number) const { return operations_[number]; }
  unsigned count() const { return static_cast<unsigned>(operations_.size()); }
  unsigned threads() const { return threads_; }
  // Those from `first` to before `last` are side by side.
  unsigned first() const { return first_; }
  unsigned last() const { return last_; }

 private:
  // Those of a group that another thread has are not among them.
  bool is_allowed(const operation_kind& kind, unsigned slot) const {
    if (kind.group.empty() || slot == 0) return true;
    for (unsigned i = first_; i < count(); ++i) {
      if (operations_[i].kind->group == kind.group) return operations_[i].slot == slot;
    }
    return true;
  }

  // To leave out an operation, or a thread, is to leave out its draws: before each is drawn
  // whether there is one more.
  void draw_operations(const kinds& all, unsigned slot, scenarios::range wanted) {
    for (unsigned n = 0; jostle_draw_more_operations(n < wanted.least, n < wanted.most) != 0; ++n) {
      std::vector<unsigned> allowed;
      for (unsigned i = 0; i < all.size(); ++i) {
        if (is_allowed(*all[i], slot)) allowed.push_back(i);
      }
      if (allowed.empty()) return;
      const unsigned number = allowed[jostle_draw_operation(static_cast<unsigned>(allowed.size()))];
      operations_.push_back({all[number].get(), draw_safely(*all[number]), number, slot});
    }
  }

  // A generator that throws is a mistake of the test, and must not look like one of the program.
  static std::unique_ptr<drawn_operation> draw_safely(const operation_kind& kind) {
    try {
      return kind.draw();
    } catch (const std::exception& error) {
      jostle_fail((std::string("a generator threw an exception: ") + error.what()).c_str(), nullptr,
                  0);
    }
  }

  std::vector<operation> operations_;
  unsigned first_ = 0, last_ = 0;
  unsigned threads_ = 0;
};

}  // namespace jostle::detail
