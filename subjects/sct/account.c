// A bank account: one thread deposits, one withdraws, one audits once both are done.
//
// Wrong: the audit subtracts the deposit instead of adding it. The mistake hides as long as the
// audit comes too early, when it has nothing to check.
// Shown when: the auditor takes the lock after both others.
// Failure: assert.
// From: SCTBench "CS.account" (also in the reads-from fuzzer, SURW and ThreadFuzzer papers).
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static const int opening = 10, deposited = 20, withdrawn = 5;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;
static bool deposit_done, withdrawal_done;

static void* deposit(void* arg) {
  pthread_mutex_lock(&lock);
  balance = balance + deposited;
  deposit_done = true;
  pthread_mutex_unlock(&lock);
  return arg;
}

static void* withdraw(void* arg) {
  pthread_mutex_lock(&lock);
  balance = balance - withdrawn;
  withdrawal_done = true;
  pthread_mutex_unlock(&lock);
  return arg;
}

static void* audit(void* arg) {
  pthread_mutex_lock(&lock);
  if (deposit_done && withdrawal_done) {
#ifdef FIXED
    assert(balance == opening + deposited - withdrawn);
#else
    assert(balance == opening - deposited - withdrawn);
#endif
  }
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void) {
  pthread_t auditor, depositor, withdrawer;
  balance = opening;
  pthread_create(&auditor, NULL, audit, NULL);
  pthread_create(&depositor, NULL, deposit, NULL);
  pthread_create(&withdrawer, NULL, withdraw, NULL);
  pthread_join(auditor, NULL);
  pthread_join(depositor, NULL);
  pthread_join(withdrawer, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
