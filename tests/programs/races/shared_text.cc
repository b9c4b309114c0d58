// build: -std=c++17
// SPDX-License-Identifier: Apache-2.0
// Strings and streams of the library that several threads use: before C++20 the members of both are
// in libstdc++.so, at -O0 all of them.
#include <fstream>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>

#include "scenario.h"

namespace {
std::mutex mutex;

// What both threads do, without and with a lock.
#define SHARED(name, type, use)           \
  SCENARIO(name, racy) {                  \
    type it{};                            \
    together([&] { use; }, [&] { use; }); \
  }                                       \
  SCENARIO(name##_locked, clean) {        \
    type it{};                            \
    const auto body = [&] {               \
      const std::lock_guard lock(mutex);  \
      use;                                \
    };                                    \
    together(body, body);                 \
  }

SHARED(string_push, std::string, it.push_back('x'))
SHARED(string_append, std::string, it += "some words that need a block of their own")
SHARED(string_assign, std::string, it = "word")
SHARED(string_resize, std::string, it.resize(5))
SHARED(output_stream, std::ostringstream, it << "word " << 7)
SHARED(output_file, std::ofstream, it << 7)
SHARED(input_stream, std::istringstream, it.get())
SHARED(wide_stream, std::wostringstream, it << L"word")
}  // namespace

// Both halves of a stream have its state in common.
static std::stringstream both_ways("word");
SCENARIO(read_while_written, racy) {
  together([] { both_ways << 7; }, [] { both_ways.get(); });
}

// Another stream at the same buffer: who asks for it does not use the first one.
SCENARIO(buffer_of_a_stream_in_use, clean) {
  std::ostringstream it;
  std::mutex buffer;
  std::ostream& used = it;
  const auto writes = [&](std::ostream& stream) {
    const std::lock_guard lock(buffer);
    stream << "word";
  };
  together([&] { writes(it); },
           [&] {
             std::ostream other(used.rdbuf());
             writes(other);
           });
}

// The standard streams are for all threads.
SCENARIO(standard_streams, clean) {
  const auto body = [] {
    std::cout << "word " << 7 << '\n';
    std::clog << "word " << 7 << '\n';
  };
  together(body, body);
}

// Who reads at the end of a text gets nothing, and nothing is written.
static char word[8];
SCENARIO(extracted_text, racy) {
  std::istringstream in("one two");
  in >> word;
  together([] { sink = word[0]; }, [&] { in >> word; });
}
SCENARIO(end_of_text, clean) {
  std::istringstream in("one");
  in >> word;
  together([] { sink = word[0]; }, [&] { in >> word; });
}

int main(int argc, char** argv) { return run_scenario(argc, argv); }
