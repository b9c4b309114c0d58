// Exceptions: in flight when the run ends, carried between threads, counted, with handlers set.
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

#include "pristine.h"

namespace {

std::terminate_handler before;
std::exception_ptr carried;
int unwound = 0;

__attribute__((constructor)) void remember() { before = std::get_terminate(); }

struct Unwinds {
  ~Unwinds() {
    unwound++;
    if (unwound == 2) MUST(std::uncaught_exceptions() == 1);
  }
};

[[noreturn]] void deep(int n) {
  const Unwinds here;
  if (n == 0) throw std::runtime_error(std::string(200, 'e'));
  deep(n - 1);
}

void thread_with_exception() {
  PRISTINE(std::uncaught_exceptions() == 0 && !std::current_exception());
  try {
    deep(3);
  } catch (const std::exception&) {
    if (!carried) carried = std::current_exception();
  }
}

}  // namespace

int main() {
  PRISTINE(unwound == 0 && !carried && std::get_terminate() == before);
  PRISTINE(std::uncaught_exceptions() == 0 && !std::current_exception());
  std::set_terminate([] { std::_Exit(3); });
  std::thread a(thread_with_exception);
  a.join();
  auto result = std::async(std::launch::async, []() -> int { deep(2); });
  try {
    result.get();
    abort();
  } catch (const std::runtime_error& error) {
    MUST(std::string(error.what()).size() == 200);
    try {
      std::rethrow_exception(carried);
    } catch (...) {
      std::exit(0);  // with two of them caught and not let go
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
