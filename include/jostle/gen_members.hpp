// SPDX-License-Identifier: Apache-2.0
// The generators of <jostle/gen.hpp> as members of a class, one by one, because a class cannot have
// a namespace for a member. Who has it as a member type finds them by their short names,
// `gen::range(0, 3)`, wherever it is defined.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <jostle/gen.hpp>
#include <utility>
#include <vector>

namespace jostle::detail {

struct gen_members {
  using size = ::jostle::gen::size;
  template <typename G>
  using weight = ::jostle::gen::weight<G>;

  template <typename F>
  static auto make(F draw) {
    return ::jostle::gen::make(std::move(draw));
  }
  template <typename T>
  static auto constant(T value) {
    return ::jostle::gen::constant(std::move(value));
  }
  template <typename T>
  static auto range(T low, T high) {
    return ::jostle::gen::range(low, high);
  }
  static auto boolean() { return ::jostle::gen::boolean(); }
  static auto character() { return ::jostle::gen::character(); }
  template <typename T>
  static auto any() {
    return ::jostle::gen::any<T>();
  }
  template <generator_like G>
  static auto string_of(G characters, size length = {}) {
    return ::jostle::gen::string_of(std::move(characters), length);
  }
  static auto string(size length = {}) { return ::jostle::gen::string(length); }
  template <generator_like G>
  static auto vector_of(G elements, size length = {}) {
    return ::jostle::gen::vector_of(std::move(elements), length);
  }
  template <size_t kCount, generator_like G>
  static auto array_of(G elements) {
    return ::jostle::gen::array_of<kCount>(std::move(elements));
  }
  template <generator_like G>
  static auto set_of(G elements, size length = {}) {
    return ::jostle::gen::set_of(std::move(elements), length);
  }
  template <generator_like K, generator_like V>
  static auto map_of(K keys, V values, size length = {}) {
    return ::jostle::gen::map_of(std::move(keys), std::move(values), length);
  }
  template <generator_like G>
  static auto optional_of(G values) {
    return ::jostle::gen::optional_of(std::move(values));
  }
  template <generator_like A, generator_like B>
  static auto pair_of(A first, B second) {
    return ::jostle::gen::pair_of(std::move(first), std::move(second));
  }
  template <generator_like... G>
  static auto tuple_of(G... parts) {
    return ::jostle::gen::tuple_of(std::move(parts)...);
  }
  template <typename T, generator_like... G>
  static auto build(G... parts) {
    return ::jostle::gen::build<T>(std::move(parts)...);
  }
  template <typename T>
  static auto element_of(std::vector<T> values) {
    return ::jostle::gen::element_of(std::move(values));
  }
  template <typename T>
  static auto element_of(std::initializer_list<T> values) {
    return ::jostle::gen::element_of(values);
  }
  template <generator_like... G>
  static auto one_of(G... choices) {
    return ::jostle::gen::one_of(std::move(choices)...);
  }
  template <generator_like... G>
  static auto weighted(::jostle::gen::weight<G>... choices) {
    return ::jostle::gen::weighted(std::move(choices)...);
  }
  template <typename T>
  static auto erased(std::function<T()> draw) {
    return ::jostle::gen::erased<T>(std::move(draw));
  }
};

}  // namespace jostle::detail
