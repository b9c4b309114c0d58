// Input and schedule together: a request of the right form makes two threads pay into one account
// without a lock, and only then some orders of the two lose a deposit.
#include <jostle/fuzzer.h>

#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

struct Account {
  int balance = 0;
};

void deposit(Account* account, int amount) {
  const int before = account->balance;
  account->balance = before + amount;
}

void handle(const uint8_t* request, size_t size) {
  if (size < 6 || std::memcmp(request, "PAY ", 4) != 0) return;
  const int first = request[4] - '0', second = request[5] - '0';
  if (first < 1 || first > 9 || second < 1 || second > 9) return;
  auto* account = new Account;
  std::thread a(deposit, account, first), b(deposit, account, second);
  a.join();
  b.join();
  if (account->balance != first + second) std::abort();
  delete account;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  jostle::FuzzBytes in(data, size);
  jostle::with_schedule(in.schedule(), [&] { handle(in.input().data(), in.input().size()); });
  return 0;
}

#ifdef HARNESS_HAS_MAIN
// For fuzzers that start a process for every input.
#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  uint8_t data[4096];
  std::FILE* file = std::fopen(argv[1], "rb");
  if (!file) return 2;
  const size_t size = std::fread(data, 1, sizeof data, file);
  std::fclose(file);
  return LLVMFuzzerTestOneInput(data, size);
}
#endif

// SPDX-License-Identifier: Apache-2.0
