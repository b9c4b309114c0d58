// SPDX-License-Identifier: Apache-2.0
// The part of TOML 1.0 that a list of options needs, read strictly: tables, bare and quoted keys,
// strings on one line, whole numbers, booleans, arrays of these, comments.
//
// What is TOML but not read here (dotted keys, tables in tables, inline tables, dates, fractions,
// strings of several lines) is an error that says so, as is everything that TOML forbids: keys and
// tables that are there twice, control characters, text that is no UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace jostle::cli {

// Both from 1; columns are bytes, as compilers count them.
struct TomlPosition {
  size_t line = 1, column = 1;
};

struct TomlValue {
  enum class Kind { string, number, boolean, array };
  Kind kind = Kind::string;
  std::string text = {};                // of a number its digits; "true", "false"
  std::vector<std::string> items = {};  // of an array; strings and numbers
  TomlPosition at = {};
};

struct TomlEntry {
  std::string table;  // empty: before the first
  std::string key;
  TomlValue value;
  TomlPosition at = {};  // of the key
};

struct TomlTable {
  std::string name;
  TomlPosition at = {};
};

struct TomlDocument {
  std::vector<TomlEntry> entries = {};  // in their order
  std::vector<TomlTable> tables = {};
};

struct TomlError {
  TomlPosition at;
  std::string text;
};

std::variant<TomlDocument, TomlError> read_toml(std::string_view text);

}  // namespace jostle::cli
