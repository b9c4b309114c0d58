// SPDX-License-Identifier: Apache-2.0
// How values are written in a counterexample: `10`, `"a\n"`, `{0, 3}`, `(1, true)`.
//
// A type that can be written to a stream is; one that has a function `std::string jostle_show(const
// T&)` next to it is shown by that.
#pragma once

#if __cplusplus <= 201703L
#error "<jostle/show.hpp> needs C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#endif

#include <charconv>
#include <concepts>
#include <optional>
#include <ostream>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace jostle {

template <typename T>
std::string show(const T& value);

namespace detail {

inline std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (byte < 32 || byte > 126) {
      constexpr char kDigits[] = "0123456789abcdef";
      result += "\\x";
      result += kDigits[byte >> 4];
      result += kDigits[byte & 15];
    } else {
      result += c;
    }
  }
  return result + quote;
}

template <typename T>
concept tuple_like = requires {
  std::tuple_size<T>::value;
}
&&!std::ranges::range<T>;

template <typename Tuple>
std::string show_tuple(const Tuple& value) {
  std::string text = "(";
  std::apply(
      [&](const auto&... part) {
        bool first = true;
        ((text += (std::exchange(first, false) ? "" : ", ") + show(part)), ...);
      },
      value);
  return text + ")";
}

template <typename Range>
std::string show_range(const Range& values) {
  std::string text = "{";
  bool first = true;
  for (const auto& value : values) {
    text += (std::exchange(first, false) ? "" : ", ") + show(value);
  }
  return text + "}";
}

}  // namespace detail

template <typename T>
std::string show(const T& value) {
  if constexpr (requires {
                  { jostle_show(value) } -> std::convertible_to<std::string>;
                }) {
    return jostle_show(value);
  } else if constexpr (std::same_as<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::same_as<T, char>) {
    return detail::quoted(std::string_view(&value, 1), '\'');
  } else if constexpr (std::integral<T>) {
    return std::to_string(value);
  } else if constexpr (std::floating_point<T>) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return std::string(text, end);
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    return detail::quoted(value, '"');
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {
    return value.has_value() ? show(*value) : "nothing";
  } else if constexpr (requires(std::ostream & out) { out << value; }) {
    std::ostringstream out;
    out << value;
    return out.str();
  } else if constexpr (detail::tuple_like<T>) {
    return detail::show_tuple(value);
  } else if constexpr (std::ranges::range<const T>) {
    return detail::show_range(value);
  } else {
    return "(a value of " + std::to_string(sizeof(T)) + " bytes: give its type an operator<<)";
  }
}

}  // namespace jostle
