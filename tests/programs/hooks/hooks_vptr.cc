// Virtual-table pointers: __tsan_vptr_update in constructors and destructors, __tsan_vptr_read at
// virtual calls (clang), multiple and virtual inheritance, placement new, dynamic_cast.
#include <memory>
#include <new>
#include <thread>

#include "../check.h"

struct Shape {
  explicit Shape(int* log) : log_(log) { *log_ = *log_ * 10 + id(); }
  virtual ~Shape() { *log_ = *log_ * 10 + id(); }
  virtual int id() const { return 1; }
  int* log_;
};
struct Square : Shape {
  explicit Square(int* log) : Shape(log) { *log_ = *log_ * 10 + id(); }
  ~Square() override { *log_ = *log_ * 10 + id(); }
  int id() const override { return 2; }
};
struct Named {
  virtual ~Named() = default;
  virtual int name() const { return 7; }
};
struct NamedSquare : Square, virtual Named {
  explicit NamedSquare(int* log) : Square(log) { *log_ = *log_ * 10 + id(); }
  ~NamedSquare() override { *log_ = *log_ * 10 + id(); }
  int id() const override { return 3; }
  int name() const override { return 8; }
};

__attribute__((noinline)) int call_id(const Shape* s) { return s->id(); }
__attribute__((noinline)) int call_name(const Named* n) { return n->name(); }

static void work() {
  for (int i = 0; i < 20; i++) {
    int log = 0;
    {
      std::unique_ptr<Shape> s = std::make_unique<NamedSquare>(&log);
      CHECK_EQ(call_id(s.get()), 3);
      auto* named = dynamic_cast<Named*>(s.get());
      CHECK(named != nullptr);
      CHECK_EQ(call_name(named), 8);
      CHECK_EQ(log, 123);
    }
    CHECK_EQ(log, 123321);
    alignas(NamedSquare) unsigned char room[sizeof(NamedSquare)];
    log = 0;
    auto* s = new (room) Square(&log);
    CHECK_EQ(call_id(s), 2);
    s->~Square();
    CHECK_EQ(log, 1221);
  }
}

int main() {
  std::thread a(work), b(work);
  work();
  a.join();
  b.join();
  return check_passed("hooks_vptr");
}

// SPDX-License-Identifier: Apache-2.0
