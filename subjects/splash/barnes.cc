// A small n-body simulation (direct sum, whole numbers): each step adds up the forces on the
// bodies, then moves them. Two threads, each with half of the bodies.
//
// Wrong: no barrier between moving the bodies and the forces of the next step.
// Shown when: a thread computes forces while the other still moves its bodies: the forces no longer
// cancel each other out, and momentum appears out of nothing.
// Failure: assert.
// From: the missing synchronisation of "Splash2/barnes" in SCTBench and the reads-from fuzzer
// paper.
#include <pthread.h>

#include <cassert>
#include <thread>

constexpr int kBodies = 6;
constexpr int kThreads = 2;
constexpr int kSteps = 3;

struct Body {
  long position, velocity, force;
};

static Body bodies[kBodies];
static pthread_barrier_t barrier;

// Attraction that grows with the distance: equal and opposite for two bodies, and exact.
static long force_between(const Body& a, const Body& b) { return b.position - a.position; }

static void simulate(int first, int last) {
  for (int step = 0; step < kSteps; step++) {
    for (int i = first; i < last; i++) {
      long force = 0;
      for (int j = 0; j < kBodies; j++) force += force_between(bodies[i], bodies[j]);
      bodies[i].force = force;
    }
    pthread_barrier_wait(&barrier);
    for (int i = first; i < last; i++) {
      bodies[i].velocity += bodies[i].force;
      bodies[i].position += bodies[i].velocity;
    }
#ifdef FIXED
    pthread_barrier_wait(&barrier);
#endif
  }
}

int main() {
  for (int i = 0; i < kBodies; i++) bodies[i] = {i * i * 10, 0, 0};
  pthread_barrier_init(&barrier, nullptr, kThreads);
  std::thread lower(simulate, 0, kBodies / 2), upper(simulate, kBodies / 2, kBodies);
  lower.join();
  upper.join();
  pthread_barrier_destroy(&barrier);
  long momentum = 0;
  for (const Body& body : bodies) momentum += body.velocity;
  assert(momentum == 0);
}

// SPDX-License-Identifier: Apache-2.0
