// SPDX-License-Identifier: Apache-2.0
// Generators: how a property gets its values.
//
// A generator is something that can be called, and draws a value when it is. All of them come down
// to numbers drawn from a range (jostle_draw_…), and that is where values are searched for and made
// small: whatever is built with map, filter, bind, one_of or vector_of shrinks by itself, and what
// it shrinks to still satisfies every filter. Simple is: zero, the first alternative, no element.
//
//     gen::range(0, 100)                                  an int from 0 to 100
//     gen::vector_of(gen::any<int>(), {1, 5})             one to five ints
//     gen::one_of(gen::constant(0), gen::range(10, 20))
//     gen::range(1, 9).map([](int n) { return n * n; })
//     gen::range(1, 9).bind([](int n) { return gen::vector_of(gen::boolean(), {n, n}); })
//
// A type of the user's gets a generator by specialising jostle::arbitrary:
//
//     template <> struct jostle::arbitrary<Point> {
//       static auto generator() { return gen::build<Point>(gen::any<int>(), gen::any<int>()); }
//     };
#pragma once

#if __cplusplus <= 201703L
#error "<jostle/gen.hpp> needs C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#endif

#include <jostle/jostle.h>

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace jostle {

template <typename T>
struct arbitrary;

template <typename G>
concept generator_like = requires(const std::remove_reference_t<G>& g) {
  typename std::remove_cvref_t<G>::value_type;
  g();
};

// So often a filter draws again before it gives the input up.
inline constexpr int filter_attempts = 100;

template <typename Function>
class generator {
 public:
  using value_type = std::invoke_result_t<const Function&>;

  explicit generator(Function draw, std::string label = {})
      : draw_(std::move(draw)), label_(std::move(label)) {}

  value_type operator()() const { return draw_(); }

  // What the value is called when it is shown.
  generator named(std::string label) const { return generator(draw_, std::move(label)); }
  const std::string& label() const { return label_; }

  // f(value) instead of the value.
  template <typename F>
  auto map(F f) const {
    return from([draw = draw_, f = std::move(f)] { return f(draw()); });
  }
  // Only values for which `wanted` holds.
  template <typename F>
  auto filter(F wanted) const {
    return from([draw = draw_, wanted = std::move(wanted)] {
      for (int i = 0; i < filter_attempts; ++i) {
        value_type value = draw();
        if (wanted(std::as_const(value))) return value;
      }
      jostle_reject("a filter let no value through");
    });
  }
  // What the generator f(value) draws.
  template <typename F>
  auto bind(F f) const {
    return from([draw = draw_, f = std::move(f)] { return f(draw())(); });
  }

 private:
  template <typename F>
  static generator<F> from(F f) {
    return generator<F>(std::move(f));
  }

  Function draw_;
  std::string label_;
};

namespace gen {

// From any function that draws: the way to build what is not here.
template <typename Function>
auto make(Function draw) {
  return generator<Function>(std::move(draw));
}

// How many elements.
struct size {
  size_t least = 0, most = 32;
};

namespace detail {

template <std::integral T>
T draw_integer(T low, T high) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(jostle_draw_signed(low, high));
  } else {
    return static_cast<T>(jostle_draw_unsigned(low, high));
  }
}

// Is there one more, after `count` of them? Decided one by one, so that leaving out a draw leaves
// out an element.
inline bool one_more(size_t count, const size& wanted) {
  if (count < wanted.least) return true;
  constexpr uint64_t kStopsOneIn = 8;
  return count < wanted.most && jostle_draw_unsigned(0, kStopsOneIn - 1) != 0;
}

inline void check_size(const size& wanted) {
  if (wanted.least > wanted.most) {
    throw std::invalid_argument("jostle::gen: a size of at least " + std::to_string(wanted.least) +
                                " and at most " + std::to_string(wanted.most));
  }
}

// Small whole numbers, then fractions, then anything the bits can say, then what is special.
template <std::floating_point T>
T draw_floating() {
  switch (jostle_draw_unsigned(0, 3)) {
    case 0:
      return static_cast<T>(jostle_draw_signed(-1'000'000, 1'000'000));
    case 1: {
      const auto whole = static_cast<T>(jostle_draw_signed(-1'000'000, 1'000'000));
      return std::ldexp(whole, -static_cast<int>(jostle_draw_unsigned(1, 20)));
    }
    case 2: {
      const auto whole = static_cast<T>(jostle_draw_signed(INT64_MIN, INT64_MAX));
      return std::ldexp(
          whole, static_cast<int>(jostle_draw_signed(std::numeric_limits<T>::min_exponent - 64,
                                                     std::numeric_limits<T>::max_exponent - 64)));
    }
    default: {
      using Limits = std::numeric_limits<T>;
      const T values[] = {Limits::max(),      Limits::lowest(),     Limits::min(),
                          Limits::epsilon(),  Limits::denorm_min(), T(-0.0),
                          Limits::infinity(), -Limits::infinity(),  Limits::quiet_NaN()};
      return values[jostle_draw_unsigned(0, std::size(values) - 1)];
    }
  }
}

}  // namespace detail

template <typename T>
auto constant(T value) {
  return make([value = std::move(value)] { return value; });
}

// From `low` to `high`, both included.
template <std::integral T>
auto range(T low, T high) {
  if (low > high) {
    throw std::invalid_argument("jostle::gen::range: " + std::to_string(low) + " is greater than " +
                                std::to_string(high));
  }
  return make([low, high] { return detail::draw_integer<T>(low, high); });
}

template <std::floating_point T>
auto range(T low, T high) {
  if (!(low <= high)) {
    throw std::invalid_argument("jostle::gen::range: " + std::to_string(low) +
                                " is not less than " + std::to_string(high));
  }
  // Whole steps of the range: simple ones are few bits.
  return make([low, high] {
    constexpr uint64_t kSteps = uint64_t{1} << 32;
    const auto step = static_cast<T>(jostle_draw_unsigned(0, kSteps));
    const T value = low + (high - low) * (step / static_cast<T>(kSteps));
    return value > high ? high : value;
  });
}

inline auto boolean() {
  return make([] { return jostle_draw_unsigned(0, 1) != 0; });
}

// Letters first, then everything that can be printed, then everything.
inline auto character() {
  return make([] {
    switch (jostle_draw_unsigned(0, 2)) {
      case 0:
        return static_cast<char>('a' + jostle_draw_unsigned(0, 25));
      case 1:
        return static_cast<char>(' ' + jostle_draw_unsigned(0, 94));
      default:
        return static_cast<char>(jostle_draw_unsigned(0, 255));
    }
  });
}

// The generator of the type: its whole range, for those that have one.
template <typename T>
auto any() {
  return arbitrary<T>::generator();
}

template <generator_like G>
auto string_of(G characters, size length = {}) {
  detail::check_size(length);
  return make([characters = std::move(characters), length] {
    std::string text;
    while (detail::one_more(text.size(), length)) text += characters();
    return text;
  });
}
inline auto string(size length = {}) { return string_of(character(), length); }

template <generator_like G>
auto vector_of(G elements, size length = {}) {
  detail::check_size(length);
  return make([elements = std::move(elements), length] {
    std::vector<typename G::value_type> values;
    while (detail::one_more(values.size(), length)) values.push_back(elements());
    return values;
  });
}

template <size_t kCount, generator_like G>
auto array_of(G elements) {
  return make([elements = std::move(elements)] {
    std::array<typename G::value_type, kCount> values;
    for (auto& value : values) value = elements();
    return values;
  });
}

// As many as are different: fewer than asked for, maybe.
template <generator_like G>
auto set_of(G elements, size length = {}) {
  detail::check_size(length);
  return make([elements = std::move(elements), length] {
    std::set<typename G::value_type> values;
    for (size_t n = 0; detail::one_more(n, length); ++n) values.insert(elements());
    return values;
  });
}
template <generator_like K, generator_like V>
auto map_of(K keys, V values, size length = {}) {
  detail::check_size(length);
  return make([keys = std::move(keys), values = std::move(values), length] {
    std::map<typename K::value_type, typename V::value_type> result;
    for (size_t n = 0; detail::one_more(n, length); ++n) {
      auto key = keys();
      result.insert_or_assign(std::move(key), values());
    }
    return result;
  });
}

template <generator_like G>
auto optional_of(G values) {
  return make([values = std::move(values)]() -> std::optional<typename G::value_type> {
    if (jostle_draw_unsigned(0, 3) == 0) return std::nullopt;
    return values();
  });
}

template <generator_like A, generator_like B>
auto pair_of(A first, B second) {
  return make([first = std::move(first), second = std::move(second)] {
    auto a = first();
    auto b = second();
    return std::pair(std::move(a), std::move(b));
  });
}

// Braces: values are drawn from left to right.
template <generator_like... G>
auto tuple_of(G... parts) {
  return make(
      [... parts = std::move(parts)] { return std::tuple<typename G::value_type...>{parts()...}; });
}

// T{a, b, …} of what these draw.
template <typename T, generator_like... G>
auto build(G... parts) {
  return make([... parts = std::move(parts)] { return T{parts()...}; });
}

// One of the values; the first is the simplest.
template <typename T>
auto element_of(std::vector<T> values) {
  if (values.empty()) throw std::invalid_argument("jostle::gen::element_of: no values");
  return make(
      [values = std::move(values)] { return values[jostle_draw_unsigned(0, values.size() - 1)]; });
}
template <typename T>
auto element_of(std::initializer_list<T> values) {
  return element_of(std::vector<T>(values));
}

// What one of these draws; the first is the simplest.
template <generator_like First, generator_like... Rest>
auto one_of(First first, Rest... rest) {
  using Value = std::common_type_t<typename First::value_type, typename Rest::value_type...>;
  return make([all = std::tuple(std::move(first), std::move(rest)...)]() -> Value {
    const uint64_t which = jostle_draw_unsigned(0, sizeof...(Rest));
    std::optional<Value> value;
    std::apply(
        [&](const auto&... one) {
          uint64_t i = 0;
          ((i++ == which ? void(value.emplace(one())) : void()), ...);
        },
        all);
    return *std::move(value);
  });
}

// The same, with how often each: {3, gen::constant(0)}, {1, gen::any<int>()}.
template <generator_like G>
struct weight {
  weight(unsigned share_, G values_) : share(share_), values(std::move(values_)) {}
  unsigned share;
  G values;
};
template <generator_like... G>
auto weighted(weight<G>... choices) {
  const uint64_t sum = (uint64_t{choices.share} + ...);
  if (sum == 0) throw std::invalid_argument("jostle::gen::weighted: all weights are 0");
  using Value = std::common_type_t<typename G::value_type...>;
  return make([sum, all = std::tuple(std::move(choices)...)]() -> Value {
    const uint64_t point = jostle_draw_unsigned(0, sum - 1);
    std::optional<Value> value;
    std::apply(
        [&](const auto&... one) {
          uint64_t end = 0;
          const auto take = [&](const auto& choice) {
            end += choice.share;
            if (!value && point < end) value.emplace(choice.values());
          };
          (take(one), ...);
        },
        all);
    return *std::move(value);
  });
}

// Any generator of T behind one type: for recursion, and to keep headers short.
template <typename T>
auto erased(std::function<T()> draw) {
  return make(std::move(draw));
}

}  // namespace gen

// ---- types that have a generator of their own --------------------------------------------------

template <>
struct arbitrary<bool> {
  static auto generator() { return gen::boolean(); }
};
template <>
struct arbitrary<char> {
  static auto generator() { return gen::character(); }
};
template <std::integral T>
struct arbitrary<T> {
  static auto generator() {
    return gen::range<T>(std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  }
};
template <std::floating_point T>
struct arbitrary<T> {
  static auto generator() {
    return gen::make([] { return gen::detail::draw_floating<T>(); });
  }
};
template <>
struct arbitrary<std::string> {
  static auto generator() { return gen::string(); }
};
template <typename T>
struct arbitrary<std::vector<T>> {
  static auto generator() { return gen::vector_of(gen::any<T>()); }
};
template <typename T>
struct arbitrary<std::set<T>> {
  static auto generator() { return gen::set_of(gen::any<T>()); }
};
template <typename K, typename V>
struct arbitrary<std::map<K, V>> {
  static auto generator() { return gen::map_of(gen::any<K>(), gen::any<V>()); }
};
template <typename T>
struct arbitrary<std::optional<T>> {
  static auto generator() { return gen::optional_of(gen::any<T>()); }
};
template <typename A, typename B>
struct arbitrary<std::pair<A, B>> {
  static auto generator() { return gen::pair_of(gen::any<A>(), gen::any<B>()); }
};
template <typename... T>
struct arbitrary<std::tuple<T...>> {
  static auto generator() { return gen::tuple_of(gen::any<T>()...); }
};

}  // namespace jostle
