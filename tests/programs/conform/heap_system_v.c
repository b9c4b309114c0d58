// Shared memory by System V: attached where the kernel likes, where the program says, twice, only
// for reading; as others see it, also a child; and gone when it is detached.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

typedef struct {
  atomic_int count;
  int plain;
} Board;

static Board* board;

static void* add(void* unused) {
  atomic_fetch_add(&board->count, 1);
  return unused;
}

static int attachments(int id) {
  struct shmid_ds segment;
  CHECK_OK(shmctl(id, IPC_STAT, &segment));
  return (int)segment.shm_nattch;
}

int main(void) {
  const size_t size = 3 * (size_t)sysconf(_SC_PAGESIZE) + 10;
  const int id = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);
  CHECK_OK(id);
  board = shmat(id, NULL, 0);
  CHECK(board != (void*)-1);
  CHECK_EQ(atomic_load(&board->count), 0);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) CHECK_RC(pthread_create(&threads[i], NULL, add, NULL), 0);
  for (int i = 0; i < 2; ++i) CHECK_RC(pthread_join(threads[i], NULL), 0);
  CHECK_EQ(atomic_load(&board->count), 2);

  // The same memory at another place, and at one of the program's choice.
  const Board* again = shmat(id, NULL, SHM_RDONLY);
  CHECK(again != (void*)-1 && again != board);
  CHECK_EQ(atomic_load(&again->count), 2);
  char* room = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(room != MAP_FAILED);
  CHECK_ERRNO((long)shmat(id, room, 0), EINVAL);
  Board* chosen = shmat(id, room, SHM_REMAP);
  CHECK(chosen == (void*)room);
  chosen->plain = 7;
  CHECK_EQ(again->plain, 7);
  CHECK_EQ(attachments(id), 3);

  fflush(NULL);
  const pid_t child = fork();
  CHECK_OK(child);
  if (child == 0) {
    atomic_fetch_add(&board->count, 10);
    _exit(0);
  }
  CHECK_EQ(waitpid(child, NULL, 0), child);
  CHECK_EQ(atomic_load(&board->count), 12);

  CHECK_OK(shmdt(again));
  CHECK_OK(shmdt(chosen));
  CHECK_ERRNO(shmdt(chosen), EINVAL);
  CHECK_EQ(attachments(id), 1);
  CHECK_OK(shmctl(id, IPC_RMID, NULL));
  CHECK_OK(shmdt(board));
  CHECK_ERRNO((long)shmat(id, NULL, 0), EINVAL);
  return check_passed("heap_system_v");
}

// SPDX-License-Identifier: Apache-2.0
