// SPDX-License-Identifier: Apache-2.0
// What is known of GoogleTest, Catch2 and doctest: how to see in a program's file that it is made
// with one of them, how their lists of tests read, and which arguments choose a single test.
//
// All of this is text: nothing is run here, see test_suite.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::cli {

enum class Framework { googletest, catch2, doctest };
std::string_view name(Framework framework);

// The content of a program's file → what it is made with; several where that is not clear.
std::vector<Framework> frameworks_in(std::string_view program);

struct ListedTest {
  std::string name = {};   // "Queue.PushPop", "pushes, then pops"
  std::string suite = {};  // GoogleTest's and doctest's; empty: none
  std::string file = {};   // doctest's
  bool operator==(const ListedTest&) const = default;
};

using TestArguments = std::vector<std::string>;

// How a program is asked for its tests; the user's `arguments`, with what they choose, are part of
// it. Catch2 has changed the question: it is asked with each until one is understood.
std::vector<TestArguments> questions(Framework framework, const TestArguments& arguments);

// The answer; none: this is no list of tests.
std::optional<std::vector<ListedTest>> read_list(Framework framework, std::string_view output);

// GoogleTest leaves out tests whose name begins with DISABLED_ unless it is asked not to.
bool is_disabled(const ListedTest& test);
bool wants_disabled(const TestArguments& arguments);

// The user's arguments with those that choose tests replaced by one that chooses this. `number`:
// of several with its name its number, from 1; 0: there is one.
TestArguments arguments_for(Framework framework, const TestArguments& arguments,
                            const ListedTest& test, size_t number = 0);

// Names that may be patterns, or are compared without regard to case: whether the arguments choose
// one test has to be tried.
bool is_surely_one(Framework framework, const ListedTest& test);

}  // namespace jostle::cli
