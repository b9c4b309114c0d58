// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/function_names.h"

#include <algorithm>
#include <cctype>

namespace jostle::report {
namespace {

constexpr std::string_view kUnnamed = "(anonymous namespace)";
constexpr std::string_view kOperator = "operator";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

char closing(char open) {
  switch (open) {
    case '(':
      return ')';
    case '{':
      return '}';
    default:
      return '>';
  }
}

// Behind the bracket that closes the one at `at`; the end when there is none. Angle brackets inside
// of parentheses may be comparisons.
size_t behind_group(std::string_view text, size_t at) {
  const char open = text[at], close = closing(open);
  for (size_t i = at + 1; i < text.size();) {
    const char c = text[i];
    if (c == close && !(c == '>' && text[i - 1] == '-')) return i + 1;
    const bool nested = c == '(' || c == '{' || (c == '<' && open == '<');
    i = nested ? behind_group(text, i) : i + 1;
  }
  return text.size();
}

// The same text with spaces only between words, and none of the ABI tags.
std::string tight(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("[abi:")) {
      i = std::min(text.find(']', i), text.size() - 1);
      continue;
    }
    const bool between_words = text[i] == ' ' && !result.empty() && is_word(result.back()) &&
                               i + 1 < text.size() && is_word(text[i + 1]);
    if (text[i] != ' ' || between_words) result += text[i];
  }
  return result;
}

// Length of the operator's sign at the beginning; 0 for conversions, new and delete.
size_t operator_sign(std::string_view text) {
  for (const std::string_view sign :
       {"<=>", "->*", "<<=", ">>=", "()", "[]", "<<", ">>", "<=", ">=", "->", "&&", "||",
        "++",  "--",  "==",  "!=",  "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|="}) {
    if (text.starts_with(sign)) return sign.size();
  }
  constexpr std::string_view kSingle = "+-*/%^&|~!=<>,";
  return !text.empty() && kSingle.find(text[0]) != kSingle.npos ? 1 : 0;
}

bool begins_operator(std::string_view text, size_t at) {
  const std::string_view here = text.substr(at);
  return here.starts_with(kOperator) && (at == 0 || !is_word(text[at - 1])) &&
         (here.size() == kOperator.size() || !is_word(here[kOperator.size()]));
}

// Behind the name of the operator at `at`; what it is called goes to `name`.
size_t read_operator(std::string_view text, size_t at, std::string& name) {
  name += kOperator;
  at += kOperator.size();
  if (const size_t sign = operator_sign(text.substr(at))) {
    name += text.substr(at, sign);
    at += sign;
    // "operator<< <int>": without the space it would be another operator.
    if (text.substr(at).starts_with(" <")) {
      const size_t end = behind_group(text, at + 1);
      name += " " + tight(text.substr(at + 1, end - at - 1));
      at = end;
    }
    return at;
  }
  size_t end = at;
  while (end < text.size() && text[end] != '(') {
    end = text[end] == '<' ? behind_group(text, end) : end + 1;
  }
  const std::string type = tight(text.substr(at, end - at));
  name += (!type.empty() && is_word(type[0]) ? " " : "") + type;
  return end;
}

// Behind "const", "&" and the like that may follow parameters.
size_t behind_qualifiers(std::string_view text, size_t at) {
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view word : {" const", " volatile", " &&", " &", " noexcept"}) {
      if (!text.substr(at).starts_with(word)) continue;
      at += word.size();
      more = true;
    }
  }
  return at;
}

bool is_decltype(std::string_view name) {
  while (name.ends_with(' ')) name.remove_suffix(1);
  return name.ends_with("decltype");
}

}  // namespace

std::string qualified_name(std::string_view text) {
  std::string name;
  for (size_t i = 0; i < text.size();) {
    const std::string_view here = text.substr(i);
    if (begins_operator(text, i)) {
      i = read_operator(text, i, name);
    } else if (here.starts_with(kUnnamed)) {
      name += kUnnamed;
      i += kUnnamed.size();
    } else if (here[0] == '<' || here[0] == '{') {
      const size_t end = behind_group(text, i);
      name += tight(text.substr(i, end - i));
      i = end;
    } else if (here[0] == '(') {
      const size_t end = behind_group(text, i);
      const size_t behind = behind_qualifiers(text, end);
      if (is_decltype(name)) {
        name += "()";  // of the return type, which goes anyway
        i = end;
      } else if (text.substr(behind).starts_with("::")) {
        i = behind;  // parameters of a function around this one
      } else {
        return name;
      }
    } else if (here[0] == ' ') {
      if (!is_decltype(name)) name.clear();  // it was the return type
      ++i;
    } else if (here.starts_with("[abi:")) {
      i = std::min(text.find(']', i), text.size() - 1) + 1;
    } else {
      name += here[0];
      ++i;
    }
  }
  return name;
}

std::string without_clone_suffix(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find(" [clone "));
  // Neither C names nor mangled ones have dots; what the demangler could read has none left.
  return std::string(
      symbol.substr(0, symbol.find('(') == symbol.npos ? symbol.find('.') : symbol.npos));
}

std::optional<std::string> function_of_region(std::string_view function) {
  if (function.find(".omp_outlined") != function.npos) return "";
  const size_t end = function.find("._omp_fn.");
  if (end == function.npos) return std::nullopt;
  constexpr std::string_view kClone = " [clone ";
  std::string_view around = function.substr(0, end);
  around = around.substr(0, std::min(around.find(kClone), around.size()));
  return qualified_name(around);
}

size_t behind_optional_part(std::string_view name, size_t at) {
  const std::string_view here = name.substr(at);
  if (here.starts_with(kUnnamed)) {
    const size_t end = at + kUnnamed.size();
    return name.substr(end).starts_with("::") ? end + 2 : at;
  }
  if (here.starts_with(" <")) return behind_group(name, at + 1);
  if (!here.starts_with('<')) return at;
  std::string_view before = name.substr(0, at);
  while (before.ends_with('<')) before.remove_suffix(1);
  return before.ends_with(kOperator) ? at : behind_group(name, at);
}

std::string plain_name(std::string_view qualified) {
  std::string result;
  for (size_t i = 0; i < qualified.size();) {
    const size_t behind = behind_optional_part(qualified, i);
    if (behind == i) result += qualified[i++];
    i = behind > i ? behind : i;
  }
  return result;
}

bool is_library_name(std::string_view name) {
  constexpr std::string_view kLibraries[] = {
      "std::", "__",
      // Test frameworks, as far as people do not put matchers and printers of their own there.
      "testing::internal::", "testing::UnitTest::", "testing::Test::", "testing::TestInfo::",
      "testing::TestSuite::", "testing::Message::", "testing::AssertionResult::",
      "testing::PrintToString", "testing::AssertionSuccess", "testing::AssertionFailure",
      "Catch::", "doctest::"};
  return std::ranges::any_of(kLibraries,
                             [&](std::string_view each) { return name.starts_with(each); });
}

std::string test_name(std::string_view function) {
  // GoogleTest: a class of both names; Boost: a class of one.
  constexpr std::string_view kBody = "::TestBody", kMethod = "::test_method";
  if (function.ends_with(kMethod)) {
    return std::string(function.substr(0, function.size() - kMethod.size()));
  }
  if (function.ends_with(kBody)) {
    std::string name(function.substr(0, function.size() - kBody.size()));
    constexpr std::string_view kTest = "_Test";
    const size_t end = name.rfind(kTest);
    if (end == std::string::npos) return std::string(function);
    name.erase(end, kTest.size());  // in front of template arguments
    if (const size_t scope = name.rfind("::", end); scope != std::string::npos) {
      name.erase(0, scope + 2);
    }
    // With more than one it is not known where the suite's name ends.
    const size_t bar = name.find('_');
    if (bar != std::string::npos && name.find('_', bar + 1) == std::string::npos) name[bar] = '.';
    return name;
  }
  // Catch2 and doctest count their test cases.
  for (const std::string_view counted :
       {"C_A_T_C_H_T_E_S_T_", "CATCH2_INTERNAL_TEST_", "DOCTEST_ANON_"}) {
    const size_t at = function.find(counted);
    if (at == 0 || (at == 1 && function[0] == '_')) return "TEST_CASE";
  }
  return std::string(function);
}

}  // namespace jostle::report
