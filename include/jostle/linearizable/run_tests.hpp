// SPDX-License-Identifier: Apache-2.0
// A program of tests of operations that has no framework: `return jostle::run_tests(argc, argv);`
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <jostle/check.hpp>
#include <jostle/linearizable/run.hpp>
#include <jostle/linearizable/scenarios.hpp>
#include <jostle/location.hpp>
#include <string>
#include <vector>

namespace jostle {
namespace detail {

struct registered_test {
  const char* name;
  make_linearizable_run* make;
  scenarios (*wanted)();
  location where;
};
inline std::vector<registered_test>& registered_tests() {
  static std::vector<registered_test> tests;
  return tests;
}
[[gnu::noinline]] inline int register_test(const registered_test& test) {
  registered_tests().push_back(test);
  return 0;
}

inline constexpr char usage_of_tests[] =
    "usage: %s [--all THREADSxOPERATIONS] [OPTIONS] [TEST...]\n"
    "  --all 2x2     every scenario of two threads with two operations each, verified\n"
    "  --list        the names of the tests\n"
    "  OPTIONS       of `jostle fuzz`: -t 10s, -n 1000, -j 2, --seed 7, --memory=c11, ...\n"
    "  TEST          only these (default: all)\n";

inline std::string with_commas(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

// In a sentence, what a test that passed has shown.
inline std::string passed_text(const result& found) {
  const scenarios::size all = asked_for_all();
  std::string text;
  if (all.threads != 0) {
    text = "linearizable: all " + with_commas(found.scenarios) + " scenarios of " +
           std::to_string(all.threads) + " threads x " + std::to_string(all.operations) +
           " operations, " + with_commas(found.executions) + " executions";
  } else {
    text = "no failure in " + with_commas(found.schedules) + " schedules of " +
           with_commas(found.scenarios) + " scenarios";
  }
  if (found.not_judged != 0) {
    text += "; " + with_commas(found.not_judged) + " of them had too many orders to be judged";
  }
  return text;
}

// What a command line asks for.
struct asked_tests {
  std::vector<std::string> names;
  std::string options;  // of the jostle command

  bool wants(const char* name) const {
    for (const std::string& wanted : names) {
      if (wanted == name) return true;
    }
    return names.empty();
  }
  static bool is_test(const char* name) {
    for (const registered_test& test : registered_tests()) {
      if (std::strcmp(test.name, name) == 0) return true;
    }
    return false;
  }
  // What follows an option and is no test is its value.
  int add_option(int argc, char** argv, int i) {
    const char* const word = argv[i];
    options.append(" ").append(word);
    const bool is_alone = std::strchr(word, '=') || i + 1 == argc || argv[i + 1][0] == '-';
    if (!is_alone && !is_test(argv[i + 1])) options.append(" ").append(argv[++i]);
    return i;
  }
};

// Says what came of it; the exit code.
inline int run_test(const registered_test& test, bool is_alone) {
  const scenarios wanted = test.wanted();
  options how = wanted.how;
  if (how.name.empty()) how.name = test.name;
  if (is_alone) how.replay_argument = test.name;
  const result found = explore_linearizable(test.make, wanted, how, test.where);
  if (found.passed()) {
    std::printf("%s: %s\n", test.name, passed_text(found).c_str());
    return 0;
  }
  std::printf("%s:%s%s\n", test.name,
              found.broken() ? " the check could not be done: see above" : "\n",
              found.broken() ? "" : found.report.c_str());
  return found.exit_code;
}

}  // namespace detail

// main() of a program of such tests: all of them, or those whose names are given.
// `--all 2x2`: every scenario of that size. Other options are those of `jostle fuzz`. 0: all
// passed, 77: one failed, 20: incomplete.
inline int run_tests(int argc, char** argv) {
  detail::asked_tests asked;
  for (int i = 1; i < argc; ++i) {
    const char* const word = argv[i];
    if (std::strcmp(word, "--all") == 0 && i + 1 < argc) {
      setenv("JOSTLE_ALL", argv[++i], 1);
    } else if (std::strcmp(word, "--list") == 0) {
      for (const auto& test : detail::registered_tests()) std::printf("%s\n", test.name);
      return 0;
    } else if (std::strcmp(word, "--help") == 0 || std::strcmp(word, "-h") == 0) {
      std::printf(detail::usage_of_tests, argv[0]);
      return 0;
    } else if (std::strncmp(word, "--jostle_", 9) == 0) {
      continue;
    } else if (word[0] == '-') {
      i = asked.add_option(argc, argv, i);
    } else {
      asked.names.emplace_back(word);
    }
  }
  if (!asked.options.empty()) {
    if (const char* before = std::getenv("JOSTLE_OPTIONS")) asked.options.insert(0, before);
    setenv("JOSTLE_OPTIONS", asked.options.c_str(), 1);
  }
  int status = 0;
  size_t done = 0;
  for (const detail::registered_test& test : detail::registered_tests()) {
    if (!asked.wants(test.name)) continue;
    ++done;
    const int came_of_it = detail::run_test(test, asked.names.empty());
    if (came_of_it != 0 && status != 77) status = came_of_it;
  }
  if (done == 0) {
    std::fprintf(stderr, "jostle: there is no such test; --list shows their names\n");
    return 2;
  }
  return status;
}

}  // namespace jostle
