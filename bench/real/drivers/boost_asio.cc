// SPDX-License-Identifier: Apache-2.0
// A pool of two threads: strands keep their order, timers are cancelled, everything is done when
// the pool is joined.
#include <boost/asio.hpp>
#include <cassert>
#include <chrono>
#include <vector>

int main() {
  boost::asio::thread_pool pool(2);
  auto strand = boost::asio::make_strand(pool);
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) boost::asio::post(strand, [&order, i] { order.push_back(i); });
  boost::asio::steady_timer timer(pool, std::chrono::hours(1));
  bool cancelled = false;
  timer.async_wait(boost::asio::bind_executor(strand, [&](boost::system::error_code why) {
    cancelled = why == boost::asio::error::operation_aborted;
  }));
  boost::asio::post(strand, [&] { timer.cancel(); });
  pool.join();
  assert((order == std::vector<int>{0, 1, 2}) && cancelled);
}
