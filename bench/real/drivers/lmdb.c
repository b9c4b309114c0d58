// SPDX-License-Identifier: Apache-2.0
// One writer, two readers: a reader sees both keys of a transaction or none of it.
#include <assert.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MDB_env* env;
static MDB_dbi table;

static void put(MDB_txn* txn, const char* name, int number) {
  MDB_val key = {strlen(name), (void*)name}, value = {sizeof number, &number};
  assert(mdb_put(txn, table, &key, &value, 0) == 0);
}

static int get(MDB_txn* txn, const char* name) {
  MDB_val key = {strlen(name), (void*)name}, value;
  int number;
  assert(mdb_get(txn, table, &key, &value) == 0);
  memcpy(&number, value.mv_data, sizeof number);
  return number;
}

static void* writer(void* unused) {
  for (int number = 1; number <= 2; ++number) {
    MDB_txn* txn;
    assert(mdb_txn_begin(env, NULL, 0, &txn) == 0);
    put(txn, "left", number);
    put(txn, "right", number);
    assert(mdb_txn_commit(txn) == 0);
  }
  return unused;
}

static void* reader(void* unused) {
  MDB_txn* txn;
  assert(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn) == 0);
  assert(get(txn, "left") == get(txn, "right"));
  mdb_txn_abort(txn);
  return unused;
}

int main(void) {
  char folder[] = "lmdb.XXXXXX";
  assert(mkdtemp(folder) != NULL && mdb_env_create(&env) == 0);
  assert(mdb_env_open(env, folder, MDB_NOSYNC, 0600) == 0);
  MDB_txn* txn;
  assert(mdb_txn_begin(env, NULL, 0, &txn) == 0 && mdb_dbi_open(txn, NULL, 0, &table) == 0);
  put(txn, "left", 0);
  put(txn, "right", 0);
  assert(mdb_txn_commit(txn) == 0);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, i == 0 ? writer : reader, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  mdb_env_close(env);
}
