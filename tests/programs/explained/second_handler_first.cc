// SPDX-License-Identifier: Apache-2.0
// headers: asio.hpp
// Two handlers, and two threads that call them: the second is done before the first.
#include <asio.hpp>
#include <cassert>
#include <thread>

static int configured;
static int answer;

int main() {
  asio::io_context context;
  asio::post(context, [] { configured = 1; });
  asio::post(context, [] { answer = configured * 10; });
  std::thread first([&] { context.run(); });
  std::thread second([&] { context.run(); });
  first.join();
  second.join();
  assert(answer == 10);
}
