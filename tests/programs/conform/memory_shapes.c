// Ordinary memory in all shapes under one mutex: volatile, unaligned, bit-fields, long double,
// arrays, unions.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 40 };

struct __attribute__((packed)) tight {
  char c;
  uint16_t half;
  uint32_t word;
  uint64_t twice;
  double real;
};

struct bits {
  unsigned one : 1;
  unsigned five : 5;
  unsigned ten : 10;
  unsigned long long forty : 40;
  signed seven : 7;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct tight* tight;  // at an odd address
static struct bits bits;
static volatile int vol;
static volatile struct {
  short a;
  char b;
} vols;
static long double wide;
static __int128 huge;
static union {
  uint32_t word;
  uint8_t bytes[4];
} mixed;
static int matrix[3][5];
static void* pointers[4];
static _Bool toggle;

static void* body(void* arg) {
  (void)arg;
  for (int i = 0; i < kRounds; i++) {
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    tight->c++;
    tight->half += 2;
    tight->word += 3;
    tight->twice += 4;
    tight->real += 0.5;
    bits.one ^= 1;
    bits.five++;
    bits.ten++;
    bits.forty += 1u << 20;
    bits.seven = (signed)(-(int)bits.five);
    vol = vol + 1;
    vols.a = (short)(vols.a + 1);
    vols.b = (char)(vols.b ^ 3);
    wide += 1;
    huge += (__int128)1 << 60;
    mixed.word++;
    matrix[i % 3][i % 5]++;
    pointers[i % 4] = &matrix[i % 3][i % 5];
    toggle = !toggle;
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
  return NULL;
}

int main(void) {
  pthread_t t[kThreads];
  char* room = calloc(1, sizeof(struct tight) + 1);
  CHECK(room);
  tight = (struct tight*)(room + 1);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, body, NULL), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  const int n = kThreads * kRounds;
  CHECK_EQ((unsigned char)tight->c, n);
  CHECK_EQ(tight->half, 2 * n);
  CHECK_EQ(tight->word, 3 * n);
  CHECK_EQ(tight->twice, 4 * n);
  CHECK(tight->real == 0.5 * n);
  CHECK_EQ(bits.one, n % 2);
  CHECK_EQ(bits.five, n % 32);
  CHECK_EQ(bits.ten, n % 1024);
  CHECK_EQ(bits.forty, (uint64_t)n << 20);
  CHECK_EQ(bits.seven, -(n % 32));
  CHECK_EQ(vol, n);
  CHECK_EQ(vols.a, n);
  CHECK(wide == n);
  CHECK(huge == (__int128)n << 60);
  CHECK_EQ(mixed.bytes[0] + mixed.bytes[1] + mixed.bytes[2] + mixed.bytes[3], n);
  int sum = 0;
  for (int i = 0; i < 15; i++) sum += matrix[i / 5][i % 5];
  CHECK_EQ(sum, n);
  CHECK_EQ(toggle, n % 2);
  free(room);
  return check_passed("memory_shapes");
}

// SPDX-License-Identifier: Apache-2.0
