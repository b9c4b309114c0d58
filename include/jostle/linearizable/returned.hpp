// SPDX-License-Identifier: Apache-2.0
// What an operation returned: what of it is compared, and how it is written.
#pragma once

#include <cxxabi.h>
#include <jostle/jostle.h>

#include <cstdint>
#include <cstdlib>
#include <jostle/fingerprint.hpp>
#include <jostle/show.hpp>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace jostle::detail {

template <typename T>
std::string result_text(const T& value) {
  if constexpr (std::is_pointer_v<T>) {
    return value == nullptr ? "null" : "an address";
  } else if constexpr (smart_pointer<T> && !has_own_text<T>) {
    return value ? show(*value) : "null";
  } else {
    return show(value);
  }
}

// Tells the runtime. Templates are by the type of the result alone: many operations share one.
class returned {
 public:
  returned(unsigned number, bool is_weak) : number_(number), is_weak_(is_weak) {}

  [[gnu::noinline]] JOSTLE_NOT_SEEN_ void nothing() const {
    tell(0, false);
    if (!jostle_begin_showing()) return;
    jostle_show_operation(number_, nullptr, "");
    jostle_end_showing();
  }

  // What is compared is made aside, so that it is no part of the run; texts only when somebody
  // reads them.
  template <typename T>
  [[gnu::noinline]] JOSTLE_NOT_SEEN_ void value(const T& result) const {
    uint64_t compared;
    if constexpr (std::is_pointer_v<T>) {
      compared = reinterpret_cast<uintptr_t>(result);
    } else if constexpr (plain_result<T>) {
      compared = plain_fingerprint(result);
    } else {
      jostle_begin_aside();
      compared = fingerprint(result);
      jostle_end_showing();
    }
    tell(compared, std::is_pointer_v<T>);
    if (!jostle_begin_showing()) return;
    show_text(result_text(result));
    jostle_end_showing();
  }

  // In a handler: by the type.
  [[gnu::noinline]] void exception() const {
    const std::type_info* type = abi::__cxa_current_exception_type();
    tell(mixed(type ? fingerprint_of_text(type->name()) : 1, 7), false);
    if (!jostle_begin_showing()) return;
    int status = 0;
    char* name = type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, &status) : nullptr;
    show_text(std::string("throws ") + (name ? name : "something"));
    std::free(name);
    jostle_end_showing();
  }

 private:
  JOSTLE_NOT_SEEN_ void tell(uint64_t compared, bool is_address) const {
    jostle_operation_end(number_, is_weak_ ? 0 : compared, is_address && !is_weak_);
  }
  void show_text(const std::string& text) const {
    jostle_show_operation(number_, nullptr, text.c_str());
  }

  unsigned number_;
  bool is_weak_;
};

}  // namespace jostle::detail
