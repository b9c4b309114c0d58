// SPDX-License-Identifier: Apache-2.0
// Programs of litmus tests, read from the notation of litmus_table.h.
#pragma once

#include <cctype>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace jostle::litmus {

enum class Order { relaxed, acquire, release, both, sequential };
inline bool acquires(Order order) {
  return order == Order::acquire || order == Order::both || order == Order::sequential;
}
inline bool releases(Order order) {
  return order == Order::release || order == Order::both || order == Order::sequential;
}

// In postfix notation: a number, a register, or an operator.
struct Token {
  char what;  // 'n', 'r', or + - ^ = > g (at least)
  int64_t number;
};
using Expression = std::vector<Token>;

struct Instruction {
  enum class Kind { load, store, add, exchange, compare, fence, guard, assume, assign };
  Kind kind;
  int location = -1;
  Order order = Order::relaxed;
  int target = -1;        // register that gets what was read, or is expected
  Expression value = {};  // stored, added, asked
};

struct Program {
  std::vector<std::vector<Instruction>> threads;
  int locations = 0;
  int registers = 0;  // of all threads: each has its own
};

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Program parse() {
    thread_ = 0;
    program_.threads.emplace_back();
    while (true) {
      skip();
      if (at_end()) break;
      if (take("‖")) {
        program_.threads.emplace_back();
        ++thread_;
      } else if (!take(";")) {
        program_.threads.back().push_back(instruction());
      }
    }
    program_.locations = static_cast<int>(locations_.size());
    program_.registers = static_cast<int>(registers_.size());
    return program_;
  }

 private:
  using Kind = Instruction::Kind;

  bool at_end() const { return at_ >= text_.size(); }
  void skip() {
    while (!at_end() && text_[at_] == ' ') ++at_;
  }
  bool take(const std::string& what) {
    skip();
    if (text_.compare(at_, what.size(), what) != 0) return false;
    at_ += what.size();
    return true;
  }
  void expect(const std::string& what) {
    if (!take(what)) throw std::runtime_error("expected " + what + " in " + text_.substr(at_));
  }
  std::string word() {
    skip();
    const size_t from = at_;
    while (!at_end() && (isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) {
      ++at_;
    }
    if (at_ == from) throw std::runtime_error("expected a word in " + text_.substr(at_));
    return text_.substr(from, at_ - from);
  }
  int location(const std::string& name) {
    return locations_.emplace(name, static_cast<int>(locations_.size())).first->second;
  }
  int reg(const std::string& name) {
    const std::string own = std::to_string(thread_) + name;
    return registers_.emplace(own, static_cast<int>(registers_.size())).first->second;
  }
  Order order() {
    expect(".");
    const std::string name = word();
    static const std::map<std::string, Order> orders = {{"rlx", Order::relaxed},
                                                        {"acq", Order::acquire},
                                                        {"rel", Order::release},
                                                        {"ar", Order::both},
                                                        {"sc", Order::sequential}};
    return orders.at(name);
  }

  Instruction instruction() {
    if (take("F.")) {
      --at_;
      Instruction fence{Kind::fence};
      fence.order = order();
      return fence;
    }
    if (take("ld ")) return load(word(), -1);
    if (take("fadd(")) return modify(Kind::add);
    if (take("exchange(")) return modify(Kind::exchange);
    if (take("cas(")) return compare();
    if (take("if(")) return condition(Kind::guard);
    if (take("assume(")) return condition(Kind::assume);
    const std::string name = word();
    if (take("=")) {
      const size_t from = at_;
      skip();
      if (isalpha(static_cast<unsigned char>(text_[at_]))) {
        const std::string source = word();
        if (!at_end() && text_[at_] == '.') return load(source, reg(name));
        at_ = from;
      }
      Instruction assign{Kind::assign};
      assign.target = reg(name);
      assign.value = expression();
      return assign;
    }
    Instruction store{Kind::store};
    store.location = location(name);
    store.order = order();
    expect(":=");
    store.value = expression();
    return store;
  }
  Instruction load(const std::string& name, int target) {
    Instruction load{Kind::load};
    load.location = location(name);
    load.target = target;
    load.order = order();
    return load;
  }
  Instruction modify(Kind kind) {
    Instruction modify{kind};
    modify.location = location(word());
    expect(",");
    modify.value = expression();
    expect(")");
    modify.order = order();
    return modify;
  }
  Instruction compare() {
    Instruction compare{Kind::compare};
    compare.location = location(word());
    expect(",");
    compare.target = reg(word());
    expect(",");
    compare.value = expression();
    expect(")");
    compare.order = order();
    return compare;
  }
  Instruction condition(Kind kind) {
    Instruction condition{kind};
    condition.value = expression();
    expect(")");
    take("…");
    return condition;
  }

  // Comparisons bind least, then ^, then + and -.
  Expression expression() {
    Expression left = exclusive();
    for (const auto& [sign, what] : {std::pair{"==", '='}, {">=", 'g'}, {">", '>'}}) {
      if (take(sign)) return joined(left, exclusive(), what);
    }
    return left;
  }
  Expression exclusive() {
    Expression left = sum();
    while (take("^")) left = joined(left, sum(), '^');
    return left;
  }
  Expression sum() {
    Expression left = single();
    while (true) {
      if (take("+")) {
        left = joined(left, single(), '+');
      } else if (take("-")) {
        left = joined(left, single(), '-');
      } else {
        return left;
      }
    }
  }
  Expression single() {
    if (take("(")) {
      Expression inner = expression();
      expect(")");
      return inner;
    }
    const std::string text = word();
    if (isdigit(static_cast<unsigned char>(text[0]))) return {{'n', std::stoll(text)}};
    return {{'r', reg(text)}};
  }
  static Expression joined(Expression left, const Expression& right, char what) {
    left.insert(left.end(), right.begin(), right.end());
    left.push_back({what, 0});
    return left;
  }

  std::string text_;
  size_t at_ = 0;
  int thread_ = 0;
  Program program_;
  std::map<std::string, int> locations_, registers_;
};

inline int64_t value_of(const Expression& expression, const std::vector<int64_t>& registers) {
  std::vector<int64_t> stack;
  for (const Token& token : expression) {
    if (token.what == 'n') {
      stack.push_back(token.number);
    } else if (token.what == 'r') {
      stack.push_back(registers[static_cast<size_t>(token.number)]);
    } else {
      const int64_t right = stack.back();
      stack.pop_back();
      int64_t& left = stack.back();
      left = token.what == '+'   ? left + right
             : token.what == '-' ? left - right
             : token.what == '^' ? left ^ right
             : token.what == '=' ? left == right
             : token.what == '>' ? left > right
                                 : left >= right;
    }
  }
  return stack.back();
}

}  // namespace jostle::litmus
