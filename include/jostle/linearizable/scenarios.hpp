// SPDX-License-Identifier: Apache-2.0
// Which scenarios a test of operations has, and which orders of them count.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <jostle/check.hpp>
#include <stdexcept>
#include <string>

namespace jostle {

struct scenarios {
  struct range {
    unsigned least, most;
  };
  range threads = {2, 3};
  range operations = {1, 3};  // of each thread
  range before = {0, 3};      // by one thread alone, first
  range after = {0, 2};       // … and last
  // Instead: every scenario of exactly so many threads with so many operations each, verified.
  struct size {
    unsigned threads = 0, operations = 0;
  } all = {};
  options how = {};
};

enum class consistency {
  linearizable,  // an operation that had returned before another was called comes first
  sequential,    // only operations of the same thread keep their order
  quiescent,     // only operations with a moment between them at which nobody is in any
};

// Operations of one thread only, whichever: `operation(…).only_by(producer)`.
struct group {
  const char* name;
};

namespace detail {

// "2x3" of --jostle_all=2x3 or JOSTLE_ALL=2x3.
inline scenarios::size size_of_text(const char* text) {
  scenarios::size size;
  if (std::sscanf(text, "%ux%u", &size.threads, &size.operations) != 2 || size.threads < 1 ||
      size.operations < 1 || size.threads * size.operations > 31) {
    throw std::invalid_argument(std::string("--jostle_all=") + text +
                                ": expected threads and operations of each, like 2x2");
  }
  return size;
}

inline scenarios::size asked_for_all() {
  scenarios::size size;
  if (const char* given = std::getenv("JOSTLE_ALL"); given && *given) size = size_of_text(given);
  if (std::FILE* file = std::fopen("/proc/self/cmdline", "re")) {
    char* word = nullptr;
    size_t room = 0;
    constexpr char flag[] = "--jostle_all=";
    while (getdelim(&word, &room, '\0', file) > 0) {
      if (std::strncmp(word, flag, sizeof flag - 1) == 0) {
        size = size_of_text(word + sizeof flag - 1);
      }
    }
    std::free(word);
    std::fclose(file);
  }
  return size;
}

inline void check_scenarios(const scenarios& wanted) {
  const auto refuse = [](const std::string& why) {
    throw std::invalid_argument("jostle::scenarios: " + why);
  };
  for (const scenarios::range& range :
       {wanted.threads, wanted.operations, wanted.before, wanted.after}) {
    if (range.least > range.most) refuse("a range ends before it begins");
  }
  if (wanted.threads.least < 1 || wanted.operations.least < 1) {
    refuse("at least one thread and one operation of each");
  }
  const unsigned most =
      wanted.before.most + wanted.threads.most * wanted.operations.most + wanted.after.most + 1;
  if (most > 32)
    refuse("at most 31 operations in all; this would be up to " + std::to_string(most - 1));
}

}  // namespace detail
}  // namespace jostle
