#include "queue.h"

#include <condition_variable>
#include <deque>
#include <mutex>

#include "checksum.h"

struct queue {
  std::mutex mutex;
  std::condition_variable not_empty;
  std::deque<int> values;
};

queue* queue_new() { return new queue; }

void queue_free(queue* q) { delete q; }

void queue_push(queue* q, int value) {
  const std::lock_guard lock(q->mutex);
  q->values.push_back(value);
  q->not_empty.notify_one();
}

int queue_pop(queue* q) {
  std::unique_lock lock(q->mutex);
  q->not_empty.wait(lock, [q] { return !q->values.empty(); });
  const int value = q->values.front();
  q->values.pop_front();
  return value;
}

unsigned queue_digest(const char* name) { return checksum(name); }

// SPDX-License-Identifier: Apache-2.0
