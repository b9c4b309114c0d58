// Streams from several threads: own string streams, cout line by line under a mutex, syncstream,
// locales.
#include <iomanip>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <syncstream>
#include <thread>
#include <vector>

#include "../check.h"

int main() {
  std::mutex mutex;
  std::ostringstream shared;
  std::ostringstream synced;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 10; k++) {
        std::ostringstream own;
        own << "thread " << i << std::setw(4) << k << std::hex << " 0x" << k * 17;
        std::string word;
        int a = -1, b = -1, c = -1;
        std::istringstream in(own.str());
        in >> word >> a >> b >> std::hex >> c;
        CHECK(word == "thread" && a == i && b == k && c == k * 17);
        {
          std::lock_guard<std::mutex> lock(mutex);
          shared << own.str() << '\n';
          std::cout << "line of thread " << i << std::endl;
        }
        std::osyncstream(synced) << "a" << i << "b" << k << "c\n";
      }
    });
  }
  for (auto& t : threads) t.join();
  int lines = 0;
  std::string line;
  std::istringstream back(shared.str());
  while (std::getline(back, line)) {
    CHECK(line.rfind("thread ", 0) == 0);
    lines++;
  }
  CHECK_EQ(lines, 40);
  lines = 0;
  std::istringstream whole(synced.str());
  while (std::getline(whole, line)) {
    CHECK(line.size() == 5 && line[0] == 'a' && line[2] == 'b' && line[4] == 'c');
    lines++;
  }
  CHECK_EQ(lines, 40);
  return check_passed("cxx_iostream");
}

// SPDX-License-Identifier: Apache-2.0
