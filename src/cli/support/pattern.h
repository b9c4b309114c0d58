// SPDX-License-Identifier: Apache-2.0
// An extended regular expression of POSIX. (Those of the standard library take seconds to compile
// wherever they are used, and a stack frame for every character that they match.)
#pragma once

#include <regex.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

namespace jostle::cli {

class Pattern {
 public:
  // What was matched: group 0 is all of it. A group that took no part is empty.
  class Match {
   public:
    size_t begin(size_t group) const { return static_cast<size_t>(groups_[group].rm_so); }
    size_t end(size_t group) const { return static_cast<size_t>(groups_[group].rm_eo); }
    std::string operator[](size_t group) const {
      return groups_[group].rm_so < 0 ? "" : text_.substr(begin(group), end(group) - begin(group));
    }

   private:
    friend Pattern;
    std::string text_;
    std::array<regmatch_t, 16> groups_{};
  };

  // The expression is a constant of ours: it is right.
  explicit Pattern(const std::string& expression) {
    regcomp(&compiled_, expression.c_str(), REG_EXTENDED);
  }
  ~Pattern() { regfree(&compiled_); }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // Where it first occurs. `^` is the text's begin, `$` its end.
  std::optional<Match> find(std::string text) const {
    Match match;
    match.text_ = std::move(text);
    if (regexec(&compiled_, match.text_.c_str(), match.groups_.size(), match.groups_.data(), 0)) {
      return std::nullopt;
    }
    return match;
  }

 private:
  regex_t compiled_{};
};

}  // namespace jostle::cli
