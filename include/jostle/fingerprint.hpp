// SPDX-License-Identifier: Apache-2.0
// A number for a value: equal values have equal numbers, in every process. For results of
// operations (<jostle/linearizable.hpp>), which are compared with those of other runs.
//
// Built-in types, strings, optionals, smart pointers (by what they point to), pairs, tuples and
// containers are taken apart; everything else is by how it is written (<jostle/show.hpp>).
#pragma once

#if __cplusplus <= 201703L
#error "<jostle/fingerprint.hpp> needs C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#endif

#include <concepts>
#include <cstdint>
#include <cstring>
#include <jostle/show.hpp>
#include <ranges>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace jostle::detail {

constexpr uint64_t mixed(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15 + (hash << 6) + (hash >> 2);
  hash *= 0xBF58476D1CE4E5B9;
  return hash ^ hash >> 29;
}

inline uint64_t fingerprint_of_text(std::string_view text) {
  uint64_t hash = text.size();
  for (const char c : text) hash = mixed(hash, static_cast<unsigned char>(c));
  return hash;
}

template <typename T>
concept smart_pointer = requires(const T& value) {
  typename T::element_type;
  value.get();
  *value;
};
template <typename T>
concept optional_like = requires(const T& value) {
  value.has_value();
  *value;
};
template <typename T>
concept has_own_text = requires(const T& value) {
  { jostle_show(value) } -> std::convertible_to<std::string>;
}
|| requires(const T& value, std::ostream& out) { out << value; };
// Its elements come in an order that says nothing.
template <typename T>
concept unordered = requires {
  typename T::hasher;
};

// Of these, nothing of the program's own is called.
template <typename T>
concept plain_result =
    std::integral<T> || std::is_enum_v<T> || std::floating_point<T> || std::is_pointer_v<T>;

// What is ours is no part of an operation: its accesses are not seen.
#define JOSTLE_NOT_SEEN_ __attribute__((no_sanitize("thread")))

template <plain_result T>
JOSTLE_NOT_SEEN_ uint64_t plain_fingerprint(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<uint64_t>(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::integral<T>) {
    return static_cast<uint64_t>(value);
  } else if constexpr (std::floating_point<T>) {
    const double wide = static_cast<double>(value) + 0.0;  // -0 and 0 are equal
    uint64_t bits;
    std::memcpy(&bits, &wide, sizeof bits);
    return bits;
  } else {
    return value != nullptr;  // which one differs from process to process
  }
}

template <typename T>
uint64_t fingerprint(const T& value) {
  if constexpr (std::convertible_to<const T&, std::string_view>) {
    return fingerprint_of_text(value);
  } else if constexpr (plain_result<T>) {
    return plain_fingerprint(value);
  } else if constexpr (std::same_as<T, std::nullptr_t>) {
    return 0;
  } else if constexpr (smart_pointer<T>) {
    return value ? mixed(1, fingerprint(*value)) : 0;
  } else if constexpr (optional_like<T>) {
    return value.has_value() ? mixed(1, fingerprint(*value)) : 0;
  } else if constexpr (tuple_like<T>) {
    uint64_t hash = 2;
    std::apply([&](const auto&... part) { ((hash = mixed(hash, fingerprint(part))), ...); }, value);
    return hash;
  } else if constexpr (std::ranges::range<const T>) {
    uint64_t hash = 3, sum = 0;
    for (const auto& element : value) {
      const uint64_t one = fingerprint(element);
      sum += mixed(5, one);
      hash = mixed(hash, one);
    }
    return unordered<T> ? mixed(4, sum) : hash;
  } else {
    static_assert(has_own_text<T>,
                  "results of operations are compared by how they are written: give the type an "
                  "operator<< or a function std::string jostle_show(const T&)");
    return fingerprint_of_text(show(value));
  }
}

}  // namespace jostle::detail
