// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/coverage/edges.h"

#include "src/base/hash.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/reads_from.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/fairness/recent_reads.h"

namespace jostle::rt {

JOSTLE_KEPT Feedback* g_edges = nullptr;

namespace {

// Which read of the running thread brought one of the two sides? The one that is no constant.
void name_read(channel::Comparison& seen) {
  const uint32_t thread = g_current->index;
  const RecentRead* read = g_recent_reads.find(thread, seen.right, seen.size);
  const bool left = !read && !seen.constant;
  if (left) read = g_recent_reads.find(thread, seen.left, seen.size);
  if (!read) return;
  seen.read_name = g_reads_from.name(read->object);
  seen.read_site = code_location(read->pc);
  seen.read_size = read->size;
  seen.read_left = left;
}

void list_comparison(uint64_t place, uint64_t left, uint64_t right, uint32_t size, bool constant) {
  channel::RunRecord& run = g_scheduler.record();
  if (run.comparison_count == channel::kMaxComparisons) return;
  channel::Comparison& seen = run.comparisons[run.comparison_count++];
  seen = {place, left, right, size, constant, 0, 0, 0, 0};
  name_read(seen);
}

// Byte by byte, each at a place of its own: those that are equal are left out.
void list_text(const ComparedText& text, uintptr_t pc) {
  constexpr uint32_t kMostBytes = 8;
  const uint64_t place = code_location(pc);
  for (uint32_t i = 0; i < kMostBytes && i < text.left_size && i < text.right_size; ++i) {
    const uint64_t here = combine(place, i + 1);
    const uint8_t left = text.left[i], right = text.right[i];
    g_edges->add(combine(here, static_cast<uint64_t>(__builtin_popcount(left ^ right))));
    if (left != right) list_comparison(here, left, right, 1, false);
  }
}

}  // namespace

void listen_to_code(Feedback* feedback) {
  g_edges = feedback;
  g_recent_reads.want(feedback != nullptr);
}

void note_compared(const void* left, const void* right, size_t size, bool are_texts, uintptr_t pc) {
  if (!g_edges || !controlled()) return;
  const auto* a = static_cast<const uint8_t*>(left);
  const auto* b = static_cast<const uint8_t*>(right);
  constexpr size_t kMost = sizeof ComparedText{}.left;
  ComparedText text = {};
  const size_t most = size < kMost ? size : kMost;
  bool a_ends = false, b_ends = false, same = true;
  for (size_t i = 0; i < most; ++i) {
    a_ends |= are_texts && a[i] == 0;
    b_ends |= are_texts && b[i] == 0;
    if (a_ends && b_ends) break;
    if (!a_ends) text.left[text.left_size++] = a[i];
    if (!b_ends) text.right[text.right_size++] = b[i];
    same &= a_ends == b_ends && a[i] == b[i];
    if (a_ends || b_ends) {
      // One of them is over: only the other one is read on.
      for (size_t j = i + 1; j < most; ++j) {
        const uint8_t next = a_ends ? b[j] : a[j];
        if (next == 0) break;
        if (a_ends) text.right[text.right_size++] = next;
        if (b_ends) text.left[text.left_size++] = next;
      }
      break;
    }
  }
  if (g_edges->lists && is_instrumented_code(pc)) list_text(text, pc);
  if (same || text.left_size + text.right_size == 0) return;
  uint64_t hash = text.left_size;
  for (const uint8_t byte : text.left) hash = combine(hash, byte);
  for (const uint8_t byte : text.right) hash = combine(hash, byte);
  g_edges->texts[hash % kComparedTexts] = text;
}

namespace {

// The place itself, and how often: loops that turn more often are something else.
inline void at_edge(uintptr_t pc) { g_edges->add(pc * 0x9E3779B97F4A7C15); }

}  // namespace

void note_function(uintptr_t pc) { at_edge(pc); }

namespace {

// For a search that asks what was compared when: the first few of every place, in their order.
void list_first_ones(uintptr_t pc, uint64_t hash, uint64_t left, uint64_t right, uint32_t size,
                     bool constant) {
  constexpr uint8_t kOfOnePlace = 4;
  uint8_t& listed = g_edges->listed[hash >> 40 & (kComparisons - 1)];
  if (listed == kOfOnePlace) return;
  ++listed;
  list_comparison(code_location(pc), left, right, size, constant);
}

void note_comparison(uintptr_t pc, uint64_t left, uint64_t right, uint32_t size,
                     bool constant = false) {
  if (!controlled()) return;
  const uint64_t hash = pc * 0x9E3779B97F4A7C15;
  // How near the two are is a feature of its own (a value profile): by the bits in which they
  // differ, so that a search sees that it comes closer.
  const uint64_t difference = left ^ right;
  if (size > 1) {
    g_edges->add(hash ^ (static_cast<uint64_t>(__builtin_popcountll(difference)) + 1) << 45);
  }
  if (difference == 0) return;
  if (g_edges->lists) list_first_ones(pc, hash, left, right, size, constant);
  Comparison& to = g_edges->comparisons[hash >> 40 & (kComparisons - 1)];
  to = {left, right, size, static_cast<uint32_t>(hash >> 32) | 1};
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

// gcc, at every basic block.
JOSTLE_HOOK void __sanitizer_cov_trace_pc() {
  if (g_edges) [[unlikely]] {
    g_edges->has_edges = 1;
    at_edge(CALLER());
  }
}

// clang, at every edge that matters; a number per edge is ours to give, and we need none.
JOSTLE_HOOK void __sanitizer_cov_trace_pc_guard(uint32_t*) {
  if (g_edges) [[unlikely]] {
    g_edges->has_edges = 1;
    at_edge(CALLER());
  }
}
JOSTLE_HOOK void __sanitizer_cov_trace_pc_guard_init(uint32_t*, uint32_t*) {}

#define COMPARISON(name, type, constant)                             \
  JOSTLE_HOOK void name(type left, type right) {                     \
    if (g_edges) [[unlikely]]                                        \
      note_comparison(CALLER(), left, right, sizeof left, constant); \
  }
COMPARISON(__sanitizer_cov_trace_cmp1, uint8_t, false)
COMPARISON(__sanitizer_cov_trace_cmp2, uint16_t, false)
COMPARISON(__sanitizer_cov_trace_cmp4, uint32_t, false)
COMPARISON(__sanitizer_cov_trace_cmp8, uint64_t, false)
COMPARISON(__sanitizer_cov_trace_const_cmp1, uint8_t, true)
COMPARISON(__sanitizer_cov_trace_const_cmp2, uint16_t, true)
COMPARISON(__sanitizer_cov_trace_const_cmp4, uint32_t, true)
COMPARISON(__sanitizer_cov_trace_const_cmp8, uint64_t, true)
JOSTLE_HOOK void __sanitizer_cov_trace_cmpf(float, float) {}
JOSTLE_HOOK void __sanitizer_cov_trace_cmpd(double, double) {}

// cases: how many, of how many bits, and then the values.
JOSTLE_HOOK void __sanitizer_cov_trace_switch(uint64_t value, uint64_t* cases) {
  if (!g_edges) [[likely]]
    return;
  constexpr uint64_t kMost = 32;
  for (uint64_t i = 0; i < cases[0] && i < kMost; ++i) {
    note_comparison(CALLER() + i, cases[2 + i], value, static_cast<uint32_t>(cases[1] / 8));
  }
}
