// SPDX-License-Identifier: Apache-2.0
// What redis leaves to its background threads: objects freed, a file synchronized and closed. Then all memory is back.
#undef NDEBUG
#include "bio.h"
#include "server.h"

#include <assert.h>
#include <fcntl.h>

// One more than lazyfree.c frees in the thread that asks.
enum { elements = 65, objects = 2 };

static robj* set_of_many(void) {
  robj* set = createSetObject();
  for (int i = 0; i < elements; ++i) assert(dictAdd(set->ptr, sdsfromlonglong(i), NULL) == DICT_OK);
  return set;
}

static void wait_for(int kind) {
  while (bioWaitStepOfType(kind) != 0) continue;
  assert(bioPendingJobsOfType(kind) == 0);
}

static int is_open(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

int main(void) {
  server.logfile = "";
  server.verbosity = LL_WARNING;
  char name[] = "redis-bio.XXXXXX";
  const int descriptor = mkstemp(name);
  assert(descriptor >= 0 && write(descriptor, name, sizeof name) == sizeof name);
  unlink(name);
  bioInit();
  const size_t used = zmalloc_used_memory();
  robj* key = createStringObject("key", 3);
  for (int i = 0; i < objects; ++i) freeObjAsync(key, set_of_many(), 0);
  bioCreateFsyncJob(descriptor);
  decrRefCount(key);
  wait_for(BIO_AOF_FSYNC);
  int status;
  atomicGet(server.aof_bio_fsync_status, status);
  assert(status == C_OK);
  bioCreateCloseJob(descriptor, 1);
  wait_for(BIO_CLOSE_FILE);
  assert(!is_open(descriptor));
  wait_for(BIO_LAZY_FREE);
  assert(lazyfreeGetPendingObjectsCount() == 0 && lazyfreeGetFreedObjectsCount() == objects);
  assert(zmalloc_used_memory() == used);
}
