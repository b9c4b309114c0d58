// SPDX-License-Identifier: Apache-2.0
// Reads JSON that may hold anything, member by member, and keeps the first problem.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "src/cli/recording/encoding.h"

namespace jostle::cli {

using Json = nlohmann::ordered_json;

// Collects the first thing that is wrong. Every reading function returns false from then on.
class JsonReader {
 public:
  const std::string& problem() const { return problem_; }

  bool fail(const std::string& where, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{}: {}", where, what);
    return false;
  }

  // The member; null when it is missing, which is a problem.
  const Json* member(const Json& parent, const std::string& where, const char* key) {
    const auto found = parent.find(key);
    if (found != parent.end()) return &*found;
    fail(join(where, key), "missing");
    return nullptr;
  }

  bool object(const Json& parent, const std::string& where, const char* key, const Json*& out) {
    out = member(parent, where, key);
    if (out == nullptr) return false;
    return out->is_object() || fail(join(where, key), "expected an object");
  }

  bool list(const Json& parent, const char* key, size_t longest, const Json*& out) {
    out = member(parent, "", key);
    if (out == nullptr) return false;
    if (!out->is_array()) return fail(key, "expected a list");
    return out->size() <= longest ||
           fail(key, fmt::format("{} entries, the most there can be are {}", out->size(), longest));
  }

  template <typename T>
  bool number(const Json& parent, const std::string& where, const char* key, T& out,
              T largest = std::numeric_limits<T>::max()) {
    const Json* value = member(parent, where, key);
    return value != nullptr && number(*value, join(where, key), out, largest);
  }

  template <typename T>
  bool number(const Json& value, const std::string& where, T& out,
              T largest = std::numeric_limits<T>::max()) {
    if (!value.is_number_integer()) return fail(where, "expected a whole number");
    if (std::is_unsigned_v<T> && !value.is_number_unsigned()) return fail(where, "is negative");
    const bool fits =
        value.is_number_unsigned()
            ? value.get<uint64_t>() <= static_cast<uint64_t>(largest)
            : std::cmp_greater_equal(value.get<int64_t>(), std::numeric_limits<T>::min());
    if (!fits) return fail(where, "is out of range");
    out = value.get<T>();
    return true;
  }

  bool text(const Json& parent, const std::string& where, const char* key, std::string& out,
            bool optional = false) {
    if (optional && !parent.contains(key)) return true;
    const Json* value = member(parent, where, key);
    if (value == nullptr) return false;
    const auto decoded = decode_bytes(*value);
    if (!decoded) return fail(join(where, key), "expected a text");
    if (decoded->find('\0') != std::string::npos) return fail(join(where, key), "holds a NUL byte");
    out = *decoded;
    return true;
  }

  // A text for a fixed-size field of the channel.
  template <size_t N>
  bool text(const Json& parent, const std::string& where, const char* key, char (&out)[N],
            bool optional = false) {
    std::string value;
    if (!text(parent, where, key, value, optional)) return false;
    if (value.size() >= N) return fail(join(where, key), "is too long");
    std::memcpy(out, value.data(), value.size());
    return true;
  }

  bool hex(const Json& parent, const char* key, uint64_t& out) {
    std::string value;
    if (!text(parent, "", key, value)) return false;
    const char* end = value.data() + value.size();
    const auto [stopped, error] = std::from_chars(value.data(), end, out, 16);
    return (error == std::errc() && stopped == end) ||
           fail(key, "expected up to 16 hexadecimal digits");
  }

  static std::string join(const std::string& where, std::string_view key) {
    return where.empty() ? std::string(key) : fmt::format("{}.{}", where, key);
  }

 private:
  std::string problem_;
};

}  // namespace jostle::cli
