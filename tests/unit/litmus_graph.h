// SPDX-License-Identifier: Apache-2.0
// Executions as graphs, and which of them RC11 allows (Lahav, Vafeiadis, Kang, Hur, Dreyer 2017,
// with the release sequences of C++20): axioms on relations, with nothing in common with the model
// that is tested.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/litmus_program.h"

namespace jostle::litmus {

struct Event {
  int thread = -1;  // -1: the initial value
  int ordinal = 0;  // in its thread
  int location = -1;
  bool reads = false, writes = false;  // neither: a fence
  Order order = Order::relaxed;
  int64_t read = 0, written = 0;
  int from = -1;  // the event that wrote what it reads
};

struct Graph {
  std::vector<Event> events;               // the first are the initial values
  std::vector<std::vector<int>> modified;  // per location: the modification order

  explicit Graph(int locations) {
    for (int i = 0; i < locations; ++i) {
      Event initial;
      initial.location = i;
      initial.writes = true;
      events.push_back(initial);
      modified.push_back({i});
    }
  }

  // The same for the same execution, in whatever order its events were added.
  std::string key(int threads) const {
    const auto name = [&](int event) {
      const Event& e = events[static_cast<size_t>(event)];
      return e.thread < 0 ? static_cast<char>(1 + e.location)
                          : static_cast<char>(32 + e.thread * 16 + e.ordinal);
    };
    std::string text;
    for (int t = 0; t < threads; ++t) {
      for (const Event& e : events) {
        if (e.thread == t) text += e.reads ? name(e.from) : '.';
      }
      text += '|';
    }
    for (const std::vector<int>& order : modified) {
      for (const int event : order) text += name(event);
      text += '/';
    }
    return text;
  }
};

using Relation = std::array<uint32_t, 32>;  // of each event: those it is related to

inline Relation closure(Relation r, size_t n) {
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) {
      if (r[i] >> k & 1) r[i] |= r[k];
    }
  }
  return r;
}
inline Relation compose(const Relation& a, const Relation& b, size_t n) {
  Relation out{};
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < n; ++k) {
      if (a[i] >> k & 1) out[i] |= b[k];
    }
  }
  return out;
}
inline Relation joined(const Relation& a, const Relation& b) {
  Relation out{};
  for (size_t i = 0; i < out.size(); ++i) out[i] = a[i] | b[i];
  return out;
}
inline bool is_cyclic(const Relation& r, size_t n) {
  const Relation all = closure(r, n);
  for (size_t i = 0; i < n; ++i) {
    if (all[i] >> i & 1) return true;
  }
  return false;
}

class Consistency {
 public:
  explicit Consistency(const Graph& graph) : graph_(graph), n_(graph.events.size()) {
    if (n_ > 32) throw std::runtime_error("too many events");
    relate();
  }

  bool holds() const {
    return !is_cyclic(joined(po_, rf_), n_) && is_coherent() && is_atomic() &&
           !is_cyclic(psc(), n_);
  }

 private:
  const Event& event(size_t i) const { return graph_.events[i]; }
  static void add(Relation& r, size_t from, size_t to) { r[from] |= uint32_t{1} << to; }
  static bool has(const Relation& r, size_t from, size_t to) { return r[from] >> to & 1; }
  bool is_fence(size_t i) const { return !event(i).reads && !event(i).writes; }
  bool is_sequential(size_t i) const { return event(i).order == Order::sequential; }

  void relate() {
    for (size_t a = 0; a < n_; ++a) {
      for (size_t b = 0; b < n_; ++b) {
        const Event &x = event(a), &y = event(b);
        const bool later = x.thread == y.thread && x.thread >= 0 && x.ordinal < y.ordinal;
        if (later || (x.thread < 0 && y.thread >= 0)) add(po_, a, b);
      }
      if (event(a).reads) add(rf_, static_cast<size_t>(event(a).from), a);
    }
    for (const std::vector<int>& order : graph_.modified) {
      for (size_t i = 0; i < order.size(); ++i) {
        for (size_t j = i + 1; j < order.size(); ++j) {
          add(mo_, static_cast<size_t>(order[i]), static_cast<size_t>(order[j]));
        }
      }
    }
    for (size_t r = 0; r < n_; ++r) {
      if (!event(r).reads) continue;
      fr_[r] = mo_[static_cast<size_t>(event(r).from)] & ~(uint32_t{1} << r);
    }
    hb_ = closure(joined(po_, synchronises()), n_);
    eco_ = closure(joined(joined(rf_, mo_), fr_), n_);
  }

  // Who reads from the release sequence that the store heads.
  uint32_t readers_of_sequence(size_t store) const {
    uint32_t sequence = uint32_t{1} << store, readers = 0;
    for (bool grows = true; grows;) {
      grows = false;
      for (size_t r = 0; r < n_; ++r) {
        if (!event(r).reads || !(sequence >> event(r).from & 1)) continue;
        readers |= uint32_t{1} << r;
        if (event(r).writes && !(sequence >> r & 1)) {
          sequence |= uint32_t{1} << r;
          grows = true;
        }
      }
    }
    return readers;
  }

  Relation synchronises() const {
    Relation sw{};
    for (size_t a = 0; a < n_; ++a) {
      if (event(a).thread < 0 || !releases(event(a).order)) continue;
      uint32_t readers = 0;
      for (size_t w = 0; w < n_; ++w) {
        if (!event(w).writes || event(w).thread != event(a).thread) continue;
        if (w == a || (is_fence(a) && has(po_, a, w))) readers |= readers_of_sequence(w);
      }
      for (size_t r = 0; r < n_; ++r) {
        if (!(readers >> r & 1)) continue;
        if (acquires(event(r).order)) add(sw, a, r);
        for (size_t f = 0; f < n_; ++f) {
          if (is_fence(f) && has(po_, r, f) && acquires(event(f).order)) add(sw, a, f);
        }
      }
    }
    return sw;
  }

  bool is_coherent() const {
    for (size_t a = 0; a < n_; ++a) {
      if (has(hb_, a, a)) return false;
      for (size_t b = 0; b < n_; ++b) {
        if (has(hb_, a, b) && has(eco_, b, a)) return false;
      }
    }
    return true;
  }

  bool is_atomic() const {
    for (size_t u = 0; u < n_; ++u) {
      if (!event(u).reads || !event(u).writes) continue;
      const auto from = static_cast<size_t>(event(u).from);
      if (!has(mo_, from, u)) return false;
      for (size_t w = 0; w < n_; ++w) {
        if (has(mo_, from, w) && has(mo_, w, u)) return false;
      }
    }
    return true;
  }

  Relation psc() const {
    Relation elsewhere{}, same{}, left{}, right{}, fences{};
    for (size_t a = 0; a < n_; ++a) {
      for (size_t b = 0; b < n_; ++b) {
        const bool here = event(a).location >= 0 && event(a).location == event(b).location;
        if (has(po_, a, b) && !here) add(elsewhere, a, b);
        if (has(hb_, a, b) && here) add(same, a, b);
        const bool reaches = a == b || has(hb_, a, b);
        const bool is_it = a == b && is_sequential(a);
        if (is_it || (is_fence(a) && is_sequential(a) && reaches)) add(left, a, b);
        if (is_it || (is_fence(b) && is_sequential(b) && reaches)) add(right, a, b);
      }
    }
    Relation scb = joined(po_, compose(compose(elsewhere, hb_, n_), elsewhere, n_));
    scb = joined(joined(scb, same), joined(mo_, fr_));
    const Relation through = joined(hb_, compose(compose(hb_, eco_, n_), hb_, n_));
    for (size_t a = 0; a < n_; ++a) {
      for (size_t b = 0; b < n_; ++b) {
        const bool both = is_fence(a) && is_fence(b) && is_sequential(a) && is_sequential(b);
        if (both && has(through, a, b)) add(fences, a, b);
      }
    }
    return joined(compose(compose(left, scb, n_), right, n_), fences);
  }

  const Graph& graph_;
  size_t n_;
  Relation po_{}, rf_{}, mo_{}, fr_{}, hb_{}, eco_{};
};

}  // namespace jostle::litmus
