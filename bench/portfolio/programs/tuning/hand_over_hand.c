// SPDX-License-Identifier: Apache-2.0
// A sorted list with a lock per node. Who removes gives the predecessor's lock back before it has unlinked: two neighbours that are
// removed at once leave one of them in the list.
#include <assert.h>
#include <pthread.h>

enum { NODES = 6 };
struct node {
  pthread_mutex_t lock;
  int key;
  struct node* next;
};
static struct node nodes[NODES];

static void remove_key(int key) {
  struct node* before = &nodes[0];
  pthread_mutex_lock(&before->lock);
  struct node* here = before->next;
  while (here) {
    pthread_mutex_lock(&here->lock);
    if (here->key == key) {
      struct node* next = here->next;
      pthread_mutex_unlock(&here->lock);
      pthread_mutex_unlock(&before->lock);
      pthread_mutex_lock(&before->lock);
      before->next = next;
      break;
    }
    pthread_mutex_unlock(&before->lock);
    before = here;
    here = here->next;
  }
  pthread_mutex_unlock(&before->lock);
}

static void* remove_two(void* unused) {
  remove_key(4);
  return unused;
}
static void* remove_three(void* unused) {
  remove_key(3);
  return unused;
}
static void* remove_first(void* unused) {
  remove_key(1);
  return unused;
}

int main(void) {
  for (int i = 0; i < NODES; ++i) {
    pthread_mutex_init(&nodes[i].lock, 0);
    nodes[i].key = i;
    nodes[i].next = i + 1 < NODES ? &nodes[i + 1] : 0;
  }
  pthread_t threads[3];
  pthread_create(&threads[0], 0, remove_first, 0);
  pthread_create(&threads[1], 0, remove_two, 0);
  pthread_create(&threads[2], 0, remove_three, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  int count = 0;
  for (struct node* node = nodes[0].next; node; node = node->next) ++count;
  assert(count == NODES - 1 - 3);
}
