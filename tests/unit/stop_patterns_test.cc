// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/stop_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/report/symbols/function_names.h"
#include "src/schedule/channel.h"

namespace jostle::cli {
namespace {

using channel::kStopEntry;
using channel::kStopInside;
using channel::kStopWeak;
using testing::HasSubstr;

StopPattern parse(std::string_view text) {
  Result<StopPattern> pattern = parse_stop_pattern(text, "--stop-at");
  EXPECT_TRUE(pattern) << text;
  return pattern ? *pattern : StopPattern{};
}

std::string error_of(std::string_view text) {
  const Result<StopPattern> pattern = parse_stop_pattern(text, "--stop-at");
  EXPECT_FALSE(pattern) << text;
  return pattern ? "" : pattern.error().message;
}

// `function`: as the demangler writes it.
bool match(std::string_view pattern, std::string_view function) {
  return matches(parse(pattern), report::qualified_name(function));
}

TEST(StopPatterns, MatchQualifiedNames) {
  EXPECT_TRUE(match("Buffer::Add", "Buffer::Add(int)"));
  EXPECT_TRUE(match("::Buffer::Add", "Buffer::Add(int)"));
  EXPECT_TRUE(match("Buffer::Add(int)", "Buffer::Add(long)"));  // overloads are one
  EXPECT_FALSE(match("Buffer::Ad", "Buffer::Add(int)"));
  EXPECT_FALSE(match("buffer::Add", "Buffer::Add(int)"));
}

TEST(StopPatterns, ABareNameIsAFreeFunction) {
  EXPECT_TRUE(match("push", "push"));
  EXPECT_TRUE(match("push", "push(int)"));
  EXPECT_FALSE(match("push", "Queue::push(int)"));
  EXPECT_TRUE(match("*::push", "ns::Queue<int>::push(int)"));
  EXPECT_FALSE(match("*::push", "push(int)"));
}

TEST(StopPatterns, StarsCrossScopes) {
  EXPECT_TRUE(match("Buffer::*", "Buffer::Add(int)"));
  EXPECT_TRUE(match("ns::*", "ns::Queue<int>::push(int)"));
  EXPECT_TRUE(match("*", "anything::at<all>(int)"));
  EXPECT_TRUE(match("B?ffer::*d", "Buffer::Add(int)"));
  EXPECT_FALSE(match("Buffer::?", "Buffer::Add(int)"));
  EXPECT_FALSE(match("Buffer::*", "BufferPool::Add(int)"));
}

TEST(StopPatterns, TemplateArgumentsMayBeWrittenOrNot) {
  const char* function = "ns::Queue<int, std::less<int> >::push<long>(int)";
  EXPECT_TRUE(match("ns::Queue::push", function));
  EXPECT_TRUE(match("ns::Queue<*>::push", function));
  EXPECT_TRUE(match("ns::Queue<int, std::less<int>>::push", function));
  EXPECT_TRUE(match("ns::Queue<int,std::less<int> >::push<long>", function));
  EXPECT_TRUE(match("ns::Queue::push<long>", function));
  EXPECT_FALSE(match("ns::Queue<char>::push", function));
  EXPECT_FALSE(match("ns::Queue<*>::pop", function));
  EXPECT_TRUE(match("worker", "void worker<int>(int)"));
  EXPECT_FALSE(match("operator", "operator<(A const&, A const&)"));
  EXPECT_TRUE(match("operator<", "bool operator< <int>(A<int> const&, A<int> const&)"));
}

TEST(StopPatterns, UnnamedNamespacesMayBeLeftOut) {
  EXPECT_TRUE(match("worker", "(anonymous namespace)::worker(int)"));
  EXPECT_TRUE(match("ns::worker", "ns::(anonymous namespace)::worker(int)"));
  EXPECT_TRUE(match("(anonymous namespace)::worker", "(anonymous namespace)::worker(int)"));
}

TEST(StopPatterns, LongNamesWithManyStarsTakeNoTime) {
  const std::string name(2000, 'a');
  EXPECT_FALSE(match("*a*a*a*a*a*a*a*a*a*a*b", name));
}

TEST(StopPatterns, PrefixesSayWhereAndHow) {
  EXPECT_EQ(parse("f").kinds, kStopEntry | kStopInside);
  EXPECT_EQ(parse("entry:f").kinds, uint32_t{kStopEntry});
  EXPECT_EQ(parse("inside:f").kinds, uint32_t{kStopInside});
  EXPECT_EQ(parse("entry:inside:f").kinds, kStopEntry | kStopInside);
  EXPECT_EQ(parse("weak:entry:f").kinds, kStopEntry | kStopWeak);
  EXPECT_EQ(parse("entry:weak:f").kinds, kStopEntry | kStopWeak);
  EXPECT_EQ(parse("weak:f").kinds, kStopEntry | kStopInside | kStopWeak);
  EXPECT_EQ(parse("strong:f").kinds, kStopEntry | kStopInside);
  EXPECT_EQ(parse("weak::f").glob, "weak::f");  // a namespace of that name
  EXPECT_EQ(parse("entry::inside").kinds, kStopEntry | kStopInside);
}

TEST(StopPatterns, Exclusions) {
  EXPECT_TRUE(parse("!Buffer::size").excludes);
  EXPECT_EQ(parse("! Buffer::size").glob, "Buffer::size");
  EXPECT_EQ(parse("!entry:f").kinds, uint32_t{kStopEntry});
  EXPECT_FALSE(parse("Buffer::operator!").excludes);
}

TEST(StopPatterns, MistakesAreNamed) {
  EXPECT_THAT(error_of(""), HasSubstr("expected the name of a function"));
  EXPECT_THAT(error_of("!"), HasSubstr("expected the name of a function"));
  EXPECT_THAT(error_of("weak:"), HasSubstr("expected the name of a function"));
  EXPECT_THAT(error_of("!weak:f"), HasSubstr("leave out weak:"));
  EXPECT_THAT(error_of("entry:!f"), HasSubstr("in front of all else"));
}

TEST(StopFiles, OnePatternALine) {
  const auto patterns = parse_stop_file(
      "# the buffer\n\nBuffer::*   # all of it\n\t!Buffer::size\r\n  main::{lambda()#1}::*\nweak:f",
      "stops.txt");
  ASSERT_TRUE(patterns);
  ASSERT_EQ(patterns->size(), 4u);
  EXPECT_EQ((*patterns)[0].glob, "Buffer::*");
  EXPECT_EQ((*patterns)[0].source, "stops.txt:3");
  EXPECT_TRUE((*patterns)[1].excludes);
  EXPECT_EQ((*patterns)[1].glob, "Buffer::size");
  EXPECT_EQ((*patterns)[2].glob, "main::{lambda()#1}::*");
  EXPECT_EQ((*patterns)[3].source, "stops.txt:6");
}

TEST(StopFiles, ErrorsNameTheLine) {
  const auto patterns = parse_stop_file("f\n\n!weak:g\n", "stops.txt");
  ASSERT_FALSE(patterns);
  EXPECT_THAT(patterns.error().message, testing::StartsWith("stops.txt:3: `!weak:g': "));
}

TEST(StopFiles, ThatCannotBeRead) {
  EXPECT_THAT(read_stop_file("/no/such/file").error().message, HasSubstr("No such file"));
  EXPECT_THAT(read_stop_file("/").error().message, HasSubstr("is a directory"));
  EXPECT_THAT(read_stop_file("/dev/null").error().message, HasSubstr("has no patterns"));
}

}  // namespace
}  // namespace jostle::cli
