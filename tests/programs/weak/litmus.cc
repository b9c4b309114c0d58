// fails: abort (weak memory)
// Litmus tests: `litmus TEST OUTCOME` fails when the loads of the test, thread after thread, read
// just that: `litmus SB 00`.
#include <assert.h>
#include <string.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {

using Memory = std::atomic<int>;
constexpr auto rlx = std::memory_order_relaxed, acq = std::memory_order_acquire,
               rel = std::memory_order_release, ar = std::memory_order_acq_rel,
               sc = std::memory_order_seq_cst;
Memory x, y, z;
int r[8];

void fence(std::memory_order order) { std::atomic_thread_fence(order); }

struct Test {
  const char* name;
  std::vector<void (*)()> threads;
  int loads;
  // Read when all is over.
  bool ends = false;
};

const Test kTests[] = {
    {"SB",
     {[] { x.store(1, rel), r[0] = y.load(acq); }, [] { y.store(1, rel), r[1] = x.load(acq); }},
     2},
    {"SB+sc",
     {[] { x.store(1, sc), r[0] = y.load(sc); }, [] { y.store(1, sc), r[1] = x.load(sc); }},
     2},
    {"SB+fences",
     {[] { x.store(1, rlx), fence(sc), r[0] = y.load(rlx); },
      [] { y.store(1, rlx), fence(sc), r[1] = x.load(rlx); }},
     2},
    {"SB+one_fence",
     {[] { x.store(1, rlx), fence(sc), r[0] = y.load(rlx); },
      [] { y.store(1, rlx), r[1] = x.load(rlx); }},
     2},
    {"SB+acq_rel_fences",
     {[] { x.store(1, rlx), fence(ar), r[0] = y.load(rlx); },
      [] { y.store(1, rlx), fence(ar), r[1] = x.load(rlx); }},
     2},
    {"SB+exchanges",
     {[] { x.exchange(1, sc), r[0] = y.load(rlx); }, [] { y.exchange(1, sc), r[1] = x.load(rlx); }},
     2},
    {"SB+3sc+acq",
     {[] { x.store(1, sc), r[0] = y.load(sc); }, [] { y.store(1, sc), r[1] = x.load(acq); }},
     2},
    {"MP",
     {[] { x.store(1, rlx), y.store(1, rlx); }, [] { r[0] = y.load(rlx), r[1] = x.load(rlx); }},
     2},
    {"MP+rel+acq",
     {[] { x.store(1, rlx), y.store(1, rel); }, [] { r[0] = y.load(acq), r[1] = x.load(rlx); }},
     2},
    {"MP+rel+rlx",
     {[] { x.store(1, rlx), y.store(1, rel); }, [] { r[0] = y.load(rlx), r[1] = x.load(rlx); }},
     2},
    {"MP+fences",
     {[] { x.store(1, rlx), fence(rel), y.store(1, rlx); },
      [] { r[0] = y.load(rlx), fence(acq), r[1] = x.load(rlx); }},
     2},
    {"MP+rels",  // a store of the same thread does not go on with a release sequence
     {[] { x.store(1, rlx), y.store(1, rel), y.store(2, rlx); },
      [] { r[0] = y.load(acq), r[1] = x.load(rlx); }},
     2},
    {"MP+update",  // a read-modify-write does
     {[] { x.store(1, rlx), y.store(1, rel); }, [] { y.fetch_add(1, rlx); },
      [] { r[0] = y.load(acq), r[1] = x.load(rlx); }},
     2},
    {"CoRR",
     {[] { x.store(1, rlx), x.store(2, rlx); }, [] { r[0] = x.load(rlx), r[1] = x.load(rlx); }},
     2},
    {"IRIW",
     {[] { x.store(1, rel); }, [] { y.store(1, rel); },
      [] { r[0] = x.load(acq), r[1] = y.load(acq); },
      [] { r[2] = y.load(acq), r[3] = x.load(acq); }},
     4},
    {"IRIW+sc",
     {[] { x.store(1, sc); }, [] { y.store(1, sc); }, [] { r[0] = x.load(sc), r[1] = y.load(sc); },
      [] { r[2] = y.load(sc), r[3] = x.load(sc); }},
     4},
    {"WRC",
     {[] { x.store(1, rlx); }, [] { r[0] = x.load(rlx), y.store(1, rlx); },
      [] { r[1] = y.load(rlx), r[2] = x.load(rlx); }},
     3},
    {"WRC+rel+acq",
     {[] { x.store(1, rlx); }, [] { r[0] = x.load(rlx), y.store(1, rel); },
      [] { r[1] = y.load(acq), r[2] = x.load(rlx); }},
     3},
    {"ISA2",
     {[] { x.store(1, rlx), y.store(1, rel); }, [] { r[0] = y.load(acq), z.store(1, rel); },
      [] { r[1] = z.load(acq), r[2] = x.load(rlx); }},
     3},
    {"2+2W",
     {[] { x.store(1, rel), y.store(2, rel); }, [] { y.store(1, rel), x.store(2, rel); }},
     2,
     true},
    {"2+2W+sc",
     {[] { x.store(1, sc), y.store(2, sc); }, [] { y.store(1, sc), x.store(2, sc); }},
     2,
     true},
    {"S",
     {[] { x.store(2, rlx), y.store(1, rlx); }, [] { r[0] = y.load(rlx), x.store(1, rlx); }},
     2,
     true},
    {"LB",
     {[] { r[0] = y.load(rlx), x.store(1, rlx); }, [] { r[1] = x.load(rlx), y.store(1, rlx); }},
     2},
};

std::string outcome(const Test& test) {
  // What memory ends with: x and y, or what was read and x.
  if (test.ends && strcmp(test.name, "S") == 0) r[1] = x.load(rlx);
  if (test.ends && strcmp(test.name, "S") != 0) r[0] = x.load(rlx), r[1] = y.load(rlx);
  std::string text;
  for (int i = 0; i < test.loads; ++i) text += static_cast<char>('0' + r[i]);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 0;
  for (const Test& test : kTests) {
    if (strcmp(test.name, argv[1]) != 0) continue;
    std::vector<std::thread> threads;
    for (const auto& body : test.threads) threads.emplace_back(body);
    for (std::thread& thread : threads) thread.join();
    assert(outcome(test) != argv[2]);
    return 0;
  }
  return 2;
}

// SPDX-License-Identifier: Apache-2.0
