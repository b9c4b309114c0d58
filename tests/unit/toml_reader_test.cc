// SPDX-License-Identifier: Apache-2.0
// The reader of jostle.toml: what it takes, and where it says that something is wrong.
#include "src/cli/options/toml_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jostle::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using Kind = TomlValue::Kind;

TomlDocument read(std::string_view text) {
  auto document = read_toml(text);
  if (const auto* error = std::get_if<TomlError>(&document)) {
    ADD_FAILURE() << error->at.line << ":" << error->at.column << ": " << error->text;
    return {};
  }
  return std::get<TomlDocument>(document);
}

// "line:column: text"; "" when there is none.
std::string error_of(std::string_view text) {
  const auto document = read_toml(text);
  const auto* error = std::get_if<TomlError>(&document);
  return error == nullptr ? ""
                          : fmt::format("{}:{}: {}", error->at.line, error->at.column, error->text);
}

// The only value.
TomlValue value_of(const std::string& text) {
  const TomlDocument document = read("key = " + text + "\n");
  return document.entries.empty() ? TomlValue{} : document.entries[0].value;
}

TEST(TomlReader, TablesAndKeysHavePlaces) {
  const TomlDocument document = read(
      "# first\n"
      "time = \"30s\" # behind\n"
      "\r\n"
      "[ fuzz ]\n"
      "  keep-going=true\n"
      "\"stop-at\" = ['a', \"b\"]");
  ASSERT_THAT(document.entries, SizeIs(3));
  EXPECT_EQ(document.entries[0].table, "");
  EXPECT_EQ(document.entries[0].key, "time");
  EXPECT_EQ(document.entries[0].value.text, "30s");
  EXPECT_EQ(document.entries[0].at.line, 2u);
  EXPECT_EQ(document.entries[0].value.at.column, 8u);
  EXPECT_EQ(document.entries[1].table, "fuzz");
  EXPECT_EQ(document.entries[1].key, "keep-going");
  EXPECT_EQ(document.entries[1].value.kind, Kind::boolean);
  EXPECT_EQ(document.entries[1].at.column, 3u);
  EXPECT_EQ(document.entries[2].key, "stop-at");
  EXPECT_THAT(document.entries[2].value.items, ElementsAre("a", "b"));
  ASSERT_THAT(document.tables, SizeIs(1));
  EXPECT_EQ(document.tables[0].at.line, 4u);
}

TEST(TomlReader, NothingIsNothing) {
  EXPECT_THAT(read("").entries, IsEmpty());
  EXPECT_THAT(read("\xEF\xBB\xBF# a mark of Windows'\r\n").entries, IsEmpty());
  EXPECT_THAT(read("[fuzz]").tables, SizeIs(1));
}

TEST(TomlReader, StringsAreQuoted) {
  EXPECT_EQ(value_of(R"("a \"b\" \\ \t\n")").text, "a \"b\" \\ \t\n");
  EXPECT_EQ(value_of(R"("\u00e4\U0001F600")").text, "ä😀");
  EXPECT_EQ(value_of(R"('C:\n "x"')").text, R"(C:\n "x")");
  EXPECT_EQ(value_of("\"# no comment\"").text, "# no comment");
  EXPECT_EQ(value_of("\"\"").text, "");
}

TEST(TomlReader, NumbersAreWhole) {
  EXPECT_EQ(value_of("42").kind, Kind::number);
  EXPECT_EQ(value_of("1_000_000").text, "1000000");
  EXPECT_EQ(value_of("+5").text, "5");
  EXPECT_EQ(value_of("-1").text, "-1");
  EXPECT_EQ(value_of("0").text, "0");
  for (const char* wrong :
       {"1.5", "5s", "1__0", "_1", "1_", "0x10", "1e3", "2024-01-01", "-", "+"}) {
    EXPECT_THAT(error_of(std::string("a = ") + wrong), HasSubstr("1:5: ")) << wrong;
  }
  EXPECT_THAT(error_of("a = 007"), HasSubstr("does not begin with 0"));
  EXPECT_THAT(error_of("time = 30s"), HasSubstr("a text has quotes (\"30s\")"));
}

TEST(TomlReader, ListsGoOverLines) {
  EXPECT_THAT(value_of("[ # one\n  'a',\r\n 2, # two\n]").items, ElementsAre("a", "2"));
  EXPECT_THAT(value_of("[]").items, IsEmpty());
  EXPECT_EQ(error_of("a = ['x'"), "1:5: the `]' of this list is missing");
  EXPECT_EQ(error_of("a = [\n\n# ]\n"), "1:5: the `]' of this list is missing");
  EXPECT_EQ(error_of("a = ['x' 'y']"), "1:10: expected `,' or `]', not `''");
  EXPECT_THAT(error_of("a = [true]"), HasSubstr("texts or numbers"));
  EXPECT_THAT(error_of("a = [,]"), HasSubstr("expected a value, not `,'"));
}

TEST(TomlReader, ErrorsAreWhereTheyAre) {
  EXPECT_EQ(error_of("time"), "1:5: expected `=' behind `time', not the end of the file");
  EXPECT_EQ(error_of("time 3\n"), "1:6: expected `=' behind `time', not `3'");
  EXPECT_EQ(error_of("time =\n"), "1:7: expected a value, not the end of the line");
  EXPECT_EQ(error_of("a = 1 b = 2"), "1:7: expected the end of the line, not `b'");
  EXPECT_EQ(error_of("\n= 3"), "2:1: expected a key, not `='");
  EXPECT_EQ(error_of("ä = 3"), "1:1: expected a key, not `ä'");
  EXPECT_EQ(error_of("'' = 3"), "1:1: a key is empty");
  EXPECT_EQ(error_of("[fuzz"), "1:6: expected `]', not the end of the file");
  EXPECT_EQ(error_of("[fuzz] x"), "1:8: expected the end of the line, not `x'");
  EXPECT_EQ(error_of("quiet = yes"), "1:9: `yes' is no value: a text has quotes (\"yes\")");
}

TEST(TomlReader, StringsEnd) {
  EXPECT_EQ(error_of("a = 1\nb = \"open\nc = 2"), "2:5: the string does not end in its line");
  EXPECT_EQ(error_of("a = 'open"), "1:5: the string does not end in its line");
  EXPECT_EQ(error_of("a = \"open\\"),
            "1:10: no such escape: \\ (a plain backslash is \\\\, or "
            "none in 'single quotes')");
  EXPECT_EQ(error_of("a = \"\\q\""),
            "1:6: no such escape: \\q (a plain backslash is \\\\, or "
            "none in 'single quotes')");
  EXPECT_THAT(error_of("a = \"\\u12\""), HasSubstr("needs 4 hexadecimal digits"));
  EXPECT_THAT(error_of("a = \"\\uD800\""), HasSubstr("no character"));
  EXPECT_THAT(error_of("a = \"\\U00110000\""), HasSubstr("no character"));
  EXPECT_THAT(error_of("a = \"\\u0000\""), HasSubstr("no character"));
}

TEST(TomlReader, WhatIsThereTwiceIsSaid) {
  EXPECT_EQ(error_of("a = 1\n\n'a' = 2"), "3:1: `a' is there twice, first in line 1");
  EXPECT_EQ(error_of("[run]\n[fuzz]\n[run]"), "3:1: [run] is there twice, first in line 1");
  EXPECT_EQ(error_of("a = 1\n[run]\na = 2\n[fuzz]\na = 3"), "");
}

TEST(TomlReader, WhatIsNotReadIsSaid) {
  for (const char* text : {"a.b = 1", "[a.b]", "[[a]]", "a = {b = 1}", "a = [[1]]",
                           "a = \"\"\"x\"\"\"", "a = '''x'''"}) {
    EXPECT_THAT(error_of(text), HasSubstr("not read here")) << text;
  }
}

TEST(TomlReader, NoTextIsNoConfiguration) {
  EXPECT_THAT(error_of(std::string_view("a = 1\nb\0 = 2", 12)), StartsWith("2:2: there is a NUL"));
  EXPECT_EQ(error_of("a = '\x01'"), "1:6: there is a control character");
  EXPECT_EQ(error_of("a = 1\rb = 2"), "1:6: there is a control character");
  EXPECT_EQ(error_of("# \x7f"), "1:3: there is a control character");
  for (const char* broken : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    EXPECT_EQ(error_of(std::string("a = '") + broken + "'"), "1:6: this is no UTF-8");
  }
}

TEST(TomlReader, DeepAndLongInputsEndQuickly) {
  const std::string deep(200'000, '[');
  EXPECT_THAT(error_of("a = " + deep), HasSubstr("lists in lists"));
  EXPECT_THAT(error_of(deep), HasSubstr("lists of tables"));
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += fmt::format("[t{0}]\nk{0} = [{0}]\n", i);
  EXPECT_THAT(read(many).entries, SizeIs(20'000));
  EXPECT_EQ(error_of("a = '" + std::string(300'000, 'x')),
            "1:5: the string does not end in its line");
}

// Whatever the bytes are, there is an answer; AddressSanitizer watches.
TEST(TomlReader, EveryBeginOfATextHasAnAnswer) {
  const std::string text =
      "a = [\"\\u00e4\", 'b', # c\r\n 1_0]\n[fuzz]\nkeep-going = true\nx = \"\\U0001F600\"\n";
  for (size_t i = 0; i <= text.size(); ++i) {
    read_toml(text.substr(0, i));
    for (const char c : {'\0', '"', '\'', '[', ']', '\\', '\n', '=', '\xff'}) {
      std::string changed = text;
      if (i < text.size()) changed[i] = c;
      read_toml(changed);
    }
  }
}

}  // namespace
}  // namespace jostle::cli
