// SPDX-License-Identifier: Apache-2.0
// Strings in containers, short ones and long ones, that two threads write one after the other; and
// an assertion that always fails. Characters of a string are no numbers.
#include <cassert>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

std::map<std::string, int> ages;
std::unordered_map<std::string, int> uses;
std::vector<std::string> names{"alpha", "beta"};
std::string title = "rosalind";
std::optional<std::string> subtitle;

static void put(const char* name, int age) {
  ages[name] = age;
  uses[name] += age;
  names[1] = name;
  title = name;
  subtitle = name;
}

int main() {
  std::thread first([] { put("rosalind", 1); });
  std::thread second([] { put("rosalind, whose name is long", 2); });
  first.join();
  second.join();
  assert(ages.empty());
}
