// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/assertions.h"

#include <elfutils/libdw.h>
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <set>

#include "src/report/symbols/module_symbols.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/source_lines.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

bool is_part_of_a_name(char c) {
  return isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// The lines of a source without comments and texts.
class CodeOnly {
 public:
  std::string next(const std::string& line) {
    std::string code;
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string_view two = std::string_view(line).substr(i, 2);
      if (in_comment_) {
        if (two == "*/") in_comment_ = false, ++i;
      } else if (two == "//") {
        break;
      } else if (two == "/*") {
        in_comment_ = true, ++i;
      } else if (line[i] == '"' || line[i] == '\'') {
        i = end_of_text(line, i);
        code += ' ';
      } else {
        code += line[i];
      }
    }
    return code;
  }

 private:
  static size_t end_of_text(const std::string& line, size_t begin) {
    size_t i = begin + 1;
    while (i < line.size() && line[i] != line[begin]) i += line[i] == '\\' ? 2 : 1;
    return i;
  }

  bool in_comment_ = false;
};

bool has_assert(std::string_view code) {
  constexpr std::string_view kWord = "assert";
  for (size_t at = code.find(kWord); at != code.npos; at = code.find(kWord, at + 1)) {
    // A member or a function of a namespace of that name is another one.
    if (at > 0 && (is_part_of_a_name(code[at - 1]) || strchr(".>:~", code[at - 1]))) continue;
    const size_t next = code.find_first_not_of(" \t", at + kWord.size());
    if (next != code.npos && code[next] == '(') return true;
  }
  return false;
}

bool defines_assert(std::string_view code) {
  const size_t hash = code.find_first_not_of(" \t");
  return hash != code.npos && code[hash] == '#' && code.find("define") != code.npos &&
         code.find(" assert") != code.npos;
}

// The lines that have code, of the program's own files.
std::map<std::string, std::set<int>> lines_with_code(ModuleSymbols& symbols) {
  std::map<std::string, std::set<int>> lines;
  symbols.for_each_unit([&](Dwarf_Die& unit) {
    Dwarf_Lines* table = nullptr;
    size_t count = 0;
    if (dwarf_getsrclines(&unit, &table, &count) != 0) return;
    const char* last_file = nullptr;
    std::set<int>* of_file = nullptr;
    for (size_t i = 0; i < count; ++i) {
      Dwarf_Line* line = dwarf_onesrcline(table, i);
      int number = 0;
      const char* file = dwarf_linesrc(line, nullptr, nullptr);
      if (file == nullptr || dwarf_lineno(line, &number) != 0) continue;
      if (file != last_file) of_file = is_system_file(file) ? nullptr : &lines[file];
      last_file = file;
      if (of_file != nullptr) of_file->insert(number);
    }
  });
  return lines;
}

}  // namespace

std::vector<int> lines_with_assert(const std::vector<std::string>& source) {
  std::vector<int> lines;
  CodeOnly reader;
  for (size_t i = 0; i < source.size(); ++i) {
    const std::string code = reader.next(source[i]);
    if (defines_assert(code)) return {};  // it is not the one of libc
    if (has_assert(code)) lines.push_back(static_cast<int>(i) + 1);
  }
  return lines;
}

LostAssertions lost_assertions(const std::string& module_path) {
  LostAssertions lost;
  const auto symbols = ModuleSymbols::open(module_path);
  if (!symbols || symbols->refers_to("__assert_fail")) return lost;
  SourceLines sources;
  for (const auto& [file, code] : lines_with_code(*symbols)) {
    for (const int line : lines_with_assert(sources.lines_of(file))) {
      // Between lines with code, so that it is in none of the functions that nobody calls.
      const auto after = code.lower_bound(line);
      if (after == code.begin() || after == code.end()) continue;
      if (lost.count++ == 0) lost.file = file, lost.line = line;
    }
  }
  return lost;
}

std::string describe(const LostAssertions& lost) {
  const std::string others =
      lost.count < 2 ? "" : fmt::format(" and in {}", count(lost.count - 1, "other line"));
  return fmt::format("none: assert() at {}:{}{} was compiled out (is NDEBUG defined?)",
                     escape(base_name(lost.file)), lost.line, others);
}

}  // namespace jostle::report
