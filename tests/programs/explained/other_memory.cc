// Memory that others than malloc and plain `new` gave, and references that lambdas captured, used
// by two threads one after the other; and an assertion that always fails: what is it called?
#include <sys/ipc.h>
#include <sys/shm.h>

#include <barrier>
#include <cassert>
#include <memory>
#include <thread>

struct alignas(64) Line {
  long hits = 0;
};
struct Board {
  int turn;
  int count;
};

Line* line;
std::unique_ptr<int[]> scores;
Board* board;

static void touch(std::barrier<>& meeting) {
  line->hits = -1;
  scores[2] = -2;
  board->count = -3;
  meeting.arrive_and_wait();
}

int main() {
  line = new Line;
  scores = std::make_unique<int[]>(4);
  const int segment = shmget(IPC_PRIVATE, sizeof(Board), IPC_CREAT | 0600);
  board = static_cast<Board*>(shmat(segment, nullptr, 0));
  shmctl(segment, IPC_RMID, nullptr);
  std::barrier meeting(1);
  int total = 0;
  const auto touch_all = [&] {
    touch(meeting);
    total += 1;
  };
  std::thread first(touch_all);
  first.join();
  std::thread second(touch_all);
  second.join();
  assert(total == 3);
}

// SPDX-License-Identifier: Apache-2.0
