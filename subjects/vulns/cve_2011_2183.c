// A scanner walks a circular list of memory maps with one cursor that everybody knows, while a
// process ends and takes its map out of the list.
//
// Wrong: the scanner sees that the list is not empty, gives up the lock, and later takes the map
// after its cursor without looking again whether that is the head of the list, which belongs to no
// process.
// Shown when: the only map goes away between the look and the step.
// Failure: crash (null pointer: the head has no process).
// From: CVE-2011-2183 (Linux, KSM, scan_get_next_rmap_item); "ConVul/CVE-2011-2183" of the
// reads-from fuzzer paper.
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct process {
  int pages;
};

struct map {
  struct map *next, *previous;
  struct process* process;  // null in the head of the list
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map head = {&head, &head, NULL};
static struct map* cursor = &head;
static int scanned;

static void* scan(void* arg) {
  pthread_mutex_lock(&lock);
  const bool empty = head.next == &head;
  pthread_mutex_unlock(&lock);
  if (empty) return arg;

  pthread_mutex_lock(&lock);
  cursor = cursor->next;
#ifdef FIXED
  if (cursor == &head) {
    pthread_mutex_unlock(&lock);
    return arg;
  }
#endif
  scanned += cursor->process->pages;
  pthread_mutex_unlock(&lock);
  return arg;
}

static void* end_process(void* arg) {
  struct map* map = arg;
  pthread_mutex_lock(&lock);
  const bool is_scanned = cursor == map;
  if (!is_scanned) {
    map->previous->next = map->next;
    map->next->previous = map->previous;
  }
  pthread_mutex_unlock(&lock);
  if (!is_scanned) {  // otherwise the scanner frees it in its next round
    free(map->process);
    free(map);
  }
  return NULL;
}

int main(void) {
  pthread_t scanner, ending;
  struct map* map = calloc(1, sizeof *map);
  if (map == NULL) return 2;
  map->process = calloc(1, sizeof *map->process);
  if (map->process == NULL) return 2;
  map->process->pages = 3;
  map->next = map->previous = &head;
  head.next = head.previous = map;
  pthread_create(&scanner, NULL, scan, NULL);
  pthread_create(&ending, NULL, end_process, map);
  pthread_join(scanner, NULL);
  pthread_join(ending, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
