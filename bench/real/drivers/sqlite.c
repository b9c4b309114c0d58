// SPDX-License-Identifier: Apache-2.0
// Two connections of one file, each used by its thread: transactions are seen as a whole.
#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char name[] = "sqlite.XXXXXX";
static const char* how;

static sqlite3* open_it(void) {
  sqlite3* db;
  assert(sqlite3_open(name, &db) == SQLITE_OK);
  sqlite3_busy_timeout(db, 1000000);
  return db;
}

static void run(sqlite3* db, const char* text) {
  char* error = NULL;
  if (sqlite3_exec(db, text, NULL, NULL, &error) != SQLITE_OK) fprintf(stderr, "%s: %s\n", text, error), abort();
}

static void* writer(void* shared) {
  sqlite3* db = shared ? shared : open_it();
  for (int i = 0; i < 2; ++i) run(db, shared ? "UPDATE t SET a = a + 1, b = b + 1" : "BEGIN IMMEDIATE; UPDATE t SET a = a + 1; UPDATE t SET b = b + 1; COMMIT");
  if (!shared) sqlite3_close(db);
  return NULL;
}

static int pair(void* sum, int count, char** values, char** names) {
  (void)count, (void)names;
  assert(strcmp(values[0], values[1]) == 0);
  *(int*)sum = atoi(values[0]);
  return 0;
}

int main(int count, char** words) {
  how = count > 1 ? words[1] : "";
  close(mkstemp(name));
  sqlite3* db = open_it();
  run(db, "PRAGMA synchronous = OFF; CREATE TABLE t (a, b); INSERT INTO t VALUES (0, 0)");
  void* shared = strcmp(how, "shared") == 0 ? db : NULL;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, writer, shared);
  int sum = 0;
  assert(sqlite3_exec(db, "SELECT a, b FROM t", pair, &sum, NULL) == SQLITE_OK && sum <= 4);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(sqlite3_exec(db, "SELECT a, b FROM t", pair, &sum, NULL) == SQLITE_OK && sum == 4);
  sqlite3_close(db);
  unlink(name);
}
