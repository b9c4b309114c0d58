// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(uint32_t code, std::string& out) {
  const auto byte = [&](uint32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

// How many bytes the character at the begin of the text has; 0: it is no UTF-8.
size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead < 0x80         ? 1
                        : lead >> 5 == 0x6  ? 2
                        : lead >> 4 == 0xE  ? 3
                        : lead >> 3 == 0x1E ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  uint32_t code = length == 1 ? lead : lead & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if (next >> 6 != 2) return 0;
    code = code << 6 | (next & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kLeast[length] || code > 0x10FFFF || is_surrogate ? 0 : length;
}

// Each function reads what its name says from where the last one stopped. The first error ends it
// all: the functions then return at once.
class TomlReader {
 public:
  explicit TomlReader(std::string_view text) : text_(text) {}

  std::variant<TomlDocument, TomlError> read() {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    check_characters();
    at_ = 0;
    begin_ = 0;
    line_ = 1;
    while (!error_ && !at_end()) read_line();
    if (error_) return *error_;
    return std::move(document_);
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char here() const { return at_end() ? '\0' : text_[at_]; }
  std::string_view rest() const { return text_.substr(std::min(at_, text_.size())); }
  TomlPosition position() const { return {line_, at_ - begin_ + 1}; }

  void fail(TomlPosition at, std::string text) {
    if (!error_) error_ = TomlError{at, std::move(text)};
  }
  void fail(std::string text) { fail(position(), std::move(text)); }

  void next_line() {
    ++at_;
    ++line_;
    begin_ = at_;
  }

  // Of the whole text, so that strings and comments need not.
  void check_characters() {
    while (!error_ && !at_end()) {
      const char c = here();
      const size_t length = utf8_length(rest());
      if (length == 0) return fail("this is no UTF-8");
      if (c == '\n') {
        next_line();
        continue;
      }
      const bool ends_line = c == '\r' && rest().starts_with("\r\n");
      if (c == '\0') return fail("there is a NUL byte: is this a text file?");
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\t' && !ends_line) || c == 0x7F) {
        return fail("there is a control character");
      }
      at_ += length;
    }
  }

  void skip_blanks() {
    while (here() == ' ' || here() == '\t') ++at_;
  }
  void skip_comment() {
    if (here() != '#') return;
    while (!at_end() && here() != '\n') ++at_;
  }
  // True: the line is over.
  bool end_line() {
    skip_blanks();
    skip_comment();
    if (rest().starts_with("\r\n")) ++at_;
    if (at_end()) return true;
    if (here() != '\n') return false;
    next_line();
    return true;
  }

  // "`x'", for messages; "the end of the file".
  std::string what_is_here() const {
    if (at_end()) return "the end of the file";
    if (here() == '\n' || here() == '\r') return "the end of the line";
    return fmt::format("`{}'", report::escape(rest().substr(0, utf8_length(rest()))));
  }

  void read_line() {
    if (end_line()) return;
    if (here() == '[') {
      read_table();
    } else {
      read_entry();
    }
    if (error_) return;
    if (!end_line()) fail(fmt::format("expected the end of the line, not {}", what_is_here()));
  }

  void read_table() {
    const TomlPosition at = position();
    ++at_;
    if (here() == '[') return fail(at, "lists of tables ([[…]]) are not read here");
    skip_blanks();
    std::string name = read_key();
    if (error_) return;
    skip_blanks();
    if (here() == '.') return fail("tables in tables ([a.b]) are not read here");
    if (here() != ']') return fail(fmt::format("expected `]', not {}", what_is_here()));
    ++at_;
    if (const auto [known, added] = tables_.emplace(name, at.line); !added) {
      return fail(at, fmt::format("[{}] is there twice, first in line {}", report::escape(name),
                                  known->second));
    }
    document_.tables.push_back({std::move(name), at});
  }

  void read_entry() {
    TomlEntry entry;
    entry.at = position();
    entry.table = document_.tables.empty() ? "" : document_.tables.back().name;
    entry.key = read_key();
    if (error_) return;
    skip_blanks();
    if (here() == '.') return fail("dotted keys (a.b = …) are not read here");
    if (here() != '=') {
      return fail(fmt::format("expected `=' behind `{}', not {}", report::escape(entry.key),
                              what_is_here()));
    }
    ++at_;
    skip_blanks();
    entry.value = read_value();
    if (error_) return;
    const auto [known, added] = keys_.emplace(std::pair(entry.table, entry.key), entry.at.line);
    if (!added) {
      return fail(entry.at, fmt::format("`{}' is there twice, first in line {}",
                                        report::escape(entry.key), known->second));
    }
    document_.entries.push_back(std::move(entry));
  }

  std::string read_key() {
    if (here() == '"' || here() == '\'') {
      const TomlPosition at = position();
      std::string key = read_string();
      if (key.empty()) fail(at, "a key is empty");
      return key;
    }
    const size_t begin = at_;
    while (!at_end() && is_bare(here())) ++at_;
    if (at_ == begin) fail(fmt::format("expected a key, not {}", what_is_here()));
    return std::string(text_.substr(begin, at_ - begin));
  }

  TomlValue read_value() {
    TomlValue value;
    value.at = position();
    const char c = here();
    if (c == '"' || c == '\'') {
      value.text = read_string();
    } else if (c == '[') {
      value.kind = TomlValue::Kind::array;
      read_array(value);
    } else if (c == '{') {
      fail("inline tables ({…}) are not read here");
    } else if (is_digit(c) || c == '+' || c == '-') {
      value.kind = TomlValue::Kind::number;
      value.text = read_number();
    } else {
      value.kind = TomlValue::Kind::boolean;
      value.text = read_word();
    }
    return value;
  }

  std::string read_word() {
    const TomlPosition at = position();
    const size_t begin = at_;
    while (!at_end() && is_bare(here())) ++at_;
    std::string word(text_.substr(begin, at_ - begin));
    if (word == "true" || word == "false") return word;
    if (word.empty()) {
      fail(at, fmt::format("expected a value, not {}", what_is_here()));
    } else {
      fail(at, fmt::format("`{0}' is no value: a text has quotes (\"{0}\")", word));
    }
    return {};
  }

  // Underscores between digits are left out.
  std::string read_number() {
    const TomlPosition at = position();
    const size_t begin = at_;
    while (!at_end() && (is_bare(here()) || here() == '+' || here() == '.' || here() == ':')) ++at_;
    const std::string_view all = text_.substr(begin, at_ - begin);
    std::string number;
    std::string_view digits = all;
    if (digits.starts_with('+') || digits.starts_with('-')) {
      if (digits[0] == '-') number = "-";
      digits.remove_prefix(1);
    }
    bool is_whole = !digits.empty();
    for (size_t i = 0; i < digits.size() && is_whole; ++i) {
      const bool between =
          i > 0 && i + 1 < digits.size() && is_digit(digits[i - 1]) && is_digit(digits[i + 1]);
      is_whole = is_digit(digits[i]) || (digits[i] == '_' && between);
      if (digits[i] != '_') number += digits[i];
    }
    if (!is_whole) {
      fail(at, fmt::format("`{0}' is no whole number: a text has quotes (\"{0}\")",
                           report::escape(all)));
    } else if (digits.size() > 1 && digits[0] == '0') {
      fail(at, fmt::format("`{}': a number does not begin with 0", all));
    }
    return number;
  }

  void read_array(TomlValue& array) {
    const TomlPosition at = position();
    ++at_;
    const auto skip_lines = [&] {
      while (!at_end() && end_line()) {
      }
    };
    while (!error_) {
      skip_lines();
      if (at_end()) return fail(at, "the `]' of this list is missing");
      if (here() == ']') break;
      if (here() == '[') return fail("lists in lists are not read here");
      const TomlValue item = read_value();
      if (error_) return;
      if (item.kind == TomlValue::Kind::boolean) {
        return fail(item.at, "a list is of texts or numbers");
      }
      array.items.push_back(item.text);
      skip_lines();
      if (at_end()) return fail(at, "the `]' of this list is missing");
      if (here() == ']') break;
      if (here() != ',') return fail(fmt::format("expected `,' or `]', not {}", what_is_here()));
      ++at_;
    }
    ++at_;
  }

  std::string read_string() {
    const TomlPosition at = position();
    const char quote = here();
    const std::string three(3, quote);
    if (rest().starts_with(three)) {
      fail("strings of several lines are not read here");
      return {};
    }
    ++at_;
    std::string text;
    while (!error_) {
      if (at_end() || here() == '\n' || here() == '\r') {
        fail(at, "the string does not end in its line");
        break;
      }
      const char c = here();
      if (c == quote) {
        ++at_;
        break;
      }
      if (c == '\\' && quote == '"') {
        read_escape(text);
        continue;
      }
      text += c;
      ++at_;
    }
    return text;
  }

  void read_escape(std::string& text) {
    constexpr std::string_view kLetters = "btnfr\"\\", kMeanings = "\b\t\n\f\r\"\\";
    const TomlPosition at = position();
    ++at_;
    const char c = here();
    if (const size_t known = kLetters.find(c); c != '\0' && known != kLetters.npos) {
      text += kMeanings[known];
      ++at_;
      return;
    }
    const size_t digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits == 0) {
      return fail(at,
                  fmt::format("no such escape: \\{} (a plain backslash is \\\\, or none in "
                              "'single quotes')",
                              at_end() || c == '\n' ? "" : report::escape(rest().substr(0, 1))));
    }
    ++at_;
    uint32_t code = 0;
    for (size_t i = 0; i < digits; ++i, ++at_) {
      const char digit = here();
      const bool is_letter = (digit >= 'a' && digit <= 'f') || (digit >= 'A' && digit <= 'F');
      if (!is_digit(digit) && !is_letter) {
        return fail(at, fmt::format("\\{} needs {} hexadecimal digits", c, digits));
      }
      code = code << 4 | static_cast<uint32_t>(is_letter ? (digit & 0x5F) - 'A' + 10 : digit - '0');
    }
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
      return fail(at, fmt::format("\\{} with a number that is no character", c));
    }
    append_utf8(code, text);
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t begin_ = 0;  // of the line
  size_t line_ = 1;
  std::optional<TomlError> error_;
  TomlDocument document_;
  std::map<std::string, size_t> tables_;                        // and the line of each
  std::map<std::pair<std::string, std::string>, size_t> keys_;  // of a table
};

}  // namespace

std::variant<TomlDocument, TomlError> read_toml(std::string_view text) {
  return TomlReader(text).read();
}

}  // namespace jostle::cli
