// Polymorphic objects built in one thread, used and destroyed in others, handed over through a
// queue.
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../check.h"

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
  virtual std::string name() const { return "shape"; }
};
struct Named : virtual Shape {
  std::string label;
  explicit Named(std::string l) : label(std::move(l)) {}
  std::string name() const override { return label; }
};
struct Square final : Named {
  explicit Square(double s) : Named("square"), side(s) {}
  double area() const override { return side * side; }
  double side;
};
struct Rectangle : Named {
  Rectangle(double a, double b) : Named("rectangle"), w(a), h(b) {}
  double area() const override { return w * h; }
  double w, h;
};

int main() {
  std::mutex mutex;
  std::condition_variable cond;
  std::deque<std::unique_ptr<Shape>> queue;
  bool closed = false;
  double total = 0;
  int squares = 0;

  std::vector<std::thread> consumers, producers;
  for (int i = 0; i < 2; i++) {
    consumers.emplace_back([&] {
      for (;;) {
        std::unique_ptr<Shape> shape;
        {
          std::unique_lock<std::mutex> lock(mutex);
          cond.wait(lock, [&] { return closed || !queue.empty(); });
          if (queue.empty()) return;
          shape = std::move(queue.front());
          queue.pop_front();
        }
        const double area = shape->area();
        const bool square = dynamic_cast<Square*>(shape.get()) != nullptr;
        CHECK_EQ(square, shape->name() == "square");
        std::lock_guard<std::mutex> lock(mutex);
        total += area;
        squares += square;
      }
    });
    producers.emplace_back([&, i] {
      for (int k = 1; k <= 30; k++) {
        std::unique_ptr<Shape> shape;
        if (i == 0)
          shape = std::make_unique<Square>(k);
        else
          shape = std::make_unique<Rectangle>(k, 2);
        std::lock_guard<std::mutex> lock(mutex);
        queue.push_back(std::move(shape));
        cond.notify_one();
      }
    });
  }
  for (auto& t : producers) t.join();
  {
    std::lock_guard<std::mutex> lock(mutex);
    closed = true;
  }
  cond.notify_all();
  for (auto& t : consumers) t.join();
  CHECK_EQ(squares, 30);
  CHECK_EQ(total, 9455 + 930);
  return check_passed("memory_vptr");
}

// SPDX-License-Identifier: Apache-2.0
