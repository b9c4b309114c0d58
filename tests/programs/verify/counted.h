// Many small programs in one, whose numbers of executions are known: each is a function, chosen by
// name on the command line, with a number that is most often that of its threads.
//
// Nothing of the set-up is shared: who starts threads passes what they need by value, because every
// conflict between the creation and the threads would multiply the executions.
#pragma once

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define NOT_SEEN __attribute__((no_sanitize("thread"), noinline))

using CountedBody = void (*)(int);

struct Counted {
  const char* name;
  CountedBody begin;
};
inline Counted counted_programs[64];
inline int counted_program_count = 0;

struct CountedEntry {
  CountedEntry(const char* name, CountedBody begin) {
    counted_programs[counted_program_count++] = {name, begin};
  }
};

// COUNTED(name) { start<body>(i); … }: starts the threads; main then waits for them. `n` is the
// number given.
#define COUNTED(name)                                                    \
  static void counted_##name(int n);                                     \
  static const CountedEntry counted_entry_##name(#name, counted_##name); \
  static void counted_##name([[maybe_unused]] int n)

inline pthread_t counted_threads[64];
inline int counted_thread_count = 0;

template <CountedBody body>
void* counted_thread(void* i) {
  body(static_cast<int>(reinterpret_cast<long>(i)));
  return nullptr;
}

template <CountedBody body>
NOT_SEEN void start(int i = 0) {
  pthread_create(&counted_threads[counted_thread_count++], nullptr, counted_thread<body>,
                 reinterpret_cast<void*>(static_cast<long>(i)));
}

template <CountedBody body>
void start_each(int n) {
  for (int i = 0; i < n; ++i) start<body>(i);
}

NOT_SEEN int main(int argc, char** argv) {
  for (int i = 0; i < counted_program_count; ++i) {
    if (argc < 2 || std::strcmp(argv[1], counted_programs[i].name) != 0) continue;
    counted_programs[i].begin(argc > 2 ? std::atoi(argv[2]) : 2);
    for (int t = 0; t < counted_thread_count; ++t) pthread_join(counted_threads[t], nullptr);
    return 0;
  }
  std::fprintf(stderr, "no such program\n");
  return 2;
}

// SPDX-License-Identifier: Apache-2.0
