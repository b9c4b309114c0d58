// Which memory is it: bytes, ranges, heap and stack that change hands.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <future>
#include <locale>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>

#include "scenario.h"

static std::mutex mutex;

// Others could read them: the compiler does not leave out a write.
alignas(16) char bytes[64];
char source[64];
char text[64] = "a text";
// gcc copies small blocks of known size in place, and does not instrument that.
__attribute__((noipa)) static size_t length(size_t n) { return n; }
struct Bits {
  unsigned a : 3, b : 5;
} bits;
struct FarBits {
  unsigned a : 3;
  unsigned : 0;
  unsigned b : 5;
} far_bits;

SCENARIO(adjacent_bytes, clean) {
  together([] { bytes[0] = 1; }, [] { bytes[1] = 1; }, [] { bytes[7] = 1; });
}
SCENARIO(same_byte, racy) {
  together([] { bytes[3] = 1; }, [] { bytes[3] = 2; });
}
SCENARIO(mixed_sizes_apart, clean) {
  together([] { *reinterpret_cast<int*>(bytes) = 1; }, [] { bytes[4] = 1; },
           [] { *reinterpret_cast<short*>(bytes + 6) = 1; });
}
SCENARIO(mixed_sizes_overlap, racy) {
  together([] { *reinterpret_cast<int*>(bytes) = 1; }, [] { bytes[3] = 1; });
}
SCENARIO(unaligned_overlap, racy) {
  together([] { std::memcpy(bytes + 5, "abcdef", length(6)); }, [] { bytes[9] = 1; });
}
SCENARIO(bit_fields, racy) {
  together([] { bits.a = 1; }, [] { bits.b = 1; });
}
SCENARIO(bit_fields_apart, clean) {
  together([] { far_bits.a = 1; }, [] { far_bits.b = 1; });
}
SCENARIO(copy_ranges_apart, clean) {
  together([] { std::memcpy(bytes, "0123456789012345", length(16)); },
           [] { std::memset(bytes + 16, 1, length(48)); });
}
SCENARIO(copy_ranges_overlap, racy) {
  together([] { std::memcpy(bytes, source, length(40)); },
           [] { std::memset(bytes + 32, 1, length(32)); });
}
SCENARIO(string_function, racy) {
  together([] { std::strcpy(text, source); }, [] { sink = std::strlen(text); });
}
SCENARIO(vector_elements, clean) {
  std::vector<int> values(4);
  together([&] { values[0] = 1; }, [&] { values[1] = 1; });
}
SCENARIO(vector_push_back, racy) {
  std::vector<int> values;
  values.reserve(8);
  together([&] { values.push_back(1); }, [&] { values.push_back(2); });
}
SCENARIO(heap_reused, clean) {
  // What one thread frees another gets: the same memory, two lives.
  const auto work = [] {
    for (int i = 0; i < 4; ++i) {
      auto* block = static_cast<long*>(std::malloc(24));
      block[0] = i;
      block[2] = i;
      sink = block[0] + block[2];
      std::free(block);
    }
  };
  together(work, work);
}
SCENARIO(heap_handed_over, clean) {
  static std::atomic<long*> box;
  const auto work = [] {
    for (int i = 0; i < 3; ++i) {
      long* mine = new long(i);
      long* old = box.exchange(mine, std::memory_order_acq_rel);
      if (old) sink = *old;
      delete old;
    }
  };
  together(work, work);
  delete box.load();
  box = nullptr;
}
SCENARIO(free_while_read, racy) {
  auto* block = static_cast<long*>(std::malloc(24));
  block[1] = 1;
  together([=] { sink = block[1]; },
           [=] {
             std::this_thread::yield();
             std::free(block);
           });
}
SCENARIO(delete_by_last_owner, clean) {
  struct Shared {
    std::atomic<int> owners{2};
    long value = 0;
  };
  auto* shared = new Shared;
  const auto leave = [shared] {
    sink = shared->value;
    if (shared->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared;
  };
  together(leave, leave);
}
SCENARIO(delete_by_last_owner_relaxed, racy) {
  struct Shared {
    std::atomic<int> owners{2};
    long value = 0;
  };
  auto* shared = new Shared;
  const auto leave = [shared] {
    sink = shared->value;
    if (shared->owners.fetch_sub(1, std::memory_order_relaxed) == 1) delete shared;
  };
  together(leave, leave);
}
SCENARIO(stack_of_ended_threads, clean) {
  const auto work = [] {
    long values[16] = {};
    std::thread inner([&] { values[3] = 1; });
    inner.join();
    sink = values[3];
  };
  for (int i = 0; i < 4; ++i) together(work, work);
}
SCENARIO(stack_of_detached_threads, clean) {
  static std::atomic<int> done;
  done = 0;
  for (int i = 0; i < 4; ++i) {
    std::thread([] {
      long values[16] = {};
      std::thread inner([&] { values[3] = 1; });
      inner.join();
      sink = values[3];
      done.fetch_add(1, std::memory_order_relaxed);
    }).detach();
  }
  while (done.load(std::memory_order_relaxed) < 4) std::this_thread::yield();
}
SCENARIO(stack_shared, racy) {
  long value = 0;
  std::thread thread([&] { value = 1; });
  value = 2;
  thread.join();
  sink = value;
}
static thread_local long own;
SCENARIO(thread_locals, clean) {
  const auto work = [] {
    own = 1;
    sink = own;
  };
  for (int i = 0; i < 3; ++i) together(work, work);
}
SCENARIO(thread_local_lent, racy) {
  static std::atomic<long*> lent;
  lent = nullptr;
  together(
      [] {
        lent.store(&own, std::memory_order_release);
        own = 1;
        while (lent.load(std::memory_order_acquire)) std::this_thread::yield();
      },
      [] {
        if (long* other = lent.load(std::memory_order_acquire)) *other = 2;
        while (!lent.load(std::memory_order_acquire)) std::this_thread::yield();
        lent.store(nullptr, std::memory_order_release);
      });
}
SCENARIO(thread_locals_of_detached, clean) {
  static std::atomic<int> done;
  done = 0;
  for (int i = 0; i < 4; ++i) {
    std::thread([] {
      own += 1;
      long* mine = &own;
      std::thread([mine] { *mine += 1; }).join();
      done.fetch_add(1, std::memory_order_relaxed);
    }).detach();
  }
  while (done.load(std::memory_order_relaxed) < 4) std::this_thread::yield();
}
SCENARIO(virtual_tables, clean) {
  struct Base {
    virtual ~Base() = default;
    virtual long value() { return 1; }
  };
  struct Derived : Base {
    long value() override { return 2; }
  };
  auto object = std::make_shared<Derived>();
  std::thread thread([copy = std::shared_ptr<Base>(object)] { sink = copy->value(); });
  sink = object->value();
  object.reset();
  thread.join();
}
SCENARIO(destructor_races, racy) {
  struct Base {
    virtual ~Base() { sink = value(); }
    virtual long value() { return 1; }
  };
  struct Derived : Base {
    long value() override { return 2; }
  };
  alignas(Derived) char memory[sizeof(Derived)];
  Base* object = new (memory) Derived;
  std::thread thread([object] { sink = object->value(); });
  object->~Base();
  thread.join();
}
// The thread has ended, but nobody has waited for that.
SCENARIO(freed_after_the_end, racy) {
  struct Object {
    long value, more[4];
  };
  static std::atomic<bool> done;
  auto* object = new Object();
  std::thread thread([object] {
    object->value = 1;
    done.store(true, std::memory_order_relaxed);
  });
  while (!done.load(std::memory_order_relaxed)) std::this_thread::yield();
  delete object;
  thread.join();
}
SCENARIO(kernel_writes, racy) {
  static char buffer[16];
  const int file = open("/dev/zero", O_RDONLY);
  together([file] { sink = read(file, buffer, sizeof buffer); }, [] { sink = buffer[4]; });
  close(file);
}
SCENARIO(kernel_writes_locked, clean) {
  static char buffer[16];
  const int file = open("/dev/zero", O_RDONLY);
  together(
      [file] {
        std::lock_guard lock(mutex);
        sink = read(file, buffer, sizeof buffer);
      },
      [] {
        std::lock_guard lock(mutex);
        sink = buffer[4];
      });
  close(file);
}
__attribute__((no_sanitize("thread"))) static void unseen(long& value) { value += 1; }
SCENARIO(not_instrumented, clean) {
  static long value;
  together([] { unseen(value); }, [] { unseen(value); });
}
extern "C" void AnnotateHappensBefore(const char*, int, const volatile void*);
extern "C" void AnnotateHappensAfter(const char*, int, const volatile void*);
extern "C" void AnnotateBenignRaceSized(const char*, int, const volatile void*, size_t,
                                        const char*);
SCENARIO(annotated_order, clean) {
  static long value;
  static std::atomic<int> told;
  together(
      [] {
        value = 1;
        AnnotateHappensBefore(__FILE__, __LINE__, &told);
        told.store(1, std::memory_order_relaxed);
      },
      [] {
        if (!told.load(std::memory_order_relaxed)) return;
        AnnotateHappensAfter(__FILE__, __LINE__, &told);
        sink = value;
      });
}
SCENARIO(annotated_benign, clean) {
  static long hits;
  AnnotateBenignRaceSized(__FILE__, __LINE__, &hits, sizeof hits, "statistics");
  together([] { hits += 1; }, [] { hits += 1; });
}

// What is probed and is not there has not been accessed.
static thread_local sigjmp_buf before_probe;
static char* page(int protection) {
  const auto jump_out = [](int) { siglongjmp(before_probe, 1); };
  signal(SIGSEGV, jump_out);
  signal(SIGBUS, jump_out);
  return static_cast<char*>(mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}
SCENARIO(write_probed_in_vain, clean) {
  static char* const place = page(PROT_NONE);
  const auto probe = [] {
    if (sigsetjmp(before_probe, 1) == 0) place[8] = 1;
  };
  together(probe, probe);
}
SCENARIO(read_probed_in_vain, clean) {
  static char* const place = page(PROT_NONE);
  together(
      [] {
        if (sigsetjmp(before_probe, 1) == 0) sink = place[8];
      },
      [] {
        if (sigsetjmp(before_probe, 1) == 0) place[8] = 1;
      });
}
SCENARIO(read_only_page_probed, clean) {
  static char* const place = page(PROT_READ);
  together(
      [] {
        if (sigsetjmp(before_probe, 1) == 0) place[8] = 1;
      },
      [] {
        if (sigsetjmp(before_probe, 1) == 0) sink = place[8];
      });
}
SCENARIO(probed_while_it_is_there, racy) {
  static char* const place = page(PROT_READ | PROT_WRITE);
  const auto probe = [] {
    if (sigsetjmp(before_probe, 1) == 0) place[8] = 1;
  };
  together(probe, probe);
}
// The handler makes room, and the access is made after all.
static char* guarded;
SCENARIO(page_made_by_the_handler, racy) {
  guarded = page(PROT_NONE);
  const auto make = [](int) { mprotect(guarded, 4096, PROT_READ | PROT_WRITE); };
  signal(SIGSEGV, make);
  together([] { guarded[8] = 1; }, [] { guarded[8] = 2; });
}

// Who lets go of the result last destroys it, by a count inside of the C++ library.
SCENARIO(result_at_thread_exit, clean) {
  std::promise<std::string> promise;
  std::future<std::string> future = promise.get_future();
  std::thread worker([promise = std::move(promise)]() mutable {
    promise.set_value_at_thread_exit("a text that does not fit into the string itself");
  });
  sink = static_cast<long>(future.get().size());
  future = {};
  worker.join();
}
// The C++ library's locale remembers characters, without a lock.
SCENARIO(narrowed_by_a_locale, clean) {
  const auto narrow = [] {
    const std::locale& classic = std::locale::classic();
    sink = std::use_facet<std::ctype<char>>(classic).narrow('x', '?');
  };
  together(narrow, narrow);
}
// So do facets on the heap: of a named locale, one's own, and the punctuation of both.
class Commas : public std::ctype<char> {};
class Dots : public std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};
SCENARIO(remembered_by_facets, clean) {
  const std::locale named("C.UTF-8");
  const std::locale own(std::locale(named, new Dots), new Commas);
  const auto use = [&] {
    for (const std::locale& locale : {named, own}) {
      std::ostringstream out;
      out.imbue(locale);
      out << std::boolalpha << true << 123456 << std::endl;
      std::istringstream in(out.str());
      in.imbue(locale);
      bool flag;
      long number;
      in >> std::boolalpha >> flag;
      in >> number;
      sink = std::use_facet<std::ctype<char>>(locale).narrow('x', '?');
    }
  };
  together(use, use);
}

// Results that are memory of libc's own, one for all threads.
SCENARIO(parts_of_time, racy) {
  const auto year = [] {
    const time_t time = 0;
    sink = gmtime(&time)->tm_year;
  };
  together(year, year);
}
SCENARIO(parts_of_time_one_by_one, clean) {
  const auto year = [] {
    const time_t time = 0;
    const std::lock_guard lock(mutex);
    sink = localtime(&time)->tm_year;
  };
  together(year, year);
}
SCENARIO(parts_of_time_of_the_caller, clean) {
  const auto year = [] {
    const time_t time = 0;
    tm parts;
    sink = gmtime_r(&time, &parts)->tm_year;
  };
  together(year, year);
}
SCENARIO(text_of_time, racy) {
  const auto weekday = [] {
    const time_t time = 0;
    sink = ctime(&time)[0];
  };
  together(weekday, weekday);
}
SCENARIO(words_one_by_one, racy) {
  const auto split = [] {
    char words[] = "a b";
    strtok(words, " ");
  };
  together(split, split);
}
SCENARIO(words_with_a_place_of_the_caller, clean) {
  const auto split = [] {
    char words[] = "a b", *rest;
    strtok_r(words, " ", &rest);
  };
  together(split, split);
}

int main(int argc, char** argv) { return run_scenario(argc, argv); }

// SPDX-License-Identifier: Apache-2.0
