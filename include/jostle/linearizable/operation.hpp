// SPDX-License-Identifier: Apache-2.0
// The operations of a test: how they are drawn and called, without their types; and the templates
// that know these, which are as thin as can be, because every operation of every test has its own.
#pragma once

#include <jostle/jostle.h>

#include <jostle/gen.hpp>
#include <jostle/linearizable/returned.hpp>
#include <jostle/linearizable/scenarios.hpp>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace jostle {
namespace detail {

// What an operation promises, whatever becomes of the threads beside it.
struct promise {
  jostle_promise kind = {};  // 0: nothing
  unsigned bound = 0;        // of wait_free: steps
};

class operation_kind;

// An operation of a scenario: which, with its arguments.
class drawn_operation {
 public:
  virtual ~drawn_operation() = default;
  virtual void call(const returned& to) const = 0;
  virtual std::string text() const = 0;
  // The same with another object, whose kinds of operations are the same.
  virtual void use(const operation_kind& kind) = 0;
};

class operation_kind {
 public:
  virtual ~operation_kind() = default;
  // It lives no longer than this.
  virtual std::unique_ptr<drawn_operation> draw() const = 0;

  std::string name;
  std::string group;
  bool is_weak = false;
  bool has_model = false;
  promise promised;
};

template <typename Function, typename Values>
inline constexpr bool takes = false;
template <typename Function, typename... V>
inline constexpr bool takes<Function, std::tuple<V...>> =
    std::is_invocable_v<const Function&, const V&...>;

template <typename Function, typename Values>
void call_with(const Function& function, const Values& values, const returned& to) {
  using result = std::remove_cvref_t<decltype(std::apply(function, values))>;
  if constexpr (std::is_void_v<result>) {
    std::apply(function, values);
    to.nothing();
  } else {
    const result value = std::apply(function, values);
    to.value(value);
  }
}

// The message comes from here, and not from deep inside of the standard library.
template <typename Function, typename Values>
constexpr void check_takes() {
  static_assert(
      takes<Function, Values>,
      "the function of an operation (and of its model) is called with what the generators "
      "before it draw, one argument for each, and is not mutable: "
      "operation(\"put\", gen::range(1, 3), [=](int key) { map->put(key); })");
}

template <typename Values>
std::string call_text(const std::string& name, const Values& values) {
  std::string text = name + "(";
  std::apply(
      [&](const auto&... value) {
        const char* between = "";
        ((text += between, text += show(value), between = ", "), ...);
      },
      values);
  return text + ")";
}

// A kind whose arguments are `Values`: what they do to the object, or to the model.
template <typename Values>
class function_of {
 public:
  virtual ~function_of() = default;
  virtual void call(const Values& values, const returned& to) const = 0;
};

template <typename Values>
class operation_with : public operation_kind, public function_of<Values> {
 public:
  std::unique_ptr<function_of<Values>> on_model;

 protected:
  // One class for all operations with such arguments.
  class drawn final : public drawn_operation {
   public:
    drawn(const operation_with& kind, Values values) : kind_(&kind), values_(std::move(values)) {}
    JOSTLE_NOT_SEEN_ void call(const returned& to) const override {
      const function_of<Values>* const model = kind_->on_model.get();
      const function_of<Values>* const object = kind_;
      (model && jostle_in_reference() ? model : object)->call(values_, to);
    }
    std::string text() const override { return call_text(kind_->name, values_); }
    void use(const operation_kind& kind) override {
      kind_ = static_cast<const operation_with*>(&kind);
    }

   private:
    const operation_with* kind_;
    Values values_;
  };
};

template <typename Function, typename Values>
class function_on_model final : public function_of<Values> {
 public:
  explicit function_on_model(Function function) : function_(std::move(function)) {}
  void call(const Values& values, const returned& to) const override {
    check_takes<Function, Values>();
    if constexpr (takes<Function, Values>) call_with(function_, values, to);
  }

 private:
  Function function_;
};

// `Parts`: its generators, and last the function that it calls.
template <typename Values, typename Indices, typename... Parts>
class typed_operation;
template <typename Values, size_t... I, typename... Parts>
class typed_operation<Values, std::index_sequence<I...>, Parts...> final
    : public operation_with<Values> {
 public:
  explicit typed_operation(Parts&... parts) : parts_(std::move(parts)...) {}

  std::unique_ptr<drawn_operation> draw() const override {
    // Braces: from left to right.
    using drawn = typename operation_with<Values>::drawn;
    return std::unique_ptr<drawn_operation>(new drawn(*this, Values{std::get<I>(parts_)()...}));
  }
  void call(const Values& values, const returned& to) const override {
    using Function = std::tuple_element_t<sizeof...(I), std::tuple<Parts...>>;
    check_takes<Function, Values>();
    if constexpr (takes<Function, Values>) call_with(std::get<sizeof...(I)>(parts_), values, to);
  }

 private:
  std::tuple<Parts...> parts_;
};

// The types of what the generators draw, without the function.
template <typename Indices, typename... Parts>
struct values_of;
template <size_t... I, typename... Parts>
struct values_of<std::index_sequence<I...>, Parts...> {
  static_assert((generator_like<std::tuple_element_t<I, std::tuple<Parts...>>> && ...),
                "operation(name, generators..., function): all but the last have to be generators, "
                "as gen::range(1, 3)");
  using type = std::tuple<
      std::decay_t<typename std::tuple_element_t<I, std::tuple<Parts...>>::value_type>...>;
};

}  // namespace detail

// What `operation` returns: more about it, by chaining.
template <typename Values>
class operation_handle {
 public:
  explicit operation_handle(detail::operation_with<Values>& kind) : kind_(kind) {}

  // Of the group's operations only one thread has any: a queue for a single producer.
  operation_handle& only_by(const char* name) {
    kind_.group = name;
    return *this;
  }
  operation_handle& only_by(const group& which) { return only_by(which.name); }
  // Its result is not compared: a size that is only about right.
  operation_handle& weak() {
    kind_.is_weak = true;
    return *this;
  }
  // It returns when all other threads have been stopped, wherever they are.
  operation_handle& obstruction_free() { return promises({JOSTLE_OBSTRUCTION_FREE}); }
  // … and of two that go on, however they take turns, one returns.
  operation_handle& lock_free() { return promises({JOSTLE_LOCK_FREE}); }
  // … and it does itself, within `steps` accesses and synchronisations of its own.
  operation_handle& wait_free(unsigned steps = 1000) { return promises({JOSTLE_WAIT_FREE, steps}); }
  // What it does to the model: the right results are the model's then.
  template <typename F>
  operation_handle& model(F function) {
    kind_.on_model = std::make_unique<detail::function_on_model<F, Values>>(std::move(function));
    kind_.has_model = true;
    return *this;
  }

 private:
  operation_handle& promises(detail::promise promised) {
    kind_.promised = promised;
    return *this;
  }

  detail::operation_with<Values>& kind_;
};

}  // namespace jostle
