// SPDX-License-Identifier: Apache-2.0
// Invariants as code: what comments call "always", "never" and "at most".
//
//   JOSTLE_CHECK(condition)      the condition, as written, is in the message
//   JOSTLE_CHECK_EQ(a, b)        … and both values; _NE, _LT, _LE likewise
//   JOSTLE_CHECKED(statement)    a recount that only checks need
//
// Active where JOSTLE_CHECKS is defined: Debug and AddressSanitizer builds, and lib/checked/ of
// every build tree, a libjostle.so for tests. Elsewhere they are nothing: not evaluated, no
// instruction.
//
// A violated one is a bug of ours, never of the program under test. It says so on standard error
// and in the channel (`report_checks_to`), and ends the process by SIGABRT past all handlers. That
// works in the target, in signal handlers and in the middle of a rewind: no allocation, no hook, no
// lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace jostle {

// Where the text of a violated check is left, besides standard error: memory that survives the
// process. Null: nowhere.
void report_checks_to(char* text, size_t size);

namespace invariant {

struct Value {
  uint64_t bits;
  enum Kind : uint8_t { natural, integer, address } kind;
};

template <typename T>
constexpr Value value_of(const T& value) {
  if constexpr (std::is_pointer_v<T>) {
    return {reinterpret_cast<uintptr_t>(value), Value::address};
  } else if constexpr (std::is_null_pointer_v<T>) {
    return {0, Value::address};
  } else if constexpr (std::is_enum_v<T>) {
    return {static_cast<uint64_t>(value), Value::natural};
  } else {
    return {static_cast<uint64_t>(value), std::is_signed_v<T> ? Value::integer : Value::natural};
  }
}

template <typename T>
inline constexpr bool is_number = std::is_integral_v<T> && !std::is_same_v<T, bool>;

struct Equal {
  template <typename A, typename B>
  constexpr bool operator()(const A& a, const B& b) const {
    if constexpr (is_number<A> && is_number<B>) {
      return std::cmp_equal(a, b);
    } else {
      return a == b;
    }
  }
};
struct Different {
  template <typename A, typename B>
  constexpr bool operator()(const A& a, const B& b) const {
    return !Equal{}(a, b);
  }
};
struct Less {
  template <typename A, typename B>
  constexpr bool operator()(const A& a, const B& b) const {
    if constexpr (is_number<A> && is_number<B>) {
      return std::cmp_less(a, b);
    } else {
      return a < b;
    }
  }
};
struct AtMost {
  template <typename A, typename B>
  constexpr bool operator()(const A& a, const B& b) const {
    return !Less{}(b, a);
  }
};

[[noreturn]] void violated(const char* file, int line, const char* condition);
[[noreturn]] void violated(const char* file, int line, const char* condition, Value a, Value b);

template <typename Relation, typename A, typename B>
constexpr void compare(const A& a, const B& b, const char* file, int line, const char* condition) {
  if (!Relation{}(a, b)) [[unlikely]]
    violated(file, line, condition, value_of(a), value_of(b));
}

// Not defined: what is not checked is compiled, and used, but not evaluated.
template <typename... T>
char unevaluated(const T&...);

}  // namespace invariant
}  // namespace jostle

#ifdef JOSTLE_CHECKS
#define JOSTLE_CHECK(...)         \
  (static_cast<bool>(__VA_ARGS__) \
       ? static_cast<void>(0)     \
       : ::jostle::invariant::violated(__FILE__, __LINE__, #__VA_ARGS__))
#define JOSTLE_COMPARED_(relation, sign, a, b)                                          \
  ::jostle::invariant::compare<::jostle::invariant::relation>(a, b, __FILE__, __LINE__, \
                                                              #a " " sign " " #b)
#define JOSTLE_CHECKED(...) __VA_ARGS__
#else
#define JOSTLE_CHECK(...) static_cast<void>(sizeof(::jostle::invariant::unevaluated(__VA_ARGS__)))
#define JOSTLE_COMPARED_(relation, sign, a, b) \
  static_cast<void>(sizeof(::jostle::invariant::unevaluated(a, b)))
#define JOSTLE_CHECKED(...) static_cast<void>(0)
#endif

#define JOSTLE_CHECK_EQ(a, b) JOSTLE_COMPARED_(Equal, "==", a, b)
#define JOSTLE_CHECK_NE(a, b) JOSTLE_COMPARED_(Different, "!=", a, b)
#define JOSTLE_CHECK_LT(a, b) JOSTLE_COMPARED_(Less, "<", a, b)
#define JOSTLE_CHECK_LE(a, b) JOSTLE_COMPARED_(AtMost, "<=", a, b)
