// SPDX-License-Identifier: Apache-2.0
#include "src/cli/support/words.h"

#include <cctype>
#include <utility>

namespace jostle::cli {
namespace {

// gcc's own limit against response files that include each other.
constexpr int kMaxResponseFiles = 2000;

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  bool escaped = false;
  char quote = '\0';
  for (const char c : text) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (space && !escaped && quote == '\0') {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
      continue;
    }
    in_word = true;
    if (escaped) {
      word += c;
      escaped = false;
    } else if (c == '\\') {
      escaped = true;
    } else if (quote != '\0' ? c == quote : c == '\'' || c == '"') {
      quote = quote == '\0' ? c : '\0';
    } else {
      word += c;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

std::vector<std::string> expand_response_files(const std::vector<std::string>& args,
                                               const ReadFile& read) {
  std::vector<std::string> expanded;
  std::vector<std::string> pending(args.rbegin(), args.rend());
  int files = 0;
  while (!pending.empty()) {
    std::string arg = std::move(pending.back());
    pending.pop_back();
    std::optional<std::string> text;
    if (arg.starts_with('@') && files < kMaxResponseFiles) text = read(arg.substr(1));
    if (!text) {
      expanded.push_back(std::move(arg));
      continue;
    }
    ++files;
    const std::vector<std::string> words = split_words(*text);
    pending.insert(pending.end(), words.rbegin(), words.rend());
  }
  return expanded;
}

}  // namespace jostle::cli
