// Who took the mutex when: eight threads append their names and values to one log.
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::vector<std::string> lines;

static void work(const std::string& name) {
  for (int i = 0; i < 10; i++) {
    std::lock_guard<std::mutex> lock(mutex);
    lines.push_back(name + " step " + std::to_string(i) + " line " + std::to_string(lines.size()));
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; i++) threads.emplace_back(work, "worker-" + std::to_string(i));
  for (auto& t : threads) t.join();
  for (const auto& line : lines) std::puts(line.c_str());
}

// SPDX-License-Identifier: Apache-2.0
