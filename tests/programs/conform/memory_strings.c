// The memory and string functions on heap data that threads share under a mutex.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 25, kSize = 400 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *text, *copy;
static unsigned char *block, *mirror;
static int appended;

static void* body(void* arg) {
  char mark = *(char*)arg;
  for (int i = 0; i < kRounds; i++) {
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    // Every byte of block is equal, and mirror is equal to block.
    CHECK_EQ(memcmp(block, mirror, kSize), 0);
    CHECK_EQ(memcmp(block, block + 1, kSize - 1), 0);
    memset(block, mark + i, kSize);
    memcpy(mirror, block, kSize);
    memmove(mirror + 7, mirror, kSize - 7);

    const size_t length = strlen(text);
    CHECK_EQ(length, appended % 50);
    CHECK_EQ(strcmp(text, copy), 0);
    char one[2] = {mark, 0};
    strcat(text, one);
    appended++;
    if (appended % 50 == 0) text[0] = 0;
    strcpy(copy, text);
    CHECK_EQ(strncmp(text, copy, 10), 0);
    CHECK(strchr(text, '?') == NULL);
    char* heap = strdup(text);
    CHECK(heap && strcmp(heap, text) == 0);
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);

    // The duplicate is our own.
    heap[0] = 'z';
    char formatted[32];
    snprintf(formatted, sizeof formatted, "%c-%03d", mark, i);
    CHECK_EQ(strlen(formatted), 5);
    int back = -1;
    CHECK_EQ(sscanf(formatted + 2, "%d", &back), 1);
    CHECK_EQ(back, i);
    free(heap);
  }
  return NULL;
}

int main(void) {
  pthread_t t[kThreads];
  char marks[kThreads] = {'a', 'b', 'c', 'd'};
  text = calloc(1, 64);
  copy = calloc(1, 64);
  block = calloc(1, kSize);
  mirror = calloc(1, kSize);
  CHECK(text && copy && block && mirror);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, body, &marks[i]), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(appended, kThreads * kRounds);
  free(text);
  free(copy);
  free(block);
  free(mirror);
  return check_passed("memory_strings");
}

// SPDX-License-Identifier: Apache-2.0
