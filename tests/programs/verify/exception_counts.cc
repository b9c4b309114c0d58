// Exceptions that threads share: who gives one back last destroys it.
#include <atomic>
#include <exception>
#include <stdexcept>
#include <utility>

#include "counted.h"

static std::exception_ptr shared;
static std::atomic<int> destroyed_by;
static thread_local int number;

struct Mistake {
  Mistake() = default;
  Mistake(const Mistake& other) { std::swap(is_last, other.is_last); }
  ~Mistake() {
    if (is_last) destroyed_by = number;
  }
  mutable bool is_last = true;
};

static std::exception_ptr copies[4];
NOT_SEEN static void make(int n) {
  shared = std::make_exception_ptr(Mistake());
  for (int i = 0; i < n; ++i) copies[i] = shared;
  shared = nullptr;
}

static void give_back(int i) {
  number = i + 1;
  copies[i] = nullptr;
}
COUNTED(given_back) { make(n), start_each<give_back>(n); }

static void throw_again(int i) {
  number = i + 1;
  try {
    std::rethrow_exception(std::exchange(copies[i], nullptr));
  } catch (const Mistake&) {
  }
}
COUNTED(thrown_again) { make(n), start_each<throw_again>(n); }

static void hold(int) {
  try {
    std::rethrow_exception(copies[0]);
  } catch (const Mistake&) {
    const std::exception_ptr held = std::current_exception();
  }
}
static void give_first_back(int) { copies[1] = nullptr; }
COUNTED(held) { make(2), start<hold>(), start<give_first_back>(); }

// Each thread has its own.
static void throw_own(int) {
  try {
    throw std::runtime_error("own");
  } catch (const std::exception&) {
  }
}
COUNTED(own) { start_each<throw_own>(n); }

// Whoever is first destroys nothing: so it fails if the second thread does.
static void may_not_be_last(int i) {
  number = i + 1;
  copies[i] = nullptr;
  if (i == 1 && destroyed_by == 2) abort();
}
COUNTED(second_is_not_last) { make(2), start_each<may_not_be_last>(2); }

// SPDX-License-Identifier: Apache-2.0
