// Two processes of one user start; the first installs the user's two keyrings.
//
// Wrong: whoever finds the first keyring there believes that both are, without the lock under which
// they are installed one after the other.
// Shown when: the second process looks after the first keyring has been installed and uses the
// second one before that is.
// Failure: crash (null pointer).
// From: CVE-2013-1792 (Linux, install_user_keyrings); "ConVul/CVE-2013-1792" of the reads-from
// fuzzer paper.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct keyring {
  int usage;
};

struct user {
  struct keyring* uid_keyring;
  struct keyring* session_keyring;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct user user;

static struct keyring* new_keyring(void) {
  struct keyring* keyring = malloc(sizeof *keyring);
  if (keyring == NULL) exit(2);
  keyring->usage = 1;
  return keyring;
}

static void install_keyrings(struct user* u) {
#ifndef FIXED
  if (u->uid_keyring != NULL) return;
#endif
  pthread_mutex_lock(&lock);
  if (u->uid_keyring == NULL) {
    struct keyring* uid_keyring = new_keyring();
    struct keyring* session_keyring = new_keyring();
    u->uid_keyring = uid_keyring;
    u->session_keyring = session_keyring;
  }
  pthread_mutex_unlock(&lock);
}

static void* start_session(void* arg) {
  struct user* u = arg;
  install_keyrings(u);
  __atomic_fetch_add(&u->session_keyring->usage, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, start_session, &user);
  pthread_create(&two, NULL, start_session, &user);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  free(user.uid_keyring);
  free(user.session_keyring);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
