// SPDX-License-Identifier: Apache-2.0
#include "src/cli/orders/order_fixes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "src/base/memory_order.h"
#include "src/cli/support/pattern.h"
#include "src/report/words/order_name.h"

namespace jostle::cli {
namespace {

// A function with a memory order, by what comes behind "atomic_" or "__atomic_" or is a member.
struct Form {
  std::string_view name;
  OpKind kind;
  bool compares;
  size_t values;  // arguments that are no orders, of the member function
};
constexpr std::array kForms = {
    Form{"load", OpKind::atomic_load, false, 0},
    Form{"test", OpKind::atomic_load, false, 0},
    Form{"flag_test", OpKind::atomic_load, false, 0},
    Form{"store", OpKind::atomic_store, false, 1},
    Form{"clear", OpKind::atomic_store, false, 0},
    Form{"flag_clear", OpKind::atomic_store, false, 0},
    Form{"exchange", OpKind::atomic_rmw, false, 1},
    Form{"fetch_add", OpKind::atomic_rmw, false, 1},
    Form{"fetch_sub", OpKind::atomic_rmw, false, 1},
    Form{"fetch_and", OpKind::atomic_rmw, false, 1},
    Form{"fetch_or", OpKind::atomic_rmw, false, 1},
    Form{"fetch_xor", OpKind::atomic_rmw, false, 1},
    Form{"test_and_set", OpKind::atomic_rmw, false, 0},
    Form{"flag_test_and_set", OpKind::atomic_rmw, false, 0},
    Form{"compare_exchange_weak", OpKind::atomic_rmw, true, 2},
    Form{"compare_exchange_strong", OpKind::atomic_rmw, true, 2},
    Form{"thread_fence", OpKind::fence, false, 0},
};

constexpr std::array<std::string_view, 5> kPrefixes = {
    "std::memory_order_", "memory_order_", "std::memory_order::", "memory_order::", "__ATOMIC_"};

std::string spelled(std::string_view prefix, uint8_t order) {
  std::string name(report::order_name(order));
  if (prefix.starts_with("__")) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  }
  return std::string(prefix) + name;
}

// How the text spells the order; nothing when it says something else.
std::optional<std::string_view> prefix_of(std::string_view text, uint8_t order) {
  for (const std::string_view prefix : kPrefixes) {
    if (text == spelled(prefix, order)) return prefix;
  }
  return std::nullopt;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A piece of the source, from the line of the operation on, with where it is.
class Text {
 public:
  static constexpr int kMostLines = 8;

  Text(const std::vector<std::string>& lines, int line) : first_(line) {
    for (int i = 0; i < kMostLines; ++i) {
      const auto at = static_cast<size_t>(line - 1) + static_cast<size_t>(i);
      if (at >= lines.size()) break;
      begins_.push_back(all_.size());
      all_ += lines[at] + "\n";
    }
  }

  std::string_view all() const { return all_; }
  std::string_view first_line() const { return std::string_view(all_).substr(0, all_.find('\n')); }

  SourceEdit edit(size_t begin, size_t end, std::string text) const {
    const auto [line, column] = place(begin);
    const auto [end_line, end_column] = place(end);
    return {line, column, end_line, end_column, std::move(text)};
  }

 private:
  std::pair<int, int> place(size_t offset) const {
    size_t line = begins_.size() - 1;
    while (begins_[line] > offset) --line;
    return {first_ + static_cast<int>(line), static_cast<int>(offset - begins_[line]) + 1};
  }

  int first_;
  std::string all_;
  std::vector<size_t> begins_;
};

struct Range {
  size_t begin = 0, end = 0;
};

// A call: its name, its arguments without the white space around them, its parentheses.
struct Call {
  Range name = {};
  const Form* form = nullptr;
  bool is_member = false, is_explicit = false;
  size_t open = 0, close = 0;
  std::vector<Range> arguments = {};
};

// False: the parentheses do not close within the text.
bool read_arguments(std::string_view text, Call& call) {
  int depth = 0;
  size_t begin = call.open + 1;
  const auto add = [&](size_t end) {
    Range argument{begin, end};
    const auto is_space = [&](size_t i) {
      return std::isspace(static_cast<unsigned char>(text[i])) != 0;
    };
    while (argument.begin < argument.end && is_space(argument.begin)) ++argument.begin;
    while (argument.end > argument.begin && is_space(argument.end - 1)) --argument.end;
    if (argument.begin < argument.end) call.arguments.push_back(argument);
    begin = end + 1;
  };
  for (size_t i = call.open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') return false;  // a person can read that
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 1) add(i);
    if (depth != 0) continue;
    call.close = i;
    add(i);
    return true;
  }
  return false;
}

std::optional<Call> call_at(std::string_view text, size_t begin) {
  size_t end = begin;
  while (end < text.size() && is_word(text[end])) ++end;
  size_t open = end;
  while (open < text.size() && text[open] == ' ') ++open;
  if (open == text.size() || text[open] != '(') return std::nullopt;
  Call call{.name = {begin, end}, .open = open};
  std::string_view name = text.substr(begin, end - begin);
  call.is_member = begin > 0 && (text[begin - 1] == '.' || text.substr(0, begin).ends_with("->"));
  if (!call.is_member) {
    if (name.starts_with("__atomic_")) {
      name.remove_prefix(9);
      call.is_explicit = true;
      if (name.ends_with("_n")) name.remove_suffix(2);
    } else if (name.starts_with("atomic_")) {
      name.remove_prefix(7);
    } else {
      return std::nullopt;
    }
    if (name.ends_with("_explicit")) {
      name.remove_suffix(9);
      call.is_explicit = true;
    }
  }
  const auto form = std::ranges::find(kForms, name, &Form::name);
  if (form == kForms.end()) return std::nullopt;
  call.form = &*form;
  return call;
}

std::vector<Call> calls_in_first_line(const Text& text, const Ordered& operation) {
  std::vector<Call> calls;
  const std::string_view all = text.all();
  const bool compares = operation.now.failure != channel::kNoOrder;
  for (size_t i = 0; i < text.first_line().size(); ++i) {
    if (!is_word(all[i]) || (i > 0 && is_word(all[i - 1]))) continue;
    std::optional<Call> call = call_at(all, i);
    if (!call || call->form->kind != operation.kind || call->form->compares != compares) continue;
    calls.push_back(std::move(*call));
  }
  return calls;
}

// `std::atomic_thread_fence(…);` as a whole; with its line if there is nothing else in it.
std::optional<SourceEdit> without_fence(const Text& text, const Call& call) {
  const std::string_view all = text.all();
  size_t begin = call.name.begin;
  if (all.substr(0, begin).ends_with("std::")) begin -= 5;
  size_t end = call.close + 1;
  if (end >= all.size() || all[end] != ';') return std::nullopt;
  ++end;
  const bool alone = all.substr(0, begin).find_first_not_of(" \t") == std::string_view::npos &&
                     end < all.size() && all[end] == '\n';
  return alone && end + 1 < all.size() ? text.edit(0, end + 1, "") : text.edit(begin, end, "");
}

std::optional<SourceEdit> edit_call(const Text& text, const Call& call, const Ordered& operation,
                                    Orders wanted) {
  const std::string_view all = text.all();
  if (operation.kind == OpKind::fence && wanted.success == __ATOMIC_RELAXED) {
    return without_fence(text, call);
  }
  const size_t values =
      call.form->values + (call.is_member || call.form->kind == OpKind::fence ? 0 : 1);
  if (call.arguments.size() < values || call.arguments.size() > values + 2) return std::nullopt;
  const std::vector<Range> orders(call.arguments.begin() + static_cast<std::ptrdiff_t>(values),
                                  call.arguments.end());
  const bool compares = call.form->compares;
  if (orders.size() > (compares ? 2u : 1u)) return std::nullopt;
  const auto with_prefix = [&](std::string_view prefix) {
    std::string orders_text = spelled(prefix, wanted.success);
    if (compares) orders_text += ", " + spelled(prefix, wanted.failure);
    return orders_text;
  };
  if (!orders.empty()) {
    std::optional<std::string_view> prefix;
    for (size_t i = 0; i < orders.size(); ++i) {
      const uint8_t now = i == 0 ? operation.now.success : operation.now.failure;
      const Range& at = orders[i];
      const auto spelling = prefix_of(all.substr(at.begin, at.end - at.begin), now);
      if (!spelling) return std::nullopt;
      if (!prefix) prefix = spelling;
    }
    return text.edit(orders.front().begin, orders.back().end, with_prefix(*prefix));
  }
  // The default, which is the strongest.
  if (call.is_explicit || !is_sequential(operation.now.success)) return std::nullopt;
  const bool is_std = call.is_member || all.substr(0, call.name.begin).ends_with("std::");
  const std::string added =
      (call.arguments.empty() ? "" : ", ") + with_prefix(is_std ? kPrefixes[0] : kPrefixes[1]);
  const size_t end = call.arguments.empty() ? call.open + 1 : call.arguments.back().end;
  if (call.is_member) return text.edit(end, end, added);
  const std::string middle(all.substr(call.name.end, end - call.name.end));
  return text.edit(call.name.end, end, "_explicit" + middle + added);
}

// `++x;`, `x += n;`, `x = n;`: the same as a call.
std::optional<SourceEdit> edit_statement(const Text& text, const Ordered& operation,
                                         Orders wanted) {
  if (!is_sequential(operation.now.success) || operation.now.failure != channel::kNoOrder) {
    return std::nullopt;
  }
  const std::string line(text.first_line());
  const std::string order = spelled(kPrefixes[0], wanted.success);
  // Five groups, the first of which is the object.
  const std::string object = R"((([A-Za-z_]\w*(\[\w+\])?(\.|->|::))*[A-Za-z_]\w*(\[\w+\])?))";
  const std::string end = R"(;\s*(//.*)?$)";
  std::optional<Pattern::Match> match;
  const auto matches = [&](const Pattern& pattern) {
    match = pattern.find(line);
    return match.has_value();
  };
  const auto group = [&](size_t number) { return (*match)[number]; };
  const auto whole = [&](std::string call) {
    return text.edit(match->begin(1), match->end(1), std::move(call));
  };
  if (operation.kind == OpKind::atomic_rmw) {
    static const Pattern before(R"(^\s*((\+\+|--))" + object + ")" + end);
    static const Pattern behind(R"(^\s*()" + object + R"((\+\+|--)))" + end);
    static const Pattern with(R"(^\s*()" + object + R"( *([-+&|^])= *([][A-Za-z0-9_.:>-]+)))" +
                              end);
    const auto one = [&](const std::string& name, const std::string& sign) {
      return whole(fmt::format("{}.fetch_{}(1, {})", name, sign == "++" ? "add" : "sub", order));
    };
    if (matches(before)) return one(group(3), group(2));
    if (matches(behind)) return one(group(2), group(7));
    if (matches(with)) {
      const std::string sign = group(7);
      const char* name = sign == "+"   ? "add"
                         : sign == "-" ? "sub"
                         : sign == "&" ? "and"
                         : sign == "|" ? "or"
                                       : "xor";
      return whole(fmt::format("{}.fetch_{}({}, {})", group(2), name, group(8), order));
    }
  }
  if (operation.kind == OpKind::atomic_store) {
    static const Pattern assigned(R"(^\s*()" + object + R"( *= *([^=;,(){}]+)))" + end);
    if (matches(assigned)) {
      return whole(fmt::format("{}.store({}, {})", group(2), group(7), order));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<SourceEdit> order_edit(const std::vector<std::string>& lines, int line,
                                     const Ordered& operation, Orders wanted, bool is_c) {
  if (line < 1 || static_cast<size_t>(line) > lines.size()) return std::nullopt;
  const Text text(lines, line);
  std::vector<Call> calls = calls_in_first_line(text, operation);
  if (calls.empty()) return is_c ? std::nullopt : edit_statement(text, operation, wanted);
  if (calls.size() > 1 || !read_arguments(text.all(), calls[0])) return std::nullopt;
  return edit_call(text, calls[0], operation, wanted);
}

}  // namespace jostle::cli
