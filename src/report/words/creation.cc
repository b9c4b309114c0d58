// SPDX-License-Identifier: Apache-2.0
#include "src/report/words/creation.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "src/report/words/text.h"

namespace jostle::report {
namespace {

bool is_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Where a word begins, from `from` on; npos: nowhere.
size_t find_word(std::string_view text, std::string_view word, size_t from) {
  for (size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_identifier(text[at - 1]);
    const size_t end = at + word.size();
    if (begins && (end == text.size() || !is_identifier(text[end]))) return at;
  }
  return std::string_view::npos;
}

// "Slot", "net::Slot", "Slot<int>" at the beginning of the text: taken off it.
std::string take_type(std::string_view& text) {
  text = trimmed(text);
  for (const std::string_view word : {"struct ", "class ", "union ", "const "}) {
    if (text.starts_with(word)) text = trimmed(text.substr(word.size()));
  }
  size_t end = 0;
  int depth = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '<') ++depth;
    if (c == '>' && depth > 0 && --depth == 0) {
      ++end;
      break;
    }
    if (depth == 0 && !is_identifier(c) && c != ':') break;
  }
  std::string name(text.substr(0, end));
  text.remove_prefix(end);
  // Without what it is inside of.
  const size_t arguments = std::min(name.find('<'), name.size());
  const size_t scope = name.rfind("::", arguments);
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

Creation after_new(std::string_view rest) {
  rest = trimmed(rest);
  if (rest.starts_with('(')) return {};  // placement, or a type in parentheses
  Creation creation{take_type(rest)};
  creation.by_new = true;
  rest = trimmed(rest);
  if (rest.starts_with('*')) return {};  // pointers
  creation.is_array = rest.starts_with('[');
  return creation;
}

Creation after_sizeof(std::string_view rest) {
  rest = trimmed(rest);
  const bool in_parentheses = rest.starts_with('(');
  if (in_parentheses) rest = trimmed(rest.substr(1));
  Creation creation;
  creation.is_array = true;  // as many as there is room for: one, mostly
  creation.is_variable = rest.starts_with('*');
  if (creation.is_variable) rest.remove_prefix(1);
  creation.what = take_type(rest);
  rest = trimmed(rest);
  // Something else than a plain name, or a pointer's size.
  if (rest.starts_with('*') || rest.starts_with("->") || rest.starts_with('.') ||
      rest.starts_with('[') || (!in_parentheses && !creation.is_variable)) {
    return {};
  }
  return creation;
}
// The word in front of the end of the text: taken off it.
std::string take_last_word(std::string_view& text) {
  text = trimmed(text);
  size_t begin = text.size();
  while (begin > 0 && is_identifier(text[begin - 1])) --begin;
  std::string word(text.substr(begin));
  text = trimmed(text.substr(0, begin));
  return word;
}

// "Shared" of "Shared *" or "struct Shared*" at the end of the text. Empty: no pointer.
std::string pointed_type_before(std::string_view text) {
  text = trimmed(text);
  if (!text.ends_with('*')) return {};
  text.remove_suffix(1);
  return text.ends_with('*') ? std::string() : take_last_word(text);
}

// "(Shared*)mmap(…)", "static_cast<Shared*>(mmap(…))", "Shared* shared = mmap(…)", "shared =
// mmap(…)"; or shmat.
Creation mapped_at(std::string_view before) {
  before = trimmed(before);
  if (before.ends_with("::")) before = trimmed(before.substr(0, before.size() - 2));
  if (before.ends_with('(')) before = trimmed(before.substr(0, before.size() - 1));
  Creation creation;
  creation.has_more_room = true;
  if (before.ends_with(')') || before.ends_with('>')) {
    creation.what = pointed_type_before(before.substr(0, before.size() - 1));
    return creation;
  }
  if (!before.ends_with('=')) return {};
  before.remove_suffix(1);
  const std::string variable = take_last_word(before);
  creation.what = pointed_type_before(before);
  // "if ((shared = mmap(…)) == MAP_FAILED)"
  const bool is_alone = before.empty() || before.ends_with('(') || before.ends_with(';');
  if (!creation.what.empty() || !is_alone) return creation;
  creation.what = variable;
  creation.is_variable = true;
  return creation;
}

}  // namespace
Creation creation_in(const std::string& line) {
  Creation found;
  const auto add = [&](const Creation& creation) {
    // Two different things on a line: which one it was nobody knows.
    const bool is_other =
        !found.what.empty() && (found.what != creation.what || found.is_array != creation.is_array);
    found = is_other || creation.what.empty() ? Creation{"?"} : creation;
  };
  for (size_t at = 0; (at = find_word(line, "new", at)) != std::string::npos; ++at) {
    add(after_new(std::string_view(line).substr(at + 3)));
  }
  const size_t maps = std::min(find_word(line, "mmap", 0), find_word(line, "shmat", 0));
  const bool allocates = line.find("alloc") != std::string::npos || maps != std::string::npos;
  for (size_t at = 0; allocates && (at = find_word(line, "sizeof", at)) != std::string::npos;
       ++at) {
    add(after_sizeof(std::string_view(line).substr(at + 6)));
  }
  if (found.what.empty() && maps != std::string::npos) {
    return mapped_at(std::string_view(line).substr(0, maps));
  }
  return found.what == "?" ? Creation{} : found;
}

}  // namespace jostle::report
