// SPDX-License-Identifier: Apache-2.0
// Variables that clang does not keep as they are declared: `payload` and `level` are a byte each, with
// 0 or 1 in it, and `both` is two variables.
#include <assert.h>
#include <pthread.h>

static struct {
  int first, second;
} both;
static int payload;
static int level = -7;

static void* produce(void* unused) {
  both.first++;
  both.second += 3;
  payload = 42;
  level = 5;
  return unused;
}

static void* consume(void* unused) {
  assert(both.first != 1 || (both.second == 3 && payload == 42 && level == 5));
  return unused;
}

int main(void) {
  pthread_t producer, consumer;
  pthread_create(&producer, 0, produce, 0);
  pthread_create(&consumer, 0, consume, 0);
  pthread_join(producer, 0);
  pthread_join(consumer, 0);
  return payload != 42 && level != 5;
}
