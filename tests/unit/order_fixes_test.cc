// SPDX-License-Identifier: Apache-2.0
#include "src/cli/orders/order_fixes.h"

#include <gtest/gtest.h>

#include <string>

namespace jostle::cli {
namespace {

constexpr uint8_t kRelaxed = __ATOMIC_RELAXED, kAcquire = __ATOMIC_ACQUIRE,
                  kRelease = __ATOMIC_RELEASE, kSequential = __ATOMIC_SEQ_CST;
const Ordered kLoad = {OpKind::atomic_load, {kSequential}};
const Ordered kStore = {OpKind::atomic_store, {kSequential}};
const Ordered kUpdate = {OpKind::atomic_rmw, {kSequential}};
const Ordered kCompare = {OpKind::atomic_rmw, {kSequential, kSequential}};
const Ordered kFence = {OpKind::fence, {kSequential}};

// The source with the edit; "-": there is none.
std::string edited(const std::string& source, const Ordered& operation, Orders wanted,
                   bool is_c = false) {
  std::vector<std::string> lines = {""};
  for (const char c : source) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  const std::optional<SourceEdit> edit = order_edit(lines, 1, operation, wanted, is_c);
  if (!edit) return "-";
  const auto offset = [&](int line, int column) {
    size_t at = 0;
    for (int i = 1; i < line; ++i) at += lines[static_cast<size_t>(i - 1)].size() + 1;
    return at + static_cast<size_t>(column - 1);
  };
  const size_t begin = offset(edit->line, edit->column);
  const size_t end = offset(edit->end_line, edit->end_column);
  return source.substr(0, begin) + edit->text + source.substr(end);
}

TEST(OrderFixes, ReplaceAnOrderAsItIsSpelled) {
  EXPECT_EQ(edited("  x.load(std::memory_order_seq_cst);", kLoad, {kRelaxed}),
            "  x.load(std::memory_order_relaxed);");
  EXPECT_EQ(edited("x->load( memory_order_seq_cst )", kLoad, {kAcquire}),
            "x->load( memory_order_acquire )");
  EXPECT_EQ(edited("x.store(f(1, 2), std::memory_order::seq_cst);", kStore, {kRelease}),
            "x.store(f(1, 2), std::memory_order::release);");
  EXPECT_EQ(edited("__atomic_load_n(&x, __ATOMIC_SEQ_CST)", kLoad, {kAcquire}),
            "__atomic_load_n(&x, __ATOMIC_ACQUIRE)");
  EXPECT_EQ(
      edited("std::atomic_store_explicit(&x, 1, std::memory_order_seq_cst);", kStore, {kRelease}),
      "std::atomic_store_explicit(&x, 1, std::memory_order_release);");
  EXPECT_EQ(edited("x.compare_exchange_weak(e, d, std::memory_order_seq_cst);", kCompare,
                   {kRelease, kRelaxed}),
            "x.compare_exchange_weak(e, d, std::memory_order_release, "
            "std::memory_order_relaxed);");
  EXPECT_EQ(edited("x.compare_exchange_strong(e, d,\n    std::memory_order_seq_cst,\n    "
                   "std::memory_order_seq_cst);",
                   kCompare, {kRelaxed, kAcquire}),
            "x.compare_exchange_strong(e, d,\n    std::memory_order_relaxed, "
            "std::memory_order_acquire);");
}

TEST(OrderFixes, SayTheOrderWhereItWasTheDefault) {
  EXPECT_EQ(edited("return x.load();", kLoad, {kRelaxed}),
            "return x.load(std::memory_order_relaxed);");
  EXPECT_EQ(edited("x.store(1);", kStore, {kRelease}), "x.store(1, std::memory_order_release);");
  EXPECT_EQ(
      edited("while (!x.compare_exchange_weak(old, old + 1)) {", kCompare, {kRelease, kRelaxed}),
      "while (!x.compare_exchange_weak(old, old + 1, std::memory_order_release, "
      "std::memory_order_relaxed)) {");
  EXPECT_EQ(edited("int r = atomic_load(&x);", kLoad, {kAcquire}, true),
            "int r = atomic_load_explicit(&x, memory_order_acquire);");
  EXPECT_EQ(edited("std::atomic_fetch_add(&x, 1);", kUpdate, {kRelaxed}),
            "std::atomic_fetch_add_explicit(&x, 1, std::memory_order_relaxed);");
}

TEST(OrderFixes, TurnOperatorsIntoCalls) {
  EXPECT_EQ(edited("  ++count;", kUpdate, {kRelaxed}),
            "  count.fetch_add(1, std::memory_order_relaxed);");
  EXPECT_EQ(edited("  this->counts[i]--;  // one less", kUpdate, {kRelease}),
            "  this->counts[i].fetch_sub(1, std::memory_order_release);  // one less");
  EXPECT_EQ(edited("flags |= kDone;", kUpdate, {kRelease}),
            "flags.fetch_or(kDone, std::memory_order_release);");
  EXPECT_EQ(edited("ready = true;", kStore, {kRelease}),
            "ready.store(true, std::memory_order_release);");
  EXPECT_EQ(edited("++count;", kUpdate, {kRelaxed}, true), "-");  // C has no such function
  EXPECT_EQ(edited("f(++count);", kUpdate, {kRelaxed}), "-");     // its value is used
  EXPECT_EQ(edited("if (flag) return;", kLoad, {kRelaxed}), "-");
}

TEST(OrderFixes, RemoveAFenceThatDoesNothing) {
  EXPECT_EQ(
      edited("  std::atomic_thread_fence(std::memory_order_seq_cst);\n  go();", kFence, {kRelaxed}),
      "  go();");
  EXPECT_EQ(
      edited("if (a) std::atomic_thread_fence(std::memory_order_seq_cst);", kFence, {kRelaxed}),
      "if (a) ");
  EXPECT_EQ(edited("atomic_thread_fence(memory_order_seq_cst);", kFence, {kAcquire}, true),
            "atomic_thread_fence(memory_order_acquire);");
}

TEST(OrderFixes, AreForPeopleWhereTheTextIsNotClear) {
  EXPECT_EQ(edited("x.store(1, kPublish);", kStore, {kRelease}), "-");
  EXPECT_EQ(edited("x.store(y.load(), order);", kStore, {kRelease}), "-");
  EXPECT_EQ(edited("x.store(1); y.store(2);", kStore, {kRelease}), "-");  // which of them?
  EXPECT_EQ(edited("x.load(std::memory_order_acquire);", kLoad, {kRelaxed}), "-");
  EXPECT_EQ(edited("PUBLISH(x);", kStore, {kRelease}), "-");
  EXPECT_EQ(edited("x.store(std::string(\")\").size());", kStore, {kRelease}), "-");
  EXPECT_EQ(edited("", kStore, {kRelease}), "-");
}

}  // namespace
}  // namespace jostle::cli
