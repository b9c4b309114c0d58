// A small simulation with everything at once: a pool, futures, shared_ptr, strings, maps, barriers,
// semaphores.
#include <barrier>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

struct Account {
  std::string name;
  long balance;
};

int main() {
  std::shared_mutex mutex;
  std::map<std::string, std::shared_ptr<Account>> bank;
  for (const char* n : {"ann", "bob", "cyd", "dan"})
    bank[n] = std::make_shared<Account>(Account{n, 1000});
  std::counting_semaphore<2> counters(2);
  std::vector<std::string> journal;
  int day = 0;
  std::barrier midnight(4, [&]() noexcept {
    std::printf("day %d:", ++day);
    for (const auto& [name, account] : bank) std::printf(" %s %ld", name.c_str(), account->balance);
    std::printf("\n");
  });
  std::vector<std::thread> clerks;
  for (int i = 0; i < 4; i++) {
    clerks.emplace_back([&, i] {
      for (int d = 0; d < 4; d++) {
        for (int k = 0; k < 3; k++) {
          counters.acquire();
          {
            std::unique_lock<std::shared_mutex> lock(mutex);
            auto from = std::next(bank.begin(), (i + k) % 4),
                 to = std::next(bank.begin(), (i + d + 1) % 4);
            const long amount = from->second->balance / (3 + i);
            from->second->balance -= amount;
            to->second->balance += amount;
            journal.push_back(from->first + ">" + to->first + " " + std::to_string(amount));
          }
          counters.release();
        }
        auto audit = std::async(std::launch::async, [&] {
          std::shared_lock<std::shared_mutex> lock(mutex);
          long sum = 0;
          for (const auto& entry : bank) sum += entry.second->balance;
          return sum;
        });
        if (audit.get() != 4000) std::printf("the sum is wrong\n");
        midnight.arrive_and_wait();
      }
    });
  }
  for (auto& c : clerks) c.join();
  for (const auto& line : journal) std::puts(line.c_str());
}

// SPDX-License-Identifier: Apache-2.0
