// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/history/run_results.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "src/runtime/fiber/donor.h"
#include "src/runtime/fiber/stack_pool.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/heap/heap_check.h"
#include "src/runtime/history/reference_question.h"
#include "src/runtime/history/run_history.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/location_name.h"
#include "src/runtime/memory/reads_from.h"
#include "src/runtime/memory/safe_read.h"
#include "src/runtime/memory/weak_atomics.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/result_end.h"
#include "src/runtime/snapshot/kernel_state.h"

namespace jostle::rt {

JOSTLE_KEPT bool g_results_wanted = false;

namespace {

JOSTLE_KEPT ResultOfRun* g_result = nullptr;
JOSTLE_KEPT bool g_has_result = false;
JOSTLE_KEPT EngineVector<WrittenWord>* g_written = nullptr;  // each as often as it was
JOSTLE_KEPT EngineVector<WrittenWord>* g_always = nullptr;   // what others ask about
// What is printed to descriptors 1 and 2, and where it should go; -1: nowhere.
JOSTLE_KEPT int g_output[2] = {-1, -1};
JOSTLE_KEPT int g_real_output[2] = {-1, -1};

// More than this in a run, and what is in memory says nothing.
constexpr size_t kMostWrites = 1 << 16;

// Other threads' stacks are gone, and of main's own what is deeper than where it is.
bool is_on_stack(uintptr_t address) {
  const Thread& self = g_scheduler.self();
  if (address >= self.stack_begin && address < self.stack_end) {
    return address < reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  }
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread& thread = *g_scheduler.thread_at(id);
    if (&thread != &self && address >= thread.stack_begin && address < thread.stack_end) {
      return true;
    }
  }
  return false;
}

// What lasts of a pointer, or of a thread's handle: addresses depend on the order of allocations
// and of threads. 0: it is neither. Pointers to what has no name that lasts (memory that was given
// back, stacks and handles of threads that are over) are all alike.
uint64_t name_of_pointer(uint64_t word) {
  constexpr uint64_t kPointer = 0x706F696E746572, kEnd = 0x656E64;
  constexpr uint64_t kFreed = 0x6672656564, kThread = 0x746872656164;
  const auto address = static_cast<uintptr_t>(word);
  if (in_heap(address)) {
    if (heap_state(address, 1) == HeapState::valid) return combine(kPointer, location_name(word));
    if (heap_state(address - 1, 1) != HeapState::valid) return kFreed;
    return combine(kEnd, location_name(word - 1));
  }
  uint32_t user;
  if (in_fiber_stacks(address) || in_donor_tls(address, user) || donor_of(word)) return kThread;
  return code_location(address) != 0 ? combine(kPointer, location_name(word)) : 0;
}

void add_word(ResultOfRun& result, const WrittenWord& written) {
  const uintptr_t address = written.address;
  if (result.word_count == ResultOfRun::kMostWords || is_on_stack(address)) return;
  if (in_heap(address) && heap_state(address, 8) != HeapState::valid) return;
  uint64_t word;
  if (!safe_read(address, &word, sizeof word)) return;
  ResultWord& added = result.words[result.word_count++];
  added = {.name = location_name(address),
           .value = word & written_bits(written.bytes),
           .address = address,
           .is_at_home = !in_heap(address) || heap_block_of(address).ordinal == 0,
           .bytes = static_cast<uint8_t>(written.bytes)};
  if (written.bytes != 0xff) return;
  const uint64_t name = name_of_pointer(word);
  added.is_pointer = name != 0;
  if (added.is_pointer) added.value = name;
}

template <typename F>
void for_each_block(int file, F&& use) {
  char block[4096];
  off_t at = 0;
  for (ssize_t got; (got = REAL(pread)(file, block, sizeof block, at)) > 0; at += got) {
    use(block, static_cast<size_t>(got));
  }
}

void note_output(ResultOfRun& result) {
  Thread* const current = g_current;
  g_current = nullptr;
  fflush(nullptr);
  g_current = current;
  result.output = 0;
  size_t kept = 0;
  for (const int file : g_output) {
    // Which lines there are, not in which order: that is not explored (docs/limits.md).
    uint64_t line = 1;
    for_each_block(file, [&](const char* block, size_t size) {
      for (size_t i = 0; i < size; ++i) {
        line = combine(line, static_cast<unsigned char>(block[i]));
        if (block[i] != '\n') continue;
        result.output += line;
        line = 1;
      }
      const size_t more = std::min(size, ResultOfRun::kMostOutput - 1 - kept);
      memcpy(result.output_begin + kept, block, more);
      kept += more;
    });
    result.output += line;
  }
  result.output_begin[kept] = '\0';
}

// The runs to compare with have none of this: what came of it is no fault of the functions.
bool is_comparable() {
  const channel::RunRecord& run = g_scheduler.record();
  if (g_weak.active() || g_scheduler.clock_was_read() || run.draws.count != 0) return false;
  constexpr uint32_t kOthers =
      1u << static_cast<int>(ChoiceKind::fault) | 1u << static_cast<int>(ChoiceKind::spurious) |
      1u << static_cast<int>(ChoiceKind::fails) | 1u << static_cast<int>(ChoiceKind::held_up);
  for (uint32_t i = 0; i < run.schedule.choice_count; ++i) {
    const channel::Choice& choice = run.schedule.choices[i];
    if (choice.picked != 0 && (kOthers >> static_cast<int>(choice.kind) & 1) != 0) return false;
  }
  return true;
}

void explain(const ResultOfRun& here) {
  ResultVerdict& verdict = g_scheduler.record().result_verdict;
  verdict = g_reference->result_verdict;
  memcpy(verdict.output_here, here.output_begin, sizeof verdict.output_here);
}

void make_room() {
  if (g_result) return;
  g_result = static_cast<ResultOfRun*>(engine_allocate(sizeof(ResultOfRun)));
  g_written = new (engine_allocate(sizeof *g_written)) EngineVector<WrittenWord>;
  g_always = new (engine_allocate(sizeof *g_always)) EngineVector<WrittenWord>;
}

}  // namespace

void learn_words() {
  if (!g_results_wanted || !g_reference) return;
  make_room();
  ask_reference(ReferenceExchange::which_words);
  const ResultOfRun& all = g_reference->result;
  for (uint32_t i = 0; i < all.word_count; ++i) {
    look_at_word({all.words[i].address, all.words[i].bytes});
  }
}

void begin_result() {
  make_room();
  g_result->word_count = 0;
  g_has_result = false;
  g_written->clear();
  g_reads_from.list_written(g_written, kMostWrites);
  for (const int file : g_output) {
    [[maybe_unused]] const int done = ftruncate(file, 0);
  }
}

void threads_have_ended() {
  ResultOfRun& result = *g_result;
  result.word_count = 0;
  if (g_written->size() >= kMostWrites) return;
  for (const WrittenWord& word : *g_always) g_written->push_back(word);
  std::sort(g_written->begin(), g_written->end(),
            [](const WrittenWord& a, const WrittenWord& b) { return a.address < b.address; });
  for (size_t i = 0; i < g_written->size();) {
    WrittenWord all = (*g_written)[i];
    while (++i < g_written->size() && (*g_written)[i].address == all.address) {
      all.bytes |= (*g_written)[i].bytes;
    }
    add_word(result, all);
  }
  std::sort(result.words, result.words + result.word_count,
            [](const ResultWord& a, const ResultWord& b) { return a.name < b.name; });
}

void judge_result() {
  ResultOfRun& result = *g_result;
  result.status = g_scheduler.record().end.code;
  note_output(result);
  g_has_result = true;
  pass_on_output();
  if (is_reference()) return;
  const Judgement judgement =
      is_comparable() ? judge(result, g_scheduler.recording()) : not_judged();
  if (judgement != Judgement::wrong) return;
  explain(result);
  fail_result();
}

bool look_at_word(const WrittenWord& word) {
  for (WrittenWord& known : *g_always) {
    if (known.address != word.address) continue;
    const uint64_t before = known.bytes;
    known.bytes |= word.bytes;
    return known.bytes != before;
  }
  if (g_always->size() == ResultOfRun::kMostWords) return false;
  g_always->push_back(word);
  return true;
}

const ResultOfRun* last_result() { return g_has_result ? g_result : nullptr; }

void keep_output(bool pass_on) {
  for (int i = 0; i < 2; ++i) {
    const int file = memfd_create("jostle-output", MFD_CLOEXEC);
    if (file < 0) return;
    g_output[i] = REAL(fcntl)(file, F_DUPFD_CLOEXEC, kOutOfTheWay);
    REAL(close)(file);
    REAL(fcntl)(g_output[i], F_SETFL, O_APPEND);
    if (pass_on) g_real_output[i] = REAL(fcntl)(i + 1, F_DUPFD_CLOEXEC, kOutOfTheWay);
    REAL(dup2)(g_output[i], i + 1);
  }
}

void pass_on_output() {
  for (int i = 0; i < 2; ++i) {
    if (g_real_output[i] < 0) continue;
    for_each_block(g_output[i], [&](const char* block, size_t size) {
      [[maybe_unused]] const ssize_t done = REAL(write)(g_real_output[i], block, size);
    });
    [[maybe_unused]] const int done = ftruncate(g_output[i], 0);  // not twice
  }
}

}  // namespace jostle::rt
