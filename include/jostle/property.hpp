// SPDX-License-Identifier: Apache-2.0
// Properties: a body that is to hold for every input, under every schedule.
//
//     jostle::property("transfers keep the sum", gen::range(0, 100).named("amount"),
//                      gen::vector_of(gen::any<int>()).named("others"),
//                      [](int amount, const std::vector<int>& others) { … });
//
// With examples, options or labels it is built step by step:
//
//     jostle::for_all(gen::any<int>(), gen::any<int>())
//         .labels("a", "b").example(0, -1).check(body, {.name = "addition"});
//
// A failure comes with the smallest input and the smallest schedule that show it.
#pragma once

#if __cplusplus <= 201703L
#error "<jostle/property.hpp> needs C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#endif

#include <array>
#include <cctype>
#include <jostle/check.hpp>
#include <jostle/gen.hpp>
#include <jostle/show.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

namespace jostle {

// Gives the input up unless this holds: the run counts neither way.
inline void assume(bool holds) {
  if (!holds) jostle_reject("assume() does not hold");
}

// Counts this run as one of a kind; `jostle::classify(v.empty(), "empty")`.
inline void classify(const char* kind) { jostle_classify(kind); }
inline void classify(bool holds, const char* kind) {
  if (holds) jostle_classify(kind);
}

namespace detail {

// Only when somebody will read it. Nothing of that is part of the run.
template <typename T>
void show_value(const char* label, const T& value) {
  if (!jostle_begin_showing()) return;
  {
    const std::string text = show(value);
    jostle_show_value(label, text.c_str());
  }
  jostle_end_showing();
}

// A generator that throws is a mistake of the test, and must not look like one of the program.
template <typename F>
auto draw_safely(F&& draw) {
  try {
    return draw();
  } catch (const std::exception& error) {
    jostle_fail((std::string("a generator threw an exception: ") + error.what()).c_str(), nullptr,
                0);
  }
}

}  // namespace detail

// Draws a value in the middle of a body, from any thread.
template <generator_like G>
auto draw(const G& values, const char* label = "drawn") {
  auto value = detail::draw_safely([&] { return values(); });
  detail::show_value(label, value);
  return value;
}

template <generator_like... G>
class for_all {
 public:
  using values = std::tuple<std::decay_t<typename G::value_type>...>;

  explicit for_all(G... generators) : generators_(std::move(generators)...) {
    name_all(std::index_sequence_for<G...>{});
  }

  // An input that is tried before all others.
  template <typename... V>
  for_all& example(V&&... value) {
    examples_.emplace_back(std::forward<V>(value)...);
    return *this;
  }
  // What the values are called.
  template <typename... L>
  requires(sizeof...(L) == sizeof...(G)) for_all& labels(L&&... label) {
    labels_ = {std::string(std::forward<L>(label))...};
    return *this;
  }

  // The same, out of the text of a parameter list: "(int a, const std::map<int, int>& m)".
  for_all& labels_of(std::string_view parameters) {
    size_t depth = 0, which = 0;
    bool begins = true;
    std::string word;
    for (const char c : parameters) {
      const bool is_name = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
      if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
      if (c == '>' || c == ')' || c == '}' || c == ']') --depth;
      if (depth == 1 && is_name) {
        if (begins) word.clear();
        word += c;
      }
      begins = !is_name;
      if ((depth == 1 && c == ',') || depth == 0) {
        if (which < sizeof...(G) && !word.empty()) labels_[which] = word;
        ++which;
        word.clear();
      }
    }
    return *this;
  }

  template <typename Body>
  result explore(Body&& body, const options& how = {},
                 const location& where = location::current()) const {
    const auto run = [&] {
      values drawn = draw_all();
      show_all(drawn, std::index_sequence_for<G...>{});
      std::apply(body, std::move(drawn));
    };
    return jostle::explore(run, how, where);
  }
  template <typename Body>
  void check(Body&& body, const options& how = {},
             const location& where = location::current()) const {
    const result found = explore(std::forward<Body>(body), how, where);
    if (!found.passed()) throw failure(found);
  }
  // Every input and every execution once; for generators of few values.
  template <typename Body>
  void verify(Body&& body, options how = {}, const location& where = location::current()) const {
    how.verify = true;
    check(std::forward<Body>(body), how, where);
  }

 private:
  template <size_t... I>
  void name_all(std::index_sequence<I...>) {
    ((labels_[I] = std::get<I>(generators_).label().empty() ? "value " + std::to_string(I + 1)
                                                            : std::get<I>(generators_).label()),
     ...);
  }

  values draw_all() const {
    if (!examples_.empty()) {
      const uint64_t which = jostle_draw_example(examples_.size());
      if (which != 0) return examples_[which - 1];
    }
    return detail::draw_safely([&] {
      // Braces: from left to right.
      return std::apply([](const auto&... one) { return values{one()...}; }, generators_);
    });
  }

  template <size_t... I>
  void show_all(const values& drawn, std::index_sequence<I...>) const {
    (detail::show_value(labels_[I].c_str(), std::get<I>(drawn)), ...);
  }

  std::tuple<G...> generators_;
  std::array<std::string, sizeof...(G)> labels_;
  std::vector<values> examples_;
};

namespace detail {

template <typename Tuple, size_t... I>
auto without_last(Tuple&& all, std::index_sequence<I...>) {
  return for_all(std::get<I>(std::forward<Tuple>(all))...);
}

template <typename... Parts>
result explore_parts(const options& how, const location& where, Parts&&... parts) {
  constexpr size_t kGenerators = sizeof...(Parts) - 1;
  auto all = std::forward_as_tuple(parts...);
  auto& body = std::get<kGenerators>(all);
  return without_last(all, std::make_index_sequence<kGenerators>{}).explore(body, how, where);
}

}  // namespace detail

// A name that knows where it was written.
struct property_name {
  property_name(const char* text, const location& where_ = location::current())
      : how{.name = text}, where(where_) {}
  property_name(const std::string& text, const location& where_ = location::current())
      : how{.name = text}, where(where_) {}
  property_name(const options& given, const location& where_ = location::current())
      : how(given), where(where_) {}
  options how;
  location where;
};

// property(name or options, generators…, body)
template <typename... Parts>
requires(sizeof...(Parts) >= 2) void property(const property_name& name, Parts&&... parts) {
  const result found = detail::explore_parts(name.how, name.where, std::forward<Parts>(parts)...);
  if (!found.passed()) throw failure(found);
}
// The same, and says what came of it.
template <typename... Parts>
requires(sizeof...(Parts) >= 2) result
    explore_property(const property_name& name, Parts&&... parts) {
  return detail::explore_parts(name.how, name.where, std::forward<Parts>(parts)...);
}

}  // namespace jostle
