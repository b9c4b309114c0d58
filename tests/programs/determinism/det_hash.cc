// unordered containers filled by several threads: iteration order depends on insertion order and
// rehashing.
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

int main() {
  std::mutex mutex;
  std::unordered_map<std::string, int> words;
  std::unordered_map<std::thread::id, int> by_thread;  // keyed by what differs between natural runs
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; i++) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 10; k++) {
        std::lock_guard<std::mutex> lock(mutex);
        words["word" + std::to_string((i * 7 + k * 3) % 23)] = (int)words.size() * 100 + i;
        by_thread[std::this_thread::get_id()] = i;
      }
    });
  }
  for (auto& t : threads) t.join();
  for (const auto& [word, value] : words) std::printf("%s = %d\n", word.c_str(), value);
  for (const auto& entry : by_thread) std::printf("thread index %d\n", entry.second);
}

// SPDX-License-Identifier: Apache-2.0
