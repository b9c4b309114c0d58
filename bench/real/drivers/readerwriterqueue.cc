// SPDX-License-Identifier: Apache-2.0
// moodycamel's queues of one reader and one writer: order is kept, also when blocks are added.
#include "readerwriterqueue.h"

#include <cassert>
#include <cstring>
#include <thread>

#include "readerwritercircularbuffer.h"

static void growing() {
  moodycamel::ReaderWriterQueue<int> queue(1);
  std::thread writer([&] {
    for (int i = 1; i <= 4; ++i) queue.enqueue(i);
  });
  for (int value, i = 1; i <= 4; ++i) {
    while (!queue.try_dequeue(value)) std::this_thread::yield();
    assert(value == i);
  }
  writer.join();
}

static void circular() {
  moodycamel::BlockingReaderWriterCircularBuffer<int> buffer(2);
  std::thread writer([&] {
    for (int i = 1; i <= 4; ++i) buffer.wait_enqueue(i);
  });
  for (int value, i = 1; i <= 4; ++i) {
    buffer.wait_dequeue(value);
    assert(value == i);
  }
  writer.join();
}

int main(int, char** words) { std::strcmp(words[1], "growing") == 0 ? growing() : circular(); }
