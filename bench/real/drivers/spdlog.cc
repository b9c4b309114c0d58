// SPDX-License-Identifier: Apache-2.0
// An asynchronous logger with a queue of two lines: two threads log, a third flushes; all lines
// arrive.
#include <spdlog/async.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cassert>
#include <sstream>
#include <thread>

int main() {
  std::ostringstream text;
  {
    spdlog::init_thread_pool(2, 1);
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text);
    auto logger = std::make_shared<spdlog::async_logger>("log", sink, spdlog::thread_pool());
    logger->set_pattern("%v");
    auto log = [&](int thread) {
      for (int i = 0; i < 2; ++i) logger->info("{} {}", thread, i);
    };
    std::thread first(log, 1), second(log, 2);
    logger->flush();
    first.join();
    second.join();
    logger.reset();
    spdlog::shutdown();
  }
  const std::string all = text.str();
  assert(std::count(all.begin(), all.end(), '\n') == 4);
}
