// A driver that counts requests under way, so that "stop" can wait for them before it releases the
// device.
//
// Wrong: a request first looks whether the driver is stopping and only then counts itself in.
// Shown when: between the two, "stop" sets its flag, sees no request, and releases the device: the
// request then works on a stopped driver.
// Failure: assert.
// From: the Bluetooth driver of Qadeer and Wu ("KISS", 2004); SCTBench "CS.bluetooth_driver".
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct device {
  int pending_io;       // requests under way, and one for the driver being there at all
  bool stopping_flag;   // no new requests, please
  bool stopping_event;  // the last request is done
};

static struct device device;
static bool stopped;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

// False when the driver is stopping.
static bool begin_io(struct device* d) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
  const bool stopping = d->stopping_flag;
  if (!stopping) d->pending_io++;
  pthread_mutex_unlock(&lock);
  return !stopping;
#else
  if (d->stopping_flag) return false;
  d->pending_io++;
  return true;
#endif
}

static void end_io(struct device* d) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  d->pending_io--;
  if (d->pending_io == 0) d->stopping_event = true;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
}

static void add_device(struct device* d) {
  if (!begin_io(d)) return;
  assert(!stopped);  // the work of a request would be here
  end_io(d);
}

static void* stop_device(void* arg) {
  struct device* d = arg;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  d->stopping_flag = true;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  end_io(d);
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  const bool nobody_left = d->stopping_event;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  if (nobody_left) stopped = true;  // resources are released here
  return NULL;
}

int main(void) {
  pthread_t stopper;
  device.pending_io = 1;
  pthread_create(&stopper, NULL, stop_device, &device);
  add_device(&device);
  pthread_join(stopper, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
