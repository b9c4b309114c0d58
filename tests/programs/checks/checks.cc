// Checks and properties of an ordinary program, one scenario per argument.
// build: -Wl,-z,lazy
// build(plain): -O0
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <jostle/jostle.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace jostle;

void lost_update() {
  std::atomic<int> counter{0};
  const auto increment = [&] {
    const int seen = counter;
    counter = seen + 1;
  };
  std::thread one(increment), two(increment);
  one.join();
  two.join();
  assert(counter == 2);
}

void no_lost_update() {
  std::atomic<int> counter{0};
  std::thread one([&] { ++counter; }), two([&] { ++counter; });
  one.join();
  two.join();
  assert(counter == 2);
}

void deadlock() {
  std::mutex a, b;
  std::thread one([&] {
    const std::lock_guard first(a);
    const std::lock_guard second(b);
  });
  std::thread two([&] {
    const std::lock_guard first(b);
    const std::lock_guard second(a);
  });
  one.join();
  two.join();
}

// The body frees, grows and reads what libc's heap gave out before anything was controlled.
void old_memory() {
  auto large = std::make_unique<std::vector<int>>(100'000, 1);  // a mapping of its own
  auto small = std::make_unique<std::string>("a text that is too long for the object itself");
  std::vector<int> growing(3, 7);
  void* raw = malloc(100);
  strcpy(static_cast<char*>(raw), "kept");
  check([&] {
    std::thread one([&] { small.reset(); }), two([&] { large.reset(); });
    growing.resize(10'000);
    raw = realloc(raw, 100'000);
    assert(strcmp(static_cast<char*>(raw), "kept") == 0);
    free(raw);
    one.join();
    two.join();
    assert(!small && !large && growing[2] == 7);
  });
  // Nothing of that has happened here.
  assert(small->size() == 45 && (*large)[99'999] == 1 && growing.size() == 3);
  free(raw);
}

void old_state() {
  static thread_local int local = 3;
  pthread_key_t key;
  pthread_key_create(&key, nullptr);
  pthread_setspecific(key, &local);
  local = 4;
  check([&] {
    assert(local == 4);
    assert(pthread_getspecific(key) == &local);
    std::thread other([&] {
      assert(local == 3);
      assert(!pthread_getspecific(key));
      pthread_key_t another;
      pthread_key_create(&another, nullptr);
      assert(another != key);
    });
    other.join();
    local = 5;
  });
  assert(local == 4);
}

// Threads of the program go on meanwhile, and are not part of the runs.
void among_threads() {
  std::atomic<bool> stop{false};
  std::atomic<long> ticks{0};
  std::thread busy([&] {
    while (!stop) ++ticks, std::this_thread::yield();
  });
  std::thread caller([] { check(no_lost_update, {.name = "in a thread"}); });
  caller.join();
  const long before = ticks;
  while (ticks == before) std::this_thread::yield();
  stop = true;
  busy.join();
}

void leaves_a_thread() {
  check([] {
    std::thread([] {
      std::atomic<int> n{0};
      ++n;
    }).detach();
  });
}

void nested() {
  check([] { check(no_lost_update); });
}

// Something that no schedule decides: how often this has been run, kept outside of the process.
void nondeterministic() {
  char name[] = "/tmp/jostle-check-XXXXXX";
  const int fd = mkstemp(name);
  unlink(name);
  check([fd] {
    std::atomic<int> n{0};
    std::thread other([&] { ++n; });
    for (off_t left = lseek(fd, 0, SEEK_END) % 100; left > 0; --left) ++n;
    if (write(fd, "x", 1) != 1) abort();
    other.join();
  });
}

void print(const result& found) {
  std::printf("passed %d failed %d broken %d schedules %d report %d replay %d\n", found.passed(),
              found.failed(), found.broken(), found.schedules > 0, !found.report.empty(),
              !found.replay.empty());
}

// ---- properties -------------------------------------------------------------------------------

void ten(long i) {
  std::atomic<long> x{i};
  std::atomic<int> y{0};
  std::thread other([&] {
    if (x == 10) y = 2;
  });
  y = 1;
  other.join();
  assert(y != 2);
}

struct Point {
  int x, y;
  friend std::ostream& operator<<(std::ostream& out, const Point& p) {
    return out << "<" << p.x << "|" << p.y << ">";
  }
};

}  // namespace

template <>
struct jostle::arbitrary<Point> {
  static auto generator() { return gen::build<Point>(gen::range(0, 50), gen::range(0, 50)); }
};

namespace {

void kinds() {
  property(
      "kinds", gen::any<Point>().named("point"), gen::vector_of(gen::any<int>()).named("numbers"),
      gen::string().named("text"), gen::map_of(gen::range(0, 9), gen::boolean()).named("map"),
      gen::optional_of(gen::character()).named("letter"), gen::any<double>().named("real"),
      [](Point p, const std::vector<int>& v, const std::string& s, const std::map<int, bool>&,
         std::optional<char>, double) { assert(!(p.x > 20 && v.size() > 1 && s.size() > 2)); });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  std::cout << "before" << std::endl;
  std::printf("not flushed ");
  if (what == "passes") check(no_lost_update);
  if (what == "lost_update") check(lost_update, {.name = "lost update"});
  if (what == "deadlock") check(deadlock);
  if (what == "throws")
    check([] { std::thread([] { throw std::runtime_error("thrown"); }).join(); });
  if (what == "fails") check([] { fail("as asked"); });
  if (what == "second") {
    for (int i = 0; i < 3; ++i) {
      check([i] { i == 1 ? lost_update() : no_lost_update(); }, {.name = "one of several"});
    }
  }
  if (what == "result") {
    print(explore(no_lost_update));
    print(explore(lost_update, {.name = "explored"}));
    print(explore(no_lost_update, {.strategy = "no such"}));
  }
  if (what == "old_memory") old_memory();
  if (what == "old_state") old_state();
  if (what == "among_threads") among_threads();
  if (what == "leaves_a_thread") leaves_a_thread();
  if (what == "nested") nested();
  if (what == "nondeterministic") nondeterministic();
  if (what == "exhaustive") check(lost_update, {.name = "all", .strategy = "systematic-first"});

  if (what == "ten") property("ten", gen::any<long>().named("i"), ten);
  if (what == "kinds") kinds();
  if (what == "assumes") {
    property("assumes", gen::range(0, 1000).named("n"), [](int n) {
      assume(n % 7 == 3);
      classify(n > 500, "large");
      assert(n % 7 == 3 && n < 60);
    });
  }
  if (what == "example") {
    for_all(gen::any<int>(), gen::any<int>())
        .labels("a", "b")
        .example(-123'456'789, 987'654'321)
        .check([](int a, int b) { assert(a != -123'456'789 || b != 987'654'321); });
  }
  if (what == "nothing_fits") {
    property("nothing fits", gen::range(0, 9).filter([](int) { return false; }), [](int) {});
  }
  if (what == "bad_generator") {
    property("bad generator",
             gen::range(0, 9).map([](int) -> int { throw std::runtime_error("no number today"); }),
             [](int) {});
  }
  if (what == "empty_range") property("empty range", gen::range(9, 0), [](int) {});
  if (what == "all_schedules_of_a_property") {
    property(options{.name = "x", .strategy = "systematic-first"}, gen::any<int>(), [](int) {});
  }
  if (what == "empty_property") {
    print(explore_property(options{.name = "empty", .time = std::chrono::seconds(1)},
                           gen::any<int>(), [](int) {}));
  }
  std::printf("after\n");
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
