// jostle_run in a process of its own, without the command: one case per argument.
#include <jostle/control.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../check.h"

namespace {

void call(void* f) { (*static_cast<std::function<void()>*>(f))(); }
void run(const std::vector<uint8_t>& schedule, std::function<void()> body,
         jostle_options options = {}) {
  options.schedule = schedule.data();
  options.schedule_size = schedule.size();
  jostle_configure(&options);
  jostle_run(call, &body);
}

std::vector<uint8_t> random_bytes(std::mt19937& random, size_t size) {
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = random() % 4 == 0 ? random() % 3 : 0;
  return bytes;
}

// What the threads of one run did, in their order.
std::string order_of(const std::vector<uint8_t>& schedule, jostle_options options = {}) {
  std::string order;
  run(
      schedule,
      [&] {
        std::mutex mutex;
        std::vector<std::thread> threads;
        for (char name : {'a', 'b', 'c'}) {
          threads.emplace_back([&, name] {
            for (int i = 0; i < 4; ++i) {
              std::lock_guard lock(mutex);
              order += name;
            }
          });
        }
        for (std::thread& thread : threads) thread.join();
      },
      options);
  return order;
}

// The same bytes, the same order; others, others. Zeros let everybody finish first.
void orders() {
  CHECK(order_of({}) == "aaaabbbbcccc");
  std::mt19937 random(7);
  std::vector<std::string> seen;
  for (int i = 0; i < 50; ++i) {
    const std::vector<uint8_t> schedule = random_bytes(random, 60);
    const std::string order = order_of(schedule);
    CHECK(order_of(random_bytes(random, 60)).size() == 12);
    CHECK(order_of(schedule) == order);
    CHECK(jostle_decisions() > 0);
    if (std::find(seen.begin(), seen.end(), order) == seen.end()) seen.push_back(order);
    if (i < 5) puts(order.c_str());
  }
  CHECK(seen.size() > 20);
}

void ends() {
  jostle_options repeat = {}, random = {};
  repeat.at_end = JOSTLE_END_REPEAT;
  CHECK(order_of({1}, repeat) != order_of({1}));
  random.at_end = JOSTLE_END_RANDOM;
  random.seed = 1;
  const std::string first = order_of({}, random);
  CHECK(first == order_of({}, random));
  bool differs = false;
  for (random.seed = 2; random.seed < 10; ++random.seed) differs |= order_of({}, random) != first;
  CHECK(differs);
  jostle_options named = {};
  named.strategy = "pos";
  named.seed = 3;
  CHECK(order_of({}, named) == order_of({}, named));
  const pid_t child = fork();
  if (child == 0) {
    jostle_options stop = {};
    stop.at_end = JOSTLE_END_EXIT;
    order_of({1, 0, 1}, stop);
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK_EQ(status, 0);
}

// Each process of its own; and a process that forks goes on as before.
void forks() {
  const std::vector<uint8_t> schedule = {1, 0, 0, 2, 0, 1, 1, 0, 1, 2, 0, 0, 1};
  const std::string order = order_of(schedule);
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(order_of(schedule) == order ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK_EQ(status, 0);
  }
  CHECK(order_of(schedule) == order);
}

// A thread that was there before and is none of ours goes on by itself, with locks and memory. As
// a fuzzer's: its code is not instrumented.
struct Bystander {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  volatile bool stop = false;
  volatile long turns = 0;
};
__attribute__((no_sanitize_thread)) void* stand_by(void* argument) {
  auto* self = static_cast<Bystander*>(argument);
  while (!self->stop) {
    pthread_mutex_lock(&self->mutex);
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    pthread_cond_timedwait(&self->condition, &self->mutex, &until);
    pthread_mutex_unlock(&self->mutex);
    free(realloc(malloc(100), 5000));
    usleep(10);
    self->turns = self->turns + 1;
  }
  return nullptr;
}

void bystander() {
  Bystander self;
  pthread_t other;
  pthread_create(&other, nullptr, stand_by, &self);
  const std::string order = order_of({1, 0, 1});
  const long before = self.turns;
  for (int i = 0; i < 20'000 && self.turns < before + 20; ++i) CHECK(order_of({1, 0, 1}) == order);
  CHECK(self.turns > before);
  self.stop = true;
  pthread_join(other, nullptr);
}

struct Counted {
  static inline int alive = 0;
  int value = 0;
  Counted() { ++alive; }
  ~Counted() { --alive; }
};
thread_local Counted t_counted;
pthread_key_t g_early_key;
int g_key_destructors = 0;

// Thread-local storage: fresh in every thread, and destroyed with it. Keys may be older than we.
void locals() {
  pthread_key_create(&g_early_key, [](void*) { ++g_key_destructors; });
  pthread_setspecific(g_early_key, &g_early_key);
  for (int i = 0; i < 100; ++i) {
    run({}, [] {
      CHECK(pthread_getspecific(g_early_key) == &g_early_key);
      std::vector<std::thread> threads;
      for (int n = 0; n < 3; ++n) {
        threads.emplace_back([] {
          CHECK_EQ(t_counted.value, 0);
          t_counted.value = 1;
          CHECK(pthread_getspecific(g_early_key) == nullptr);
          pthread_setspecific(g_early_key, &t_counted);
          errno = 5;
        });
      }
      for (std::thread& thread : threads) thread.join();
    });
    CHECK_EQ(Counted::alive, 0);
    CHECK_EQ(g_key_destructors, 3 * (i + 1));
  }
}

// Memory crosses the border both ways.
void memory() {
  std::vector<std::string> kept;
  auto* made_outside = new std::string(1000, 'o');
  for (int i = 0; i < 1000; ++i) {
    run({1}, [&] {
      std::thread thread([&] { kept.push_back(std::string(200 + i, 'k')); });
      thread.join();
      delete made_outside;
      made_outside = new std::string(500, 'i');
    });
    made_outside->resize(5000);
    kept.back() += "more";
    if (i % 3 == 0) kept.erase(kept.begin());
  }
  delete made_outside;
}

// Threads that the body leaves behind end before it does.
void left_behind() {
  for (int i = 0; i < 10; ++i) {
    int done = 0;
    run({0, 1}, [&] {
      std::thread([&] {
        std::thread([&] { ++done; }).detach();
        ++done;
      }).detach();
      pthread_t never_joined;
      pthread_create(
          &never_joined, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
    });
    CHECK_EQ(done, 2);
  }
}

void exceptions() {
  for (int i = 0; i < 10; ++i) {
    bool caught = false;
    try {
      run({1, 1}, [] {
        std::thread([] {}).detach();
        throw std::runtime_error("out");
      });
    } catch (const std::runtime_error&) {
      caught = true;
    }
    CHECK(caught);
  }
}

// What a schedule covers, as one number: the same in every process, wherever it is loaded.
void coverage() {
  static uint64_t features[4096];
  jostle_feedback feedback = {};
  feedback.features = features;
  feedback.feature_count = 4096;
  jostle_feed(&feedback);
  std::mt19937 random(3);
  for (int i = 0; i < 3; ++i) {
    struct Shared {
      std::mutex mutex;
      int value = 0;
      std::atomic<int> flag{0};
    };
    run(random_bytes(random, 100), [] {
      auto shared = std::make_unique<Shared>();
      static int global;
      std::vector<std::thread> threads;
      for (int n = 0; n < 3; ++n) {
        threads.emplace_back([&, n] {
          for (int turn = 0; turn < 3; ++turn) {
            std::lock_guard lock(shared->mutex);
            shared->value += n;
            global += shared->flag++;
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
    });
    uint64_t sum = 0, count = 0;
    for (; count < 4096 && features[count]; ++count) sum += features[count] * features[count];
    // As Centipede wants them: in its domain 0, each once, and nothing of the run before.
    for (uint64_t k = 0; k < 4096; ++k) {
      CHECK(features[k] >> 32 == 0);
      CHECK(k < count || features[k] == 0);
      for (uint64_t l = 0; l < k && k < count; ++l) CHECK(features[l] != features[k]);
    }
    CHECK(count > 10);
    printf("%llu %llu\n", static_cast<unsigned long long>(count),
           static_cast<unsigned long long>(sum));
  }
  run({}, [] {});
  for (const uint64_t feature : features) CHECK(feature == 0);
}

// ---- what fails

void deadlock() {
  std::mutex a, b;
  run({0, 0, 0, 1},
      [&] {
        for (int tries = 0; tries < 5; ++tries) {
          std::thread one([&] {
            std::lock_guard first(a);
            sched_yield();
            std::lock_guard second(b);
          });
          std::thread two([&] {
            std::lock_guard first(b);
            sched_yield();
            std::lock_guard second(a);
          });
          one.join();
          two.join();
        }
      },
      {.schedule = nullptr,
       .schedule_size = 0,
       .at_end = JOSTLE_END_REPEAT,
       .strategy = "pos",
       .seed = 1,
       .points = JOSTLE_POINTS_ALL,
       .fail_on_race = 0,
       .max_steps = 0});
}

void race() {
  static int counter = 0;
  jostle_options options = {};
  options.fail_on_race = 1;
  run(
      {1},
      [] {
        std::thread one([] { ++counter; }), two([] { ++counter; });
        one.join();
        two.join();
      },
      options);
}

void use_after_free() {
  run({}, [] {
    int* volatile p = new int(1);
    std::thread([&] { delete p; }).join();
    *p = 2;
  });
}

void endless() {
  jostle_options options = {};
  options.max_steps = 10'000;
  static std::atomic<int> turns{0};
  run(
      {},
      [] {
        std::thread([] {
          for (;;) ++turns;
        }).join();
      },
      options);
}

void nested() {
  run({}, [] { run({}, [] {}); });
}

void crash() {
  run({1}, [] { std::thread([] { *static_cast<volatile int*>(nullptr) = 1; }).join(); });
}

void no_strategy() {
  jostle_options options = {};
  options.strategy = "no such";
  run(
      {}, [] {}, options);
}

void leaves_with_exit() {
  run({}, [] { std::thread([] { exit(5); }).join(); });
}

}  // namespace

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  const std::pair<const char*, void (*)()> cases[] = {{"orders", orders},
                                                      {"ends", ends},
                                                      {"forks", forks},
                                                      {"bystander", bystander},
                                                      {"locals", locals},
                                                      {"memory", memory},
                                                      {"left_behind", left_behind},
                                                      {"exceptions", exceptions},
                                                      {"deadlock", deadlock},
                                                      {"race", race},
                                                      {"use_after_free", use_after_free},
                                                      {"endless", endless},
                                                      {"nested", nested},
                                                      {"crash", crash},
                                                      {"no_strategy", no_strategy},
                                                      {"coverage", coverage},
                                                      {"exit", leaves_with_exit}};
  for (const auto& [name, run_case] : cases) {
    if (std::string(name) != argv[1]) continue;
    run_case();
    return 0;
  }
  return 2;
}

// SPDX-License-Identifier: Apache-2.0
